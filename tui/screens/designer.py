"""The main screen: keys and the mouse on parts, canvas and live figures."""

from __future__ import annotations

from collections.abc import Coroutine
from inspect import CORO_CREATED, getcoroutinestate
from typing import Any, ClassVar

from textual import events, on
from textual.binding import Binding, BindingType

from topology.errors import ToposmithError
from tui.actions import ALWAYS, NEEDS_WORDS, Action, action, actions_of, bindings_of
from tui.canvas.canvas import Canvas, GroupItem, LinkItem
from tui.depths.depth_view import DepthView
from tui.flows.building import add_part, wire_groups
from tui.flows.changing import edit as edit_selected
from tui.flows.failing import ask_pairs, let_fail
from tui.flows.going import go_to_number
from tui.flows.reviewing import against, comment, decide, settle, waive
from tui.flows.working import change_workload
from tui.flows.workload_edit import take_layout
from tui.screens.designer_actions import HANDLERS
from tui.screens.designer_parts import DesignerParts
from tui.views.bill_view import BillView
from tui.views.comments_view import CommentsView
from tui.views.differences_view import DifferencesView
from tui.views.failures_view import FailuresView
from tui.views.findings_view import FindingsView
from tui.views.layouts_view import LayoutsView
from tui.views.racks_view import RacksView
from tui.views.table_view import TableView
from tui.views.view import View
from tui.views.workload_view import WorkloadView
from tui.widgets.export_jobs import ExportJobs
from tui.widgets.figure_jobs import FigureJobs
from tui.widgets.key_bar import KeyBar
from tui.widgets.measure_panel import MeasurePanel
from tui.widgets.parts_panel import PartsPanel
from tui.widgets.question_panel import QuestionPanel
from tui.wording import counted

REVIEW_REFUSAL = "open for review: nothing can be changed here"
_PARTS_KEYS = (
    ("Enter", "add"),
    ("/", "filter"),
    ("Right", "card"),
    ("Space", "mark"),
    ("=", "compare"),
    ("Esc", "back"),
)
_MOVE_KEYS = (("Left Right", "move the group"), ("Enter", "put it there"), ("Esc", "back"))
_MEASURE_KEYS = (("Up Down", "field"), ("Left Right", "change"), ("Enter", "done"), ("Esc", "back"))


