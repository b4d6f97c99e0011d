"""Joining the NVLink switches of racks by hand."""

from __future__ import annotations

from pathlib import Path

from tests.tui.person import OpenApp

APART = """\
toposmith: 2
axes: {rack: 2}
groups:
  tray:     {part: gb200-nvl36-tray, per: [rack], count: 9}
  nvswitch: {part: nvlink5-switch-tray-nvl36, per: [rack], count: 9}
links:
  - {between: [tray.nvlink, nvswitch]}
"""


async def test_cables_between_nvlink_switches_are_drawn_along_the_racks(
    open_app: OpenApp, tmp_path: Path
) -> None:
    file = tmp_path / "racks.yaml"
    file.write_text(APART, encoding="utf-8")
    async with open_app(file, size=(120, 36)) as person:
        person.designer.select_group("nvswitch")
        await person.press("w", "up", "enter")
        await person.press("enter", "enter")
        link = person.designer.workbench.design.links[-1]
        assert link.between == ("nvswitch", "nvswitch")
        assert link.along == {"rack": "other"}
        assert not person.designer.workbench.plan.findings


async def test_of_an_nvlink_switch_the_catalog_knows_the_part_but_not_its_ports(
    open_app: OpenApp, tmp_path: Path
) -> None:
    file = tmp_path / "racks.yaml"
    file.write_text(APART, encoding="utf-8")
    async with open_app(file, size=(120, 36)) as person:
        person.designer.select_group("nvswitch")
        await person.press("enter", "enter")
        assert "no part nvlink5" not in person.seen()
        assert "the catalog does not have its ports one by one" in person.seen()
