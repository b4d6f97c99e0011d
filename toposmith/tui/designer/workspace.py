"""What lies around the design under work: other designs, dialogs, clipboard, the start, the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.screen import Screen

from toposmith.catalog import Catalog, Part
from toposmith.design.document import Design
from toposmith.parts_at_hand import PartsAtHand
from toposmith.tui.copying.clipboard import clipboard_of
from toposmith.tui.keeping.session import Session
from toposmith.tui.terminal.osc52 import copy_out
from toposmith.tui.tour.panel import TourPanel
from toposmith.tui.tour.steps import Seen
from toposmith.tui.visit import Visit, refuse_visitor

if TYPE_CHECKING:
    from textual.content import Content


Picked = tuple[Path, Path | None]
"""A design file, and another to compare it with."""


@dataclass(frozen=True)
class Dialogs:
    """What lies over the main screen, each made when it is shown, and the way back to the start.

    Parameters
    ----------
    open_file, designs : callable
        Let a design of a folder be picked: a file, or one or two of the designs in it.
    card : callable
        The card of a part, or two parts side by side.
    help : callable
        What can be done here.
    to_start : callable
        Leaves the main screen for the start.
    """

    open_file: Callable[[Path], Screen[Path | None]]
    designs: Callable[[Path], Screen[Picked | None]]
    card: Callable[..., Screen[None]]
    help: Callable[[], Screen[None]]
    to_start: Callable[[], object]


class Workspace:
    """Opens and leaves designs, and shows what lies over the screen.

    Parameters
    ----------
    screen : Screen
        The main screen.
    parts : PartsAtHand
        Where parts are looked for.
    dialogs : Dialogs
        What lies over it.
    opened : callable
        Shows another design, given its session and catalog.
    seen : callable
        What there is to see, for the tour; None while there is nothing.
    read_only : bool
        Whether designs are open for review.
    visit : Visit, optional
        The visit, where the app is for somebody else.

    Attributes
    ----------
    visit : Visit or None
        That visit.
    """

    def __init__(
        self,
        screen: Screen[None],
        parts: PartsAtHand,
        dialogs: Dialogs,
        *,
        opened: Callable[[Session, Catalog], None],
        seen: Callable[[], Seen | None],
        read_only: bool = False,
        visit: Visit | None = None,
    ) -> None:
        self.visit = visit
        self._screen = screen
        self._parts = parts
        self._dialogs = dialogs
        self._opened = opened
        self._seen = seen
        self._read_only = read_only
        self.visit = visit
        self._tour_at: int | None = None

    def open(self, session: Session) -> None:
        """Work on another design."""
        self.leave_tour()
        self._opened(session, self._parts.load_what_can_be())
        self._tour_at = None
        if session.tour and not self._read_only:
            self.go_on_with_tour()
        if session.begins_with and not self._read_only:
            begin = f"do('{session.begins_with}')"
            self._screen.call_after_refresh(self._screen.run_action, begin)

    @property
    def tour_was_left(self) -> bool:
        """Whether the tour on this design was left before its end."""
        return self._tour_at is not None

    def go_on_with_tour(self) -> None:
        """Show the tour at the step where it was left."""
        self._screen.mount(TourPanel(self._seen, self._tour_at or 0), before="#message")

    def leave_tour(self) -> bool:
        """End the tour; returns whether it was on. The design stays, and the step is kept."""
        on = self._screen.query(TourPanel)
        found = bool(on)
        for panel in on:
            self._tour_at = None if panel.is_over else panel.at
        on.remove()
        return found

    async def pick_file(self, folder: Path) -> Path | None:
        """Let the user pick a design file, which a visitor is refused."""
        refuse_visitor(self.visit, "files")
        return await self._screen.app.push_screen_wait(self._dialogs.open_file(folder))

    async def pick_design(self, folder: Path) -> Picked | None:
        """Let the user pick one of the designs of a folder, or two to compare side by side."""
        refuse_visitor(self.visit, "files")
        return await self._screen.app.push_screen_wait(self._dialogs.designs(folder))

    def show_card(
        self,
        part: Part,
        catalog: Catalog,
        *,
        beside: Part | None = None,
        head: Content | None = None,
    ) -> None:
        """Show the card of a part, or two parts side by side."""
        self._screen.app.push_screen(self._dialogs.card(part, catalog, beside=beside, head=head))

    def show_help(self) -> None:
        """Show what can be done here."""
        self._screen.app.push_screen(self._dialogs.help())

    def show_palette(self) -> None:
        """Let any action be found by its name."""
        self._screen.app.action_command_palette()

    def redraw(self) -> None:
        """Draw the whole screen anew."""
        self._screen.app.call_later(self._screen.app.run_action, "redraw")

    @property
    def copied(self) -> Design | None:
        """The groups that were copied last, in this design or another."""
        return clipboard_of(self._screen.app).copied

    def keep_copied(self, copied: Design) -> None:
        """Keep copied groups for pasting."""
        clipboard_of(self._screen.app).copied = copied

    def copy_out(self, text: str) -> str:
        """Copy text to the clipboard of the terminal; returns how."""
        return copy_out(text, self._screen.app.copy_to_clipboard)

    def picture(self, title: str) -> str:
        """The screen as it is, as SVG."""
        return self._screen.app.export_screenshot(title=title)

    def go_to_start(self) -> None:
        """Show the welcome screen, which lists other designs."""
        refuse_visitor(self.visit, "files")
        self._dialogs.to_start()

    def leave(self) -> None:
        """End the app."""
        self._screen.app.exit(return_code=0)
