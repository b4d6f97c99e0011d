"""After every edit the canvas is what a fresh drawing of the design would be."""

from __future__ import annotations

from tests.tui.person import OpenApp, Person


async def _is_whole(person: Person) -> bool:
    """Whether the screen stays as it is when the canvas is drawn anew."""
    person.seen()  # what is drawn for the first time may measure its lines anew
    await person.settle()
    seen, canvas = person.seen(), person.designer.canvas
    canvas._painting.forget()
    canvas.refresh()
    await person.settle()
    return seen == person.seen()


async def test_boxes_and_loads_are_whole_after_adding_wiring_counting_and_undoing(
    open_app: OpenApp,
) -> None:
    async with open_app() as person:
        await person.press("N")
        await person.add("dgx h100", 8)
        await person.add("qm9700", 2)
        assert await _is_whole(person)
        await person.wire("node", "leaf")
        assert await _is_whole(person)
        assert "64 x 400 Gb/s" in person.seen()
        assert "of 48.0" in person.seen()
        for key in ("minus", "u", "x", "u"):
            await person.press(key)
            assert await _is_whole(person)
