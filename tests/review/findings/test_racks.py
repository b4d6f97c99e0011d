"""Racks in a review: judged where the design says how devices stand, with a fix that fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.review.reviewing import reviewed
from toposmith.findings.finding import Finding

# A DGX H100 draws 10.2 kW, weighs 130.45 kg and takes 8 U (NVIDIA's data sheet); leaf and spine
# switches stand beside.
PODS = """
axes: {rail: 8}
groups:
  node: {part: dgx-h100, count: 8}
  leaf: {part: qm9700, per: [rail]}
  spine: {part: qm9700, count: 2}
links:
  - {between: [node.compute, leaf], length: 20}
  - {between: [leaf, spine], cables: 2, length: 20}
"""


def racks(block: str) -> dict[str, Finding]:
    found = reviewed(f"{PODS}placement: {block}\n")
    return {one.code: one for one in found if one.code.startswith("rack-")}


def test_a_design_that_says_nothing_of_racks_has_no_findings_about_them() -> None:
    assert not [one for one in reviewed(PODS) if one.code.startswith("rack-")]


def test_a_rack_of_four_nodes_and_25_kw_can_have_two() -> None:
    found = racks("{nodes_per_rack: 4, max_power_w: 25000}")["rack-over-power"]
    assert found.severity == "error"
    assert found.figure == "40.8 of 25.0 kW"
    assert found.fix == "nodes_per_rack: 2, or racks with more power"
    assert "rack-over-power" not in racks("{nodes_per_rack: 2, max_power_w: 25000}")


def test_two_devices_in_one_unit_and_one_beyond_the_top_are_errors() -> None:
    block = '{devices: {"spine[spine=0]": {rack: Z01, unit: 5}, "spine[spine=1]": %s}}'
    both = racks(block % "{rack: Z01, unit: 5}")["rack-unit-taken"]
    assert both.severity == "error"
    assert both.fix == "another unit or rack for one of them"
    high = racks(block % "{rack: Z01, unit: 43}")["rack-over-height"]
    assert (high.severity, high.figure) == ("error", "42 U")


def test_feeds_that_are_too_weak_name_the_number_that_carries_the_rack() -> None:
    short = racks("{nodes_per_rack: 4, feeds: {pdu: apc-ap8886, count: 1}}")["rack-feed-short"]
    assert short.severity == "error"
    rating = float((short.figure or "").partition(", ")[2].removesuffix(" kW a feed"))
    assert rating < 40.8
    needed = int((short.fix or "").partition("count: ")[2].partition(" ")[0])
    assert needed * rating >= 40.8 > (needed - 1) * rating
    alone = racks(f"{{nodes_per_rack: 4, feeds: {{pdu: apc-ap8886, count: {needed}}}}}")
    assert "rack-feed-short" not in alone
    spare = alone["rack-feed-not-redundant"].fix or ""
    assert spare.startswith(f"count: {needed + 1} of")
    enough = racks(f"{{nodes_per_rack: 4, feeds: {{pdu: apc-ap8886, count: {needed + 1}}}}}")
    assert "rack-feed-not-redundant" not in enough


def test_more_weight_than_the_rack_carries_is_a_warning(tmp_path: Path) -> None:
    from toposmith.catalog import load_catalog

    known = load_catalog(user=False)
    weak = next(rack for rack in known.of_kind("rack") if getattr(rack, "max_load_kg", None))
    light = weak.model_copy(update={"max_load_kg": 300.0, "units": 42})
    from toposmith.catalog import Catalog

    catalog = Catalog((*(one for one in (*known, *known.facility) if one.id != weak.id), light))
    text = f"{PODS}placement: {{rack: {weak.id}, nodes_per_rack: 4}}\n"
    found = {one.code: one for one in reviewed(text, catalog=catalog)}["rack-over-weight"]
    # four nodes of 130.45 kg
    assert found.figure == "522 of 300 kg"


@pytest.mark.parametrize(
    ("block", "code"),
    [
        ("{heights: {nodes: 8}}", "rack-unknown-group"),
        ("{rack: no-such-rack}", "rack-part-unknown"),
        ('{devices: {"nobody": {rack: A01, unit: 1}}}', "rack-bad-selector"),
        ("{units: 4}", "rack-too-tall"),
        ("{feeds: {pdu: no-such-pdu}}", "rack-feed-unknown"),
        (
            '{devices: {"spine[spine=0]": {rack: Z01, unit: 5}, spine: {rack: Z02, unit: 5}}}',
            "rack-placed-twice",
        ),
    ],
)
def test_a_placement_that_cannot_be_meant_has_a_finding_with_a_way_out(
    block: str, code: str
) -> None:
    found = racks(block)
    assert code in found
    assert found[code].fix


def test_a_finding_about_racks_can_be_waived() -> None:
    text = PODS + (
        "placement: {nodes_per_rack: 4, max_power_w: 25000}\n"
        'waivers: [{code: rack-over-power, reason: water-cooled doors, date: "2026-11-21"}]\n'
    )
    found = {one.code: one for one in reviewed(text)}["rack-over-power"]
    assert found.waived is not None
