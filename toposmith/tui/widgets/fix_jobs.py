"""Fixes searched in a thread once the figures are there; nothing waits for them."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from textual.message import Message
from textual.widget import Widget

from toposmith.cancellation import Stopped, stopped_unless
from toposmith.crash import log_crash
from toposmith.errors import ToposmithError
from toposmith.tui.figures.shared_figures import Wanted, what_lifts

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.synthesis.next_change import NextChange

REST_SECONDS = 0.2
"""How long after an edit fixes are searched: a burst of edits asks for those of the
last one alone."""


class FixJobs(Widget):
    """Searches what raises the current figure; what was wanted earlier is dropped."""

    @dataclass
    class Ready(Message):
        """The fixes are there; None where the search failed."""

        wanted: Wanted
        found: NextChange | None

    def __init__(self) -> None:
        super().__init__()
        self._wanted: Wanted | None = None
        self._turn = Lock()

    def on_mount(self) -> None:
        """Take no room."""
        self.display = False

    def on_unmount(self) -> None:
        """Let no search outlive the screen."""
        self.forget()

    @property
    def busy(self) -> bool:
        """Whether fixes are being searched."""
        return self._wanted is not None

    def want(self, wanted: Wanted, catalog: Catalog) -> None:
        """Search the fixes of a design."""
        self._wanted = wanted

        def job() -> None:
            with self._turn:
                try:
                    with stopped_unless(lambda: self._wanted is wanted):
                        found = what_lifts(wanted, catalog)
                except (Stopped, ToposmithError):
                    found = None
                except Exception as fault:  # a fault of the search must not close the screen
                    log_crash(fault)
                    found = None
            self.post_message(self.Ready(wanted, found))

        def begin() -> None:
            if self._wanted is wanted:
                self.run_worker(job, thread=True, exclusive=True, group="fixes")

        self.set_timer(REST_SECONDS, begin)

    def forget(self) -> None:
        """End the search: there is something more urgent to compute."""
        self._wanted = None

    def on_fix_jobs_ready(self, event: Ready) -> None:
        """Let pass only what is still wanted."""
        if event.wanted is self._wanted:
            self._wanted = None
        else:
            event.stop()
