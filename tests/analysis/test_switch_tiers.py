"""Tiers of published clusters: switches, cables down and up, and how thin each tier is.

Counts are those of the reference architectures of the DGX H100 SuperPOD (RA-11333-001 V11,
table 4) and of the DGX B200 SuperPOD (table of larger systems).
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.small_designs import designs
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.result import Tier
from toposmith.analysis.switch_tiers import (
    tier_name,
    tier_of_groups,
    tier_of_link,
    tiers,
    tiers_everywhere,
)
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.counts import cable_counts, device_counts
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import port_findings

CATALOG = load_catalog()


def planned(text: str) -> Plan:
    plan = plan_design(parse_design("toposmith: 1\n" + text, "test"), CATALOG)
    assert plan.findings == ()
    return plan


def tiers_of(plan: Plan) -> tuple[Tier, ...]:
    return tiers(plan, ComputeNetwork(plan).slots, device_counts(plan), cable_counts(plan))


@pytest.mark.parametrize(
    # published: SU, nodes, GPUs, leaf, spine, compute cables (4 of them fabric managers'), uplinks
    ("su", "nodes", "gpus", "leaf", "spine", "cables", "uplinks"),
    [
        (1, 31, 248, 8, 4, 252, 256),
        (2, 63, 504, 16, 8, 508, 512),
        (3, 95, 760, 24, 16, 764, 768),
        (4, 127, 1016, 32, 16, 1020, 1024),
    ],
)
def test_dgx_h100_superpods_have_the_published_counts(
    su: int, nodes: int, gpus: int, leaf: int, spine: int, cables: int, uplinks: int
) -> None:
    plan = planned(
        f"axes: {{su: {su}, rail: 8}}\n"
        "groups:\n  node: {part: dgx-h100, per: [su], count: 32}\n"
        f"  leaf: {{part: qm9700, per: [su, rail]}}\n  spine: {{part: qm9700, count: {spine}}}\n"
        "links: [{between: [node.compute, leaf]},"
        f" {{between: [leaf, spine], cables: {32 // spine}}}]\n"
        f'absent: ["node[su={su - 1},node=31]"]\n'
    )
    assert port_findings(plan) == ()
    assert device_counts(plan) == {"node": nodes, "leaf": leaf, "spine": spine}
    assert nodes * 8 == gpus
    lower, upper = tiers_of(plan)
    assert (lower.tier, lower.devices) == ("leaf", leaf)
    assert (lower.ports_down, lower.ports_up) == (cables - 4, uplinks)
    assert lower.oversubscription == pytest.approx((cables - 4) / uplinks)
    assert (upper.tier, upper.devices, upper.ports_down, upper.ports_up) == (
        *("spine", spine, uplinks, 0),
    )
    assert upper.oversubscription is None


@pytest.mark.parametrize(
    ("su", "nodes", "leaf", "spine", "cables"),
    [(2, 64, 16, 8, 512), (4, 128, 32, 16, 1024), (8, 256, 64, 32, 2048)],
)
def test_dgx_b200_superpods_of_two_tiers_have_the_published_counts(
    su: int, nodes: int, leaf: int, spine: int, cables: int
) -> None:
    plan = planned(
        f"axes: {{su: {su}, rail: 8}}\n"
        "groups:\n  node: {part: dgx-b200, per: [su], count: 32}\n"
        f"  leaf: {{part: qm9700, per: [su, rail]}}\n  spine: {{part: qm9700, count: {spine}}}\n"
        "links: [{between: [node.compute, leaf]},"
        f" {{between: [leaf, spine], cables: {32 // spine}}}]\n"
    )
    assert port_findings(plan) == ()
    assert device_counts(plan) == {"node": nodes, "leaf": leaf, "spine": spine}
    assert tiers_of(plan) == (
        Tier("leaf", ("leaf",), leaf, cables, cables, 1.0),
        Tier("spine", ("spine",), spine, cables, 0, None),
    )


@pytest.mark.parametrize(
    ("pods", "nodes", "leaf", "spine", "core", "cables"),
    [
        (4, 512, 128, 128, 64, 4096),
        (8, 1024, 256, 256, 128, 8192),
        (16, 2048, 512, 512, 256, 16384),
    ],
)
def test_dgx_b200_superpods_of_three_tiers_have_the_published_counts(
    pods: int, nodes: int, leaf: int, spine: int, core: int, cables: int
) -> None:
    # pods of 4 SU; 32 planes, a leaf has an uplink into each; 64 ports on every core
    plan = planned(
        f"axes: {{pod: {pods}, su: 4, rail: 8, plane: 32}}\n"
        "groups:\n  node: {part: dgx-b200, per: [pod, su], count: 32}\n"
        "  leaf: {part: qm9700, per: [pod, su, rail]}\n  spine: {part: qm9700, per: [pod, plane]}\n"
        f"  core: {{part: qm9700, per: [plane], count: {core // 32}}}\n"
        "links: [{between: [node.compute, leaf]}, {between: [leaf, spine]},"
        f" {{between: [spine, core], cables: {32 // (core // 32)}}}]\n"
    )
    assert port_findings(plan) == ()
    assert device_counts(plan) == {"node": nodes, "leaf": leaf, "spine": spine, "core": core}
    assert tiers_of(plan) == (
        Tier("leaf", ("leaf",), leaf, cables, cables, 1.0),
        Tier("spine", ("spine",), spine, cables, cables, 1.0),
        Tier("core", ("core",), core, cables, 0, None),
    )


@pytest.mark.parametrize(("cables", "ratio"), [(8, 1.0), (4, 2.0), (2, 4.0), (1, 8.0)])
def test_oversubscription_is_capacity_down_over_capacity_up(cables: int, ratio: float) -> None:
    # 2 nodes with 8 x 200 a rack, 2 spines: 16 down and 2 x cables up, all of 200 Gb/s
    plan = planned(
        "axes: {rack: 4}\n"
        "groups:\n  node: {part: hgx-a100-8, per: [rack], count: 2,"
        " nics: {compute: {part: connectx-6-200gbe, count: 8}}}\n"
        "  leaf: {part: sn3700, per: [rack]}\n  spine: {part: sn3700, count: 2}\n"
        "links: [{between: [node.compute, leaf]},"
        f" {{between: [leaf, spine], cables: {cables}}}]\n"
    )
    leaf, spine = tiers_of(plan)
    assert leaf.oversubscription == ratio
    assert spine.oversubscription is None


def test_faster_uplinks_count_by_their_speed_not_by_their_number() -> None:
    # 16 x 200 Gb/s down, 8 x 400 Gb/s up
    plan = planned(
        "groups:\n  node: {part: hgx-a100-8, count: 2,"
        " nics: {compute: {part: connectx-6-200gbe, count: 8}}}\n"
        "  leaf: {part: sn5600}\n  spine: {part: sn5600, count: 2}\n"
        "links: [{between: [node.compute, leaf]},"
        " {between: [leaf, spine], cables: 4, speed: 400}]\n"
    )
    leaf, _ = tiers_of(plan)
    assert (leaf.ports_down, leaf.ports_up, leaf.oversubscription) == (16, 8, 1.0)


def test_a_switch_with_nothing_above_it_has_no_ratio() -> None:
    plan = planned(
        "groups: {node: {part: dgx-h100, count: 4}, leaf: {part: qm9700}}\n"
        "links: [{between: [node.compute, leaf]}]\n"
    )
    assert tiers_of(plan) == (Tier("leaf", ("leaf",), 1, 32, 0, None),)


def test_absent_nodes_take_their_cables_with_them() -> None:
    plan = planned(
        "groups: {node: {part: dgx-h100, count: 4}, leaf: {part: qm9700}, spine: {part: qm9700}}\n"
        "links: [{between: [node.compute, leaf]}, {between: [leaf, spine], cables: 24}]\n"
        'absent: ["node[node=3]"]\n'
    )
    assert tiers_of(plan)[0].oversubscription == 1.0


def test_tiers_are_counted_from_the_nodes_up() -> None:
    plan = planned(
        "groups:\n  top: {part: qm9700}\n  core: {part: qm9700}\n  spine: {part: qm9700}\n"
        "  leaf: {part: qm9700}\n  node: {part: dgx-h100}\n  alone: {part: qm9700}\n"
        "links: [{between: [core, spine]}, {between: [leaf, node.compute]},"
        " {between: [spine, leaf]}, {between: [top, core]}]\n"
    )
    heights = tier_of_groups(plan, ComputeNetwork(plan).slots)
    assert heights == {"node": 0, "leaf": 1, "spine": 2, "core": 3, "top": 4}
    assert [tier_of_link(link, heights) for link in plan.links] == ["spine", "nic", "leaf", "core"]
    assert [tier_name(height) for height in (1, 2, 3, 4)] == ["leaf", "spine", "core", "tier 4"]
    assert [tier.tier for tier in tiers_of(plan)] == ["leaf", "spine", "core", "tier 4"]


def test_switches_of_the_storage_network_have_tiers_of_their_own() -> None:
    plan = planned("""
