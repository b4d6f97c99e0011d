"""Clusters that others published: switches, cables and ratios, to the unit."""

from __future__ import annotations

import pytest

from toposmith.analysis.analyse import analyse
from toposmith.bill.bill import make_bill
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()


def planned(text: str) -> Plan:
    plan = plan_design(parse_design("toposmith: 1\n" + text, "published"), CATALOG)
    assert [finding.text for finding in plan.findings if finding.severity == "error"] == []
    return plan


def devices(plan: Plan) -> dict[str, int]:
    return {name: group.instances for name, group in plan.groups.items()}


def ratios(plan: Plan) -> list[float | None]:
    """Capacity down over capacity up, from the leaf up."""
    return [tier.oversubscription for tier in analyse(plan, CATALOG).tiers]


@pytest.mark.parametrize(
    ("su", "nodes", "leaves", "spines", "cables"),
    [
        (1, 64, 16, 8, 512),
        (2, 128, 32, 16, 1024),
        (4, 256, 64, 32, 2048),
        (8, 512, 128, 64, 4096),
        (16, 1024, 256, 128, 8192),
    ],
)
def test_dgx_b300_superpods_on_ethernet(
    su: int, nodes: int, leaves: int, spines: int, cables: int
) -> None:
    # DGX SuperPOD B300 reference architecture, Table 3: larger component counts
    # (docs.nvidia.com/dgx-superpod/reference-architecture/scalable-infrastructure-b300). Twin
    # planes: each GPU has 400GbE to either, and a rail of an SU has a leaf in each. The table
    # counts one cable to a GPU's cage, which carries two connections.
    speed = 800 if su <= 8 else 400  # 64 spines of a plane leave one 400 Gb/s port for each leaf
    plan = planned(
        f"""\
axes: {{su: {su}, rail: 8, plane: 2}}
groups:
  node: {{part: dgx-b300-ethernet, per: [su], count: 64}}
  leaf: {{part: sn5610, per: [su, rail, plane]}}
  spine: {{part: sn5610, per: [plane], count: {4 * su}}}
links:
  - {{between: [node.compute, leaf], length: 20}}
  - {{between: [leaf, spine], cables: {8 // su or 1}, speed: {speed}, length: 20}}
"""
    )
    bill = make_bill(plan, CATALOG)
    assert devices(plan) == {"node": nodes, "leaf": leaves, "spine": spines}
    # the table's cables are of 800 Gb/s, two connections of 400 or one of 800
    assert [link.connections * (link.speed_gbit or 0) // 800 for link in bill.links] == [cables] * 2
    assert {end.end: end.cages for end in bill.ends}["node.compute"] == cables
    assert ratios(plan)[0] == 1
    twin = {line.part: line.quantity for line in bill.lines_of("transceiver")}
    # one in each GPU's cage; no page here says which twin module a ConnectX-8 takes
    assert twin["2xsr4-800g-osfp"] == cables


def test_an_hpn_segment_of_128_servers_fills_16_leaves_of_51_tbit() -> None:
    # Alibaba Cloud HPN 7.0 (article.woter.ai, "A brief talk about computing power network"): 8
    # segments of 16 leaves, each 128 ports of 200 Gb/s down and 64 of 400 Gb/s up; 8,192 GPUs
    # with two ports of 200 Gb/s each.
    plan = planned(
        """\
axes: {segment: 8, rail: 8, plane: 2}
groups:
  node: {part: bm-gpu-h100-8, per: [segment], count: 128}
  leaf: {part: as9817-64o, per: [segment, rail, plane]}
  spine: {part: as9817-64o, per: [plane], count: 64}
links:
  - {between: [node.compute, leaf], speed: 200, length: 20}
  - {between: [leaf, spine], speed: 400, length: 20}
"""
    )
    assert devices(plan) == {"node": 1024, "leaf": 128, "spine": 128}
    analysis = analyse(plan, CATALOG)
    leaf = analysis.tiers[0]
    assert (leaf.ports_down, leaf.ports_up) == (128 * 128, 128 * 64)
    assert leaf.oversubscription == 1
    assert analysis.gpus == 8192


@pytest.mark.parametrize(
    ("servers", "uplink", "ratio"),
    [(4, 200, 1), (8, 200, 2), (4, 400, 0.5), (8, 400, 1), (4, 800, 0.25), (8, 800, 0.5)],
)
def test_ratios_of_a_juniper_validated_design(servers: int, uplink: int, ratio: float) -> None:
    # Juniper JVD "IP Fabric GPU Backend Fabric Architecture" (juniper.net, jvd-ai-dc-qpp-bgp-dpf),
    # Table 1: two stripes of eight QFX5240-64OD, four spines, DGX H100 at 400 Gb/s.
    plan = planned(
        f"""\
axes: {{stripe: 2, rail: 8}}
groups:
  node: {{part: dgx-h100, per: [stripe], count: {servers // 2}}}
  leaf: {{part: qfx5240-64od, per: [stripe, rail]}}
  spine: {{part: qfx5240-64od, count: 4}}
links:
  - {{between: [node.compute, leaf], speed: 400, length: 10}}
  - {{between: [leaf, spine], speed: {uplink}, length: 10}}
"""
    )
    assert devices(plan) == {"node": servers, "leaf": 16, "spine": 4}
    assert ratios(plan) == [ratio, None]
