"""The canvas as a person works it: keys, mouse, selection, and what is repainted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import pytest
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.geometry import Region
from textual.message import Message
from textual.pilot import Pilot

from tests.tui.canvas.fabrics import MESH, SUPERPOD, TWO_SORTS, analysis_of, plan_of
from toposmith.fabric.plan import Plan
from toposmith.tui.canvas.canvas import Canvas, GroupItem, Item, LinkItem
from toposmith.tui.canvas.layout import boxes_by_name, item_order
from toposmith.tui.canvas.moves import nearest


class CanvasApp(App[None]):
    BINDINGS = [Binding("escape", "outside")]  # noqa: RUF012

    def __init__(self, css: str) -> None:
        super().__init__()
        self.CSS = css  # type: ignore[misc]
        self.heard: list[Message] = []
        self.escaped = 0

    def compose(self) -> ComposeResult:
        yield Canvas()

    def action_outside(self) -> None:
        self.escaped += 1

    def on_canvas_item_selected(self, message: Canvas.ItemSelected) -> None:
        self.heard.append(message)

    def on_canvas_item_opened(self, message: Canvas.ItemOpened) -> None:
        self.heard.append(message)

    def on_canvas_wire_drawn(self, message: Canvas.WireDrawn) -> None:
        self.heard.append(message)

    def on_canvas_pick_cancelled(self, message: Canvas.PickCancelled) -> None:
        self.heard.append(message)


@asynccontextmanager
async def shown(
    data: dict[str, object], size: tuple[int, int] = (80, 30), css: str = ""
) -> AsyncIterator[tuple[Pilot[None], CanvasApp, Canvas]]:
    app = CanvasApp(css)
    async with app.run_test(size=size) as pilot:
        canvas = app.query_one(Canvas)
        canvas.focus()
        canvas.show(plan_of(data), None)
        await pilot.pause()
        yield pilot, app, canvas


@contextmanager
def repainted(canvas: Canvas) -> Iterator[list[Region | None]]:
    """What the canvas asks to have repainted; None for the whole of it."""
    regions: list[Region | None] = []
    refresh = canvas.refresh

    def noted(*asked: Region, **options: bool) -> Canvas:
        regions.extend(asked or [None])
        return refresh(*asked, **options)

    canvas.refresh = noted  # type: ignore[method-assign]
    yield regions
    canvas.refresh = refresh  # type: ignore[method-assign]


def middle(canvas: Canvas, group: str) -> tuple[int, int]:
    box = boxes_by_name(canvas.scene.layout)[group]
    return box.x + 3 - canvas.scroll_offset.x, box.y + 1 - canvas.scroll_offset.y


async def test_arrows_and_letters_walk_over_groups_and_trunks() -> None:
    async with shown(SUPERPOD) as (pilot, app, canvas):
        walk: list[Item | None] = []
        for key in ("end", "up", "k", "up", "up", "up", "down", "j", "home"):
            await pilot.press(key)
            walk.append(canvas.selected)
        node, leaf, spine = (GroupItem(name) for name in ("node", "leaf", "spine"))
        assert walk == [
            node,
            LinkItem(0),
            leaf,
            LinkItem(1),
            spine,
            spine,
            LinkItem(1),
            leaf,
            spine,
        ]
        assert [
            message.item for message in app.heard if isinstance(message, Canvas.ItemSelected)
        ] == [
            node,
            LinkItem(0),
            leaf,
            LinkItem(1),
            spine,
            LinkItem(1),
            leaf,
            spine,
        ]


async def test_sideways_moves_stay_in_the_row() -> None:
    async with shown(TWO_SORTS, (120, 36)) as (pilot, _, canvas):
        canvas.select(GroupItem("new"))
        await pilot.press("right")
        assert canvas.selected == GroupItem("old")
        await pilot.press("h")
        assert canvas.selected == GroupItem("new")
        await pilot.press("h")
        assert canvas.selected == GroupItem("new")


@pytest.mark.parametrize("data", [SUPERPOD, TWO_SORTS, MESH])
async def test_every_item_can_be_reached_with_arrows(data: dict[str, object]) -> None:
    async with shown(data) as (_, _, canvas):
        items = item_order(canvas.scene.layout)
        reached, fresh = {items[0]}, [items[0]]
        while fresh:
            item = fresh.pop()
            for way in ("up", "down", "left", "right"):
                found = nearest(canvas.scene, item, way, items)
                if found is not None and found not in reached:
                    reached.add(found)
                    fresh.append(found)
        assert reached == set(items)


async def test_enter_and_double_click_open() -> None:
    async with shown(SUPERPOD) as (pilot, app, canvas):
        await pilot.press("enter")
        assert not app.heard
        canvas.select(LinkItem(0))
        await pilot.press("enter")
        await pilot.click(Canvas, offset=middle(canvas, "leaf"), times=2)
        opened = [m.item for m in app.heard if isinstance(m, Canvas.ItemOpened)]
        assert opened == [LinkItem(0), GroupItem("leaf")]


async def test_a_click_selects_what_is_under_it() -> None:
    async with shown(SUPERPOD) as (pilot, _, canvas):
        await pilot.click(Canvas, offset=middle(canvas, "spine"))
        assert canvas.selected == GroupItem("spine")
        trunk = canvas.scene.layout.trunks[0]
        await pilot.click(Canvas, offset=(trunk.label_x, trunk.label_y))
        assert canvas.selected == trunk.item
        await pilot.click(Canvas, offset=(0, 0))
        assert canvas.selected is None


async def test_a_click_hits_the_right_item_when_scrolled() -> None:
    async with shown(MESH, (60, 16)) as (pilot, _, canvas):
        canvas.select(GroupItem("node2"))
        await pilot.pause()
        assert canvas.scroll_offset.x > 0
        x, y = middle(canvas, "node2")
        box = boxes_by_name(canvas.scene.layout)["node2"]
        x = max(x, 0)
        assert box.x - canvas.scroll_offset.x < 60
        canvas.select(None)
        await pilot.click(Canvas, offset=(x, y))
        assert canvas.selected == GroupItem("node2")


async def test_dragging_between_groups_draws_a_wire() -> None:
    async with shown(TWO_SORTS, (120, 36)) as (pilot, app, canvas):
        await pilot.mouse_down(Canvas, offset=middle(canvas, "new"))
        await pilot.hover(Canvas, offset=middle(canvas, "spine"))
        text = "\n".join(canvas.render_line(y).text for y in range(36))
        assert "wire from" in text
        assert "┆" in text
        await pilot.mouse_up(Canvas, offset=middle(canvas, "spine"))
        assert Canvas.WireDrawn("new", "spine") in app.heard
        text = "\n".join(canvas.render_line(y).text for y in range(36))
        assert "wire from" not in text
        assert "┆" not in text
        assert app.mouse_captured is None


async def test_dragging_back_or_into_the_void_draws_none() -> None:
    async with shown(TWO_SORTS, (120, 36)) as (pilot, app, canvas):
        for end in (middle(canvas, "new"), (0, 0)):
            await pilot.mouse_down(Canvas, offset=middle(canvas, "new"))
            await pilot.hover(Canvas, offset=middle(canvas, "leaf"))
            await pilot.hover(Canvas, offset=end)
            await pilot.mouse_up(Canvas, offset=end)
        await pilot.mouse_down(Canvas, offset=middle(canvas, "new"))
        await pilot.hover(Canvas, offset=middle(canvas, "leaf"))
        await pilot.press("escape")
        await pilot.mouse_up(Canvas, offset=middle(canvas, "leaf"))
        assert not [m for m in app.heard if isinstance(m, Canvas.WireDrawn)]


async def test_a_canvas_that_may_not_wire_draws_no_band() -> None:
    async with shown(TWO_SORTS, (120, 36)) as (pilot, app, canvas):
        canvas.can_wire = False
        await pilot.mouse_down(Canvas, offset=middle(canvas, "new"))
        await pilot.hover(Canvas, offset=middle(canvas, "spine"))
        await pilot.mouse_up(Canvas, offset=middle(canvas, "spine"))
        assert app.heard == [Canvas.ItemSelected(GroupItem("new"))]


async def test_a_target_is_picked_with_arrows_among_groups() -> None:
    async with shown(TWO_SORTS, (120, 36)) as (pilot, app, canvas):
        canvas.pick_target("new")
        assert canvas.picking
        text = "\n".join(canvas.render_line(y).text for y in range(36))
        assert "wire from" in text
        assert " to ━" in text
        await pilot.press("up", "up", "enter")
        assert app.heard == [Canvas.WireDrawn("new", "spine")]
        assert not canvas.picking


async def test_a_target_is_picked_with_a_click() -> None:
    async with shown(TWO_SORTS, (120, 36)) as (pilot, app, canvas):
        canvas.pick_target("new")
        await pilot.click(Canvas, offset=middle(canvas, "old"))
        assert app.heard == [Canvas.WireDrawn("new", "old")]


async def test_escape_gives_picking_up_and_is_left_to_the_screen_otherwise() -> None:
    async with shown(TWO_SORTS, (120, 36)) as (pilot, app, canvas):
        canvas.pick_target("new")
        await pilot.press("escape")
        assert app.heard == [Canvas.PickCancelled()]
        assert not canvas.picking
        assert app.escaped == 0
        await pilot.press("escape")
        assert app.escaped == 1


async def test_picking_ends_when_its_source_is_gone() -> None:
    async with shown(TWO_SORTS) as (pilot, app, canvas):
        canvas.pick_target("new")
        canvas.show(plan_of(SUPERPOD), None)
        await pilot.pause()
        assert app.heard == [Canvas.PickCancelled()]


async def test_the_selection_stays_with_its_item_through_changes() -> None:
    async with shown(TWO_SORTS) as (pilot, app, canvas):
        canvas.select(LinkItem(2))
        await pilot.pause()
        app.heard.clear()
        links = TWO_SORTS["links"]
        assert isinstance(links, list)
        canvas.show(plan_of({**TWO_SORTS, "links": links[1:]}), None)
        await pilot.pause()
        assert canvas.selected == LinkItem(1)
        canvas.show(plan_of({**TWO_SORTS, "links": links[:1]}), None)
        await pilot.pause()
        assert canvas.selected is None
        assert app.heard == [Canvas.ItemSelected(LinkItem(1)), Canvas.ItemSelected(None)]


async def test_selecting_repaints_only_the_two_items() -> None:
    async with shown(SUPERPOD, (120, 40)) as (pilot, _, canvas):
        canvas.select(GroupItem("spine"))
        await pilot.pause()
        with repainted(canvas) as regions:
            canvas.select(LinkItem(1))
        areas = [
            Region(area.x, area.y, area.width, area.height)
            for item in (GroupItem("spine"), LinkItem(1))
            for area in canvas.scene.areas(item)
        ]
        assert regions
        assert all(region and any(a.contains_region(region) for a in areas) for region in regions)


async def test_a_canvas_with_a_border_hits_and_repaints_the_right_cells() -> None:
    async with shown(TWO_SORTS, (120, 38), "Canvas {border: solid white}") as (pilot, _, canvas):
        assert canvas.virtual_size == (118, 36)
        x, y = middle(canvas, "old")
        await pilot.click(Canvas, offset=(x + 1, y + 1))
        assert canvas.selected == GroupItem("old")
        box = boxes_by_name(canvas.scene.layout)["old"]
        strip = app_line(pilot.app, box.y + 1)
        assert strip[box.x + 1] == "┏"
        assert strip[box.x + box.width] == "┓"


def app_line(app: App[None], y: int) -> str:
    """A line of the screen as it was last painted."""
    return "".join(segment.text for segment in app.screen._compositor.render_strips()[y])


async def test_moving_figures_repaint_only_their_cells() -> None:
    async with shown(SUPERPOD, (120, 40)) as (pilot, _, canvas):
        plan = plan_of(SUPERPOD)
        canvas.show(plan, analysis_of(plan, {0: 0.96, 1: 0.03}))
        await pilot.pause()
        with repainted(canvas) as regions:
            canvas.show(plan, analysis_of(plan, {0: 0.96, 1: 0.04}))
        trunk = canvas.scene.layout.trunks[-1]
        assert 1 <= len(regions) <= 2
        rows = {text.y for text in canvas.scene.labels[LinkItem(1)]}
        assert all(region and region.y in rows and region.width < 20 for region in regions), trunk
        with repainted(canvas) as regions:
            canvas.show(plan, analysis_of(plan, {0: 0.96, 1: 0.04}))
        assert not regions


async def test_motion_without_a_button_repaints_nothing() -> None:
    async with shown(SUPERPOD) as (pilot, _, canvas):
        with repainted(canvas) as regions:
            await pilot.hover(Canvas, offset=middle(canvas, "leaf"))
            await pilot.hover(Canvas, offset=middle(canvas, "spine"))
        assert not regions


async def test_what_is_selected_comes_into_view() -> None:
    async with shown(MESH, (60, 16)) as (pilot, _, canvas):
        for key in ("home", "end"):
            await pilot.press(key)
            assert canvas.selected is not None
            anchor = canvas.scene.anchor(canvas.selected)
            assert anchor is not None
            view = Region(*canvas.scroll_offset, *canvas.size)
            assert view.overlaps(Region(anchor.x, anchor.y, anchor.width, anchor.height))


async def test_a_new_room_is_laid_out_anew() -> None:
    async with shown(SUPERPOD, (50, 18)) as (pilot, _, canvas):
        assert not canvas.show_vertical_scrollbar
        await pilot.resize_terminal(40, 12)
        await pilot.pause()
        assert canvas.show_vertical_scrollbar
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert not canvas.show_vertical_scrollbar
        assert canvas.virtual_size == (120, 40)


async def test_show_before_mount_and_tab_is_free() -> None:
    class Early(App[None]):
        def compose(self) -> ComposeResult:
            canvas = Canvas()
            canvas.show(plan_of(SUPERPOD), None)
            yield canvas

    app = Early()
    async with app.run_test(size=(80, 24)):
        canvas = app.query_one(Canvas)
        assert "spine" in "".join(canvas.render_line(y).text for y in range(24))
        assert "tab" not in canvas._bindings.key_to_bindings


async def test_a_figure_that_moves_does_not_scroll_the_view() -> None:
    async with shown(MESH, (60, 16)) as (pilot, _, canvas):
        canvas.select(GroupItem("node2"))
        await pilot.pause()
        canvas.scroll_to(0, 0, animate=False, immediate=True)
        plan = plan_of(MESH)
        canvas.show(plan, analysis_of(plan, {0: 1.0}))
        await pilot.pause()
        assert canvas.scroll_offset == (0, 0)


async def test_many_trunks_get_marks_and_the_selected_one_tells_its_figures() -> None:
    groups = {f"node{i}": {"part": "dgx"} for i in range(14)}
    groups |= {f"leaf{i}": {"part": "qm9700"} for i in range(4)}
    links = [
        {"between": [f"node{i}.compute", f"leaf{j}"], "cables": 2}
        for i in range(14)
        for j in range(4)
    ]
    data: dict[str, object] = {"groups": groups, "links": links}
    async with shown(data, (80, 24)) as (pilot, _, canvas):
        plan = plan_of(data)
        used = dict.fromkeys(range(56), 0.5) | {9: 1.0}
        canvas.show(plan, analysis_of(plan, used))
        canvas.select(LinkItem(9))
        await pilot.pause()
        text = "\n".join(canvas.render_line(y).text for y in range(24))
        assert "2 x 400 Gb/s  100 %  50.0 of 50.0 GB/s" in text
        canvas.select(None)
        marked = [item for item, texts in canvas.scene.labels.items() if texts]
        assert marked == [LinkItem(9)]


async def test_an_ascii_canvas_writes_ascii_only() -> None:
    async with shown(SUPERPOD) as (_, _, canvas):
        plan: Plan = plan_of(SUPERPOD)
        canvas.show(plan, analysis_of(plan, {0: 1.0}), ascii_only=True)
        canvas.select(LinkItem(0))
        assert "".join(canvas.render_line(y).text for y in range(30)).isascii()


async def test_every_theme_colours_the_canvas() -> None:
    async with shown(SUPERPOD) as (pilot, app, canvas):
        for theme in ("textual-light", "ansi-dark", "nord"):
            app.theme = theme
            await pilot.pause()
            assert canvas.render_line(canvas.scene.layout.boxes[0].y).text.strip()
