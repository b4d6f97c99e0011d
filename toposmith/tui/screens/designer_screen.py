"""The main screen: composes the panels, and hands what they say to the collaborators."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from inspect import CORO_CREATED, getcoroutinestate
from pathlib import Path
from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Static

from toposmith.catalog import Catalog
from toposmith.errors import DesignFileError, ToposmithError
from toposmith.parts_at_hand import PartsAtHand
from toposmith.tui.actions.every_action import action, actions_of, bindings_of
from toposmith.tui.actions.registered import VIEWS, Registered
from toposmith.tui.asking import REVIEW_REFUSAL, Act, Do, Go
from toposmith.tui.canvas.canvas import Canvas
from toposmith.tui.canvas.items import Item
from toposmith.tui.designer.chosen_parts import Parts
from toposmith.tui.designer.designer import Designer
from toposmith.tui.designer.display import Display, header_state
from toposmith.tui.designer.editing import Editing
from toposmith.tui.designer.figure_jobs import FigureJobs
from toposmith.tui.designer.file_elsewhere import FileElsewhere
from toposmith.tui.designer.file_exports import FileExports
from toposmith.tui.designer.files import DesignFiles
from toposmith.tui.designer.following import begin
from toposmith.tui.designer.greeting import opening_words
from toposmith.tui.designer.keys import Keys
from toposmith.tui.designer.measurement import Measurement
from toposmith.tui.designer.messages import Messages
from toposmith.tui.designer.panels import Panels
from toposmith.tui.designer.review_beside import ReviewBeside
from toposmith.tui.designer.selection import CanvasSelection
from toposmith.tui.designer.workspace import Dialogs, Picked, Workspace
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.flows.additions import add_part, wire_groups
from toposmith.tui.flows.changing import edit as edit_selected
from toposmith.tui.flows.other_designs import Against
from toposmith.tui.keeping.session import Session
from toposmith.tui.screens.app_screen import Finished, Opening, PlaceScreen, Unreadable
from toposmith.tui.screens.help import HelpScreen
from toposmith.tui.screens.open_file import OpenFileScreen
from toposmith.tui.screens.panel_keys import OWN_KEYS
from toposmith.tui.screens.part_card import PartCardScreen
from toposmith.tui.screens.pointer_menu import Offered, PointerMenu, offered_actions, offered_keys
from toposmith.tui.tour.steps import Seen
from toposmith.tui.views.depth_view import DepthView
from toposmith.tui.views.own_keys import OwnKeys
from toposmith.tui.views.table_view import TableView, widget_of
from toposmith.tui.views.view import View
from toposmith.tui.visit import Visit
from toposmith.tui.widgets.file_watcher import FileWatcher
from toposmith.tui.widgets.header_line import HeaderLine, HeaderState
from toposmith.tui.widgets.key_bar import KeyBar
from toposmith.tui.widgets.live_panel import LivePanel
from toposmith.tui.widgets.measure_panel import MeasurePanel
from toposmith.tui.widgets.message_line import MessageLine
from toposmith.tui.widgets.parts_panel import PartsPanel
from toposmith.tui.widgets.question_panel import QuestionPanel

AUTOSAVE_SECONDS = 20.0
LEAST_COLUMNS, LEAST_ROWS = 80, 24
NO_ROOM = "below 80 x 24 cells: parts are behind p, all keys behind :"
"""The text on a terminal that is smaller than that."""
RIGHT = 3
"""The right button of the mouse."""

BREAKPOINTS = [(0, "-narrow"), (120, "-wide"), (170, "-roomy")]
LOW_AND_TALL = [(0, "-low"), (44, "-tall")]


def _class_at(cells: int, points: list[tuple[int, str]]) -> str:
    """The class of a screen that many cells wide or high."""
    return max((least, name) for least, name in points if least <= cells)[1]


class DesignerScreen(PlaceScreen):
    """The main screen: a panel's message becomes an action of the table, a flow, or is shown.

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
    visit : Visit, optional
        The visit, where the app is for somebody else.
    """

    PLACE = "designer"
    AUTO_FOCUS = "#canvas"
    HORIZONTAL_BREAKPOINTS = BREAKPOINTS
    VERTICAL_BREAKPOINTS = LOW_AND_TALL
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_of("designer"),
        Binding("escape", "unselect", "select nothing", show=False),
    ]

    def __init__(
        self,
        opening: Opening,
        *,
        glyphs: Glyphs,
        read_only: bool = False,
        greeting: str = "",
        parts: PartsAtHand | None = None,
        visit: Visit | None = None,
    ) -> None:
        super().__init__()
        self._opening = opening
        self._greeting = greeting
        self._was_small = False
        self._stood_on: Item | None = None
        self._flows: tuple[Coroutine[Any, Any, object], ...] = ()
        self._make_widgets(glyphs, read_only, visit)
        self.designer = self._gathered(glyphs, read_only, parts or PartsAtHand(), visit)

    def _make_widgets(self, glyphs: Glyphs, read_only: bool, visit: Visit | None) -> None:
        self._header = HeaderLine(glyphs, id="header")
        self._parts = PartsPanel(glyphs, id="parts")
        self._measure = MeasurePanel(glyphs, id="measure")
        self._canvas = Canvas(id="canvas", can_wire=not read_only)
        self._live = LivePanel(glyphs, id="live")
        self._questions = QuestionPanel(glyphs, id="question", visit=visit)
        self._message = MessageLine(glyphs, id="message")
        self._bar = KeyBar(id="keys")
        self._watcher = FileWatcher()

    def _gathered(
        self, glyphs: Glyphs, read_only: bool, parts: PartsAtHand, visit: Visit | None
    ) -> Designer:
        """The collaborators, each given those that it works with."""
        messages = Messages(self._message)
        panels = Panels(
            self,
            self._canvas,
            self._parts,
            self._measure,
            self._live,
            DepthView(glyphs),
            {view.action.id: partial(_made, view, glyphs) for view in VIEWS},
            turned=self._view_turned,
        )
        waiting = partial(self.run_worker, group="waiting", exit_on_error=False)
        editing = Editing(
            messages,
            read_only=read_only,
            changed=self._design_changed,
            saved=self.refresh_state,
            in_background=waiting,
        )
        self._display = Display(
            panels, self._header, self._live, self._measure, glyphs, header_state=self._header_state
        )
        measurement = Measurement(
            editing,
            messages,
            self._questions,
            self._display,
            FigureJobs(self),
            glyphs,
            changed=self.refresh_state,
            judged=self._findings_changed,
        )
        selection = CanvasSelection(
            panels, editing, messages, changed=self.refresh_keys, redraw=self._layer_turned
        )
        self._elsewhere = FileElsewhere(
            editing, messages, self._watcher, changed=self._display.refresh_header
        )
        workspace = Workspace(
            self,
            parts,
            self._dialogs(glyphs, parts, read_only),
            opened=self._open,
            seen=self._seen_by_tour,
            read_only=read_only,
            visit=visit,
        )
        return Designer(
            glyphs,
            editing,
            measurement,
            selection,
            ReviewBeside(
                editing,
                measurement,
                panels,
                messages,
                changed=self.refresh_state,
                in_background=waiting,
            ),
            Parts(self._parts, editing, selection, messages, workspace.show_card),
            panels,
            self._questions,
            messages,
            Keys(editing, selection, panels, self._questions, self._bar),
            FileExports(self, messages, glyphs),
            DesignFiles(editing, messages, self._questions, workspace),
            workspace,
        )

    def _dialogs(self, glyphs: Glyphs, parts: PartsAtHand, read_only: bool) -> Dialogs:
        """What lies over this screen."""

        def designs(folder: Path) -> Screen[Picked | None]:
            # the first figures do not wait for it: it imports the findings
            from toposmith.tui.screens.folder_designs import DesignsScreen

            return DesignsScreen(folder, glyphs, parts)

        return Dialogs(
            lambda folder: OpenFileScreen(folder, glyphs),
            designs,
            partial(PartCardScreen, glyphs=glyphs),
            lambda: HelpScreen("designer", self._here(), read_only=read_only),
            lambda: self.post_message(Finished()),
        )

    def compose(self) -> ComposeResult:
        """Header, three panels side by side, questions, messages and keys."""
        # Known before the first resize: every widget would be styled once more.
        size = self.app.size
        sized = (size.width, BREAKPOINTS), (size.height, LOW_AND_TALL)
        self.add_class(*(_class_at(cells, points) for cells, points in sized), update=False)
        yield self._header
        with Horizontal(id="body"):
            yield self._parts
            yield self._measure
            with Vertical(id="middle"):
                yield self._canvas
            yield self._live
        yield self._questions
        yield self._message
        yield Static(id="message-room")
        yield self._bar
        yield self._watcher

    # Opening

    def on_mount(self) -> None:
        """Paint first; read the design and the catalog after that."""
        if not self.is_running:  # the line was dropped while this screen came up
            return
        self._canvas.border_title = "Fabric"
        self.set_interval(AUTOSAVE_SECONDS, self.autosave)
        self.call_after_refresh(self._begin)

    def on_resize(self) -> None:
        """Say what has no room once the terminal is made small."""
        before, self._was_small = self._was_small, self._is_small
        if self._was_small and not before and self.designer.editing.has_design:
            self.designer.messages.say(NO_ROOM, "hint")
        elif before and not self._was_small:
            self.designer.messages.forget_passing()

    @property
    def _is_small(self) -> bool:
        return self.size.width < LEAST_COLUMNS or self.size.height < LEAST_ROWS

    def on_unmount(self) -> None:
        """Leave the journal, where there is one, to the next run."""
        self.designer.editing.close()

    def _begin(self) -> None:
        designer = self.designer
        try:
            session = self._opening()
        except DesignFileError as failed:
            self.post_message(Unreadable(failed))
            return
        designer.workspace.open(session)
        if session.design.groups:
            designer.selection.select_group(next(iter(session.design.groups)))
        else:
            designer.panels.offer_parts()
        no_room = NO_ROOM if self._is_small else ""
        words, tone = opening_words(designer, self._greeting, no_room, self.size.width - 4)
        if words:
            designer.messages.say(words, tone)

    def _open(self, session: Session, catalog: Catalog) -> None:
        """Show another design."""
        designer = self.designer
        designer.review.open(session.path)
        designer.editing.open(session, catalog)
        designer.measurement.begin()
        self._canvas.remark(None, {})
        designer.panels.forget_design()
        self._parts.show(catalog)
        designer.editing.show()
        designer.review.show()
        if session.against is not None:
            # once all else is there
            self.call_later(designer.panels.ask_view, "differences", Against(session.against))
        if trouble := designer.review.file.first_fault:
            designer.messages.say(f"{trouble}; the design itself is open", "minded")

    # What follows where something changed

    def _design_changed(self) -> None:
        self.designer.measurement.follow_design()
        self.designer.parts.show_in_use()

    def _findings_changed(self) -> None:
        self.designer.review.show()
        self.designer.review.greet()

    def _layer_turned(self) -> None:
        self.designer.measurement.draw()
        self._display.refresh_header()

    def _view_turned(self) -> None:
        """Let the view show the current design; what an earlier one lit goes out."""
        self._canvas.light(frozenset())
        self.designer.messages.forget_refusal()
        editing = self.designer.editing
        if not editing.has_design:
            return
        if self.designer.panels.view is not None:
            self._display.turn_view_to(editing.workbench.request)
            self.designer.measurement.let_view_follow()
        self.designer.review.show()

    def refresh_state(self) -> None:
        """Show what is saved and what is not, which keys count, and what fits now."""
        self.designer.review.follow_file()
        self._elsewhere.follow_file()
        self._display.refresh_header()
        self.refresh_keys()
        self.designer.review.show()
        self.designer.parts.judge_in_use()

    def refresh_keys(self) -> None:
        """Show which actions can be done now, or the keys of the panel that has the focus."""
        if self.designer.editing.has_design:
            self.designer.keys.refresh(actions_of("designer"))

    def _header_state(self) -> tuple[HeaderState, str]:
        editing, review = self.designer.editing, self.designer.review
        analysis = self.designer.measurement.figures.analysis
        state = header_state(editing, analysis, review.state, self._elsewhere.words)
        return state, editing.design.name

    # Keys and flows

    @property
    def has_opened(self) -> bool:
        """Whether the design is there."""
        return self.designer.editing.has_design

    @property
    def busy(self) -> bool:
        """Whether figures are computed, or files written, beside the screen."""
        return self.designer.measurement.busy or self.designer.exports.busy

    @property
    def has_settled(self) -> bool:
        """Whether no flow or view is on its way to the screen, and the design is there."""
        running = any(worker.group == "flow" and worker.is_running for worker in self.workers)
        waits = self._questions.is_open or self.designer.selection.picking
        return (not running or waits) and not self.designer.panels.coming

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a key of the designer counts now: a dialog takes all keys that are typed."""
        if action == "do" and not self.key_counts(str(parameters[0])):
            return False
        return super().check_action(action, parameters)

    def key_counts(self, action_id: str) -> bool:
        """Whether a key does an action of the designer where the keys go now."""
        return self.designer.keys.count(action(action_id))

    def action_do(self, action_id: str) -> None:
        """Do an action of the table, or say why not."""
        if not self.has_opened:  # what is typed meanwhile waits; a click finds nothing yet
            return
        wanted = action(action_id)
        refusal = self.designer.keys.refusal(wanted)
        if refusal:
            self.designer.messages.say(refusal, "refused")
        elif wanted.do is not None:
            self.designer.messages.forget_passing()
            self._do(wanted.do, changes=wanted.changes)

    def do_by_name(self, action_id: str) -> None:
        """Do an action; a view that is seen stays, since only its key is a switch."""
        if self.designer.panels.shows(action_id):
            self.designer.panels.focus_middle()
        else:
            self.action_do(action_id)

    def _do(self, do: Do | Act, *, changes: bool) -> None:
        """Do it at once, or ask first; where it changes the design its answers are previewed."""
        try:
            flow = begin(self.designer, do, previews=changes)
        except ToposmithError as refused:
            self.designer.messages.say(str(refused), "refused")
            return
        if flow is not None:
            self.run_flow(flow)

    def _change(self, do: Do) -> None:
        """Change the design, where it can be changed; says so where it cannot."""
        if self.designer.editing.read_only:
            self.designer.messages.say(REVIEW_REFUSAL, "refused")
        else:
            self._do(do, changes=True)

    def action_unselect(self) -> None:
        """Stop an export, or figures that take long; else select nothing.

        What is edited then is the design itself.
        """
        if self._questions.is_open:
            self._questions.action_cancel()
        elif not self.designer.exports.stop() and not self.designer.measurement.stop():
            self.designer.panels.focus_middle()
            if self.designer.panels.view is None and not self.designer.files.leave_tour():
                self.designer.selection.select_nothing()

    def run_flow(self, flow: Coroutine[Any, Any, object]) -> None:
        """Run a flow; one that was waiting for an answer is given up."""
        for earlier in self._flows:
            if getcoroutinestate(earlier) == CORO_CREATED:
                earlier.close()  # it is replaced before it began
        guarded = self._guarded(flow)
        self._flows = (guarded, flow)
        self.run_worker(guarded, group="flow", exclusive=True)

    async def _guarded(self, flow: Coroutine[Any, Any, object]) -> bool:
        """Whether a flow went through; what it raises is said."""
        try:
            await flow
        except ToposmithError as refused:
            self.designer.messages.say(str(refused), "refused")
            return False
        return True

    @property
    def journal(self) -> Path | None:
        """The journal with unsaved work, as far as it is written."""
        editing = self.designer.editing
        return editing.session.rescue.path if editing.has_design and editing.unsaved else None

    def autosave(self) -> Path | None:
        """Journal what is new; returns the journal where there is unsaved work in it."""
        return self.designer.editing.autosave()

    def _seen_by_tour(self) -> Seen | None:
        designer = self.designer
        if not self.has_opened or not self.is_attached:
            return None
        view = designer.panels.view
        analysis = designer.measurement.figures.analysis
        return Seen(
            designer.editing.design,
            None if analysis is None else analysis.busbw_GBps,
            self.designer.exports.written,
            None if view is None else view.NAME,
            self.app.screen is not self,
        )

    def _here(self) -> OwnKeys:
        """The panel that the keys go to."""
        if self._questions.is_open:
            return OWN_KEYS["question"]
        for panel in (self._parts, self._measure, self._live):
            if panel.has_focus_within:
                return OWN_KEYS[str(panel.id)]
        view = self.designer.panels.view
        if view is not None and view.has_focus_within:
            return view.OWN_KEYS
        return OWN_KEYS["canvas"]

    @on(FileWatcher.Seen)
    def _file_seen(self, event: FileWatcher.Seen) -> None:
        self._elsewhere.take(event)

    # Questions

    @on(QuestionPanel.Opened)
    def _question_opened(self, event: QuestionPanel.Opened) -> None:
        self.designer.messages.forget_refusal()
        self.designer.panels.turn({"-asking": True, "-parts-shown": False})
        self._bar.show_mode(event.keys)

    @on(QuestionPanel.Typed)
    def _answer_typed(self, event: QuestionPanel.Typed) -> None:
        self.designer.measurement.preview(event.question, event.text)

    @on(QuestionPanel.Closed)
    def _question_closed(self) -> None:
        if not self._questions.is_open:
            self.designer.panels.turn({"-asking": False})
            self.designer.measurement.forget_preview()
            if self.focused is None:  # a key that came meanwhile may have asked for another place
                self.designer.panels.focus_middle()
            self.refresh_keys()

    # What is done on the canvas

    @on(events.DescendantFocus)
    @on(Canvas.MoveEnded)
    def _other_keys_count(self) -> None:
        self.refresh_keys()

    @on(Canvas.ItemSelected)
    def _item_selected(self, event: Canvas.ItemSelected) -> None:
        before, self._stood_on = self._stood_on, event.item
        if before not in (None, event.item):
            self.designer.messages.forget_refusal()
        self.designer.parts.show_in_use()
        self.refresh_keys()

    @on(Canvas.ItemOpened)
    def _item_opened(self) -> None:
        if self.designer.selection.group is not None:
            self.designer.selection.go_inside()
        else:
            self._change(edit_selected)

    @on(Canvas.GroupMoved)
    def _group_moved(self, event: Canvas.GroupMoved) -> None:
        self.designer.selection.put_group(event.group, event.columns)

    @on(Canvas.WireDrawn)
    def _wire_drawn(self, event: Canvas.WireDrawn) -> None:
        if not self.designer.selection.answer_pick(event.target):
            self._change(lambda here: wire_groups(here, event.source, event.target))

    @on(Canvas.PickCancelled)
    def _pick_cancelled(self) -> None:
        self.designer.selection.answer_pick(None)
        self.designer.messages.say("")

    # What the panels say

    @on(PartsPanel.Approached)
    def _parts_approached(self) -> None:
        if self.has_opened:
            self.call_after_refresh(self.designer.parts.judge)  # the panel is seen first

    @on(PartsPanel.Chosen)
    def _part_chosen(self, event: PartsPanel.Chosen) -> None:
        if not self.designer.editing.read_only:
            self.designer.panels.show_parts(False)
        self._change(lambda here: add_part(here, event.part))

    @on(PartsPanel.Opened)
    def _card_wanted(self, event: PartsPanel.Opened) -> None:
        self.designer.parts.show_listed(event.part)

    @on(PartsPanel.Marked)
    def _part_marked(self, event: PartsPanel.Marked) -> None:
        self.designer.parts.say_marked(event.part)

    @on(PartsPanel.CompareWanted)
    def _compare_wanted(self) -> None:
        self.designer.parts.compare()

    @on(PartsPanel.Left)
    def _parts_left(self) -> None:
        self.designer.panels.show_parts(False)

    @on(MeasurePanel.Changed)
    def _measure_changed(self, event: MeasurePanel.Changed) -> None:
        self.designer.measurement.measure(event.request)

    @on(MeasurePanel.Left)
    def _measure_left(self) -> None:
        self.designer.panels.show_measure(False)
        self.designer.measurement.settle_routing()

    @on(events.Click)
    def _clicked(self, event: events.Click) -> None:
        """Offer all that can be done with what a right click is on."""
        waits = self._questions.is_open or self.designer.selection.picking
        if event.button != RIGHT or not self.has_opened or waits:
            return
        if self._canvas.region.contains(event.screen_x, event.screen_y):
            self._canvas.select_at(event)
        else:
            here = self._here()
            offered = offered_keys(here) if here is not OWN_KEYS["canvas"] else []
            if offered:
                self._offer(offered, event, self._press)
                return
        self._offer(offered_actions(self.designer), event, self.action_do)

    def _offer(
        self, offered: list[Offered], event: events.Click, do: Callable[[str], object]
    ) -> None:
        def taken(chosen: str | None) -> None:
            if chosen is not None:
                do(chosen)

        self.app.push_screen(PointerMenu(offered, event.screen_offset), taken)

    @on(KeyBar.Pressed)
    def _key_clicked(self, event: KeyBar.Pressed) -> None:
        self.action_do(event.action_id)

    @on(KeyBar.KeyClicked)
    def _question_key_clicked(self, event: KeyBar.KeyClicked) -> None:
        self._press(event.key)

    def _press(self, key: str) -> None:
        # from the app, since a key does not bubble beyond its sender
        self.app.call_later(self.app.simulate_key, key)

    # What the views say

    @on(View.Left)
    def _view_left(self) -> None:
        if not self.designer.exports.stop():
            self.designer.panels.leave_view()

    @on(TableView.Pointed)
    def _line_pointed(self, event: TableView.Pointed) -> None:
        """Light up on the fabric what the selected line is about."""
        self.designer.selection.light(event.groups, event.links)

    @on(TableView.Chosen)
    def _line_chosen(self, event: TableView.Chosen) -> None:
        """Go to the place that a line of a table is about."""
        row = event.row
        self._do(lambda _: Go(row.groups, row.links), changes=False)

    @on(View.Wants)
    def _view_wants(self, event: View.Wants) -> None:
        if event.changes and not isinstance(event.do, Act):
            self._change(event.do)
        else:
            self._do(event.do, changes=False)


def _made(view: Registered, glyphs: Glyphs) -> View:
    return widget_of(view.load())(glyphs)
