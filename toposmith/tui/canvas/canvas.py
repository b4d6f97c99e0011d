"""The canvas: the fabric as groups by tiers, for cursor, pointer and wiring."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from toposmith.analysis.result import Analysis
from toposmith.design.group_positions import read_view
from toposmith.fabric.plan import Plan
from toposmith.findings.finding import Finding
from toposmith.tui.canvas import colours
from toposmith.tui.canvas.attention import Attention
from toposmith.tui.canvas.group_move import MOVE_COLUMNS, Moving
from toposmith.tui.canvas.items import GroupItem, Item, LinkItem
from toposmith.tui.canvas.layers import layers_of
from toposmith.tui.canvas.layout import item_order, lay_out
from toposmith.tui.canvas.moves import Direction, nearest
from toposmith.tui.canvas.open_link import OpenLink
from toposmith.tui.canvas.picture import Picture
from toposmith.tui.canvas.raster import Point
from toposmith.tui.canvas.scene import Area, Scene
from toposmith.tui.canvas.trunk_figures import read_figures

__all__ = ["Canvas", "GroupItem", "Item", "LinkItem"]


class Canvas(Picture, can_focus=True):
    """The picture of a design, with what is selected, marked, wired or moved on it.

    Tell :meth:`show` of every change; what differs from the last picture is repainted, and
    nothing is computed while painting.
    """

    DEFAULT_CSS = colours.CSS
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
    class ItemSelected(Message, namespace="canvas"):
        """Another item is selected now, or none."""

        item: Item | None

    @dataclass
    class ItemOpened(Message, namespace="canvas"):
        """An item was asked to open: enter, or a double click."""

        item: Item

    @dataclass
    class WireDrawn(Message, namespace="canvas"):
        """A wire was drawn from one group to another, by mouse or by picking the target."""

        source: str
        target: str

    @dataclass
    class GroupMoved(Message, namespace="canvas"):
        """A group was put so many columns right of its place."""

        group: str
        columns: int

    @dataclass
    class MoveEnded(Message, namespace="canvas"):
        """A group is not moved any more, whether it was put somewhere or not."""

    @dataclass
    class PickCancelled(Message, namespace="canvas"):
        """Picking a target was given up."""

    def __init__(self, *, id: str | None = None, can_wire: bool = True) -> None:
        super().__init__(id=id)
        self.can_wire = can_wire
        self._plan: Plan | None = None
        self._analysis: Analysis | None = None
        self._missed: Mapping[str, str] = {}
        self._ascii_only = False
        self._layer: str | None = None
        self.whole = False
        self._asked_whole: bool | None = None
        self._findings: tuple[Finding, ...] | None = None
        self._comments: Mapping[str, int] = {}
        self._attention = Attention()
        self._in_hand: Moving | None = None
        self._panning_from: Point | None = None
        self._moving_from: int | None = None

    @property
    def shown_layer(self) -> str | None:
        """The one slot group whose fabric is shown; None is all of them."""
        return self._layer

    @property
    def fits(self) -> bool:
        """Whether the whole picture is in view."""
        return self.scene.layout.width <= self.size.width and (
            self.scene.layout.height <= self.size.height
        )

    @property
    def moving(self) -> bool:
        """Whether a group is being moved with the keys."""
        return self._in_hand is not None and not self._in_hand.by_mouse

    @property
    def wiring(self) -> OpenLink | None:
        """The link that is being drawn."""
        return self._attention.wiring

    @property
    def picking(self) -> bool:
        """Whether the target of a link is being picked with keys."""
        return self.wiring is not None and not self.wiring.by_mouse

    @property
    def selected(self) -> Item | None:
        """The selected item."""
        return self._attention.selected

    @property
    def marked(self) -> tuple[str, ...]:
        """The groups that are marked, in the order in which they were."""
        return self._attention.marked

    @property
    def lit(self) -> frozenset[Item]:
        """The items that are highlighted."""
        return self._attention.lit

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
        if self._in_hand is not None and self._in_hand.group not in plan.groups:
            self._end_move()
        changed = self._attention.follow(before.design if before else None, plan.design)
        if self.wiring is not None and self.wiring.source not in plan.groups:
            self.action_cancel()
        self._draw()
        if changed:
            self.post_message(self.ItemSelected(self.selected))

    def show_layer(self, layer: str | None) -> None:
        """Show the fabric of one slot group alone, or (None) all of them."""
        self._layer = layer
        self._draw()
        if self.selected is not None and not self.scene.areas(self.selected):
            self.select(None)

    def turn_whole(self) -> bool:
        """Show names and counts alone where more does not fit, or all again; returns which."""
        self._asked_whole = not self.whole
        self._draw()
        return self.whole

    def remark(
        self, findings: tuple[Finding, ...] | None, comments: Mapping[str, int] | None = None
    ) -> None:
        """Mark what is said of groups and links: findings, and open comments by place."""
        said = self._comments if comments is None else comments
        if (findings, said) != (self._findings, self._comments):
            self._findings, self._comments = findings, said
            self._draw()

    def select(self, item: Item | None) -> None:
        """Select an item and bring it into view."""
        if item is not None and not self.scene.areas(item):
            item = None
        self._attention.lost = None
        if item == self.selected:
            return
        self._attention.selected = item
        self._show_marks()
        self._reveal(item)
        self.post_message(self.ItemSelected(item))

    def toggle_mark(self, name: str) -> None:
        """Mark a group, or take its mark away."""
        others = tuple(one for one in self.marked if one != name)
        self.mark(others if name in self.marked else (*others, name))

    def mark(self, names: tuple[str, ...]) -> None:
        """Mark these groups and no others."""
        self._attention.marked = names
        self._show_marks()
        self.post_message(self.ItemSelected(self.selected))

    def light(self, items: frozenset[Item]) -> None:
        """Light up these items and no others, such as where a line of the bill is used."""
        if items != self.lit:
            self._attention.lit = items
            self._show_marks()

    def move_group(self, group: str, *, by_mouse: bool = False) -> None:
        """Let the user move a group: with the arrows enter puts it there, escape back."""
        self._in_hand = Moving(group, self._positions.get(group, 0), by_mouse=by_mouse)
        self.select(GroupItem(group))

    def move_by(self, columns: int) -> None:
        """Move the group that is being moved by so many columns."""
        if self._in_hand is not None and columns:
            self._in_hand.shift(columns)
            self._draw()

    def finish_move(self) -> bool:
        """Leave the group that is being moved where it is; False where none is moved."""
        moving = self._in_hand
        if moving is None:
            return False
        if moving.columns != moving.first:
            self.post_message(self.GroupMoved(moving.group, moving.columns))
            moving.first = moving.columns
        self._end_move()
        return True

    def pick_target(self, source: str, likely: Collection[str] = ()) -> None:
        """Let the user pick the group to wire to: arrows among groups, enter, or escape.

        The nearest of the ``likely`` ones is proposed.
        """
        group = self._plan.groups.get(source) if self._plan else None
        own = group is not None and group.cages is not None and group.instances > 1
        wiring = self._attention.wiring = OpenLink(source, by_mouse=False, own=own)
        wiring.aim_nearest(self.scene, likely)
        self._show_marks()
        self._reveal(wiring.target)

    def drag_wire(self, source: str) -> None:
        """Let the user draw a link from a group while the mouse button is down."""
        self._attention.wiring = OpenLink(source, by_mouse=True)

    def aim_wire(self, item: Item | None, pointer: Point | None = None) -> None:
        """Let the link end at an item, or nowhere, with the band to the pointer."""
        if self.wiring is not None:
            self.wiring.aim(item)
            self.wiring.pointer = pointer
            self._show_marks()

    def finish_wire(self) -> bool:
        """Report the link if it has a target."""
        wiring = self.wiring
        if wiring is None or wiring.target is None:
            return False
        self.end_wire()
        self.post_message(self.WireDrawn(wiring.source, wiring.target.name))
        return True

    def end_wire(self) -> None:
        """Drop the link that is being drawn."""
        self._attention.wiring = None
        self.release_mouse()
        self._show_marks()

    def point(self, event: events.MouseEvent) -> Point:
        """The cell of the sheet under the pointer."""
        left, top = self.scroll_offset
        gutter = self.gutter
        return event.x - gutter.left + left, event.y - gutter.top + top

    def item_at(self, event: events.MouseEvent) -> Item | None:
        """The item under the pointer."""
        return self.scene.item_at(*self.point(event))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave escape to the screen while there is nothing here to give up."""
        busy = self.wiring is not None or self._in_hand is not None
        return busy if action == "cancel" else True

    def action_move(self, direction: Direction) -> None:
        """Move to the nearest item in a direction; among groups while a target is picked."""
        if self._in_hand is not None:
            self.move_by({"left": -MOVE_COLUMNS, "right": MOVE_COLUMNS}.get(direction, 0))
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
        if self.finish_move():
            return
        if self.wiring is not None:
            self.finish_wire()
        elif self.selected is not None:
            self.post_message(self.ItemOpened(self.selected))

    def action_pan(self, columns: int, rows: int) -> None:
        """Move the view over a picture that is larger."""
        self.scroll_relative(columns, rows, animate=False, immediate=True)

    def action_cancel(self) -> None:
        """Cancel the link that is being drawn, or the move."""
        if self._in_hand is not None:
            self._end_move()
            return
        if self.picking:
            self.post_message(self.PickCancelled())
        self.end_wire()

    def on_resize(self) -> None:
        """Arrange the picture for the new room."""
        self._draw()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Select what is pointed at, and begin a link where a group is."""
        if event.button != 1:
            return
        item = self.item_at(event)
        if self.wiring is not None:
            self.wiring.aim(item)
            self.finish_wire()
            return
        if self.finish_move():
            return
        self.select(item)
        if item is None:
            self._panning_from = event.screen_x, event.screen_y
            self.capture_mouse()
        elif isinstance(item, GroupItem) and event.ctrl:
            self.toggle_mark(item.name)
        elif isinstance(item, GroupItem) and self.can_wire and event.shift:
            self._moving_from = event.screen_x
            self.move_group(item.name, by_mouse=True)
            self.capture_mouse()
        elif isinstance(item, GroupItem) and self.can_wire:
            self.drag_wire(item.name)
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Draw the band to the pointer, the group that is moved, or the view."""
        if self._panning_from is not None:
            x, y = self._panning_from
            self._panning_from = event.screen_x, event.screen_y
            self.action_pan(x - event.screen_x, y - event.screen_y)
        if self._moving_from is not None:
            by = event.screen_x - self._moving_from
            self._moving_from = event.screen_x
            self.move_by(by)
        if self.wiring is not None and self.wiring.by_mouse:
            self.aim_wire(self.item_at(event), self.point(event))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Finish a link that ends on another group, or a move."""
        if self._panning_from is not None:
            self._panning_from = None
            self.release_mouse()
        if self._moving_from is not None:
            self._moving_from = None
            self.finish_move()
        if self.wiring is not None and self.wiring.by_mouse:
            self.wiring.aim(self.item_at(event))
            if not self.finish_wire():
                self.end_wire()

    def select_at(self, event: events.Click) -> None:
        """Select what is under the pointer, or nothing."""
        self.select(self.item_at(event))

    def on_click(self, event: events.Click) -> None:
        """Open on a double click."""
        item = self.item_at(event)
        if event.button == 1 and event.chain == 2 and item is not None and self.wiring is None:
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
            whole=self._asked_whole,
        )
        self.whole = layout.whole
        moved = layout != self.scene.layout
        scene = Scene(layout, figures, ascii_only=self._ascii_only)
        self.set_scene(scene, self._attention.marks(scene), self._attention.overlay(scene))
        if moved:  # figures alone do not scroll the view
            shown = self.wiring.target if self.wiring else self.selected
            self.call_after_refresh(self._reveal, shown)

    @property
    def _positions(self) -> dict[str, int]:
        """Where groups were put, the one that is being moved where it is now."""
        if self._plan is None:
            return {}
        found = dict(read_view(self._plan.design).positions)
        if self._in_hand is not None:
            found[self._in_hand.group] = self._in_hand.columns
        return found

    def _end_move(self) -> None:
        self._in_hand = None
        self.release_mouse()
        self._draw()
        self.post_message(self.MoveEnded())

    def _show_marks(self) -> None:
        scene = self.scene
        self.set_marks(self._attention.marks(scene), self._attention.overlay(scene))

    def _walk(self) -> tuple[Item | None, list[Item]]:
        """Where a move starts from, and the items that it may end at."""
        if self.wiring is not None:
            return self.wiring.target, self.wiring.candidates(self.scene)
        return self.selected, item_order(self.scene.layout)

    def _go(self, item: Item | None) -> None:
        if item is None:
            return
        if self.wiring is None:
            self.select(item)
            return
        self.wiring.aim(item)
        self._show_marks()
        self._reveal(item)

    def _reveal(self, item: Item | None) -> None:
        anchor = self.scene.anchor(item) if item is not None else None
        if anchor is None and not any(map(self.on_screen, self._boxes())):
            # nothing but trunks would be seen of a design that is opened
            anchor = min(self._boxes(), key=self.distance_from_middle, default=None)
        if anchor is not None:
            self.bring_into_view(anchor)

    def _boxes(self) -> list[Area]:
        boxes = self.scene.layout.boxes
        return [Area(box.x, box.y, box.width, box.height) for box in boxes]
