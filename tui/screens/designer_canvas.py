"""What is selected, marked, moved and picked on the designer's canvas."""

from __future__ import annotations

import asyncio

from toposmith.topology.design.arranging import reset_positions, set_position
from toposmith.topology.design.view import read_view
from toposmith.tui.canvas.canvas import GroupItem, LinkItem
from toposmith.tui.canvas.layers import layers_of, next_layer
from toposmith.tui.depths.depth_view import DepthView
from toposmith.tui.screens.designer_steps import DesignerSteps
from toposmith.tui.widgets.key_bar import KeyBar

_PICK_KEYS = (("Arrows", "choose the other end"), ("Enter", "wire"), ("Esc", "back"))


class DesignerCanvas(DesignerSteps):
    """The main screen with what one points at: groups, links and the other end of a wire."""

    _picked: asyncio.Future[str | None] | None = None

    @property
    def selected_group(self) -> str | None:
        """The group that is selected on the canvas."""
        item = self.canvas.selected
        return item.name if isinstance(item, GroupItem) else None

    @property
    def chosen_groups(self) -> tuple[str, ...]:
        """The groups that are marked, else the one that is selected."""
        return self.canvas.marked or tuple(filter(None, [self.selected_group]))

    @property
    def selected_link(self) -> int | None:
        """The link that is selected on the canvas."""
        item = self.canvas.selected
        return item.index if isinstance(item, LinkItem) else None

    async def pick_target(self, source: str) -> str | None:
        """Let the person pick the other end of a wire on the canvas."""
        picked: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._picked = picked
        self.show_fabric()
        self.canvas.pick_target(source)
        self.query_one(KeyBar).show_mode(_PICK_KEYS)
        self.say(f"wire {source} to ...", "hint")
        try:
            return await picked
        finally:
            if self._picked is picked and self.is_running:
                self._picked = None
                self.refresh_keys()

    def go_inside(self) -> None:
        """Go into the selected group."""
        if self.selected_group is not None and self.view is not self.depths:
            self.depths.enter_group(self.selected_group)
            self.show_view(DepthView.NAME)

    def next_layer(self) -> None:
        """Show the next fabric alone, and after the last all of them."""
        plan = self.workbench.plan
        layer = next_layer(plan, self.canvas.shown_layer)
        if layer is None and not layers_of(plan):
            self.say("no nodes yet: there are no fabrics to show alone", "hint")
            return
        self.canvas.show_layer(layer)
        self._draw(self._figures.analysis)
        self._refresh_header()
        self.say(f"the {layer} fabric alone; L shows the next" if layer else "all fabrics", "hint")

    def move_group(self) -> None:
        """Let the selected group be moved with the arrows."""
        if self.selected_group is not None:
            self.show_fabric()
            self.canvas.move_group(self.selected_group)
            self.refresh_keys()

    def put_group(self, group: str, columns: int) -> None:
        """Keep where a group was moved to."""
        self.make(set_position(self.workbench.design, group, columns))

    def reset_positions(self) -> None:
        """Let the layout place all groups again."""
        if read_view(self.workbench.design).positions:
            self.make(reset_positions(self.workbench.design))
        else:
            self.say("no group was moved", "hint")

    def select_group(self, name: str) -> None:
        """Select a group on the canvas."""
        if self.view is not None:
            self.show_view(None)
        self.canvas.select(GroupItem(name))

    def mark_groups(self, names: tuple[str, ...]) -> None:
        """Mark these groups on the canvas and no others."""
        self.canvas.mark(names)

    def toggle_mark(self) -> None:
        """Mark the selected group for what is done next, or take its mark away."""
        if self.selected_group is not None:
            self.canvas.toggle_mark(self.selected_group)
            marked = self.canvas.marked
            words = f"marked: {', '.join(marked)}; + - c x d y R do it to all" if marked else ""
            self.say(words or "nothing is marked any longer", "hint")

    def select_link(self, index: int) -> None:
        """Select a link on the canvas."""
        if self.view is not None:
            self.show_view(None)
        self.canvas.select(LinkItem(index))
