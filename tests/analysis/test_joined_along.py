"""Fabrics joined along axes: classes say what the fabric expanded device by device says."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.expanded import Expanded
from tests.expansion import expand
from tests.joined_along import plan_along
from tests.node_hops import carried
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.row_exchange import all_to_all_loads
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.fabric.classes import Arc
from toposmith.fabric.counts import cable_counts, device_counts
from toposmith.fabric.plan import Plan


def faults_with(plan: Plan) -> list[str]:
    """What classes and expansion see otherwise; counts of all, loads of what has ranks."""
    found: list[str] = []
    graph = expand(plan, without_down=False)
    devices = Counter(v[1] for v in graph if v[0] == "device")
    cables = Counter(d["link"] for _, _, d in graph.edges(data=True) if d["link"] is not None)
    if {name: many for name, many in device_counts(plan).items() if many} != devices:
        found.append(f"devices {device_counts(plan)}, expanded {dict(devices)}")
    if {i: many for i, many in cable_counts(plan).items() if many} != cables:
        found.append(f"cables {cable_counts(plan)}, expanded {dict(cables)}")
    network, brute = ComputeNetwork(plan), Expanded(plan)
    if network.world.nodes > 1:
        for weighted in (True, False):
            brute.weighted = weighted
            exchange = _by_link(lambda w=weighted: all_to_all_loads(network, weighted=w))
            found += _unlike("all-to-all", exchange, brute.all_to_all())
            if network.ring_nics:
                mode = "ideal" if weighted else "static"
                ring = _by_link(lambda m=mode: carried(network, mode=m))
                found += _unlike("ring", ring, brute.ring())
    return found


def _by_link(work) -> dict[int, float] | None:
    try:
        loads: dict[Arc, float] = work()
    except Unreachable:
        return None
    worst: dict[int, float] = {}
    for (_, _, key), load in loads.items():
        index = key[0] if isinstance(key, tuple) else key
        if isinstance(index, int):
            worst[index] = max(worst.get(index, 0.0), load)
    return worst


def _unlike(what: str, found: dict[int, float] | None, brute: dict[int, float] | None):
    if found is None or brute is None:
        if found is not brute:
            yield f"{what}: {found}, expanded {brute}"
        return
    for index in found.keys() | brute.keys():
        if found.get(index, 0.0) != pytest.approx(brute.get(index, 0.0), abs=1e-9):
            yield f"{what} of link {index}: {found.get(index)}, expanded {brute.get(index)}"


@pytest.mark.parametrize(
    "seed", [*range(34, 45), 46, *range(48, 54), *range(217, 220), *range(221, 233)]
)
def test_loads_and_counts_are_those_of_the_expansion(seed: int) -> None:
    assert faults_with(plan_along(seed)) == []
