"""The tour's line at the bottom; it never takes the keys."""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content
from textual.widgets import Static

from toposmith.tui.actions import action
from toposmith.tui.tour.steps import STEPS, Seen, step_after

LOOK_SECONDS = 0.25


class TourPanel(Static):
    """Says what to press, looks whether it was done, and goes on.

    Parameters
    ----------
    look : callable
        Returns what there is to see now; None while there is nothing.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    TourPanel {
        height: auto;
        max-height: 4;
        padding: 0 1;
        background: $panel;
    }
    """

    def __init__(self, look: Callable[[], Seen | None]) -> None:
        super().__init__("", id="tour", markup=False)
        self._look = look
        self._at = 0
        self._began: Seen | None = None

    @property
    def at(self) -> int:
        """The step that is asked for, from 0."""
        return self._at

    def on_mount(self) -> None:
        """Begin, and look again and again."""
        self._write()
        self.set_interval(LOOK_SECONDS, self.look_again)

    def look_again(self) -> None:
        """Go on where what is asked for was done."""
        now = self._look()
        if now is None:
            return
        if self._began is None:
            self._began = now
        after = step_after(self._at, self._began, now)
        if after != self._at:
            self._at, self._began = after, now
            self._write()

    def _write(self) -> None:
        head = f"Tour {self._at + 1}/{len(STEPS)}  "
        leave = f"  ({action('tour').first_key} leaves)" if self._at + 1 < len(STEPS) else ""
        self.update(
            Content.assemble(
                (head, "bold $text-accent"), STEPS[self._at].text, (leave, "$text-muted")
            )
        )
