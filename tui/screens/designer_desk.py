"""What flows may ask of the designer: questions, sessions, files, help and the way out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from toposmith.text import counted, first_sentence
from toposmith.topology.design.document import Design
from toposmith.topology.errors import DesignFileError
from toposmith.tui.copying.clipboard import clipboard_of
from toposmith.tui.copying.text import figures_text
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.keeping.recovery import rescued_designs
from toposmith.tui.keeping.session import Session, is_same_file
from toposmith.tui.parts.at_hand import PartsAtHand
from toposmith.tui.questions import Choice, Question
from toposmith.tui.screens.designer_canvas import DesignerCanvas
from toposmith.tui.screens.help import HelpScreen
from toposmith.tui.screens.here import HERE, Here
from toposmith.tui.screens.open_file import OpenFileScreen
from toposmith.tui.screens.place import Finished, Opening, Unreadable
from toposmith.tui.terminal.osc52 import copy_out
from toposmith.tui.tour.panel import TourPanel
from toposmith.tui.tour.steps import Seen
from toposmith.tui.widgets.export_jobs import ExportJob, ExportJobs
from toposmith.tui.widgets.parts_panel import PartsPanel

AUTOSAVE_SECONDS = 20.0


class DesignerDesk(DesignerCanvas):
    """The main screen without its keys: what flows ask of it.

    Parameters
    ----------
    opening : callable
        Returns the session to begin with; called after the first paint.
    glyphs : Glyphs
        The signs to draw with.
    read_only : bool
        Whether the design is open for review.
    greeting : str
        What to say at the beginning.
    parts : PartsAtHand, optional
        Where parts are looked for; without it those of the program and the user's own.
    """

    def __init__(
        self,
        opening: Opening,
        *,
        glyphs: Glyphs,
        read_only: bool = False,
        greeting: str = "",
        parts: PartsAtHand | None = None,
    ) -> None:
        super().__init__(glyphs=glyphs, read_only=read_only)
        self._parts_at_hand = parts or PartsAtHand()
        self._opening = opening
        self._greeting = greeting

    def on_mount(self) -> None:
        """Paint first; read the design and the catalog after that."""
        if not self.is_running:  # the line was dropped while this screen came up
            return
        self.canvas.border_title = "Fabric"
        self.set_interval(AUTOSAVE_SECONDS, self.autosave)
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        try:
            session = self._opening()
        except DesignFileError as failed:
            self.post_message(Unreadable(failed))
            return
        self.show_session(session)
        if session.design.groups:
            self.select_group(next(iter(session.design.groups)))
        faults = self.workbench.catalog.faults
        if faults:
            found = f"{counted(len(faults), 'fault')} in part files (f lists them): {faults[0]}"
            self.say(found, "minded")
        elif self._greeting:
            self.say(self._greeting)
        elif self._read_only:
            self.say(
                "open for review: f lists the findings, i shows a part, m the next collective, "
                "v the curve"
            )
        elif not session.design.groups:
            self.say("an empty canvas: a adds the first part, ? says what else can be done", "hint")
        elif self._has_unsaved_twin(session):
            self.say("an earlier run left unsaved work of this file: W lists it", "refused")
        elif session.design.note:
            self.say(first_sentence(session.design.note, self.size.width - 4), "hint")

    def _has_unsaved_twin(self, session: Session) -> bool:
        path = session.path
        return path is not None and any(
            is_same_file(rescued.origin, path) for rescued in rescued_designs() if rescued.origin
        )

    # What flows ask of this screen

    @property
    def copied(self) -> Design | None:
        """The groups that were copied last, in this design or another."""
        return clipboard_of(self.app).copied

    def keep_copied(self, copied: Design) -> None:
        """Keep copied groups for pasting."""
        clipboard_of(self.app).copied = copied

    @property
    def asking(self) -> bool:
        """Whether a question is waiting for its answer."""
        return self._questions.is_open

    async def ask(self, question: Question) -> str | None:
        """Ask for something to be typed; None where the person went back."""
        return await self._questions.ask(question)

    async def choose(
        self, title: str, choices: list[Choice], *, look: bool = False, at: str = ""
    ) -> str | None:
        """Let the person choose; None where they went back."""
        return await self._questions.choose(title, choices, look=look, at=at)

    async def find(
        self, title: str, choices: Sequence[Choice], *, hint: str = "", at: str = ""
    ) -> str | None:
        """Let the person choose among many by a few letters; None where they went back."""
        return await self._questions.find(title, choices, hint=hint, at=at)

    def show_session(self, session: Session) -> None:
        """Work on another design."""
        from toposmith.topology.workbench import Workbench

        catalog = self._parts_at_hand.load_what_can_be()
        bench = Workbench(session.design, catalog, read_only=self._read_only)
        session.resume(bench)
        self._begin_with(bench, session)
        self.query_one(PartsPanel).show(bench.catalog)
        self.leave_tour()
        self._show_design()
        if session.tour and not self._read_only:
            self.mount(TourPanel(self._seen_by_tour), before="#message")

    def leave_tour(self) -> bool:
        """End the tour; returns whether it was on."""
        on = self.query(TourPanel)
        found = bool(on)
        on.remove()
        return found

    def _seen_by_tour(self) -> Seen | None:
        if self._bench is None or not self.is_attached:
            return None
        return Seen(
            self.selected_group,
            self.workbench.design,
            self.workbench.request.collective,
            None if self.view is None else self.view.NAME,
            self.asking,
            self.app.screen is not self,
        )

    def redraw(self) -> None:
        """Draw the whole screen anew."""
        self.app.call_later(self.app.run_action, "redraw")

    def copy_out(self, text: str) -> str:
        """Copy text to the clipboard of the terminal; returns how."""
        return copy_out(text, self.app.copy_to_clipboard)

    @property
    def figures_text(self) -> str:
        """The figures as text."""
        return figures_text(self._figures, self.glyphs)

    async def pick_file(self, folder: Path) -> Path | None:
        """Let the person pick a design file."""
        return await self.app.push_screen_wait(OpenFileScreen(folder, self.glyphs))

    def start_export(self, job: ExportJob) -> None:
        """Write a file beside the screen, and say how it went."""
        self.query_one(ExportJobs).start(job)

    def picture(self) -> str:
        """The screen as it is, as SVG."""
        return self.app.export_screenshot(title=self.session.title)

    def show_help(self) -> None:
        """Show what can be done here."""
        self.app.push_screen(HelpScreen("designer", self._here, read_only=self._read_only))

    @property
    def _here(self) -> Here:
        """The panel that the keys go to."""
        if self.asking:
            return HERE["question"]
        for name in ("parts", "measure", "live"):
            if self.query_one(f"#{name}").has_focus_within:
                return HERE[name]
        view = self.view
        if view is not None and view.has_focus_within:
            return HERE[view.NAME]
        return HERE["canvas"]

    def go_to_start(self) -> None:
        """Show the welcome screen."""
        self.post_message(Finished())

    def leave(self) -> None:
        """End the app."""
        self.app.exit(return_code=0)
