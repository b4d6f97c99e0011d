"""One key shows the whole design where it has no room, and all that is said of it again."""

from __future__ import annotations

from pathlib import Path

from tests.every_design import CATALOG
from tests.tui.person import OpenApp
from toposmith.design.writer import design_text
from toposmith.templates import new_design

WIDE = """\
toposmith: 1
groups:
  node: {part: dgx-h100, count: 4}
  leaf: {part: qm9700, count: 8}
  store: {part: ddn-ai400x2, count: 2}
  store-leaf: {part: qm9700, count: 2}
  in-band: {part: qm9700}
  spine: {part: qm9700, count: 2}
  core: {part: qm9700}
links:
  - {between: [node.compute, leaf]}
  - {between: [node.storage, store-leaf], cables: 1}
  - {between: [store.storage, store-leaf]}
  - {between: [leaf, spine], cables: 2}
  - {between: [spine, core], cables: 2}
"""


async def test_the_whole_design_is_in_view_with_every_name_and_comes_back(
    open_app: OpenApp, tmp_path: Path
) -> None:
    path = tmp_path / "wide.yaml"
    path.write_text(WIDE)
    async with open_app(path, size=(80, 24)) as person:
        canvas = person.designer.canvas
        assert not canvas.fits
        assert person.message == "1 shows the whole design, arrows walk on it"
        before = person.seen()
        await person.press("1")
        assert canvas.fits
        assert all(f"{name} " in person.seen() for name in ("leaf", "store-leaf", "core", "spine"))
        await person.press("1")
        assert not canvas.fits
        assert person.seen().splitlines()[1:12] == before.splitlines()[1:12]


async def test_a_design_that_is_in_view_stays_as_it_is(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier, size=(120, 36)) as person:
        assert person.designer.canvas.fits
        await person.press("1")
        assert person.message.startswith("the whole design is in view already")
        assert not person.designer.canvas.whole


def with_every_network() -> str:
    """Four SUs with storage, in-band and management networks: 12 groups, on no small screen."""
    settings = {"storage": "8", "in_band": "sn4600c", "out_of_band": "sn2201"}
    values = {"su": "4", "nodes": "32", **settings, "out_of_band_core": "sn4600c"}
    return design_text(new_design("leaf-spine", values, catalog=CATALOG))


async def test_what_no_screen_has_room_for_is_a_walk_away(
    open_app: OpenApp, tmp_path: Path
) -> None:
    path = tmp_path / "every.yaml"
    path.write_text(with_every_network())
    async with open_app(path, size=(80, 24)) as person:
        await person.press("1")
        assert person.message.startswith("names and counts alone; 1 shows parts and figures again")
        await person.press("1")
        assert person.message.startswith("parts and figures again; arrows walk")


async def test_other_networks_are_in_view_from_the_start_beside_the_figures(
    open_app: OpenApp, tmp_path: Path
) -> None:
    settings = {"storage": "8", "in_band": "sn4600c"}
    design = new_design("leaf-spine", settings, catalog=CATALOG)
    path = tmp_path / "networks.yaml"
    path.write_text(design_text(design))
    async with open_app(path, size=(120, 36)) as person:
        assert person.designer.canvas.fits
        assert all(f"{name} " in person.seen() for name in design.groups)
        assert "GB/s per GPU" in person.seen()
        assert person.message == "names and counts; 1 shows parts and figures"
        assert "64 x 400 Gb/s" not in person.seen()
        await person.press("1")
        assert "64 x 400 Gb/s" in person.seen()
        await person.press("1")
        assert all(f"{name} " in person.seen() for name in design.groups)
