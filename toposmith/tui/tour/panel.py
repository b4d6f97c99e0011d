"""The tour's line at the bottom; it never takes the keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from textual.content import Content
from textual.widgets import Static

from toposmith.tui.tour.steps import STEPS, Seen, step_after

LOOK_SECONDS = 0.25


class TourPanel(Static):
    """Says what to press, checks whether it was done, and goes to the next step.

    Parameters
    ----------
    look : callable
        Returns what there is to see now; None while there is nothing.
    at : int
        The step to begin with, from 0.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    TourPanel {
        height: auto;
        max-height: 5;
        padding: 0 1;
        background: $panel;
    }
    """

    def __init__(self, look: Callable[[], Seen | None], at: int = 0) -> None:
        super().__init__("", id="tour", markup=False)
        self._look = look
        self._at = at
        self._began: Seen | None = None

    @property
    def at(self) -> int:
        """The step that is asked for, from 0."""
        return self._at

    @property
    def is_over(self) -> bool:
        """Whether all steps are done."""
        return self._at + 1 == len(STEPS)

    def on_mount(self) -> None:
        """Begin, and check at intervals."""
        self._write()
        self.set_interval(LOOK_SECONDS, self.look_again)

    def look_again(self) -> None:
        """Go to the next step where this one was done."""
        now = self._look()
        if now is None:
            return
        if self._began is None or self._began.busbw_GBps is None:
            self._began = replace(self._began or now, busbw_GBps=now.busbw_GBps)
        after = step_after(self._at, self._began, now)
        if after != self._at:
            self._at, self._began = after, now
            self._write()

    def _write(self) -> None:
        head = f"Tour {self._at + 1}/{len(STEPS)}  "
        leave = "  (Esc on the fabric leaves)" if self._at + 1 < len(STEPS) else ""
        self.update(
            Content.assemble(
                (head, "bold $text-accent"), STEPS[self._at].text, (leave, "$text-muted")
            )
        )
