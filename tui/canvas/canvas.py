"""The canvas: the fabric as groups by tiers, to be walked over, pointed at and wired."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType

from toposmith.tui.canvas import palette
from toposmith.tui.canvas.board import Board
from toposmith.tui.canvas.items import GroupItem, Item, LinkItem
from toposmith.tui.canvas.layout import item_order
from toposmith.tui.canvas.moves import Direction, nearest
from toposmith.tui.canvas.moving import MOVE_COLUMNS, Moving
from toposmith.tui.canvas.raster import Point
from toposmith.tui.canvas.wiring import Wiring

__all__ = ["Canvas", "GroupItem", "Item", "LinkItem"]


class Canvas(Board, can_focus=True):
    """The keys and the mouse on the picture of a design."""

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

    def action_pan(self, columns: int, rows: int) -> None:
        """Move the view over a picture that is larger."""
        self.scroll_relative(columns, rows, animate=False, immediate=True)

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

    def select_at(self, event: events.Click) -> None:
        """Select what is under the pointer, or nothing."""
        self.select(self._item_at(event))

    def on_click(self, event: events.Click) -> None:
        """Open on a double click."""
        item = self._item_at(event)
        if event.button == 1 and event.chain == 2 and item is not None and self._wiring is None:
            self.post_message(self.ItemOpened(item))

    def _walk(self) -> tuple[Item | None, list[Item]]:
        """Where a move starts from, and the items that it may end at."""
        if self._wiring is not None:
            return self._wiring.target, self._wiring.candidates(self.scene)
        return self._selected, item_order(self.scene.layout)

    def _point(self, event: events.MouseEvent) -> Point:
        """The cell of the sheet under the pointer."""
        left, top = self.scroll_offset
        gutter = self.gutter
        return event.x - gutter.left + left, event.y - gutter.top + top

    def _item_at(self, event: events.MouseEvent) -> Item | None:
        return self.scene.item_at(*self._point(event))
