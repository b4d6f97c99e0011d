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


async def test_groups_that_no_screen_has_room_for_are_counted(
    open_app: OpenApp, tmp_path: Path
) -> None:
    path = tmp_path / "every.yaml"
    path.write_text(with_every_network())
    async with open_app(path, size=(80, 24)) as person:
        canvas = person.designer.canvas
        assert canvas.outside < 12, "a group is in view from the start"
        await person.press("1")
        assert 0 < canvas.outside < 12
        assert person.message.startswith(f"{canvas.outside} of 12 groups out of view: arrows walk")
        await person.press("1")
        assert person.message.startswith("names, parts and figures again")
