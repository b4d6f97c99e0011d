"""The fabrics found: the table first, the drawing beside it or in its place."""

from __future__ import annotations

from tests.tui.person import OpenApp, Person
from toposmith.tui.views.fabrics_view import FabricsView
from toposmith.tui.widgets.front_drawing import FrontDrawing


async def ask(person: Person, nodes: str, needs: str, limits: str) -> FabricsView:
    """Answer the four questions, the usual node first."""
    await person.press("asterisk", "enter")
    for answer in (nodes, needs, limits):
        await person.answer(answer)
    view = person.designer.view_of("fabrics")
    assert isinstance(view, FabricsView)
    return view


LIMITS = "switch=qm9700 shape=rail-optimised,top-of-rack,rail-only"


async def test_twelve_rows_stand_in_sight_and_the_drawing_beside_them_where_there_is_room(
    open_app: OpenApp,
) -> None:
    async with open_app(None, size=(120, 36)) as person:
        view = await ask(person, "8", "", LIMITS)
        drawing = view.query_one(FrontDrawing)
        for size, beside in (((120, 36), False), ((200, 50), True)):
            await person.resize(size)
            assert drawing.display is beside
            assert view._rows.size.height >= 12 + 1  # and the heading
            assert all(row.key.isdigit() for row in view.shown_rows)  # all are analysed at the end
            names = [row.cells[0].text.partition(" ")[2] for row in view.shown_rows]
            assert len(set(names)) == len(names)
            if not beside:
                await person.press("p")
            assert drawing.display is True
            await person.press("down")
            assert "[2]" in str(drawing.content)
            await person.press("up", "p")


async def test_the_fabric_that_is_there_is_not_offered_again(open_app: OpenApp) -> None:
    async with open_app(None) as person:
        view = await ask(person, "8", "all_to_all=20", "switch=qm9700 shape=one-switch")
        await person.press("enter", "enter")
        taken = person.designer.workbench.design
        assert "the current design" in view.shown_rows[0].cells[0].text
        await person.press("enter")
        assert not person.designer.asking
        assert "the design is this fabric already" in person.seen()
        assert person.designer.workbench.design is taken
