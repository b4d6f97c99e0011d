"""The main screen: what its panels, views and the mouse say becomes an action or a flow."""

from __future__ import annotations

from textual import events, on

from toposmith.text import counted
from toposmith.tui.canvas.canvas import Canvas, GroupItem, LinkItem
from toposmith.tui.depths.depth_view import DepthView
from toposmith.tui.flows.building import add_part, wire_groups
from toposmith.tui.flows.changing import edit as edit_selected
from toposmith.tui.flows.failing import ask_pairs, let_fail
from toposmith.tui.flows.going import go_to_number
from toposmith.tui.flows.reviewing import against, comment, decide, settle, waive
from toposmith.tui.flows.working import change_workload
from toposmith.tui.flows.workload_edit import take_layout
from toposmith.tui.screens.designer_keys import REVIEW_REFUSAL, DesignerKeys
from toposmith.tui.views.bill_view import BillView
from toposmith.tui.views.comments_view import CommentsView
from toposmith.tui.views.differences_view import DifferencesView
from toposmith.tui.views.failures_view import FailuresView
from toposmith.tui.views.findings_view import FindingsView
from toposmith.tui.views.layouts_view import LayoutsView
from toposmith.tui.views.racks_view import RacksView
from toposmith.tui.views.table_view import TableView
from toposmith.tui.views.view import View
from toposmith.tui.views.workload_view import WorkloadView
from toposmith.tui.widgets.export_jobs import ExportJobs
from toposmith.tui.widgets.figure_jobs import FigureJobs
from toposmith.tui.widgets.key_bar import KeyBar
from toposmith.tui.widgets.measure_panel import MeasurePanel
from toposmith.tui.widgets.parts_panel import PartsPanel
from toposmith.tui.widgets.question_panel import QuestionPanel


class DesignerScreen(DesignerKeys):
    """Where one builds: every message of a panel becomes an action of the table or a flow."""

    # Questions

    @on(QuestionPanel.Opened)
    def _question_opened(self, event: QuestionPanel.Opened) -> None:
        self.turn({"-asking": True})
        self.query_one(KeyBar).show_mode(event.keys)

    @on(QuestionPanel.Closed)
    def _question_closed(self) -> None:
        if not self._questions.is_open:
            self.turn({"-asking": False})
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
        self.run_flow(ask_pairs(self, self.view_of(FailuresView)))

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
