"""A node from inside, as capacities in GB/s of one direction.

GPUs, the NVSwitches of a node as one vertex, PCIe switches, sockets and NICs; what joins them as
the catalog's part says it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations
from typing import Any

import networkx as nx

from tests.oracle.parts import Part, part

PCIE_GBPS_PER_LANE = {
    3: Fraction(8 * 128, 8 * 130),
    4: Fraction(16 * 128, 8 * 130),
    5: Fraction(32 * 128, 8 * 130),
    6: Fraction(64 * 242, 8 * 256),
}
"""One direction, after the line code: 128 of 130 bits; in PCIe 6, 242 of 256 bytes of a flit."""

UNKNOWN_SOCKETS_GBPS = 16
"""Between two sockets of a node whose part does not say it."""

Edge = tuple[str, str]


def pcie_GBps(*ends: dict[str, Any] | None) -> Fraction:
    """What a PCIe link between these carries: the lowest generation, the fewest lanes."""
    there = [end for end in ends if end]
    generation = min(int(end["generation"]) for end in there)
    width = min(int(end["width"]) for end in there)
    return PCIE_GBPS_PER_LANE[generation] * width


def inside(node: Part, slots: str, nic: Part, used: Iterable[int]) -> dict[Edge, Fraction]:
    """Capacities between `gpu0`, `nvswitch`, `switch0`, `socket0` and `nic0`, each way the same."""
    gpu = part(node["gpu"])
    found: dict[Edge, Fraction] = defaultdict(Fraction)
    for edge, rate in _nvlink(node, gpu).items():
        found[edge] += rate
    reached = set(used)
    through_cpu = not is_joined(node, gpu) or not _nics_share_switches(node, slots, reached)
    sockets = set()
    for number, branch in enumerate(node["branches"]):
        socket = f"socket{branch['socket']}"
        sockets.add(socket)
        hub = socket
        gpus = branch.get("gpus", [])
        nics = [slot for slot in (branch.get("slots") or {}).get(slots, []) if slot in reached]
        if branch.get("switch", True):
            hub = f"switch{number}"
            above = f"switch{branch['below']}" if "below" in branch else socket
            if through_cpu or "below" in branch:
                found[hub, above] += pcie_GBps(branch.get("uplink") or _uplink(node, gpu))
        for index in gpus:
            own = (node.get("gpu_links") or {}).get(index)
            found[f"gpu{index}", hub] += pcie_GBps(own or node.get("gpu_pcie"), gpu["pcie"])
        for slot in nics:
            body = node["slots"][slots]
            own = (body.get("links") or {}).get(slot)
            found[f"nic{slot}", hub] += pcie_GBps(own or body["pcie"], nic["pcie"])
    if through_cpu:
        rate = Fraction(str(node.get("inter_socket_GBps", UNKNOWN_SOCKETS_GBPS)))
        for one, other in combinations(sorted(sockets), 2):
            found[one, other] += rate
    return dict(found)


def is_joined(node: Part, gpu: Part) -> bool:
    """Whether NVLink leads from any GPU to any other, over others if need be."""
    graph = nx.Graph(_nvlink(node, gpu).keys())
    graph.add_nodes_from(f"gpu{index}" for index in range(node["gpus"]))
    return nx.is_connected(graph)


def _nics_share_switches(node: Part, slots: str, used: set[int]) -> bool:
    """Whether every NIC in use has a GPU on its PCIe switch."""
    beside = {
        slot
        for branch in node["branches"]
        if branch.get("switch", True) and branch.get("gpus")
        for slot in (branch.get("slots") or {}).get(slots, [])
    }
    return used <= beside


def _uplink(node: Part, gpu: Part) -> dict[str, Any]:
    return dict(node.get("gpu_pcie") or gpu["pcie"])


def _nvlink(node: Part, gpu: Part) -> dict[Edge, Fraction]:
    joined = node.get("nvlink")
    if not joined:
        return {}
    rate = Fraction(str(gpu["nvlink"]["GBps_per_link"]))
    if joined["shape"] == "nvswitch":
        return {
            (f"gpu{index}", "nvswitch"): rate * gpu["nvlink"]["links"]
            for index in range(node["gpus"])
        }
    pairs = joined.get("pairs") or [list(pair) for pair in combinations(range(node["gpus"]), 2)]
    return {
        (f"gpu{pair[0]}", f"gpu{pair[1]}"): rate
        * (pair[2] if len(pair) > 2 else joined["links_per_pair"])
        for pair in pairs
    }
