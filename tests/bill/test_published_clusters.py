"""Clusters that others published: switches, cables and ratios, to the unit."""

from __future__ import annotations

import pytest

from toposmith.analysis.analyse import analyse
from toposmith.bill.bill import Bill, make_bill
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


def connections(bill: Bill) -> list[int]:
    return [link.connections for link in bill.links]


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


def test_a_dgx_b300_superpod_on_xdr_has_all_its_cables_on_the_bill() -> None:
    # 72 nodes of 8 ports of 800 Gb/s, 8 leaves, 4 spines, 576 cables a tier (RA B300 XDR, Table 3);
    # two ports of a Q3400 share a twin module, one module stands in each node's cage.
    plan = planned(
        """\
axes: {rail: 8}
groups:
  node: {part: dgx-b300, count: 72}
  leaf: {part: q3400-ra, per: [rail]}
  spine: {part: q3400-ra, count: 4}
links:
  - {between: [node.compute, leaf], length: 30}
  - {between: [leaf, spine], cables: 18, length: 30}
"""
    )
    bill = make_bill(plan, CATALOG)
    assert connections(bill) == [576, 576]
    modules = {line.part: line.quantity for line in bill.lines_of("transceiver")}
    assert modules == {"dr4-800g-xdr": 576, "2xdr4-1600g-xdr": 288 + 2 * 288}
    assert bill.quantity("fibre") == 2 * 576


def test_a_dgx_a100_superpod_of_140_nodes_closes_in_three_tiers() -> None:
    # 7 SU of 20 nodes and 8 leaves (NVIDIA RA-09950-001); non-blocking through 40-port switches
    # that is 1,120 cables a tier, so 80 spines of 14 down and 14 up, and 1,120 / 40 = 28 cores.
    plan = planned(
        """\
axes: {su: 7, rail: 8, half: 2}
groups:
  node: {part: dgx-a100, per: [su], count: 20}
  leaf: {part: qm8790, per: [su, rail]}
  spine: {part: qm8790, per: [rail, half], count: 5}
  core: {part: qm8790, per: [half], count: 14}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 2}
  - {between: [spine, core]}
"""
    )
    assert devices(plan) == {"node": 140, "leaf": 56, "spine": 80, "core": 28}
    assert connections(make_bill(plan, CATALOG)) == [1120, 1120, 1120]
    assert ratios(plan) == [1, 1, None]


def test_512_h100_servers_take_320_switches_in_three_tiers() -> None:
    # "Explanation of 512 H100 clustering solution" (apetops-us.com): four SuperPods of four SU of
    # 32 servers; 4 leaves and 4 spines are a rail group; 80 switches in each SuperPod, 16 of them
    # cores.
    node = "part: hgx-h100-8, nics: {compute: {part: connectx-7-ndr, count: 8}}"
    plan = planned(
        f"""\
axes: {{pod: 4, su: 4, rail: 8, number: 4}}
groups:
  node: {{{node}, per: [pod, su], count: 32}}
  leaf: {{part: qm9700, per: [pod, su, rail]}}
  spine: {{part: qm9700, per: [pod, rail, number]}}
  core: {{part: qm9700, per: [number], count: 16}}
links:
  - {{between: [node.compute, leaf]}}
  - {{between: [leaf, spine], cables: 8}}
  - {{between: [spine, core], cables: 2}}
"""
    )
    counted = devices(plan)
    assert counted == {"node": 512, "leaf": 128, "spine": 128, "core": 64}
    assert sum(counted.values()) - 512 == 320
    assert connections(make_bill(plan, CATALOG)) == [4096, 4096, 4096]
    assert ratios(plan) == [1, 1, None]


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


def test_hpn_as_published_at_sigcomm_is_oversubscribed_fifteen_to_one_at_the_core() -> None:
    # Qian et al., Alibaba HPN, SIGCOMM 2024: 15 segments of 1,024 GPUs; in each of two planes 120
    # leaves of 60 uplinks meet 60 switches with 120 ports down and 8 up (those three from memory).
    plan = planned(
        """\
axes: {segment: 15, rail: 8, plane: 2}
groups:
  node: {part: bm-gpu-h100-8, per: [segment], count: 128}
  leaf: {part: as9817-64o, per: [segment, rail, plane]}
  spine: {part: as9817-64o, per: [plane], count: 60}
  core: {part: as9817-64o, per: [plane], count: 8}
links:
  - {between: [node.compute, leaf], speed: 200, length: 20}
  - {between: [leaf, spine], speed: 400, length: 20}
  - {between: [spine, core], speed: 400, length: 100}
"""
    )
    assert devices(plan) == {"node": 1920, "leaf": 240, "spine": 120, "core": 16}
    # 128 x 200 down over 60 x 400 up; 120 down over 8 up
    assert ratios(plan) == [pytest.approx(16 / 15), 15, None]


