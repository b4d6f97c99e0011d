"""What feeds devices in racks that are sold whole, and how tall these are."""

from __future__ import annotations

import pytest

from tests.every_design import EVERY, planned
from tests.review.reviewing import CATALOG, reviewed
from toposmith.catalog import RackSystem
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.neighbours.netbox_library import LISTED_TYPES
from toposmith.findings.finding import Finding

RACKS = """\
toposmith: 2
axes: {{rack: 2, rail: 4}}
groups:
  tray: {{part: gb200-nvl72-tray, per: [rack], count: 18}}
  nvswitch: {{part: nvlink5-switch-tray, per: [rack], count: 9}}
  leaf: {{part: {leaf}, per: [rack, rail]}}
links:
  - {{between: [tray.nvlink, nvswitch]}}
  - {{between: [tray.compute, leaf]}}
{placement}
"""


def unfit(leaf: str, placement: str = "") -> list[Finding]:
    found = reviewed(RACKS.format(leaf=leaf, placement=placement))
    return [one for one in found if one.code == "rack-busbar-unfit"]


def test_ac_switches_at_the_top_of_a_busbar_rack_are_a_warning() -> None:
    (one,) = unfit("qm9700", "placement: {units: 48, max_power_w: 200000, switches: top-of-rack}")
    assert one.severity == "warning"
    assert one.text == "qm9700 takes AC, and not the DC busbar of DGX GB200 rack"
    assert one.where == "racks A01 and 1 more"


def test_of_a_switch_that_nobody_says_it_of_nothing_is_claimed() -> None:
    assert CATALOG.switch("sn5600").fed_by is None
    (one,) = unfit("sn5600", "placement: {units: 48, max_power_w: 200000, switches: top-of-rack}")
    assert one.severity == "info" and "not in this catalog" in one.text


@pytest.mark.parametrize(
    ("leaf", "placement"),
    [
        ("q3401-rd", "placement: {units: 48, max_power_w: 200000, switches: top-of-rack}"),
        ("qm9700", "placement: {units: 48, switches: end-of-row}"),
        ("qm9700", "placement: {units: 48}"),
        ("qm9700", ""),
    ],
    ids=["for the busbar", "end of row", "filled by default", "not placed"],
)
def test_switches_for_the_busbar_or_in_racks_of_their_own_are_not(
    leaf: str, placement: str
) -> None:
    assert unfit(leaf, placement) == []


@pytest.mark.parametrize("name", EVERY)
def test_no_design_that_comes_along_has_ac_devices_on_a_busbar(name: str) -> None:
    codes = {
        one.code for one in EvaluatedDesign(EVERY[name], CATALOG, shared=planned(name)).findings
    }
    assert "rack-busbar-unfit" not in codes


def test_what_takes_an_iec_plug_takes_ac() -> None:
    plugged = {part for part, kind in LISTED_TYPES.items() if kind.plug.startswith("iec-60320")}
    assert plugged
    for part in CATALOG:
        if part.id in plugged:
            assert part.fed_by == "AC" and "fed_by" in part.sources, part.id


def test_a_rack_sold_whole_is_as_tall_as_its_cabinet() -> None:
    systems = [part for part in CATALOG.facility if isinstance(part, RackSystem)]
    systems += [part for part in CATALOG if isinstance(part, RackSystem)]
    assert {one.id for one in systems if one.units is None} == {"vera-rubin-nvl72"}
    assert {one.units for one in systems if one.units is not None} == {48}
    design = parse_design(RACKS.format(leaf="qm9700", placement=""), "racks")
    heights = {one.load.whole: one.height for one in EvaluatedDesign(design, CATALOG).elevations}
    assert heights == {True: 48, False: 42}
