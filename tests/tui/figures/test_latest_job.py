"""Of work beside the screen what was wanted last comes up, or why it is not there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Event
from time import monotonic

from textual.app import App
from textual.pilot import Pilot

from tests.tui.person import PATIENCE_S
from toposmith.cancellation import go_on
from toposmith.errors import ToposmithError
from toposmith.tui.figures.latest_job import STOPPED, LatestJob

Seat = tuple[LatestJob, list[tuple[object, str]], Pilot[None]]


@asynccontextmanager
async def seat() -> AsyncIterator[Seat]:
    """A job of a bare screen, and what came up of it."""
    app: App[None] = App()
    async with app.run_test() as pilot:
        yield LatestJob(app.screen, "figures"), [], pilot


async def rest(job: LatestJob, pilot: Pilot[None]) -> None:
    given_up = monotonic() + PATIENCE_S
    while job.busy:
        assert monotonic() < given_up
        await pilot.pause(0.01)


def endless(began: Event) -> object:
    began.set()
    while True:
        go_on()


async def test_what_was_wanted_before_is_stopped_and_never_comes_up() -> None:
    async with seat() as (job, came, pilot):
        began = Event()
        is_wanted = job.want(lambda: endless(began), lambda *found: came.append(found))
        while not began.is_set():
            await pilot.pause(0.01)
        job.want(lambda: 2, lambda *found: came.append(found))
        assert not is_wanted()
        await rest(job, pilot)
        assert came == [(2, "")]


async def test_what_is_stopped_says_so_once() -> None:
    async with seat() as (job, came, pilot):
        began = Event()
        job.want(lambda: endless(began), lambda *found: came.append(found))
        while not began.is_set():
            await pilot.pause(0.01)
        assert job.stop()
        assert not job.stop()
        await rest(job, pilot)
        assert came == [(None, STOPPED)]
        assert not job.stop()


async def test_what_cannot_be_found_says_why_and_a_fault_is_logged() -> None:
    async with seat() as (job, came, pilot):
        for fault in (ToposmithError("no switch"), ValueError("of a formula")):

            def fail(fault: Exception = fault) -> object:
                raise fault

            job.want(fail, lambda *found: came.append(found))
            await rest(job, pilot)
        assert came[0] == (None, "no switch")
        assert came[1][0] is None
        assert "the analysis failed (ValueError)" in came[1][1]


async def test_what_is_forgotten_while_it_waits_is_never_begun() -> None:
    async with seat() as (job, came, pilot):
        begun: list[bool] = []
        job.want(lambda: begun.append(True), lambda *found: came.append(found), pause=0.05)
        job.forget()
        await pilot.pause(0.2)
        assert not begun
        assert not came