def test_a_fire_flyer_zone_of_800_nodes_takes_60_switches_of_40_ports() -> None:
    # Fire-Flyer AI-HPC (arXiv 2408.14158): two zones, each a two-tier fat tree of 800 ports of
    # QM8700; every node has one 200 Gb/s NIC for its eight A100. A fat tree of radix k in two tiers
    # has k^2/2 ports, k leaves and k/2 spines.
    node = "part: a100-pcie-8-bridged, nics: {compute: {part: connectx-6-hdr, count: 1}}"
    plan = planned(
        f"""\
axes: {{row: 40}}
groups:
  node: {{{node}, per: [row], count: 20}}
  leaf: {{part: qm8700, per: [row]}}
  spine: {{part: qm8700, count: 20}}
links:
  - {{between: [node.compute, leaf]}}
  - {{between: [leaf, spine]}}
"""
    )
    assert devices(plan) == {"node": 800, "leaf": 40, "spine": 20}
    assert connections(make_bill(plan, CATALOG)) == [800, 800]
    assert ratios(plan) == [1, None]


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


def test_64_nodes_of_four_gpus_meet_at_four_leaves_and_two_spines() -> None:
    # Asterfusion, AI compute backend fabric configuration guide (cloudswit.ch/?p=23330): 256 GPUs,
    # six CX864E-N.
    node = "part: xe8640, nics: {compute: {part: connectx-7-400-qsfp112, count: 4}}"
    plan = planned(
        f"""\
axes: {{rail: 4}}
groups:
  node: {{{node}, count: 64}}
  leaf: {{part: cx864e-n, per: [rail]}}
  spine: {{part: cx864e-n, count: 2}}
links:
  - {{between: [node.compute, leaf], length: 20}}
  - {{between: [leaf, spine], cables: 16, length: 20}}
"""
    )
    assert devices(plan) == {"node": 64, "leaf": 4, "spine": 2}
    assert analyse(plan, CATALOG).gpus == 256
    assert ratios(plan) == [1, None]


def test_megascale_splits_400_gbit_downlinks_in_two_for_64_servers() -> None:
    # Jiang et al. 2024, MegaScale, section 3.6: Tomahawk 4 with 64 ports of 400 Gb/s, 32 down and
    # 32 up; a downlink is split in two of 200 Gb/s, so that 64 servers share their eight leaves.
    plan = planned(
        """\
axes: {set: 8, rail: 8}
groups:
  node: {part: dgx-a100, per: [set], count: 64}
  leaf: {part: 7060dx5-64s, per: [set, rail]}
  spine: {part: 7060dx5-64s, count: 32}
links:
  - {between: [node.compute, leaf], speed: 200, length: 15}
  - {between: [leaf, spine], length: 20}
"""
    )
    bill = make_bill(plan, CATALOG)
    assert bill.listed
    assert ratios(plan) == [1, None]
    # 8 x 8 x 64 ports of 200 Gb/s on splitters of two
    cables = {line.part: line.quantity for line in bill.lines_of("cable")}
    assert cables["aoc-400g-2x200g"] == 8 * 8 * 64 // 2
    assert {end.end: end.cages for end in bill.ends}["leaf"] == 64 * 64


def test_meta_hangs_16_gpus_of_a_rack_on_one_switch_of_1536() -> None:
    # Meta's H100 clusters (glennklockwood.com/garden/systems/meta's-h100-clusters): 24,576 GPUs in
    # 3,072 nodes, two in each of 1,536 racks, 192 racks a pod; leaves are racks' own switches and
    # the tier above them Arista 7800.
    node = "part: hgx-h100-8, nics: {compute: {part: connectx-7-400-qsfp112, count: 8}}"
    plan = planned(
        f"""\
axes: {{pod: 8, rack: 192}}
groups:
  node: {{{node}, per: [pod, rack], count: 2}}
  rack-switch: {{part: 7060dx5-64s, per: [pod, rack]}}
  cluster-switch: {{part: 7808r3, per: [pod], count: 16}}
links:
  - {{between: [node.compute, rack-switch]}}
  - {{between: [rack-switch, cluster-switch]}}
"""
    )
    assert devices(plan) == {"node": 3072, "rack-switch": 1536, "cluster-switch": 128}
    assert connections(make_bill(plan, CATALOG)) == [24576, 24576]
