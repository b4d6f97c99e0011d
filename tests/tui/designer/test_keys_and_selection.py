"""Which keys count, and what is picked on the canvas: worked out without a screen."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from types import SimpleNamespace
from typing import Any

import pytest

from toposmith.catalog import load_catalog
from toposmith.design.document import Design, Group
from toposmith.tui.actions.every_action import action, actions_of
from toposmith.tui.asking import REVIEW_REFUSAL
from toposmith.tui.canvas.items import GroupItem, LinkItem
from toposmith.tui.designer.editing import Editing
from toposmith.tui.designer.keys import Keys
from toposmith.tui.designer.messages import Messages
from toposmith.tui.designer.selection import CanvasSelection
from toposmith.tui.keeping.session import Session

DESIGN = Design(
    groups={"node": Group(part="dgx-h100", count=8), "leaf": Group(part="qm9700", count=2)}
)


class Line:
    """A message line that nobody sees."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str, tone: str = "done") -> None:
        self.said.append(text)


class Canvas:
    """A canvas that only remembers."""

    moving = False
    is_running = True
    shown_layer: str | None = None

    def __init__(self) -> None:
        self.selected: object = None
        self.marked: tuple[str, ...] = ()
        self.picking_from = ""

    def select(self, item: object) -> None:
        self.selected = item

    def mark(self, names: tuple[str, ...]) -> None:
        self.marked = names

    def toggle_mark(self, name: str) -> None:
        others = tuple(one for one in self.marked if one != name)
        self.mark(others if name in self.marked else (*others, name))

    def pick_target(self, source: str, likely: Collection[str] = ()) -> None:
        self.picking_from = source


class Desk:
    """Selection and keys among stand-ins for the widgets."""

    def __init__(self, *, read_only: bool = False) -> None:
        self.line = Line()
        self.canvas = Canvas()
        self.shown: list[str | None] = []
        panel = SimpleNamespace(has_focus_within=False)
        self.panels: Any = SimpleNamespace(
            canvas=self.canvas,
            view=None,
            covered=False,
            parts=panel,
            measure=SimpleNamespace(has_focus_within=False),
            focused=None,
            show_view=self.shown.append,
            show_fabric=lambda: self.shown.append(None),
        )
        messages = Messages(self.line)
        self.editing = Editing(
            messages,
            read_only=read_only,
            changed=lambda: None,
            saved=lambda: None,
            in_background=lambda _: None,
        )
        self.editing.open(Session(DESIGN), load_catalog(user=False))
        self.turns = 0
        self.selection = CanvasSelection(
            self.panels, self.editing, messages, changed=self._turned, redraw=lambda: None
        )
        self.questions: Any = SimpleNamespace(is_open=False)
        self.bar: Any = SimpleNamespace(mode=(), shown=[], possible=set())
        self.bar.show_mode = lambda keys: setattr(self.bar, "mode", keys)
        self.bar.show = self._show_bar
        self.keys = Keys(self.editing, self.selection, self.panels, self.questions, self.bar)

    def _turned(self) -> None:
        self.turns += 1

    def _show_bar(self, actions: list[Any], possible: set[str], first: tuple[str, ...]) -> None:
        self.bar.shown, self.bar.possible = [one.id for one in actions], possible
        self.bar.first = first

    def counting(self) -> set[str]:
        return {one.id for one in actions_of("designer") if self.keys.count(one)}


def test_wiring_needs_a_group_and_says_so() -> None:
    desk = Desk()
    assert "select a group or a link first" in desk.keys.refusal(action("wire"))
    desk.canvas.selected = GroupItem("leaf")
    assert not desk.keys.refusal(action("wire"))
    assert "NICs go into nodes" in desk.keys.refusal(action("fit"))
    desk.canvas.selected = GroupItem("node")
    assert not desk.keys.refusal(action("fit"))


def test_a_review_refuses_every_action_that_changes_and_no_other() -> None:
    desk = Desk(read_only=True)
    desk.canvas.selected = GroupItem("node")
    refused = {one.id for one in actions_of("designer") if desk.keys.refusal(one) == REVIEW_REFUSAL}
    assert refused == {one.id for one in actions_of("designer") if one.changes}
    desk.keys.refresh(actions_of("designer"))
    assert not refused & set(desk.bar.shown)
    assert set(desk.bar.first) <= set(desk.bar.shown)


def test_under_a_view_counts_go_on_and_deleting_does_not() -> None:
    desk = Desk()
    desk.panels.covered = True
    counting = desk.counting()
    assert {"more", "fewer", "count", "wire", "undo", "redo", "findings"} <= counting
    assert not {"delete", "rename", "duplicate"} & counting


@pytest.mark.parametrize("busy", ["question", "pick", "move"])
def test_while_something_is_answered_only_help_and_redraw_count(busy: str) -> None:
    async def run() -> None:
        desk = Desk()
        if busy == "question":
            desk.questions.is_open = True
        elif busy == "move":
            desk.canvas.moving = True
        else:
            picking = asyncio.ensure_future(desk.selection.pick_target("node"))
            await asyncio.sleep(0)
            assert desk.selection.picking
        assert desk.counting() == {"help", "redraw"}
        if busy == "pick":
            assert desk.selection.answer_pick("leaf")
            assert await picking == "leaf"
            assert not desk.selection.picking

    asyncio.run(run())


def test_a_wire_that_nobody_asked_for_answers_no_pick() -> None:
    assert not Desk().selection.answer_pick("leaf")


def test_a_pick_shows_the_fabric_and_tells_the_keys_when_it_begins_and_ends() -> None:
    async def run() -> None:
        desk = Desk()
        picking = asyncio.ensure_future(desk.selection.pick_target("node"))
        await asyncio.sleep(0)
        assert desk.canvas.picking_from == "node"
        assert desk.shown == [None]
        desk.selection.answer_pick(None)
        assert await picking is None
        assert desk.turns == 2

    asyncio.run(run())


def test_marked_groups_are_chosen_before_the_selected_one() -> None:
    desk = Desk()
    desk.selection.select_group("node")
    assert desk.selection.chosen_groups == ("node",)
    desk.selection.mark_groups(("leaf",))
    assert desk.selection.chosen_groups == ("leaf",)
    desk.selection.select_nothing()
    assert desk.selection.chosen_groups == ("node",)
    desk.selection.select_nothing()
    assert desk.selection.chosen_groups == ()


def test_a_link_is_no_group() -> None:
    desk = Desk()
    desk.canvas.selected = LinkItem(3)
    assert desk.selection.group is None
    assert desk.selection.link == 3


def test_a_place_is_gone_to_on_the_fabric_not_under_a_view() -> None:
    desk = Desk()
    desk.panels.view = object()
    desk.selection.select_group("leaf")
    assert desk.shown == [None]
    assert desk.selection.group == "leaf"
