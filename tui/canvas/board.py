"""A picture with what a person does on it: the selection, marks, a wire or a group in hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from textual.message import Message

from toposmith.topology.analysis.result import Analysis
from toposmith.topology.design.document import Design
from toposmith.topology.design.view import FARTHEST, read_view
from toposmith.topology.fabric.plan import Plan
from toposmith.topology.findings.finding import Finding
from toposmith.tui.canvas.figures import read_figures
from toposmith.tui.canvas.items import GroupItem, Item, followed
from toposmith.tui.canvas.layers import layers_of
from toposmith.tui.canvas.layout import lay_out
from toposmith.tui.canvas.moving import Moving
from toposmith.tui.canvas.picture import Picture
from toposmith.tui.canvas.raster import Point
from toposmith.tui.canvas.scene import Scene
from toposmith.tui.canvas.wiring import Wiring, marks, overlay


class Board(Picture, can_focus=True):
    """The picture of a design, with what is selected, marked, wired or moved on it.

    Tell :meth:`show` of every change; what differs from the last picture is repainted, and
    nothing is computed while painting.
    """

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
        self._lost: tuple[Item, Design] | None = None

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
            self._lost = None if kept is not None else (self._selected, before.design)
        elif self._lost is not None:  # undo brings back what was deleted while it was selected
            kept = followed(*self._lost, plan.design)
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
        self._lost = None
        if item == self._selected:
            return
        self._selected = item
        self._show_marks()
        self._reveal(item)
        self.post_message(self.ItemSelected(item))

    def pick_target(self, source_group: str) -> None:
        """Let a person pick the group to wire to: arrows among groups, enter, or escape."""
        group = self._plan.groups.get(source_group) if self._plan else None
        own = group is not None and group.switch is not None and group.instances > 1
        self._wiring = Wiring(source_group, by_mouse=False, own=own)
        self._wiring.aim_nearest(self.scene)
        self._show_marks()
        self._reveal(self._wiring.target)

    def action_cancel(self) -> None:
        """Give up the link that is being drawn."""
        if self._moving is not None:
            self._end_move()
            return
        if self.picking:
            self.post_message(self.PickCancelled())
        self._end_wire()

    def on_resize(self) -> None:
        """Arrange the picture for the new room."""
        self._draw()

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
        """Report the link if it has a target."""
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
