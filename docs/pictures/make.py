"""Make the pictures of the README and the docs from the running app.

    python docs/pictures/make.py [NAME ...]

Each is the real screen at one size, as SVG, with a saved design open; `moving` is a GIF of several.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PICTURES = {
    "superpod-120x36": ("dgx-h100-superpod-4su", (120, 36), ()),
    "superpod-200x50": ("dgx-h100-superpod-4su", (200, 50), ()),
    "rack-80x24": ("a100-rack-1x100gbe", (80, 24), ()),
    "leaf-spine-all-to-all-120x36": (
        "hgx-a100-64gpu-roce-2to1",
        (120, 36),
        ("m",) * 5,
    ),
    "curve-120x36": ("dgx-h100-superpod-1su", (120, 36), ("v",)),
    "measure-120x36": ("dgx-h100-superpod-1su", (120, 36), ("M",)),
    "unit-120x36": ("dgx-h100-superpod-4su", (120, 36), ("enter",)),
    "node-120x36": ("dgx-h100-superpod-4su", (120, 36), ("enter", "enter")),
    "switch-120x36": ("dgx-h100-superpod-4su", (120, 36), ("up", "up", "enter", "enter")),
    "bill-120x36": ("dgx-h100-superpod-4su", (120, 36), ("b",)),
    "failures-120x36": ("dgx-h100-superpod-1su", (120, 36), ("F",)),
    "preview-120x36": ("dgx-h100-superpod-4su", (120, 36), ("home", "c", "8")),
    "start-120x36": (None, (120, 36), ()),
}


MOVING = (
    ("", 2.5),
    ("I", 4.0),  # what lifts it
    ("escape", 1.0),
    ("n", 4.0),  # NICs that fit, each with its figure
    ("escape", 1.0),
    ("F", 4.0),  # what failures leave
    ("escape", 1.0),
    ("b", 4.0),  # the bill
)
"""Keys of the moving picture, and how many seconds each screen stays."""


async def film() -> None:
    """Write a rack with the common failure, its fixes, failures and bill, as one GIF."""
    from io import BytesIO

    from cairosvg import svg2png
    from PIL import Image

    from toposmith.saved_designs import saved_path
    from toposmith.tui.app import ToposmithApp

    app, frames = ToposmithApp(saved_path("a100-rack-1x100gbe")), []
    async with app.run_test(size=(120, 36)) as pilot:
        await _settled(pilot)
        for key, _ in MOVING:
            await pilot.press(*filter(None, [key]))
            await _settled(pilot)
            drawn = app.export_screenshot().replace("Fira Code", "DejaVu Sans Mono")
            raw = svg2png(drawn.encode(), output_width=960)
            frames.append(Image.open(BytesIO(raw)).convert("RGB").quantize(32))
    first, *others = frames
    seconds = [int(1000 * stays) for _, stays in MOVING]
    first.save(
        HERE / "moving.gif", save_all=True, append_images=others, duration=seconds, loop=0,
        optimize=True,
    )  # fmt: skip


async def make(name: str) -> None:
    """Open a design at a size, press keys, and write what stands on the screen."""
    from toposmith.saved_designs import find_saved
    from toposmith.tui.app import ToposmithApp

    design, size, keys = PICTURES[name]
    saved = find_saved(design) if design else None
    app = ToposmithApp(saved.path if saved else None)
    async with app.run_test(size=size) as pilot:
        await _settled(pilot)
        for key in keys:
            await pilot.press(key)
            await _settled(pilot)
        (HERE / f"{name}.svg").write_text(app.export_screenshot(), encoding="utf-8")


async def _settled(pilot: object) -> None:
    """Wait until the figures of the design are on the screen."""
    from textual.pilot import Pilot

    from tests.tui.person import Person

    assert isinstance(pilot, Pilot)
    await Person(pilot.app, pilot).settle()
    await pilot.pause(0.4)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"HOME": home, "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home}
        for picture in sys.argv[1:] or (*PICTURES, "moving"):
            asyncio.run(film() if picture == "moving" else make(picture))
