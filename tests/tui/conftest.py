"""A home directory of its own for every test, and a person who sits before the app."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual._compositor import Compositor

from tests.tui import handling
from tests.tui.handling import nothing_to_write
from tests.tui.person import PATIENCE_S, OpenApp, Person
from toposmith.synthesis import next_change
from toposmith.tui import app as app_module
from toposmith.tui.app import ToposmithApp
from toposmith.tui.designer import figure_jobs
from toposmith.tui.designer.figure_jobs import FigureJobs
from toposmith.tui.visit import Visit
from toposmith.tui.widgets import file_watcher


@pytest.fixture(autouse=True)
def at_home(own_home: Path) -> None:
    """No test reads or writes the settings of the developer who runs it."""


def _searches_nothing(_jobs: FigureJobs, _wanted: object, _catalog: object, _take: object) -> None:
    """The search of fixes goes on for ever."""


@pytest.fixture
def open_app(work_dir: Path, monkeypatch: pytest.MonkeyPatch) -> OpenApp:
    """Open the app on a file, or at the start.

    Frames are drawn where a test looks at one, and at its end: all of them would take half of the
    time of these tests. What is sent to terminals is looked at in ``tests/tui/terminal``. What
    lifts the figure is searched beside the screen only where a test asks for ``fixes``.
    """
    monkeypatch.setattr(Compositor, "render_update", nothing_to_write)
    # nothing is being typed meanwhile: figures begin at once, findings right behind them
    monkeypatch.setattr(figure_jobs, "PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(figure_jobs, "REST_SECONDS", 0.0)
    # what the disk says comes up where a test asks for it
    monkeypatch.setattr(file_watcher, "LOOK_SECONDS", 3600.0)

    @asynccontextmanager
    async def opened(
        path: Path | None = None,
        *,
        size: tuple[int, int] = (120, 36),
        review: bool = False,
        ascii_only: bool = False,
        fixes: bool = False,
        visit: Visit | None = None,
    ) -> AsyncIterator[Person]:
        if not fixes:
            monkeypatch.setattr(FigureJobs, "want_fixes", _searches_nothing)
        monkeypatch.setattr(next_change, "BESIDE_SECONDS", PATIENCE_S)
        # however busy the machine is, no key overtakes what the one before it opens
        monkeypatch.setattr(app_module, "KEY_PATIENCE_SECONDS", PATIENCE_S)
        handling.begin()
        app = ToposmithApp(path, review=review, ascii_only=ascii_only, visit=visit)
        async with app.run_test(size=size) as pilot:
            person = Person(app, pilot)
            await person.settle()
            yield person
            if app.is_running and not person.has_looked:
                person.seen()

    return opened


TWO_TIER = """\
toposmith: 1
name: Two tiers  # kept
groups:
  node: {part: dgx-h100, count: 8}
  leaf: {part: qm9700, count: 2}
  spine: {part: qm9700, count: 1}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 32}
"""


@pytest.fixture
def two_tier(work_dir: Path) -> Path:
    path = work_dir / "two-tier.yaml"
    path.write_text(TWO_TIER, encoding="utf-8")
    return path
