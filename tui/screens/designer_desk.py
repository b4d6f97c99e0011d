"""The designer's state and what its flows may ask of it: design, figures, questions, panels."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal

from topology.design.document import Design
from topology.design.edits import Edit
from topology.errors import DesignFileError, EditError
from topology.fabric.plan import Finding
from tui.canvas.canvas import Canvas, GroupItem, LinkItem
from tui.figuring import Wanted
from tui.glyphs import Glyphs
from tui.live_figures import LiveFigures, difference
from tui.recovery import prepare, rescued_designs
from tui.screens.help import HelpScreen
from tui.screens.open_file import OpenFileScreen
from tui.screens.place import Finished, Opening, PlaceScreen, Unreadable
from tui.session import Session, is_same_file
from tui.widgets.figure_jobs import FigureJobs
from tui.widgets.header_line import HeaderLine, HeaderState
from tui.widgets.key_bar import KeyBar
from tui.widgets.live_panel import LivePanel
from tui.widgets.message_line import MessageLine, Tone
from tui.widgets.parts_panel import PartsPanel
from tui.widgets.question_panel import Choice, Question, QuestionPanel
from tui.wording import COLLECTIVE_NAMES, communicator_words, first_sentence, message_size

if TYPE_CHECKING:
    from topology.analysis.result import Analysis
    from topology.workbench import Workbench

BREAKPOINTS = [(0, "-narrow"), (120, "-wide"), (170, "-roomy")]
AUTOSAVE_SECONDS = 20.0
_PICK_KEYS = (("Arrows", "choose the other end"), ("Enter", "wire"), ("Esc", "back"))


class DesignerDesk(PlaceScreen):
    """The main screen without its keys: holds the workbench, asks for figures, hands them down.

    Parameters
    ----------
    opening : callable
        Returns the session to begin with; called after the first paint.
    glyphs : Glyphs
        The signs to draw with.
    read_only : bool
        Whether the design is open for review.
    """

    PLACE = "designer"
    AUTO_FOCUS = "#canvas"
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS

    def __init__(
        self,
        opening: Opening,
        *,
        glyphs: Glyphs,
        read_only: bool = False,
        greeting: str = "",
    ) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.session = Session(Design())
        self._opening = opening
        self._read_only = read_only
        self._greeting = greeting
        self._bench: Workbench | None = None
        self._figures = LiveFigures()
        self._before: Analysis | None = None
        self._picked: asyncio.Future[str | None] | None = None
        self._kept: object = None
        self._typed_ahead: list[str] = []

    def compose(self) -> ComposeResult:
        """Header, three panels side by side, questions, messages and keys."""
        yield HeaderLine(self.glyphs, id="header")
        with Horizontal(id="body"):
            yield PartsPanel(self.glyphs, id="parts")
            yield Canvas(id="canvas", can_wire=not self._read_only)
            yield LivePanel(self.glyphs, id="live")
        yield QuestionPanel(self.glyphs, id="question")
        yield MessageLine(self.glyphs, id="message")
        yield KeyBar(id="keys")
        yield FigureJobs()

    def on_mount(self) -> None:
        """Paint first; read the design and the catalog after that."""
        self.canvas.border_title = "Fabric"
        self.set_interval(AUTOSAVE_SECONDS, self.autosave)
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        try:
            session = self._opening()
        except DesignFileError as failed:
            self.post_message(Unreadable(failed))
            return
        prepare()
        self.show_session(session)
        if session.design.groups:
            self.select_group(next(iter(session.design.groups)))
        if self._greeting:
            self.say(self._greeting)
        elif self._read_only:
            self.say("open for review: f lists the findings, i shows a part, m the next collective")
        elif not session.design.groups:
            self.say("an empty canvas: a adds the first part, ? says what else can be done", "hint")
        elif self._has_unsaved_twin(session):
            self.say("an earlier run left unsaved work of this file: W lists it", "refused")
        elif session.design.note:
            self.say(first_sentence(session.design.note, self.size.width - 4), "hint")
        self.begun()

    def _has_unsaved_twin(self, session: Session) -> bool:
        path = session.path
        return path is not None and any(
            is_same_file(rescued.origin, path) for rescued in rescued_designs() if rescued.origin
        )

    def begun(self) -> None:
        """The design is there."""

    # What flows ask of this screen

    @property
    def workbench(self) -> Workbench:
        """The design under work."""
        assert self._bench is not None, "no flow begins before the design is there"
        return self._bench

    @property
    def canvas(self) -> Canvas:
        """The picture of the design."""
        return self.query_one("#canvas", Canvas)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong or worth knowing about the design."""
        return self._figures.findings

    @property
    def selected_group(self) -> str | None:
        """The group that is selected on the canvas."""
        item = self.canvas.selected
        return item.name if isinstance(item, GroupItem) else None

    @property
    def selected_link(self) -> int | None:
        """The link that is selected on the canvas."""
        item = self.canvas.selected
        return item.index if isinstance(item, LinkItem) else None

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

    async def pick_target(self, source: str) -> str | None:
        """Let the person pick the other end of a wire on the canvas."""
        picked: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._picked = picked
        self.show_parts(False, narrow_only=True)
        self.set_focus(self.canvas)
        self.canvas.pick_target(source)
        self.query_one(KeyBar).show_mode(_PICK_KEYS)
        self.say(f"wire {source} to ...", "hint")
        try:
            return await picked
        finally:
            if self._picked is picked and self.is_running:
                self._picked = None
                self.refresh_keys()

    def make(self, edit: Edit) -> bool:
        """Make an edit and show what it does; says why where it is refused."""
        try:
            self.workbench.apply(edit)
        except EditError as refused:
            self.say(str(refused), "refused")
            return False
        self.say(edit.label)
        self._show_design()
        return True

    def say(self, text: str, tone: Tone = "done") -> None:
        """Say what happened."""
        self.query_one(MessageLine).say(text, tone)

    def select_group(self, name: str) -> None:
        """Select a group on the canvas."""
        self.canvas.select(GroupItem(name))

    def select_link(self, index: int) -> None:
        """Select a link on the canvas."""
        self.canvas.select(LinkItem(index))

    def show_session(self, session: Session) -> None:
        """Work on another design."""
        from catalog import load_catalog
        from topology.workbench import Workbench

        bench = Workbench(session.design, load_catalog(), read_only=self._read_only)
        if self._bench is not None:
            bench.collective = self._bench.collective
            bench.message_bytes = self._bench.message_bytes
        self.session, self._bench = session, bench
        self._figures, self._before = LiveFigures(), None
        self.query_one(PartsPanel).show(bench.catalog)
        self._show_design()

    async def pick_file(self, folder: Path) -> Path | None:
        """Let the person pick a design file."""
        return await self.app.push_screen_wait(OpenFileScreen(folder, self.glyphs))

    def measure_again(self) -> None:
        """Show the figures of what is to be measured now."""
        self._before = None
        self._want_figures()
        self.refresh_state()

    def refresh_state(self) -> None:
        """Show what is saved and what is not."""
        self._refresh_header()
        self.refresh_keys()

    def show_help(self) -> None:
        """Show what can be done here."""
        self.app.push_screen(HelpScreen("designer"))

    def go_to_start(self) -> None:
        """Show the welcome screen."""
        self.post_message(Finished())

    def leave(self) -> None:
        """End the app."""
        self.app.exit(return_code=0)

    # Panels

    def show_parts(self, shown: bool, *, narrow_only: bool = False) -> None:
        """Show or hide the parts panel; beside the canvas, or instead of it where it is narrow."""
        if narrow_only and not self.has_class("-narrow"):
            return
        self.set_class(shown, "-parts-shown")
        self.set_class(not shown, "-parts-hidden")
        if shown:
            self.query_one(PartsPanel).focus_list()
        else:
            self.set_focus(self.canvas)

    def toggle_parts(self) -> None:
        """Show the parts panel where it is hidden, and the reverse."""
        narrow = self.has_class("-narrow")
        shown = self.has_class("-parts-shown") if narrow else not self.has_class("-parts-hidden")
        self.show_parts(not shown)

    def filter_parts(self) -> None:
        """Show the parts panel and type its filter."""
        self.show_parts(True)
        self.query_one(PartsPanel).focus_filter()

    def show_card(self) -> None:
        """Show the card of the selected group's part."""
        group = self.workbench.design.groups[self.selected_group or ""]
        if group.part not in self.workbench.catalog:
            self.say(f"the catalog has no part {group.part!r}", "refused")
            return
        self.show_parts(True)
        self.query_one(PartsPanel).show_part(group.part)

    def undo(self) -> None:
        """Take the last change back."""
        step = self.workbench.undo()
        self.say(f"undone: {step}" if step else "nothing to undo", "done" if step else "hint")
        self._show_design()

    def redo(self) -> None:
        """Make the change again that was taken back last."""
        step = self.workbench.redo()
        self.say(f"redone: {step}" if step else "nothing to redo", "done" if step else "hint")
        self._show_design()

    def autosave(self) -> Path | None:
        """Keep unsaved work in the recovery file; returns it where there is one now."""
        if self._bench is None or self._bench.read_only:
            return None
        if not (self._bench.dirty or self.session.unsaved):
            return None
        if self._kept is not self._bench.design:
            self._kept = self._bench.design
            kept = self.session.keep_for_rescue(self._bench.design)
            if kept is None:
                self.say("unsaved work cannot be kept for recovery: save it (s)", "failed")
            return kept
        return self.session.rescue.path

    # Figures

    def _show_design(self) -> None:
        """Show the design as it stands now; its figures follow.

        Until they are there, or take too long, the loads of before stay: most edits change few.
        """
        if self._figures.analysis is not None:
            self._before = self._figures.analysis
        self._draw(self._figures.analysis)
        self._want_figures()
        self.refresh_state()

    def _want_figures(self) -> None:
        bench = self.workbench
        wanted = self._wanted(bench.saved_design if bench.dirty else None)
        self.query_one(FigureJobs).want(wanted, bench.catalog, self._before)

    def _wanted(self, saved: Design | None = None) -> Wanted:
        bench = self.workbench
        return Wanted(bench.design, bench.collective, bench.message_bytes, saved)

    @on(FigureJobs.Ready)
    def _show_figures(self, event: FigureJobs.Ready) -> None:
        self.query_one(LivePanel).show(event.figures)
        self._draw(event.figures.analysis)
        if event.figures.analysis is not None or event.figures.trouble:
            self._figures = event.figures
            self._refresh_header()

    def _draw(self, analysis: Analysis | None) -> None:
        self.canvas.show(self.workbench.plan, analysis, ascii_only=self.glyphs.ascii_only)

    def _refresh_header(self) -> None:
        bench = self.workbench
        measured = [COLLECTIVE_NAMES[bench.collective], message_size(bench.message_bytes)]
        analysis = self._figures.analysis
        if analysis is not None and analysis.gpus:
            measured.append(communicator_words(analysis.communicator))
        dirty = bench.dirty or self.session.unsaved
        state = HeaderState(self.session.title, dirty, bench.read_only, tuple(measured))
        self.query_one(HeaderLine).show(state)
        name = self.glyphs.shown(bench.design.name)
        self.canvas.border_title = escape(name) if name else "Fabric"

    def refresh_keys(self) -> None:
        """Show which actions can be done now."""

    @property
    def _questions(self) -> QuestionPanel:
        return self.query_one(QuestionPanel)

    @on(QuestionPanel.Typed)
    def _answer_typed(self, event: QuestionPanel.Typed) -> None:
        jobs = self.query_one(FigureJobs)
        jobs.want_preview(event.question, event.text, self._wanted(), self.workbench.catalog)

    @on(FigureJobs.Previewed)
    def _show_preview(self, event: FigureJobs.Previewed) -> None:
        if event.refusal:
            self._questions.show_refusal(event.refusal)
        elif event.analysis is not None:
            words = difference(self._figures.analysis, event.analysis, self.glyphs)
            self._questions.show_effect(words)
