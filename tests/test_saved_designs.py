"""The reference clusters that come along have the counts and figures that are published for them.

Counts: DGX H100 SuperPOD, RA-11333-001 V11, table 4; DGX B200 SuperPOD, table of larger systems;
DGX A100 unit of 20 nodes and 8 leaf switches, RA-09950-001. The other counts are products of what
the files say. Figures: all-reduce runs at the sum of a node's NICs at 12 GB/s per 100 Gb/s. In
all-to-all each of N ranks shares the NICs with the 8 of its node and N - 8 ranks lie outside:
busbw = NIC sum / 8 x (N - 1) / (N - 8).
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.asking import ring_at_large_sizes
from toposmith.analysis.analyse import analyse
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.prediction.calibration import FAST_NODE_SHARE
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.counts import cable_counts, device_counts
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import port_findings, port_use
from toposmith.saved_designs import find_saved, saved_designs

CATALOG = load_catalog()


@dataclass(frozen=True)
class Expected:
    """What a cluster is known to have; ``cables`` per link, ``tiers`` as switches per tier."""

    nodes: int
    tiers: tuple[int, ...]
    cables: tuple[int, ...]
    all_reduce: float
    all_to_all: float
    bound: float
    findings: frozenset[str] = frozenset()

    @property
    def gpus(self) -> int:
        """All saved clusters have nodes of 8 GPUs."""
        return 8 * self.nodes


def exchanged(nic_sum: float, gpus: int) -> float:
    return nic_sum / 8 * (gpus - 1) / (gpus - 8)


KNOWN = {
    "a100-rack-1x100gbe": Expected(
        nodes=8,
        tiers=(1,),
        cables=(8,),
        all_reduce=12,
        all_to_all=exchanged(12, 64),  # 1.69
        bound=12.5 * 63 / 56,
        findings=frozenset({"fewer-nics-than-gpus"}),
    ),
    "hgx-a100-64gpu-roce-2to1": Expected(
        nodes=8,
        tiers=(4, 2),
        cables=(64, 32),
        all_reduce=192,
        # 16 ranks of a rack send 48 / 64 of their data over 8 uplinks of 24
        all_to_all=8 * 24 / 16 * 64 / 48 * 63 / 64,
        bound=200 * 63 / 56,
        findings=frozenset({"oversubscribed"}),
    ),
    "dgx-a100-su": Expected(
        nodes=20,
        tiers=(8, 4),
        cables=(160, 160),
        all_reduce=192,
        all_to_all=exchanged(192, 160),
        bound=200 * 159 / 152,
    ),
    "dgx-h100-superpod-1su": Expected(
        nodes=31,
        tiers=(8, 4),
        cables=(248, 256),
        all_reduce=384 * FAST_NODE_SHARE,
        all_to_all=exchanged(384, 248),
        bound=400 * 247 / 240,
    ),
    "dgx-h100-superpod-4su": Expected(
        nodes=127,
        tiers=(32, 16),
        cables=(1016, 1024),
        all_reduce=384 * FAST_NODE_SHARE,
        all_to_all=exchanged(384, 1016),
        bound=400 * 1015 / 1008,
    ),
    "dgx-b200-superpod-64su": Expected(
        nodes=2048,
        tiers=(512, 512, 256),
        cables=(16384, 16384, 16384),
        all_reduce=384 * FAST_NODE_SHARE,
        all_to_all=exchanged(384, 16384),
        bound=400 * 16383 / 16376,
    ),
    "b200-131072gpu-fabric-per-rail": Expected(
        nodes=16384,
        tiers=(4096, 4096, 2048),
        cables=(131072, 131072, 131072),
        all_reduce=384 * FAST_NODE_SHARE,
        all_to_all=exchanged(384, 131072),
        bound=400 * 131071 / 131064,
    ),
}
NVLINK_RACKS = {"gb200-nvl72-rack", "gb200-nvl72-8-racks-ndr", "gb200-nvl36x2-pair"}
"""Held to their published counts in ``test_nvlink_links.py`` and ``test_nvlink_trunks.py``."""

DIRECT = {
    # nodes, switches, cables: node to switch, then within and between groups or along dimensions
    "torus-4x4x4-h100": (64, 64, (512, 256, 256, 256)),
    # 74 x 32 switches: 16 ports down, 31 x 32 / 2 in a group, 74 x 73 / 2 pairs of 4
    "dragonfly-74x32-slingshot": (9472, 2368, (37888, 74 * 496, 4 * 2701)),
}
EACH = pytest.mark.parametrize("name", list(KNOWN))


def planned(name: str) -> Plan:
    saved = find_saved(name)
    assert saved is not None
    return plan_design(parse_design(saved.path.read_text(encoding="utf-8"), name), CATALOG)


def test_every_saved_design_is_checked_here() -> None:
    assert {design.name for design in saved_designs()} == {*KNOWN, *DIRECT, *NVLINK_RACKS}
    assert find_saved("no-such-design") is None


def test_a_saved_design_is_listed_by_the_name_it_gives_itself() -> None:
    for saved in saved_designs():
        design = parse_design(saved.path.read_text(encoding="utf-8"), saved.name)
        assert saved.summary == design.name
        assert design.note


@EACH
def test_it_can_be_built(name: str) -> None:
    plan = planned(name)
    assert plan.findings == ()
    assert port_findings(plan) == ()
    assert len(plan.links) == len(plan.design.links)


@pytest.mark.parametrize("name", list(DIRECT))
def test_a_direct_network_has_the_published_switches_and_cables(name: str) -> None:
    plan, (nodes, switches, cables) = planned(name), DIRECT[name]
    assert plan.findings == ()
    assert port_findings(plan) == ()
    assert device_counts(plan) == {"node": nodes, "switch": switches}
    assert tuple(cable_counts(plan).values()) == cables


@EACH
def test_it_has_the_known_nodes_switches_and_cables(name: str) -> None:
    plan, known = planned(name), KNOWN[name]
    world = ComputeNetwork(plan).world
    assert (world.nodes, world.gpus) == (known.nodes, known.gpus)
    counts = device_counts(plan)
    assert counts.pop("node") == known.nodes
    assert tuple(counts.values()) == known.tiers
    assert list(counts) == ["leaf", "spine", "core"][: len(known.tiers)]
    assert tuple(cable_counts(plan).values()) == known.cables


@EACH
def test_it_delivers_what_a_hand_calculation_gives(name: str) -> None:
    plan, known = planned(name), KNOWN[name]
    reduce = analyse(plan, CATALOG, ring_at_large_sizes())
    assert reduce.busbw_GBps == pytest.approx(known.all_reduce, rel=5e-4)
    assert reduce.algbw_GBps == pytest.approx(
        known.all_reduce * known.gpus / 2 / (known.gpus - 1), rel=5e-4
    )
    assert reduce.bound_busbw_GBps == pytest.approx(known.bound)
    assert {finding.code for finding in reduce.findings} == known.findings
    exchange = analyse(plan, CATALOG, ring_at_large_sizes("all_to_all"))
    assert exchange.busbw_GBps == pytest.approx(known.all_to_all)


@EACH
def test_its_tiers_have_the_cables_of_their_links(name: str) -> None:
    plan, known = planned(name), KNOWN[name]
    tiers = analyse(plan, CATALOG).tiers
    assert tuple(tier.devices for tier in tiers) == known.tiers
    assert tuple(tier.ports_down for tier in tiers) == known.cables
    assert tuple(tier.ports_up for tier in tiers) == (*known.cables[1:], 0)
    assert tiers[-1].oversubscription is None


def test_only_the_one_called_2_to_1_is_oversubscribed() -> None:
    ratios = {name: analyse(planned(name), CATALOG).tiers[0].oversubscription for name in KNOWN}
    assert ratios.pop("hgx-a100-64gpu-roce-2to1") == 2.0
    assert ratios.pop("a100-rack-1x100gbe") is None
    assert all(ratio is not None and ratio <= 1 for ratio in ratios.values())


@pytest.mark.parametrize(
    "name",
    ["dgx-b200-superpod-64su", "b200-131072gpu-fabric-per-rail", "dgx-h100-superpod-4su"],
)
def test_the_fat_trees_fill_all_ports_of_their_64_port_switches(name: str) -> None:
    plan = planned(name)
    for group in ("leaf", "spine"):
        assert port_use(plan)[group, ""].free == 0


def test_a_superpod_halves_into_two_units_each() -> None:
    # half of 127 nodes: the unit pair with 63 of them, 63 x 8 x 50 GB/s
    assert analyse(planned("dgx-h100-superpod-4su"), CATALOG).bisection_GBps == 63 * 400
    # 8 pods of 128 nodes on a side, non-blocking
    assert analyse(planned("dgx-b200-superpod-64su"), CATALOG).bisection_GBps == 1024 * 400
    # two racks with 8 x 25 GB/s of uplinks each
    assert analyse(planned("hgx-a100-64gpu-roce-2to1"), CATALOG).bisection_GBps == 400
