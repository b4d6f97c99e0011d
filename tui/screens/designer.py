"""The main screen: parts, canvas and live figures around one workbench."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.screen import Screen

from topology.design.document import Design
from topology.design.edits import Edit
from topology.errors import DesignFileError, EditError, ToposmithError
from topology.fabric.plan import Finding
from tui.actions import NEEDS_WORDS, Action, action, actions_of, bindings_of
from tui.canvas.canvas import Canvas, GroupItem, LinkItem
from tui.figuring import Wanted, figure, preview
from tui.flows.building import add_part, wire_groups
from tui.flows.changing import edit as edit_selected
from tui.glyphs import Glyphs
from tui.live_figures import LiveFigures
from tui.screens.designer_actions import HANDLERS
from tui.screens.help import HelpScreen
from tui.screens.open_file import OpenFileScreen
from tui.session import Session
from tui.widgets.header_line import HeaderLine, HeaderState
from tui.widgets.key_bar import KeyBar
from tui.widgets.live_panel import LivePanel
from tui.widgets.message_line import MessageLine, Tone
from tui.widgets.parts_panel import PartsPanel
from tui.widgets.question_panel import Choice, Question, QuestionPanel
from tui.wording import COLLECTIVE_NAMES, bandwidth, communicator_words, message_size

if TYPE_CHECKING:
    from topology.analysis.result import Analysis
    from topology.workbench import Workbench

REVIEW_REFUSAL = "open for review: nothing can be changed here"
BREAKPOINTS = [(0, "-narrow"), (120, "-wide"), (170, "-roomy")]
AUTOSAVE_SECONDS = 20.0
PATIENCE_SECONDS = 0.3
"""How long old figures may stand while new ones are computed, before that is said."""

_PARTS_KEYS = (("Enter", "add"), ("/", "filter"), ("Tab", "card"), ("Esc", "back"))
_PICK_KEYS = (("Arrows", "choose the other end"), ("Enter", "wire"), ("Esc", "back"))


class DesignerScreen(Screen[None]):
    """Where one builds; the only place that asks for figures and hands them down.

    Parameters
    ----------
    opening : callable
        Returns the session to begin with; called after the first paint.
    glyphs : Glyphs
        The signs to draw with.
    read_only : bool
        Whether the design is open for review.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_of("designer"),
        Binding("escape", "unselect", "select nothing", show=False),
    ]
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS

    class Unreadable(Message):
        """The design to begin with cannot be read."""

        def __init__(self, failed: DesignFileError) -> None:
            self.failed = failed
            super().__init__()

    class Finished(Message):
        """The person goes back to the start."""

    class FiguresReady(Message):
        """A job has figures; they are dropped where something else is wanted by now."""

        def __init__(self, wanted: Wanted, figures: LiveFigures) -> None:
            self.wanted = wanted
            self.figures = figures
            super().__init__()

    class PreviewReady(Message):
        """What an answer that is being typed would give."""

        def __init__(self, question: Question, text: str, words: str, *, refused: bool) -> None:
            self.question = question
            self.text = text
            self.words = words
            self.refused = refused
            super().__init__()

    def __init__(
        self,
        opening: Callable[[], Session],
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
        self._wanted: Wanted | None = None
        self._picked: asyncio.Future[str | None] | None = None
        self._typed: tuple[Question, str] | None = None
        self._kept: object = None

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

    def on_mount(self) -> None:
        """Paint first; read the design and the catalog after that."""
        self.canvas.border_title = "Fabric"
        self.canvas.focus()
        self.set_interval(AUTOSAVE_SECONDS, self.autosave)
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        try:
            session = self._opening()
        except DesignFileError as failed:
            self.post_message(self.Unreadable(failed))
            return
        self.show_session(session)
        if session.design.groups:
            self.select_group(next(iter(session.design.groups)))
        if self._greeting:
            self.say(self._greeting)
        elif self._read_only:
            self.say("open for review: f lists the findings, i shows a part, m the next collective")
        elif not session.design.groups:
            self.say("an empty canvas: a adds the first part, ? says what else can be done", "hint")

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

    async def ask(self, question: Question) -> str | None:
        """Ask for something to be typed; None where the person went back."""
        return await self._questions.ask(question)

    async def choose(self, title: str, choices: list[Choice], *, look: bool = False) -> str | None:
        """Let the person choose; None where they went back."""
        return await self._questions.choose(title, choices, look=look)

    async def pick_target(self, source: str) -> str | None:
        """Let the person pick the other end of a wire on the canvas."""
        picked: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._picked = picked
        self.show_parts(False, narrow_only=True)
        self.canvas.focus()
        self.canvas.pick_target(source)
        self.query_one(KeyBar).show_mode(_PICK_KEYS)
        self.say(f"wire {source} to ...", "hint")
        try:
            return await picked
        finally:
            if self._picked is picked:
                self._picked = None
                self._refresh_keys()

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
        self._figures, self._before, self._wanted = LiveFigures(), None, None
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
        self._refresh_keys()

    def show_help(self) -> None:
        """Show what can be done here."""
        self.app.push_screen(HelpScreen("designer"))

    def go_to_start(self) -> None:
        """Show the welcome screen."""
        self.post_message(self.Finished())

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
            self.canvas.focus()

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

    # Actions

    def refusal(self, wanted: Action) -> str:
        """Why an action cannot be done now; empty where it can."""
        if self._bench is None:
            return "" if wanted.id in ("help", "quit", "palette") else "still opening the design"
        if wanted.changes and self._bench.read_only:
            return REVIEW_REFUSAL
        group = self.selected_group
        possible = {
            "nothing": True,
            "group": group is not None,
            "node": group is not None and self._bench.plan.groups[group].node is not None,
            "item": self.canvas.selected is not None,
            "undo": bool(self._bench.history),
            "redo": bool(self._bench.undone),
        }
        return "" if possible[wanted.needs] else NEEDS_WORDS[wanted.needs]

    def action_do(self, action_id: str) -> None:
        """Do an action of the registry, or say why not."""
        refusal = self.refusal(action(action_id))
        if refusal:
            self.say(refusal, "refused")
            return
        result = HANDLERS[action_id](self)
        if result is not None:
            self.run_flow(result)

    def action_unselect(self) -> None:
        """Select nothing: what is edited then is the design itself."""
        self.canvas.focus()
        self.canvas.select(None)

    def run_flow(self, flow: Coroutine[Any, Any, object]) -> None:
        """Run a flow; one that was waiting for an answer is given up."""
        self.run_worker(self._guarded(flow), group="flow", exclusive=True)

    async def _guarded(self, flow: Coroutine[Any, Any, object]) -> None:
        try:
            await flow
        except ToposmithError as refused:
            self.say(str(refused), "refused")

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
            return self.session.keep_for_rescue(self._bench.design)
        return self.session.rescue.path

    # Figures

    def _show_design(self) -> None:
        """Show the design as it stands now; its figures follow."""
        if self._figures.analysis is not None:
            self._before = self._figures.analysis
        self.canvas.show(self.workbench.plan, None, ascii_only=self.glyphs.ascii_only)
        self._want_figures()
        self.refresh_state()

    def _want_figures(self) -> None:
        bench = self.workbench
        saved = bench.saved_design if bench.dirty else None
        wanted = Wanted(bench.design, bench.collective, bench.message_bytes, saved)
        self._wanted = wanted
        catalog, before = bench.catalog, self._before

        def job() -> None:
            try:
                figures = figure(wanted, catalog, before)
            except ToposmithError as failed:
                figures = LiveFigures(trouble=f"no figures: {failed}")
            self.post_message(self.FiguresReady(wanted, figures))

        self.run_worker(job, thread=True, exclusive=True, group="figures")
        self.set_timer(PATIENCE_SECONDS, lambda: self._say_computing(wanted))

    def _say_computing(self, wanted: Wanted) -> None:
        if self._wanted is wanted:
            self.query_one(LivePanel).show(LiveFigures())

    @on(FiguresReady)
    def _show_figures(self, event: FiguresReady) -> None:
        if event.wanted is not self._wanted:
            return
        self._wanted = None
        self._figures = event.figures
        self.query_one(LivePanel).show(event.figures)
        analysis = event.figures.analysis
        self.canvas.show(self.workbench.plan, analysis, ascii_only=self.glyphs.ascii_only)
        self._refresh_header()

    def _refresh_header(self) -> None:
        bench = self.workbench
        measured = [COLLECTIVE_NAMES[bench.collective], message_size(bench.message_bytes)]
        analysis = self._figures.analysis
        if analysis is not None and analysis.gpus:
            measured.append(communicator_words(analysis.communicator))
        dirty = bench.dirty or self.session.unsaved
        state = HeaderState(self.session.title, dirty, bench.read_only, tuple(measured))
        self.query_one(HeaderLine).show(state)

    def _refresh_keys(self) -> None:
        if self._questions.is_open or self._picked is not None:
            return
        if self.query_one(PartsPanel).has_focus_within:
            self.query_one(KeyBar).show_mode(_PARTS_KEYS)
            return
        actions = actions_of("designer")
        possible = {one.id for one in actions if not self.refusal(one)}
        self.query_one(KeyBar).show(actions, possible)

    # Questions

    @property
    def _questions(self) -> QuestionPanel:
        return self.query_one(QuestionPanel)

    @on(QuestionPanel.Opened)
    def _question_opened(self, event: QuestionPanel.Opened) -> None:
        self.query_one(KeyBar).show_mode(event.keys)

    @on(QuestionPanel.Closed)
    def _question_closed(self) -> None:
        if not self._questions.is_open:
            self._typed = None
            self.canvas.focus()
            self._refresh_keys()

    @on(QuestionPanel.Typed)
    def _answer_typed(self, event: QuestionPanel.Typed) -> None:
        """Compute what the answer would give, beside the screen."""
        question, text, bench = event.question, event.text, self.workbench
        if question.edit is None:
            return
        self._typed = (question, text)
        wanted = Wanted(bench.design, bench.collective, bench.message_bytes)
        catalog, now, make_edit = bench.catalog, self._figures.analysis, question.edit

        def job() -> None:
            refused = False
            try:
                then = preview(wanted, catalog, make_edit(text))
                words = self._difference(now, then)
            except ToposmithError as refusal:
                words, refused = str(refusal), True
            self.post_message(self.PreviewReady(question, text, words, refused=refused))

        self.run_worker(job, thread=True, exclusive=True, group="preview")

    def _difference(self, now: Analysis | None, then: Analysis) -> str:
        name = COLLECTIVE_NAMES[then.collective]
        old = now.busbw_GBps if now is not None else None
        if then.busbw_GBps is None:
            return ""
        if old is None:
            return f"gives {bandwidth(then.busbw_GBps)} per GPU, {name} busbw"
        arrow = self.glyphs.arrow
        return f"{bandwidth(old)} {arrow} {bandwidth(then.busbw_GBps)} per GPU, {name} busbw"

    @on(PreviewReady)
    def _show_preview(self, event: PreviewReady) -> None:
        if self._typed != (event.question, event.text):
            return
        shown = self.glyphs.shown(event.words)
        if event.refused:
            mark = f"{self.glyphs.warning} would be refused: "
            self._questions.hint(Content.assemble((mark, "bold $text-warning"), shown))
            return
        gap = "   " if shown and event.question.hint else ""
        self._questions.hint(
            Content.assemble(
                (shown, "bold $text-success"), (gap + event.question.hint, "$text-muted")
            )
        )

    # What the panels say

    @on(events.DescendantFocus)
    def _focus_moved(self) -> None:
        if self._bench is not None:
            self._refresh_keys()

    @on(Canvas.ItemSelected)
    def _item_selected(self) -> None:
        if self._bench is not None:
            self._refresh_keys()

    @on(Canvas.ItemOpened)
    def _item_opened(self) -> None:
        if self.workbench.read_only:
            if self.selected_group is not None:
                self.show_card()
            return
        self.run_flow(edit_selected(self))

    @on(Canvas.WireDrawn)
    def _wire_drawn(self, event: Canvas.WireDrawn) -> None:
        if self._picked is not None:
            if not self._picked.done():
                self._picked.set_result(event.target)
        elif self.workbench.read_only:
            self.say(REVIEW_REFUSAL, "refused")
        else:
            self.run_flow(wire_groups(self, event.source, event.target))

    @on(Canvas.PickCancelled)
    def _pick_cancelled(self) -> None:
        if self._picked is not None and not self._picked.done():
            self._picked.set_result(None)
        self.say("nothing was wired", "hint")

    @on(PartsPanel.Chosen)
    def _part_chosen(self, event: PartsPanel.Chosen) -> None:
        if self.workbench.read_only:
            self.say(REVIEW_REFUSAL, "refused")
            return
        self.show_parts(False, narrow_only=True)
        self.run_flow(add_part(self, event.part))

    @on(PartsPanel.Left)
    def _parts_left(self) -> None:
        self.show_parts(False, narrow_only=True)
        self.canvas.focus()

    @on(KeyBar.Pressed)
    def _key_clicked(self, event: KeyBar.Pressed) -> None:
        self.action_do(event.action_id)

    @on(KeyBar.KeyClicked)
    def _question_key_clicked(self, event: KeyBar.KeyClicked) -> None:
        self.app.simulate_key(event.key)