groups:
  node: {part: dgx-h100, count: 8}
  leaf: {part: qm9700, count: 8}
  storage-leaf: {part: qm9700, count: 2}
  storage-spine: {part: qm9700, count: 1}
links:
  - {between: [node.compute, leaf]}
  - {between: [node.storage, storage-leaf]}
  - {between: [storage-leaf, storage-spine], cables: 4}
""")
    heights = tiers_everywhere(plan)
    assert heights == {"node": 0, "leaf": 1, "storage-leaf": 1, "storage-spine": 2}
    assert [tier_of_link(link, heights) for link in plan.links] == ["nic", "nic", "leaf"]


MIXED = """
groups:
  node: {part: dgx-a100, count: 2}
  idle: {part: dgx-a100, count: 2}
  store: {part: ddn-ai400x2, count: 3}
  leaf: {part: qm8790}
  spine: {part: qm8790}
links:
  - {between: [node.compute, leaf]}
  - {between: [idle.compute, leaf]}
  - {between: [store, STORED]}
  - {between: [leaf, spine], cables: 4}
down: [idle]
"""


@pytest.mark.parametrize("stored", ["leaf", "spine"])
def test_storage_and_nodes_that_are_down_are_no_tier(stored: str) -> None:
    plan = plan_design(
        parse_design("toposmith: 1\n" + MIXED.replace("STORED", stored), "test"), CATALOG
    )
    rows = tiers_of(plan)
    assert [(row.tier, row.groups, row.devices) for row in rows] == [
        ("leaf", ("leaf",), 1),
        ("spine", ("spine",), 1),
    ]
    # the cables of the nodes that take part, and of the uplinks
    assert (rows[0].ports_down, rows[0].ports_up, rows[1].ports_up) == (16, 4, 0)


@pytest.mark.parametrize("stored", ["leaf", "spine"])
def test_links_of_storage_belong_to_nics_wherever_they_end(stored: str) -> None:
    plan = plan_design(
        parse_design("toposmith: 1\n" + MIXED.replace("STORED", stored), "test"), CATALOG
    )
    heights = tier_of_groups(plan, ComputeNetwork(plan).slots)
    assert "store" not in heights and "idle" not in heights
    assert [tier_of_link(link, heights) for link in plan.links] == ["nic", "nic", "nic", "leaf"]


@settings(max_examples=30)
@given(designs())
def test_every_tier_is_of_switches(plan: Plan) -> None:
    for tier in tiers_of(plan):
        assert tier.groups
        assert all(plan.groups[name].switch for name in tier.groups)


TWO_SU = (
    "axes: {su: 2, rail: 8}\n"
    "groups:\n  node: {part: dgx-h100, per: [su], count: 32}\n"
    "  leaf: {part: qm9700, per: [su, rail]}\n  spine: {part: qm9700, count: 8}\n"
    "links: [{between: [node.compute, leaf]}, {between: [leaf, spine], cables: 4}]\n"
)


@pytest.mark.parametrize(
    ("broken", "ratio", "words"),
    [
        # 32 ports of nodes below a leaf; 4 cables to each of 8 spines, to 2 of them, to none
        ("", 1.0, "1:1"),
        ('down: ["spine[spine=0..5]"]', 4.0, "4:1, 1:1 as cabled"),
        ('absent: ["spine[spine=0..5]"]', 4.0, "4:1"),
        ('down: ["spine"]', None, "no uplink left, 1:1 as cabled"),
        # 8 of 16 leaves fall away with what is below and above them
        ('down: ["leaf[su=0]"]', 1.0, "1:1"),
        # half of the nodes leave half of the ports below
        ('down: ["node[su=0]"]', 0.5, "0.5:1, 1:1 as cabled"),
        # 1 of 512 uplinks: more digits, so that the two do not read alike
        ('down: ["1 of leaf[su=0,rail=0] - spine[spine=0]"]', 512 / 511, "1.002:1, 1:1 as cabled"),
    ],
)
def test_what_is_down_has_no_part_in_oversubscription_and_the_cabled_one_stands_beside(
    broken: str, ratio: float | None, words: str
) -> None:
    lower, upper = tiers_of(planned(TWO_SU + broken + "\n"))
    assert lower.oversubscription == (None if ratio is None else pytest.approx(ratio))
    assert lower.words == words
    if "absent" not in broken:
        assert (lower.ports_down, lower.ports_up) == (512, 512)
    assert upper.words == ""


def test_slow_uplinks_stand_beside_what_the_tier_has_as_cabled() -> None:
    text = "toposmith: 2\n" + TWO_SU + 'slow: {"leaf - spine[spine=0..5]": 200}\n'
    lower = tiers_of(plan_design(parse_design(text, "test"), CATALOG))[0]
    assert lower.oversubscription == pytest.approx(8 / (2 + 6 / 2))
    assert lower.as_cabled == 1.0
