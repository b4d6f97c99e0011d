"""Storage and in-band leaves that carry less upwards than what is below them."""

from __future__ import annotations

import pytest

from toposmith.catalog import load_catalog
from toposmith.evaluation import EvaluatedDesign
from toposmith.findings.finding import Finding
from toposmith.templates import new_design

CATALOG = load_catalog()


def tapered(**settings: str | int) -> dict[str, Finding]:
    design = new_design("leaf-spine", settings, catalog=CATALOG)
    found = EvaluatedDesign(design, CATALOG).findings
    return {str(one.place): one for one in found if one.code == "network-tapered"}


def test_32_b200_nodes_at_400_gbit_below_24_uplinks_of_400_are_tapered_4_to_3() -> None:
    # 32 nodes x 1 port x 400 Gb/s = 12,800 Gb/s below; 24 x 400 Gb/s = 9,600 Gb/s above
    (one,) = tapered(node="dgx-b200", su=4, storage=8).values()
    assert one.text == (
        "24 uplinks where what is below runs as fast as 32: 9,600 Gb/s up, 12,800 Gb/s down; "
        "4 of 32 cages of a switch stay free"
    )
    assert one.figure == "1.33:1"


@pytest.mark.parametrize(
    "settings",
    [
        {"node": "dgx-h100", "su": 4, "storage": 8},  # 32 x 200 Gb/s below, 16 x 400 above
        {"node": "dgx-h100", "su": 1, "nodes": 8, "storage": 2},  # one set of leaves
        {"node": "dgx-h100", "su": 4, "out_of_band": "sn2201"},
        # the port by which a leaf is managed is no uplink
        {
            "node": "dgx-h100",
            "su": 2,
            "nodes": 16,
            "storage": 4,
            "in_band": "sn5600",
            "out_of_band": "sn2201",
            "out_of_band_core": "sn4600c",
        },
    ],
    ids=["carried", "no-uplinks", "management", "managed-leaves"],
)
def test_networks_that_carry_all_or_meet_at_their_leaves_are_not(
    settings: dict[str, str | int],
) -> None:
    assert tapered(**settings) == {}
