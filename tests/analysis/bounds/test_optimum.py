"""Throughput optima worked out by hand (boxes of GPUs behind NICs, leaf-spine, rails)."""

from __future__ import annotations

from fractions import Fraction

import networkx as nx
import pytest

from toposmith.analysis.bounds.optimum import FlowTarget, optimum


def _joined(edges: list[tuple[str, str, int]]) -> nx.DiGraph:
    flow = nx.DiGraph()
    for a, b, capacity in edges:
        flow.add_edge(a, b, capacity=capacity)
        flow.add_edge(b, a, capacity=capacity)
    return flow


def _rate(edges: list[tuple[str, str, int]]) -> Fraction:
    flow = _joined(edges)
    ranks = {v: 1 for v in flow if v.startswith("gpu")}
    best = optimum([FlowTarget(flow, ranks, gpu) for gpu in ranks])
    assert best is not None
    return best.rate


def _boxes(boxes: int, gpus: int, nvlink: int, nic: int) -> list[tuple[str, str, int]]:
    """GPUs on an NVSwitch, a NIC each, and one switch that never limits."""
    edges: list[tuple[str, str, int]] = []
    for box in range(boxes):
        for gpu in range(gpus):
            edges.append((f"gpu{box}.{gpu}", f"nvswitch{box}", nvlink))
            edges.append((f"gpu{box}.{gpu}", "fabric", nic))
    return edges


def test_two_boxes_of_two_gpus_are_limited_by_the_box_and_gather_at_4_GBps() -> None:
    # each box must receive 2 of 4 GB through 2 GB/s: 1 s, so x* = 1 and algbw = 4 x* = 4
    assert _rate(_boxes(2, 2, nvlink=10, nic=1)) == 1


@pytest.mark.parametrize(
    ("boxes", "rate", "busbw"),
    [
        (2, Fraction(65, 3), 325.0),  # one GPU takes in (300 + 25) / 15
        (4, Fraction(25, 3), 258.33),  # a box: 200 / 24
        (16, Fraction(5, 3), 211.67),  # a box: 200 / 120
    ],
)
def test_boxes_of_eight_a100_reach_the_closed_form(
    boxes: int, rate: Fraction, busbw: float
) -> None:
    found = _rate(_boxes(boxes, 8, nvlink=300, nic=25))
    assert found == rate
    assert float(found * (8 * boxes - 1)) == pytest.approx(busbw, abs=0.005)


def test_one_box_of_eight_a100_gathers_at_nvlink_rate() -> None:
    rate = _rate([(f"gpu{i}", "nvswitch", 300) for i in range(8)])
    assert rate * 7 == 300


def test_a_box_with_half_the_nics_limits_the_other_one_too() -> None:
    edges = [(f"gpu{box}.{gpu}", f"nvswitch{box}", 10) for box in (0, 1) for gpu in (0, 1)]
    edges += [("gpu0.0", "fabric", 1), ("gpu0.1", "fabric", 1), ("gpu1.0", "fabric", 1)]
    assert _rate(edges) == Fraction(1, 2)


@pytest.mark.parametrize("uplink", [4, 2, 1])
def test_an_oversubscribed_spine_does_not_lower_the_optimal_all_gather(uplink: int) -> None:
    edges = [(f"gpu{leaf}.{i}", f"leaf{leaf}", 1) for leaf in range(4) for i in range(4)]
    edges += [(f"leaf{leaf}", "spine", uplink) for leaf in range(4)]
    assert _rate(edges) == Fraction(1, 15)


def test_a_rank_that_nothing_reaches_has_no_optimum() -> None:
    flow = _joined([("gpu0", "switch", 1), ("gpu1", "switch", 1)])
    flow.add_node("gpu2")
    ranks = {v: 1 for v in flow if v.startswith("gpu")}
    assert optimum([FlowTarget(flow, ranks, gpu) for gpu in ranks]) is None
