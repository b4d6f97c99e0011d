"""Figures that take long are stopped by Escape, and by the next edit."""

from __future__ import annotations

from pathlib import Path
from time import monotonic, sleep

import pytest

from tests.tui.person import PATIENCE_S, OpenApp
from toposmith.cancellation import go_on
from toposmith.tui.designer import figure_jobs


async def test_escape_stops_figures_that_take_long_and_an_edit_computes_them(
    open_app: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(two_tier, size=(120, 36)) as person:
        quick = figure_jobs.figure
        began: list[bool] = []

        def endless(*asked: object) -> object:
            began.append(True)
            while True:
                go_on()
                sleep(0.005)

        monkeypatch.setattr(figure_jobs, "PATIENCE_SECONDS", 0.05)
        monkeypatch.setattr(figure_jobs, "figure", endless)
        person.designer.select_group("node")
        measurement = person.designer.designer.measurement
        jobs = measurement._jobs
        measurement.measure_again()
        given_up = monotonic() + PATIENCE_S
        while not (began and jobs._long):  # it never settles
            assert monotonic() < given_up
            await person.pilot.pause(0.02)
        assert "computing ... Esc stops" in person.seen()
        # those of before stay, dim
        assert "figures of before:" in person.seen()
        assert "all-reduce busbw" in person.seen()
        assert person.designer.query_one("#live").has_class("-waiting")
        await person.press("escape")
        assert "stopped: no figures" in person.seen()
        monkeypatch.setattr(figure_jobs, "figure", quick)
        person.designer.select_group("node")
        await person.press("minus")
        assert "stopped" not in person.seen()
        assert not person.designer.query_one("#live").has_class("-waiting")
        assert person.designer._figures.analysis is not None
