"""A view in the middle of the designer: what it shows is computed in a thread beside the screen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget
from textual.worker import get_current_worker

from toposmith.tui.asking import Act, Do
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.figures.latest_job import LatestJob
from toposmith.tui.figures.throttle import Throttle
from toposmith.tui.views.own_keys import OwnKeys

if TYPE_CHECKING:
    from toposmith.analysis.request import Request
    from toposmith.catalog import Catalog
    from toposmith.design.document import Design
    from toposmith.findings.finding import Finding
    from toposmith.review.sidecar.verdict import Review
    from toposmith.tui.figures.shared_figures import Wanted

PATIENCE_SECONDS = 0.3
"""How long the old picture is shown while a new one is computed, before that is said."""


class View(Widget, can_focus=True):
    """Shows one side of the current design, while it is in the middle of the screen.

    A view says with ``compute`` what it wants to know of a design, and with ``show`` how that
    looks. ``show(None)`` says that it takes a while, ``show_trouble`` why nothing can be shown.
    What its own keys do is in its class; the action that turns to it is in the list of
    registered views. Its module is read when it is first shown.

    Parameters
    ----------
    glyphs : Glyphs
        The signs to draw with.
    """

    NAME: ClassVar[str]
    """Its id on the screen, and the id of the action that turns to it."""

    OWN_KEYS: ClassVar[OwnKeys]
    """What help says of its own keys."""

    KEYS: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Keys and what they do here, for the bottom line."""

    BESIDE: ClassVar[bool] = False
    """Whether the fabric stays above it where the screen is tall."""

    FEELS_FAILURES: ClassVar[bool] = False
    """Whether it shows the design without what is tried to fail."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "back", show=False)]

    class Left(Message):
        """The user goes back to the fabric."""

    @dataclass
    class Wants(Message):
        """Something is to be done with the design, and whether that changes it."""

        do: Do | Act
        changes: bool

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id=self.NAME, classes="view")
        self._glyphs = glyphs
        self._wanted: Wanted | None = None
        self._job = LatestJob(self, f"view-{self.NAME}")
        self._pace = Throttle()

    @property
    def busy(self) -> bool:
        """Whether something is still being computed."""
        return self._job.busy

    def compute(self, wanted: Wanted, catalog: Catalog) -> object:
        """What there is to show of a design; runs in a thread, so it touches no widget."""
        raise NotImplementedError

    def show(self, found: object) -> None:
        """Show what was computed; None while that takes long."""
        raise NotImplementedError

    def show_trouble(self, trouble: str) -> None:
        """Say why there is nothing to show."""
        raise NotImplementedError

    def show_progress(self, done: int, of: int) -> None:
        """Show the progress of a long computation."""

    def went(self, wanted: Wanted, done: int, of: int) -> bool:
        """Report progress from within ``compute``; False where it is no longer wanted."""
        if self._pace.due():
            self.call_later(self._show_went, wanted, done, of)
        return not get_current_worker().is_cancelled

    def turned_to(self, request: Request) -> None:
        """The view is shown now, or something else is measured."""

    def show_said(
        self,
        review: Review,
        findings: tuple[Finding, ...] | None,
        design: Design,
        trouble: str,
    ) -> None:
        """Show what reviewers and the engine say of a design, where this view is about that.

        ``findings`` are None while they are computed; ``trouble`` says why the review cannot be
        read.
        """

    def want(self, do: Do | Act, *, changes: bool = False) -> None:
        """Ask the designer to do something; what changes the design is refused in a review."""
        self.post_message(self.Wants(do, changes=changes))

    def forget(self) -> None:
        """Another design was opened: what is shown is not of it."""
        self._wanted = None
        self._job.forget()
        self.show(None)

    def take_focus(self) -> None:
        """Let the keys go to this view."""
        self.focus()

    def follow(self, wanted: Wanted, catalog: Catalog) -> None:
        """Show what a design gives; jobs for an earlier one are dropped."""
        if not self.FEELS_FAILURES:
            wanted = replace(wanted, failing=())
        if self._wanted == wanted:
            return
        self._wanted = wanted

        def come_up(found: object, trouble: str) -> None:
            if trouble:
                self.show_trouble(trouble)
            else:
                self.show(found)

        def say_computing() -> None:
            if is_wanted():
                self.show(None)

        is_wanted = self._job.want(lambda: self.compute(wanted, catalog), come_up)
        self.set_timer(PATIENCE_SECONDS, say_computing)

    def _show_went(self, wanted: Wanted, done: int, of: int) -> None:
        """Show the progress of what is still wanted."""
        if self.busy and wanted is self._wanted:
            self.show_progress(done, of)

    def action_leave(self) -> None:
        """Go back to the fabric."""
        self.post_message(self.Left())
