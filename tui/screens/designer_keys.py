"""The designer's keys: which count now, what each of them does, and how a flow is run."""

from __future__ import annotations

from collections.abc import Coroutine
from inspect import CORO_CREATED, getcoroutinestate
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input

from toposmith.topology.errors import ToposmithError
from toposmith.tui.actions import ALWAYS, NEEDS_WORDS, Action, action, actions_of, bindings_of
from toposmith.tui.screens.designer_actions import HANDLERS
from toposmith.tui.screens.designer_parts import DesignerParts
from toposmith.tui.widgets.export_jobs import ExportJobs
from toposmith.tui.widgets.key_bar import KeyBar
from toposmith.tui.widgets.measure_panel import MeasurePanel
from toposmith.tui.widgets.parts_panel import PartsPanel

REVIEW_REFUSAL = "open for review: nothing can be changed here"
_PARTS_KEYS = (
    ("Enter", "add"),
    ("/", "filter"),
    ("Right", "card"),
    ("Space", "mark"),
    ("=", "compare"),
    ("Esc", "back"),
)
_FILTER_KEYS = (("letters", "filter"), ("Enter", "to the parts"), ("Esc", "clear, back"))
_MOVE_KEYS = (("Left Right", "move the group"), ("Enter", "put it there"), ("Esc", "back"))
_MEASURE_KEYS = (("Up Down", "field"), ("Left Right", "change"), ("Enter", "done"), ("Esc", "back"))


_UNDER_VIEWS = ("more", "fewer", "count", "wire")
"""Edits that go on under a view: it shows what they do, and wiring shows the fabric again."""


class DesignerKeys(DesignerParts):
    """The main screen with its keys: every key becomes an action of the table."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings_of("designer"),
        Binding("escape", "unselect", "select nothing", show=False),
    ]

    _waiting: tuple[Coroutine[Any, Any, object], ...] = ()

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
            "item or failing": self.canvas.selected is not None or bool(self.workbench.failing),
            "undo": bool(self.workbench.history),
            "redo": bool(self.workbench.undone),
        }
        return "" if possible[wanted.needs] else NEEDS_WORDS[wanted.needs]

    @property
    def has_settled(self) -> bool:
        """Whether no flow is on the way to its next question, and the design is there."""
        running = any(worker.group == "flow" and worker.is_running for worker in self.workers)
        waits = self.asking or self._picked is not None
        return (not running or waits) and super().has_settled

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a key of the designer counts now: a dialog takes all keys that are typed."""
        if action == "do" and not self._key_counts(str(parameters[0])):
            return False
        return super().check_action(action, parameters)

    def _key_counts(self, action_id: str) -> bool:
        """Whether a key does an action of the designer where the keys go now.

        A question, and a wire or a group on its way, leave only what no design can feel; a panel
        leaves out what would change a design that one does not look at. Under a view counts go on
        changing, since it follows them; what is selected is safe from all else.
        """
        wanted = action(action_id)
        if self.asking or self._picked is not None or self.canvas.moving:
            return wanted.id in ALWAYS
        if any(self.query_one(panel).has_focus_within for panel in (PartsPanel, MeasurePanel)):
            return not wanted.edits
        covered = self.view is not None and self.view is not self.depths
        if covered and wanted.id in _UNDER_VIEWS:
            return True
        return not (covered and wanted.edits and wanted.needs not in ("nothing", "undo", "redo"))

    def action_do(self, action_id: str) -> None:
        """Do an action of the table, or say why not."""
        if self._bench is None:  # what is typed meanwhile waits; a click finds nothing yet
            return
        refusal = self.refusal(action(action_id))
        if refusal:
            self.say(refusal, "refused")
            return
        result = HANDLERS[action_id](self)
        if result is not None:
            self.run_flow(result)

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
        parts_keys = _FILTER_KEYS if isinstance(self.focused, Input) else _PARTS_KEYS
        for panel, keys in ((PartsPanel, parts_keys), (MeasurePanel, _MEASURE_KEYS)):
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
