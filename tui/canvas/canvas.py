"""The canvas: the fabric as groups by tiers, to be walked over, pointed at and wired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from topology.analysis.result import Analysis
from topology.fabric.plan import Plan
from tui.canvas import palette
from tui.canvas.band import band, knob, tag
from tui.canvas.figures import read_figures
from tui.canvas.items import GroupItem, Item, LinkItem, followed
from tui.canvas.layout import Layout, boxes_by_name, item_order, lay_out
from tui.canvas.moves import Direction, nearest
from tui.canvas.palette import Mark
from tui.canvas.picture import Picture
from tui.canvas.raster import Point
from tui.canvas.scene import Scene

__all__ = ["Canvas", "GroupItem", "Item", "LinkItem"]


class Canvas(Picture, can_focus=True):
    """The picture of a design, with the selection on it.

    Tell :meth:`show` of every change; what differs from the last picture is repainted, and
    nothing is computed while painting.
    """

    DEFAULT_CSS = palette.CSS
    HELP = "Arrows or hjkl walk from group to link to group; Enter opens; drag wires two groups."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move('up')", "Up", show=False),
        Binding("down,j", "move('down')", "Down", show=False),
        Binding("left,h", "move('left')", "Left", show=False),
        Binding("right,l", "move('right')", "Right", show=False),
        Binding("home", "edge(0)", "First", show=False),
        Binding("end", "edge(-1)", "Last", show=False),
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
    class PickCancelled(Message):
        """Picking a target was given up."""

    def __init__(
        self, *, id: str | None = None, classes: str | None = None, can_wire: bool = True
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.can_wire = can_wire
        self._plan: Plan | None = None
        self._analysis: Analysis | None = None
        self._ascii_only = False
        self._selected: Item | None = None
        self._source: str | None = None
        self._target: GroupItem | None = None
        self._drag: str | None = None
        self._pointer: Point | None = None

    @property
    def selected(self) -> Item | None:
        """The selected item."""
        return self._selected

    @property
    def picking(self) -> bool:
        """Whether the target of a wire is being picked."""
        return self._source is not None

    def show(self, plan: Plan, analysis: Analysis | None, *, ascii_only: bool = False) -> None:
        """Show a design with its figures; the selection stays with its item while that exists."""
        before, self._plan = self._plan, plan
        self._analysis = analysis
        self._ascii_only = ascii_only
        kept = None
        if self._selected is not None and before is not None:
            kept = followed(self._selected, before.design, plan.design)
        changed = kept != self._selected
        self._selected = kept
        if self._source is not None and self._source not in plan.groups:
            self._end_pick()
            self.post_message(self.PickCancelled())
        if self._target is not None and self._target.name not in plan.groups:
            self._target = None
        self._draw()
        if changed:
            self.post_message(self.ItemSelected(kept))

    def select(self, item: Item | None) -> None:
        """Select an item and bring it into view."""
        if item is not None and not self.scene.areas(item):
            item = None
        if item == self._selected:
            return
        self._selected = item
        self._show_marks()
        if item is not None:
            self._reveal(item)
        self.post_message(self.ItemSelected(item))

    def pick_target(self, source_group: str) -> None:
        """Let a person pick the group to wire to: arrows among groups, enter, or escape."""
        self._source = source_group
        start = GroupItem(source_group)
        steps: tuple[Direction, ...] = ("up", "down", "right", "left")
        others = self._candidates()
        found = (nearest(self.scene, start, step, others) for step in steps)
        self._target = next((item for item in found if isinstance(item, GroupItem)), None)
        self._show_marks()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave escape to the screen while there is nothing here to give up."""
        if action == "cancel":
            return self.picking or self._drag is not None
        return True

    def action_move(self, direction: Direction) -> None:
        """Move to the nearest item in a direction; among groups while a target is picked."""
        order = item_order(self.scene.layout)
        if self.picking:
            start: Item | None = self._target
            items: list[Item] = list(self._candidates())
        else:
            start, items = self._selected, order
        if not items:
            return
        if start is None:
            self._go(items[-1] if direction == "up" else items[0])
        elif found := nearest(self.scene, start, direction, items):
            self._go(found)

    def action_edge(self, end: int) -> None:
        """Move to the first item or the last."""
        items = self._candidates() if self.picking else item_order(self.scene.layout)
        if items:
            self._go(items[end])

    def action_open(self) -> None:
        """Open the selected item, or wire to the picked target."""
        if self._source is not None:
            if self._target is not None:
                self._wire(self._source, self._target.name)
        elif self._selected is not None:
            self.post_message(self.ItemOpened(self._selected))

    def action_cancel(self) -> None:
        """Give up the wire that is being drawn."""
        if self._drag is not None:
            self._end_drag()
        elif self.picking:
            self._end_pick()
            self._show_marks()
            self.post_message(self.PickCancelled())

    def on_resize(self) -> None:
        """Lay the picture out for the new room."""
        self._draw()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Select, and begin a wire where a group is."""
        if event.button != 1:
            return
        item = self._item_at(event)
        if self._source is not None:
            if isinstance(item, GroupItem) and item.name != self._source:
                self._wire(self._source, item.name)
            return
        self.select(item)
        if isinstance(item, GroupItem) and self.can_wire:
            self._drag = item.name
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Draw the rubber band to the pointer."""
        if self._drag is None:
            return
        under = self._item_at(event)
        valid = isinstance(under, GroupItem) and under.name != self._drag
        self._target = under if valid and isinstance(under, GroupItem) else None
        self._pointer = self._point(event)
        self._show_marks()

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Finish a wire that ends on another group."""
        source = self._drag
        if source is None:
            return
        item = self._item_at(event)
        self._end_drag()
        if isinstance(item, GroupItem) and item.name != source:
            self._wire(source, item.name)

    def on_click(self, event: events.Click) -> None:
        """Open on a double click."""
        item = self._item_at(event)
        if event.chain == 2 and item is not None and not self.picking:
            self.post_message(self.ItemOpened(item))

    def _draw(self) -> None:
        room = self.content_size
        if self._plan is None or not room:
            return
        findings = self._analysis.findings if self._analysis else ()
        figures = read_figures(self._plan, self._analysis)
        layout = lay_out(self._plan, room.width, room.height, findings, figures.ratios, bars=1)
        self._drop_drag_of_gone_group(layout)
        scene = Scene(layout, figures, ascii_only=self._ascii_only)
        self.set_scene(scene, self._current_marks(), self._current_overlay(scene))
        if marked := self._target or self._selected:
            self._reveal(marked)

    def _drop_drag_of_gone_group(self, layout: Layout) -> None:
        if self._drag is not None and self._drag not in boxes_by_name(layout):
            self._end_drag()

    def _current_marks(self) -> dict[Item, Mark]:
        marks: dict[Item, Mark] = {}
        if self.picking:
            marks |= dict.fromkeys(self._candidates(), Mark.CANDIDATE)
        if self._selected is not None:
            marks[self._selected] = Mark.SELECTED
        if self._source is not None:
            marks[GroupItem(self._source)] = Mark.SELECTED
        if self._target is not None:
            marks[self._target] = Mark.TARGET
        return marks

    def _current_overlay(self, scene: Scene) -> dict[Point, str]:
        """The band to the pointer, and words and knobs that say without colour what is marked."""
        boxes = boxes_by_name(scene.layout)
        cells: dict[Point, str] = {}
        for trunk in scene.layout.trunks:
            if trunk.item == self._selected and not self.picking:
                cells |= knob(trunk, scene.glyphs)
        if self._drag is not None and self._drag in boxes and self._pointer is not None:
            cells |= band(scene, boxes[self._drag], self._pointer, scene.glyphs)
        source = self._source or (self._drag if self._pointer is not None else None)
        if source is not None and source in boxes:
            cells |= tag(boxes[source], "wire from")
        if self._target is not None and self._target.name in boxes:
            cells |= tag(boxes[self._target.name], "to")
        return cells

    def _show_marks(self) -> None:
        self.set_marks(self._current_marks())
        self.set_overlay(self._current_overlay(self.scene))

    def _candidates(self) -> list[GroupItem]:
        order = item_order(self.scene.layout)
        return [i for i in order if isinstance(i, GroupItem) and i.name != self._source]

    def _go(self, item: Item) -> None:
        if self.picking and isinstance(item, GroupItem):
            self._target = item
            self._show_marks()
            self._reveal(item)
        else:
            self.select(item)

    def _reveal(self, item: Item) -> None:
        anchor = self.scene.anchor(item)
        if anchor is not None:
            self.bring_into_view(anchor)

    def _wire(self, source: str, target: str) -> None:
        self._end_pick()
        self._show_marks()
        self.post_message(self.WireDrawn(source, target))

    def _end_pick(self) -> None:
        self._source = self._target = None

    def _end_drag(self) -> None:
        self._drag = self._target = self._pointer = None
        self.release_mouse()
        self._show_marks()

    def _point(self, event: events.MouseEvent) -> Point:
        """The cell of the sheet under the pointer."""
        left, top = self.scroll_offset
        gutter = self.gutter
        return event.x - gutter.left + left, event.y - gutter.top + top

    def _item_at(self, event: events.MouseEvent) -> Item | None:
        return self.scene.item_at(*self._point(event))
