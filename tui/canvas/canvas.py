"""The canvas: the fabric as groups by tiers, to be walked over, pointed at and wired."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from topology.analysis.result import Analysis
from topology.design.view import FARTHEST, read_view
from topology.fabric.plan import Finding, Plan
from tui.canvas import palette
from tui.canvas.figures import read_figures
from tui.canvas.items import GroupItem, Item, LinkItem, followed
from tui.canvas.layers import layers_of
from tui.canvas.layout import item_order, lay_out
from tui.canvas.moves import Direction, nearest
from tui.canvas.moving import MOVE_COLUMNS, Moving
from tui.canvas.picture import Picture
from tui.canvas.raster import Point
from tui.canvas.scene import Scene
from tui.canvas.wiring import Wiring, marks, overlay

__all__ = ["Canvas", "GroupItem", "Item", "LinkItem"]


class Canvas(Picture, can_focus=True):
    """The picture of a design, with the selection on it.

    Tell :meth:`show` of every change; what differs from the last picture is repainted, and
    nothing is computed while painting.
    """

    DEFAULT_CSS = palette.CSS
    HELP = (
        "Arrows or hjkl walk from group to link to group; Enter goes into a group; drag wires two "
        "groups, Shift and drag moves one, drag on empty space or Shift and arrows pan."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move('up')", "Up", show=False),
        Binding("down,j", "move('down')", "Down", show=False),
        Binding("left,h", "move('left')", "Left", show=False),
        Binding("right,l", "move('right')", "Right", show=False),
        Binding("home", "edge(0)", "First", show=False),
        Binding("end", "edge(-1)", "Last", show=False),
        Binding("shift+up", "pan(0, -2)", "Pan up", show=False),
        Binding("shift+down", "pan(0, 2)", "Pan down", show=False),
        Binding("shift+left", "pan(-6, 0)", "Pan left", show=False),
        Binding("shift+right", "pan(6, 0)", "Pan right", show=False),
        Binding("enter", "open", "Open", show=False),
        Binding("escape", "cancel", "Cancel", show=False),
    ]

    @dataclass
    class ItemSelected(Message):
        """Another item is selected now, or none."""

        item: Item | None

    @dataclass
    class ItemOpened(Message):
        """An item was asked to open: enter, or a double click."""

        item: Item

    @dataclass
    class WireDrawn(Message):
        """A wire was drawn from one group to another, by mouse or by picking the target."""

        source: str
        target: str

    @dataclass
    class GroupMoved(Message):
        """A group was put so many columns right of its place."""

        group: str
        columns: int

    @dataclass
    class MoveEnded(Message):
        """A group is not moved any more, whether it was put somewhere or not."""

    @dataclass
    class PickCancelled(Message):
        """Picking a target was given up."""

    def __init__(
        self, *, id: str | None = None, classes: str | None = None, can_wire: bool = True
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.can_wire = can_wire
        self._plan: Plan | None = None
        self._analysis: Analysis | None = None
        self._missed: Mapping[str, str] = {}
        self._ascii_only = False
        self._selected: Item | None = None
        self._marked: tuple[str, ...] = ()
        self._lit: frozenset[Item] = frozenset()
        self._wiring: Wiring | None = None
        self._moving: Moving | None = None
        self._grabbed: Point | None = None
        self._layer: str | None = None
        self._findings: tuple[Finding, ...] | None = None
        self._comments: Mapping[str, int] = {}

    @property
    def shown_layer(self) -> str | None:
        """The one slot group whose fabric is shown; None is all of them."""
        return self._layer

    @property
    def moving(self) -> bool:
        """Whether a group is being moved with the keys."""
        return self._moving is not None and self._moving.grabbed_at is None

    @property
    def selected(self) -> Item | None:
        """The selected item."""
        return self._selected

    @property
    def marked(self) -> tuple[str, ...]:
        """The groups that are marked, in the order in which they were."""
        return self._marked

    def remark(
        self, findings: tuple[Finding, ...] | None, comments: Mapping[str, int] | None = None
    ) -> None:
        """Mark what is said of groups and links: findings, and open comments by place."""
        said = self._comments if comments is None else comments
        if (findings, said) != (self._findings, self._comments):
            self._findings, self._comments = findings, said
            self._draw()

    def toggle_mark(self, name: str) -> None:
        """Mark a group, or take its mark away."""
        others = tuple(one for one in self._marked if one != name)
        self.mark(others if name in self._marked else (*others, name))

    def mark(self, names: tuple[str, ...]) -> None:
        """Mark these groups and no others."""
        self._marked = names
        self._show_marks()
        self.post_message(self.ItemSelected(self._selected))

    def light(self, items: frozenset[Item]) -> None:
        """Light up these items and no others, such as where a line of the bill is used."""
        if items != self._lit:
            self._lit = items
            self._show_marks()

    @property
    def lit(self) -> frozenset[Item]:
        """The items that are lit up."""
        return self._lit

    @property
    def picking(self) -> bool:
        """Whether the target of a wire is being picked."""
        return self._wiring is not None and not self._wiring.by_mouse

    def show(
        self,
        plan: Plan,
        analysis: Analysis | None,
        missed: Mapping[str, str] | None = None,
        *,
        ascii_only: bool = False,
    ) -> None:
        """Show a design with its figures; the selection stays with its item while that exists.

        ``missed`` are links that the workload needs more of, with the dimension that waits.
        """
        before, self._plan = self._plan, plan
        if self._layer not in layers_of(plan):
            self._layer = None
        self._analysis, self._missed = analysis, missed or {}
        self._ascii_only = ascii_only
        if self._moving is not None and self._moving.group not in plan.groups:
            self._end_move()
        kept = None
        if self._selected is not None and before is not None:
            kept = followed(self._selected, before.design, plan.design)
        changed = kept != self._selected
        self._selected = kept
        self._marked = tuple(name for name in self._marked if name in plan.groups)
        if self._wiring is not None:
            if self._wiring.source not in plan.groups:
                self.action_cancel()
            elif self._wiring.target and self._wiring.target.name not in plan.groups:
                self._wiring.target = None
        self._draw()
        if changed:
            self.post_message(self.ItemSelected(kept))

    def show_layer(self, layer: str | None) -> None:
        """Show the fabric of one slot group alone, or (None) all of them."""
        self._layer = layer
        self._draw()
        if self._selected is not None and not self.scene.areas(self._selected):
            self.select(None)

    def move_group(self, group: str) -> None:
        """Let a person move a group with the arrows: enter puts it there, escape back."""
        self._moving = Moving(group, self._positions.get(group, 0))
        self.select(GroupItem(group))

    def select(self, item: Item | None) -> None:
        """Select an item and bring it into view."""
        if item is not None and not self.scene.areas(item):
            item = None
        if item == self._selected:
            return
        self._selected = item
        self._show_marks()
        self._reveal(item)
        self.post_message(self.ItemSelected(item))

    def pick_target(self, source_group: str) -> None:
        """Let a person pick the group to wire to: arrows among groups, enter, or escape."""
        self._wiring = Wiring(source_group, by_mouse=False)
        self._wiring.aim_nearest(self.scene)
        self._show_marks()
        self._reveal(self._wiring.target)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave escape to the screen while there is nothing here to give up."""
        busy = self._wiring is not None or self._moving is not None
        return busy if action == "cancel" else True

    def action_move(self, direction: Direction) -> None:
        """Move to the nearest item in a direction; among groups while a target is picked."""
        if self._moving is not None:
            self._move_by({"left": -MOVE_COLUMNS, "right": MOVE_COLUMNS}.get(direction, 0))
            return
        start, items = self._walk()
        if start is not None:
            self._go(nearest(self.scene, start, direction, items))
        elif items:
            self._go(items[-1] if direction == "up" else items[0])

    def action_edge(self, end: int) -> None:
        """Move to the first item or the last."""
        _, items = self._walk()
        if items:
            self._go(items[end])

    def action_open(self) -> None:
        """Open the selected item, or wire to the picked target."""
        if self._moving is not None:
            self._finish_move()
        elif self._wiring is not None:
            self._finish_wire()
        elif self._selected is not None:
            self.post_message(self.ItemOpened(self._selected))

    def action_cancel(self) -> None:
        """Give up the wire that is being drawn."""
        if self._moving is not None:
            self._end_move()
            return
        if self.picking:
            self.post_message(self.PickCancelled())
        self._end_wire()

    def action_pan(self, columns: int, rows: int) -> None:
        """Move the view over a picture that is larger."""
        self.scroll_relative(columns, rows, animate=False, immediate=True)

    def on_resize(self) -> None:
        """Lay the picture out for the new room."""
        self._draw()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Select, and begin a wire where a group is."""
        if event.button != 1:
            return
        item = self._item_at(event)
        if self._wiring is not None:
            self._wiring.aim(item)
            self._finish_wire()
            return
        if self._moving is not None:
            self._finish_move()
            return
        self.select(item)
        if isinstance(item, GroupItem) and event.ctrl:
            self.toggle_mark(item.name)
        elif item is None:
            self._grabbed = event.screen_x, event.screen_y
            self.capture_mouse()
        elif isinstance(item, GroupItem) and self.can_wire and event.shift:
            columns = self._positions.get(item.name, 0)
            self._moving = Moving(item.name, columns, event.screen_x)
            self.capture_mouse()
        elif isinstance(item, GroupItem) and self.can_wire:
            self._wiring = Wiring(item.name, by_mouse=True)
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Draw the rubber band to the pointer, the group that is moved, or the view."""
        if self._grabbed is not None:
            x, y = self._grabbed
            self._grabbed = event.screen_x, event.screen_y
            self.action_pan(x - event.screen_x, y - event.screen_y)
        if self._moving is not None and self._moving.grabbed_at is not None:
            by = event.screen_x - self._moving.grabbed_at
            self._moving.grabbed_at = event.screen_x
            self._move_by(by)
        if self._wiring is not None and self._wiring.by_mouse:
            self._wiring.aim(self._item_at(event))
            self._wiring.pointer = self._point(event)
            self._show_marks()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Finish a wire that ends on another group, or a move."""
        if self._grabbed is not None:
            self._grabbed = None
            self.release_mouse()
        if self._moving is not None and self._moving.grabbed_at is not None:
            self._finish_move()
        if self._wiring is not None and self._wiring.by_mouse:
            self._wiring.aim(self._item_at(event))
            if not self._finish_wire():
                self._end_wire()

    def on_click(self, event: events.Click) -> None:
        """Open on a double click."""
        item = self._item_at(event)
        if event.chain == 2 and item is not None and self._wiring is None:
            self.post_message(self.ItemOpened(item))

    def _draw(self) -> None:
        room = self.content_size
        if self._plan is None or not room:
            return
        findings = self._findings
        if findings is None:
            findings = self._analysis.findings if self._analysis else ()
        figures = read_figures(self._plan, self._analysis, self._missed)
        layout = lay_out(
            self._plan,
            room.width,
            room.height,
            findings,
            figures.ratios,
            bars=1,
            layer=self._layer,
            positions=self._positions,
            comments=self._comments,
        )
        moved = layout != self.scene.layout
        scene = Scene(layout, figures, ascii_only=self._ascii_only)
        self.set_scene(
            scene,
            marks(scene, self._selected, self._wiring, self._marked, self._lit),
            overlay(scene, self._selected, self._wiring, self._marked, self._lit),
        )
        if moved:  # figures alone do not scroll a person away from what they look at
            shown = self._wiring.target if self._wiring else self._selected
            self.call_after_refresh(self._reveal, shown)

    @property
    def _positions(self) -> dict[str, int]:
        """Where groups were put, the one that is being moved where it is now."""
        if self._plan is None:
            return {}
        found = dict(read_view(self._plan.design).positions)
        if self._moving is not None:
            found[self._moving.group] = self._moving.columns
        return found

    def _move_by(self, columns: int) -> None:
        """Move the group by so many columns, as far as a sheet may reach."""
        moving = self._moving
        if moving is None or not columns:
            return
        moving.columns = max(min(moving.columns + columns, FARTHEST), -FARTHEST)
        self._draw()

    def _finish_move(self) -> None:
        """Put the group where it is now."""
        moving = self._moving
        if moving is not None and moving.columns != moving.first:
            self.post_message(self.GroupMoved(moving.group, moving.columns))
            moving.first = moving.columns
        self._end_move()

    def _end_move(self) -> None:
        self._moving = None
        self.release_mouse()
        self._draw()
        self.post_message(self.MoveEnded())

    def _show_marks(self) -> None:
        self.set_marks(marks(self.scene, self._selected, self._wiring, self._marked, self._lit))
        self.set_overlay(overlay(self.scene, self._selected, self._wiring, self._marked, self._lit))

    def _walk(self) -> tuple[Item | None, list[Item]]:
        """Where a move starts from, and the items that it may end at."""
        if self._wiring is not None:
            return self._wiring.target, self._wiring.candidates(self.scene)
        return self._selected, item_order(self.scene.layout)

    def _go(self, item: Item | None) -> None:
        if item is None:
            return
        if self._wiring is None:
            self.select(item)
            return
        self._wiring.aim(item)
        self._show_marks()
        self._reveal(item)

    def _reveal(self, item: Item | None) -> None:
        anchor = self.scene.anchor(item) if item is not None else None
        if anchor is not None:
            self.bring_into_view(anchor)

    def _finish_wire(self) -> bool:
        """Tell of the wire if it has a target."""
        wiring = self._wiring
        if wiring is None or wiring.target is None:
            return False
        self._end_wire()
        self.post_message(self.WireDrawn(wiring.source, wiring.target.name))
        return True

    def _end_wire(self) -> None:
        self._wiring = None
        self.release_mouse()
        self._show_marks()

    def _point(self, event: events.MouseEvent) -> Point:
        """The cell of the sheet under the pointer."""
        left, top = self.scroll_offset
        gutter = self.gutter
        return event.x - gutter.left + left, event.y - gutter.top + top

    def _item_at(self, event: events.MouseEvent) -> Item | None:
        return self.scene.item_at(*self._point(event))
