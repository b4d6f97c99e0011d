"""What the mouse does on the canvas: it selects, draws links, moves groups and pans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events

from toposmith.tui.canvas.items import GroupItem
from toposmith.tui.canvas.raster import Point

if TYPE_CHECKING:
    from toposmith.tui.canvas.canvas import Canvas


class Mouse:
    """The mouse over a canvas, and what it holds while its button is down.

    Parameters
    ----------
    canvas : Canvas
        What it acts on.
    """

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._panning_from: Point | None = None
        self._moving_from: int | None = None

    def press(self, event: events.MouseDown) -> None:
        """Select, and begin a link where a group is."""
        canvas = self._canvas
        if event.button != 1:
            return
        item = canvas.item_at(event)
        if canvas.wiring is not None:
            canvas.wiring.aim(item)
            canvas.finish_wire()
            return
        if canvas.finish_move():
            return
        canvas.select(item)
        if item is None:
            self._panning_from = event.screen_x, event.screen_y
            canvas.capture_mouse()
        elif isinstance(item, GroupItem) and event.ctrl:
            canvas.toggle_mark(item.name)
        elif isinstance(item, GroupItem) and canvas.can_wire and event.shift:
            self._moving_from = event.screen_x
            canvas.move_group(item.name, by_mouse=True)
            canvas.capture_mouse()
        elif isinstance(item, GroupItem) and canvas.can_wire:
            canvas.drag_wire(item.name)
            canvas.capture_mouse()

    def move(self, event: events.MouseMove) -> None:
        """Draw the band to the pointer, the group that is moved, or the view."""
        canvas = self._canvas
        if self._panning_from is not None:
            x, y = self._panning_from
            self._panning_from = event.screen_x, event.screen_y
            canvas.action_pan(x - event.screen_x, y - event.screen_y)
        if self._moving_from is not None:
            by = event.screen_x - self._moving_from
            self._moving_from = event.screen_x
            canvas.move_by(by)
        if canvas.wiring is not None and canvas.wiring.by_mouse:
            canvas.aim_wire(canvas.item_at(event), canvas.point(event))

    def release(self, event: events.MouseUp) -> None:
        """Finish a link that ends on another group, or a move."""
        canvas = self._canvas
        if self._panning_from is not None:
            self._panning_from = None
            canvas.release_mouse()
        if self._moving_from is not None:
            self._moving_from = None
            canvas.finish_move()
        if canvas.wiring is not None and canvas.wiring.by_mouse:
            canvas.wiring.aim(canvas.item_at(event))
            if not canvas.finish_wire():
                canvas.end_wire()
