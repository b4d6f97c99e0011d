"""Figures of earlier steps computed in a thread, one step after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from textual.message import Message
from textual.widget import Widget

from toposmith.analysis.request import Request
from toposmith.cancellation import Stopped, go_on, stopped_unless
from toposmith.crash import log_crash
from toposmith.errors import ToposmithError
from toposmith.labels import UNKNOWN, Labelled
from toposmith.tui.figures.step_figures import figure_of_step

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.workbench import HistoryStep


class StepJobs(Widget):
    """Computes what nothing waits for: it begins when the figures of the design are there."""

    @dataclass
    class Ready(Message):
        """The figure after a step is there."""

        request: Request
        step: HistoryStep
        busbw: Labelled

    @dataclass
    class Ended(Message):
        """All figures that were wanted are there."""

        wanted: tuple[HistoryStep, ...]

    def __init__(self) -> None:
        super().__init__()
        self._wanted: tuple[HistoryStep, ...] = ()
        self._turn = Lock()

    def on_mount(self) -> None:
        """Take no room."""
        self.display = False

    @property
    def busy(self) -> bool:
        """Whether figures are being computed."""
        return bool(self._wanted)

    def want(self, steps: Sequence[HistoryStep], request: Request, catalog: Catalog) -> None:
        """Compute the figures after some steps; those wanted earlier are dropped."""
        self._wanted = wanted = tuple(steps)
        if not wanted:
            return

        def job() -> None:
            with self._turn:
                try:
                    with stopped_unless(lambda: self._wanted is wanted):
                        for step in wanted:
                            go_on()
                            busbw = _figure(step, request, catalog)
                            self.post_message(self.Ready(request, step, busbw))
                except Stopped:
                    return
            self.post_message(self.Ended(wanted))

        self.run_worker(job, thread=True, exclusive=True, group="steps")

    def forget(self) -> None:
        """Drop what is left: there is something more urgent to compute."""
        self._wanted = ()

    def on_step_jobs_ended(self, event: Ended) -> None:
        """Rest, where nothing else was wanted since."""
        event.stop()
        if event.wanted is self._wanted:
            self._wanted = ()


def _figure(step: HistoryStep, request: Request, catalog: Catalog) -> Labelled:
    try:
        return figure_of_step(step, request, catalog)
    except ToposmithError:
        return Labelled(None, UNKNOWN)
    except Stopped:
        raise
    except Exception as fault:  # a fault of the analysis must not close the screen
        log_crash(fault)
        return Labelled(None, UNKNOWN)
