"""What is selected, marked, moved and picked on the canvas."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from toposmith.design.edits.about import reset_positions, set_position
from toposmith.design.group_positions import read_view
from toposmith.tui.canvas.items import GroupItem, Item, LinkItem
from toposmith.tui.canvas.layers import layers_of, next_layer
from toposmith.tui.designer.editing import Editing
from toposmith.tui.designer.messages import Messages

if TYPE_CHECKING:
    from toposmith.tui.canvas.canvas import Canvas
    from toposmith.tui.designer.panels import Panels

ALONE = "names and counts alone; 1 shows parts and figures again, L one fabric alone"
AGAIN = "parts and figures again; arrows walk to what is out of view, L shows one fabric alone"


class CanvasSelection:
    """What one points at: groups, links, the other end of a wire.

    Parameters
    ----------
    panels : Panels
        The canvas, and the views before it.
    editing : Editing
        The design that is pointed at.
    messages : Messages
        Where it is said what was marked.
    changed : callable
        Called where other keys apply: a wire or the move of a group begins or ends.
    redraw : callable
        Draws the design, where another layer of it is shown.
    """

    def __init__(
        self,
        panels: Panels,
        editing: Editing,
        messages: Messages,
        *,
        changed: Callable[[], None],
        redraw: Callable[[], None],
    ) -> None:
        self._panels = panels
        self._editing = editing
        self._messages = messages
        self._changed = changed
        self._redraw = redraw
        self._picked: asyncio.Future[str | None] | None = None

    @property
    def canvas(self) -> Canvas:
        """The picture that is pointed at."""
        return self._panels.canvas

    @property
    def item(self) -> Item | None:
        """The group or link that is selected."""
        return self.canvas.selected

    @property
    def group(self) -> str | None:
        """The group that is selected."""
        item = self.item
        return item.name if isinstance(item, GroupItem) else None

    @property
    def link(self) -> int | None:
        """The link that is selected."""
        item = self.item
        return item.index if isinstance(item, LinkItem) else None

    @property
    def marked(self) -> tuple[str, ...]:
        """The groups that are marked."""
        return self.canvas.marked

    @property
    def chosen_groups(self) -> tuple[str, ...]:
        """The groups that are marked, else the one that is selected."""
        return self.marked or tuple(filter(None, [self.group]))

    @property
    def picking(self) -> bool:
        """Whether the other end of a wire is being picked."""
        return self._picked is not None

    @property
    def moving(self) -> bool:
        """Whether a group is on its way to another place."""
        return self.canvas.moving

    def select_group(self, name: str) -> None:
        """Select a group."""
        self._select(GroupItem(name))

    def select_link(self, index: int) -> None:
        """Select a link."""
        self._select(LinkItem(index))

    def select_nothing(self) -> None:
        """Take the marks away, or where there are none the selection."""
        if self.marked:
            self.canvas.mark(())
        else:
            self.canvas.select(None)

    def stand_on(self, group: str) -> None:
        """Select the group under the cursor inside the fabric; the view stays."""
        if self.group != group:
            self.canvas.select(GroupItem(group))

    def mark_groups(self, names: tuple[str, ...]) -> None:
        """Mark these groups and no others."""
        self.canvas.mark(names)

    def toggle_mark(self) -> None:
        """Mark the selected group for what is done next, or take its mark away."""
        if self.group is not None:
            self.canvas.toggle_mark(self.group)
            words = "nothing is marked any longer"
            if self.marked:
                words = f"marked: {', '.join(self.marked)}; + - c x d y R do it to all"
            self._messages.say(words, "hint")

    def light(self, groups: frozenset[str], links: frozenset[int]) -> None:
        """Light up these places and no others."""
        items: set[Item] = {GroupItem(name) for name in groups}
        self.canvas.light(frozenset(items | {LinkItem(index) for index in links}))

    async def pick_target(self, source: str, likely: Collection[str] = ()) -> str | None:
        """Let the user pick the other end of a wire on the canvas, a likely one proposed."""
        picked: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._picked = picked
        self._panels.show_fabric()
        self.canvas.pick_target(source, likely)
        self._changed()
        self._messages.say(f"wire {source} to ...", "hint")
        try:
            return await picked
        finally:
            if self._picked is picked and self.canvas.is_running:
                self._picked = None
                self._changed()

    def answer_pick(self, target: str | None) -> bool:
        """Take the other end of the new link, or None where it was given up; False if none asks."""
        if self._picked is None:
            return False
        if not self._picked.done():
            self._picked.set_result(target)
        return True

    def next_layer(self) -> None:
        """Show the next fabric alone, and after the last all of them."""
        plan = self._editing.workbench.plan
        layer = next_layer(plan, self.canvas.shown_layer)
        if layer is None and not layers_of(plan):
            self._messages.say("no nodes yet: there are no fabrics to show alone", "hint")
            return
        self.canvas.show_layer(layer)
        self._redraw()
        words = f"the {layer} fabric alone; L shows the next" if layer else "all fabrics"
        self._messages.say(words, "hint")

    def turn_whole(self) -> None:
        """Show the whole design with names and numbers alone, or all that is said of it again."""
        self._panels.show_fabric()
        self.canvas.call_after_refresh(self._fit_to_screen)

    def _fit_to_screen(self) -> None:
        canvas = self.canvas
        if canvas.fits and not canvas.whole:
            words = "the whole design is in view already; where it is not, 1 shows names and counts"
            self._messages.say(words, "hint")
            return
        whole = canvas.turn_whole()
        self._panels.cover_sides(whole and not canvas.fits)
        self._redraw()
        self._messages.say(ALONE if whole else AGAIN, "hint")

    def move_group(self) -> None:
        """Let the selected group be moved with the arrows."""
        if self.group is not None:
            self._panels.show_fabric()
            self.canvas.move_group(self.group)
            self._changed()

    def put_group(self, group: str, columns: int) -> None:
        """Keep where a group was moved to."""
        self._editing.make(set_position(self._editing.design, group, columns))

    def reset_positions(self) -> None:
        """Let the layout place all groups again."""
        design = self._editing.design
        if read_view(design).positions:
            self._editing.make(reset_positions(design))
        else:
            self._messages.say("no group was moved", "hint")

    def go_inside(self) -> None:
        """Go into the selected group."""
        depths = self._panels.depths
        if self.group is not None and self._panels.view is not depths:
            depths.enter_group(self.group)
            self._panels.show_view(depths.NAME)

    def _select(self, item: Item) -> None:
        if self._panels.view is not None:
            self._panels.show_view(None)
        self.canvas.select(item)
