"""Which keys of the main screen count now, and what the bottom line says of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual.widgets import Input

from toposmith.tui.actions.definition import ALWAYS, NEEDS_WORDS, Action
from toposmith.tui.actions.every_action import refusal_to_visitor
from toposmith.tui.actions.footer import FIRST_IN_REVIEW
from toposmith.tui.asking import REVIEW_REFUSAL

if TYPE_CHECKING:
    from toposmith.tui.designer.editing import Editing
    from toposmith.tui.designer.panels import Panels
    from toposmith.tui.designer.selection import CanvasSelection
    from toposmith.tui.widgets.key_bar import KeyBar
    from toposmith.tui.widgets.question_panel import QuestionPanel

_PICK_KEYS = (("Arrows", "choose the other end"), ("Enter", "wire"), ("Esc", "back"))
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


class Keys:
    """Says which actions can be done now, and why others cannot.

    Parameters
    ----------
    editing, selection, panels, questions : Editing, CanvasSelection, Panels, QuestionPanel
        What it depends on.
    bar : KeyBar
        Where the keys are shown.
    """

    def __init__(
        self,
        editing: Editing,
        selection: CanvasSelection,
        panels: Panels,
        questions: QuestionPanel,
        bar: KeyBar,
    ) -> None:
        self._editing = editing
        self._selection = selection
        self._panels = panels
        self._questions = questions
        self._bar = bar

    def refusal(self, wanted: Action) -> str:
        """Why an action cannot be done now; empty where it can."""
        bench, selection = self._editing.workbench, self._selection
        if wanted.changes and bench.read_only:
            return REVIEW_REFUSAL
        if refusal := refusal_to_visitor(wanted.id):
            return refusal
        group = selection.group
        possible = {
            "nothing": True,
            "group": group is not None,
            "chosen": bool(selection.chosen_groups),
            "node": group is not None and bench.plan.groups[group].host is not None,
            "item": selection.item is not None or bool(selection.marked),
            "item or failing": selection.item is not None or bool(bench.failing),
            "undo": bool(bench.history or bench.failing),
            "redo": bool(bench.undone),
        }
        return "" if possible[wanted.needs] else NEEDS_WORDS[wanted.needs]

    def count(self, wanted: Action) -> bool:
        """Whether a key does an action of the designer where the keys go now.

        A question, and a wire or a group on its way, leave only what no design can feel; a panel
        leaves out what would change a design that one does not look at. Under a view counts go on
        changing, since it follows them; what is selected is safe from all else.
        """
        panels, selection = self._panels, self._selection
        if self._questions.is_open or selection.picking or selection.moving:
            return wanted.id in ALWAYS
        if any(panel.has_focus_within for panel in (panels.parts, panels.measure)):
            return not wanted.edits
        if not panels.covered or wanted.id in _UNDER_VIEWS:
            return True
        return not wanted.edits or wanted.needs in ("nothing", "undo", "redo")

    def refresh(self, actions: Iterable[Action]) -> None:
        """Show which actions can be done now, or the keys of the panel that has the focus."""
        if self._questions.is_open:
            return
        mode = self._mode()
        if mode:
            self._bar.show_mode(mode)
            return
        shown = [one for one in actions if not (self._editing.read_only and one.changes)]
        first = FIRST_IN_REVIEW if self._editing.read_only else ()
        self._bar.show(shown, {one.id for one in shown if not self.refusal(one)}, first)

    def _mode(self) -> tuple[tuple[str, str], ...]:
        """The keys of what the keys go to; none where they go to the canvas."""
        panels = self._panels
        if self._selection.picking:
            return _PICK_KEYS
        if self._selection.moving:
            return _MOVE_KEYS
        if panels.parts.has_focus_within:
            return _FILTER_KEYS if isinstance(panels.focused, Input) else _PARTS_KEYS
        if panels.measure.has_focus_within:
            return _MEASURE_KEYS
        view = panels.view
        return view.KEYS if view is not None and view.has_focus_within else ()
