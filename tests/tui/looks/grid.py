"""How the designer looks: every place as text to be read in review, some as pictures in colour.

python -m tests.tui.looks.grid      draws the stored pictures anew
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

from rich.color import ColorSystem

from tests.tui import handling
from tests.tui.looks.picture import picture
from tests.tui.person import PATIENCE_S, Person
from toposmith.saved_designs import find_saved
from toposmith.synthesis import next_change
from toposmith.tui.app import ToposmithApp

FOLDER = Path(__file__).parent / "stored"
DESIGN = "hgx-a100-64gpu-roce-2to1"
SIZES = ((80, 24), (120, 36), (200, 60))
LOOKS = {"colour": ColorSystem.EIGHT_BIT, "16-colours": ColorSystem.STANDARD, "ascii": None}
PLACES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("fabric", ()),
    ("unit", ("enter",)),
    ("node", ("enter",)),
    ("switch", ("escape", "escape", "home", "enter")),
    ("bill", ("escape", "escape", "b")),
    ("failures", ("escape", "F")),
    ("workload", ("escape", "t")),
)
"""What is looked at in one sitting: the keys from the place before."""
PICTURED = ("fabric", "node")
CASES = tuple(zip(SIZES, (("ascii",), ("colour", "16-colours"), ("colour",)), strict=True))
"""Each size and each kind of terminal is looked at; that sizes and signs meet is no matter."""


def name_of(size: tuple[int, int], look: str, place: str = "") -> str:
    """The file of a picture of a place; without a place that of the text of all places."""
    words = f"{size[0]}x{size[1]}-{look}"
    return f"{words}-{place}.svg" if place else f"{words}.txt"


def grid(person: Person) -> str:
    """The lines of the screen."""
    strips = person.app.screen._compositor.render_strips()
    return "".join(f"{strip.text.rstrip()}\n" for strip in strips)


async def drawn(size: tuple[int, int], looks: tuple[str, ...]) -> dict[str, str]:
    """By file name the designer on the stored design at one place after the other.

    ``looks`` are those with the same text, the first of which it is named after.
    """
    saved = find_saved(DESIGN)
    assert saved is not None
    next_change.BESIDE_SECONDS = PATIENCE_S  # however busy the machine is, all changes are tried
    app = ToposmithApp(saved.path, ascii_only="ascii" in looks)
    texts: list[str] = []
    files: dict[str, str] = {}
    handling.begin()
    async with app.run_test(size=size) as pilot:
        person = Person(app, pilot)
        await person.settle()
        for place, keys in PLACES:
            await person.press(*keys)
            texts.append(f"---- {' '.join((place, *keys))}\n{grid(person)}")
            if place in PICTURED:
                for look in looks:
                    files[name_of(size, look, place)] = picture(person, LOOKS[look])
    files[name_of(size, looks[0])] = "".join(texts)
    return files


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ |= dict.fromkeys(("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"), home)
        for size, looks in CASES:
            for name, text in asyncio.run(drawn(size, looks)).items():
                (FOLDER / name).write_text(text, encoding="utf-8")
                print(name)


if __name__ == "__main__":
    main()