class DesignerScreen(DesignerParts):
    """Where one builds: every key and click becomes an action of the registry or a flow."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_of("designer"),
        Binding("escape", "unselect", "select nothing", show=False),
    ]

    _waiting: tuple[Coroutine[Any, Any, object], ...] = ()

    # Actions

    def refusal(self, wanted: Action) -> str:
        """Why an action cannot be done now; empty where it can."""
        if wanted.changes and self.workbench.read_only:
            return REVIEW_REFUSAL
        group = self.selected_group
        possible = {
            "nothing": True,
            "group": group is not None,
            "chosen": bool(self.chosen_groups),
            "node": group is not None and self.workbench.plan.groups[group].host is not None,
            "item": self.canvas.selected is not None or bool(self.canvas.marked),
            "undo": bool(self.workbench.history),
            "redo": bool(self.workbench.undone),
        }
        return "" if possible[wanted.needs] else NEEDS_WORDS[wanted.needs]

    @property
    def has_settled(self) -> bool:
        """Whether no flow is on the way to its next question, and the design is there."""
        running = any(worker.group == "flow" and worker.is_running for worker in self.workers)
        return not running or self.asking or self._picked is not None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a key of the designer counts now: a dialog takes all keys that are typed."""
        if action == "do" and not self._key_counts(str(parameters[0])):
            return False
        return super().check_action(action, parameters)

    def _key_counts(self, action_id: str) -> bool:
        """Whether a key does an action of the designer where the keys go now.

        A question, and a wire or a group on its way, leave only what no design can feel; a panel
        and a table leave out what would change a design that one does not look at.
        """
        wanted = action(action_id)
        if self.asking or self._picked is not None or self.canvas.moving:
            return wanted.id in ALWAYS
        if any(self.query_one(panel).has_focus_within for panel in (PartsPanel, MeasurePanel)):
            return not wanted.edits
        covered = self.view is not None and self.view is not self.depths
        return not (covered and wanted.edits and wanted.needs not in ("nothing", "undo", "redo"))

    def action_do(self, action_id: str) -> None:
        """Do an action of the registry, or say why not."""
        if self._bench is None:
            self._typed_ahead.append(action_id)
            return
        refusal = self.refusal(action(action_id))
        if refusal:
            self.say(refusal, "refused")
            return
        result = HANDLERS[action_id](self)
        if result is not None:
            self.run_flow(result)

    def begun(self) -> None:
        """Do what was typed before the design was there."""
        for action_id in self._typed_ahead:
            self.call_later(self.action_do, action_id)
        self._typed_ahead.clear()

    def action_unselect(self) -> None:
        """Stop an export; else select nothing: what is edited then is the design itself."""
        if self.asking:
            self._questions.action_cancel()
            return
        if self.query_one(ExportJobs).stop():
            return
        self.focus_middle()
        if self.view is not None:
            return
        if self.canvas.marked:
            self.canvas.mark(())
        else:
            self.canvas.select(None)

    def run_flow(self, flow: Coroutine[Any, Any, object]) -> None:
        """Run a flow; one that was waiting for an answer is given up."""
        for earlier in self._waiting:
            if getcoroutinestate(earlier) == CORO_CREATED:
                earlier.close()  # it is replaced before it began
        guarded = self._guarded(flow)
        self._waiting = (guarded, flow)
        self.run_worker(guarded, group="flow", exclusive=True)

    async def _guarded(self, flow: Coroutine[Any, Any, object]) -> bool:
        """Whether a flow went through; what it raises is said."""
        try:
            await flow
        except ToposmithError as refused:
            self.say(str(refused), "refused")
            return False
        return True

    def refresh_keys(self) -> None:
        """Show which actions can be done now, or the keys of the panel that has the focus."""
        if self._questions.is_open or self._picked is not None:
            return
        if self.canvas.moving:
            self.query_one(KeyBar).show_mode(_MOVE_KEYS)
            return
        for panel, keys in ((PartsPanel, _PARTS_KEYS), (MeasurePanel, _MEASURE_KEYS)):
            if self.query_one(panel).has_focus_within:
                self.query_one(KeyBar).show_mode(keys)
                return
        if self.view is not None and self.view.has_focus_within:
            self.query_one(KeyBar).show_mode(self.view.KEYS)
            return
        actions = actions_of("designer")
        if self._read_only:
            actions = [one for one in actions if not one.changes]
        possible = {one.id for one in actions if not self.refusal(one)}
        self.query_one(KeyBar).show(actions, possible)

    # Questions

    @on(QuestionPanel.Opened)
    def _question_opened(self, event: QuestionPanel.Opened) -> None:
        self.add_class("-asking")
        self.query_one(KeyBar).show_mode(event.keys)

    @on(QuestionPanel.Closed)
    def _question_closed(self) -> None:
        if not self._questions.is_open:
            self.remove_class("-asking")
            self.query_one(FigureJobs).forget_preview()
            self.focus_middle()
            self.refresh_keys()

    # What the panels say

    @on(events.DescendantFocus)
    def _focus_moved(self) -> None:
        if self._bench is not None:
            self.refresh_keys()

    @on(Canvas.ItemSelected)
    def _item_selected(self) -> None:
        if self._bench is not None:
            self.refresh_keys()

    @on(Canvas.ItemOpened)
    def _item_opened(self) -> None:
        if self.selected_group is not None:
            self.go_inside()
        elif self.workbench.read_only:
            self.say(REVIEW_REFUSAL, "refused")
        else:
            self.run_flow(edit_selected(self))

    @on(Canvas.GroupMoved)
    def _group_moved(self, event: Canvas.GroupMoved) -> None:
        self.put_group(event.group, event.columns)

    @on(Canvas.MoveEnded)
    def _move_ended(self) -> None:
        self.refresh_keys()

    @on(DepthView.Stood)
    def _stood(self, event: DepthView.Stood) -> None:
        if self.selected_group != event.group:
            self.canvas.select(GroupItem(event.group))

    @on(DepthView.NumberWanted)
    def _number_wanted(self) -> None:
        self.run_flow(go_to_number(self, self.depths))

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
        self.focus_middle()

    @on(MeasurePanel.Left)
    def _measure_left(self) -> None:
        self.show_measure(False)

    @on(View.Left)
    def _view_left(self) -> None:
        if self.query_one(ExportJobs).stop():
            return
        back = self.depths.place is not None and self.view is not self.depths
        self.show_view(DepthView.NAME if back else None)

    @on(TableView.Pointed)
    def _line_pointed(self, event: TableView.Pointed) -> None:
        """Light up on the fabric what the selected line is about."""
        groups = {GroupItem(name) for name in event.groups}
        self.canvas.light(frozenset(groups | {LinkItem(index) for index in event.links}))

    @on(TableView.Chosen)
    def _line_chosen(self, event: TableView.Chosen) -> None:
        """Go to the place that a line of a table is about."""
        row = event.row
        if row.groups:
            self.select_group(min(row.groups))
        elif row.links:
            self.select_link(min(row.links))

    @on(BillView.WriteWanted)
    def _bill_wanted(self) -> None:
        self.action_do("write_bill")

    @on(RacksView.GroupWanted)
    def _rack_group_wanted(self, event: RacksView.GroupWanted) -> None:
        self.select_group(event.group)

    @on(ExportJobs.Went)
    def _export_went(self, event: ExportJobs.Went) -> None:
        bar = self.glyphs.bar(event.done / max(event.of, 1), 20)
        words = f"writing {event.job.shown} {bar} {event.done:,} of {event.of:,} rows"
        self.say(f"{words}; Esc stops it", "hint")

    @on(ExportJobs.Ended)
    def _export_ended(self, event: ExportJobs.Ended) -> None:
        shown = event.job.shown
        if event.trouble:
            self.say(event.trouble, "failed")
        elif event.stopped:
            self.say(f"stopped; nothing was written to {shown}", "refused")
        elif event.lacking:
            what = counted(event.lacking, "finding")
            self.say(f"wrote {shown}; it is incomplete: {what} (f lists them)", "minded")
        else:
            self.say(f"wrote {shown}")

    @on(FindingsView.WaiveWanted)
    def _waiver_wanted(self, event: FindingsView.WaiveWanted) -> None:
        if self.workbench.read_only:
            self.say(REVIEW_REFUSAL, "refused")
        else:
            self.run_flow(waive(self, event.finding))

    @on(CommentsView.Said)
    def _something_said(self, event: CommentsView.Said) -> None:
        self.run_flow(decide(self) if event.what == "decide" else comment(self))

    @on(CommentsView.SettleWanted)
    def _comment_settled(self, event: CommentsView.SettleWanted) -> None:
        self.run_flow(settle(self, event.number))

    @on(DifferencesView.AnotherWanted)
    def _another_wanted(self) -> None:
        self.run_flow(against(self))

    @on(FailuresView.PairsWanted)
    def _pairs_wanted(self) -> None:
        self.run_flow(ask_pairs(self, self.query_one(FailuresView)))

    @on(FailuresView.TryWanted)
    def _failure_wanted(self, event: FailuresView.TryWanted) -> None:
        let_fail(self, event.selectors)

    @on(WorkloadView.ChangeWanted)
    def _workload_wanted(self) -> None:
        if self.workbench.read_only:
            self.say(REVIEW_REFUSAL, "refused")
        else:
            self.run_flow(change_workload(self))

    @on(LayoutsView.Varied)
    def _layouts_varied(self) -> None:
        self.view_turned()

    @on(LayoutsView.Taken)
    def _layout_taken(self, event: LayoutsView.Taken) -> None:
        take_layout(self, event.split)
        self.show_view("workload")

    @on(KeyBar.Pressed)
    def _key_clicked(self, event: KeyBar.Pressed) -> None:
        self.action_do(event.action_id)

    @on(KeyBar.KeyClicked)
    def _question_key_clicked(self, event: KeyBar.KeyClicked) -> None:
        # from the app, since a key does not bubble beyond whoever sent it
        self.app.call_later(self.app.simulate_key, event.key)
