"""What stands on the screen as text with a letter for each look, small enough to be read in review.

python -m tests.tui.looks.grid      draws the stored pictures anew
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from itertools import groupby
from pathlib import Path

from rich.color import ColorSystem
from rich.style import Style

from saved_designs import find_saved
from tests.tui.person import Person
from tui.app import ToposmithApp

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
STYLED = ("fabric", "node")
"""Places stored with their styles; of the others the text says enough."""
CASES = [(size, look) for size in SIZES for look in LOOKS]


def name_of(size: tuple[int, int], look: str) -> str:
    return f"{size[0]}x{size[1]}-{look}.txt"


def grid(person: Person, colours: ColorSystem | None) -> str:
    """The lines of the screen; with colours, below each line its styles as ``codes x cells``."""
    rows: list[str] = []
    for strip in person.app.screen._compositor.render_strips():
        rows.append(strip.text.rstrip())
        if colours is not None:
            cells = [
                _codes(style, colours)
                for text, style, _ in strip
                for _ in range(len(text) if text.strip() else 0)
            ]
            runs = [f"{codes}*{len(list(same))}" for codes, same in groupby(cells)]
            if runs:
                rows.append("    ~ " + " ".join(runs))
    return "\n".join(rows) + "\n"


def _codes(style: Style | None, colours: ColorSystem) -> str:
    if not style:
        return "-"
    fresh = style.copy()
    fresh._ansi = None  # a style remembers its codes of the first colour system it was asked for
    return fresh._make_ansi_codes(colours) or "-"


async def drawn(size: tuple[int, int], look: str) -> str:
    """The designer on the stored design at one place after the other, with its figures there."""
    saved = find_saved(DESIGN)
    assert saved is not None
    app = ToposmithApp(saved.path, ascii_only=look == "ascii")
    pictures: list[str] = []
    async with app.run_test(size=size) as pilot:
        person = Person(app, pilot)
        await person.settle()
        for place, keys in PLACES:
            await person.press(*keys)
            if look == "16-colours" and place not in STYLED:
                continue
            picture = grid(person, LOOKS[look] if place in STYLED else None)
            pictures.append(f"---- {' '.join((place, *keys))}\n{picture}")
    return "".join(pictures)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        os.environ |= dict.fromkeys(("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"), home)
        for size, look in CASES:
            text = asyncio.run(drawn(size, look))
            (FOLDER / name_of(size, look)).write_text(text, encoding="utf-8")
            print(name_of(size, look))


if __name__ == "__main__":
    main()
