"""What NCCL's ring delivers inside and out of one node: channels and the speed of each.

A closed form of NCCL's channel search for nodes whose GPUs are joined evenly by NVLink, and the
socket rule for nodes without NVLink. Constants are NCCL's own (NVIDIA/nccl, tag v2.30.7,
``src/graph/topo.h``, ``src/graph/topo.cc`` and the speed arrays of ``src/graph/search.cc``).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from catalog import Gpu, Node, Pcie
from topology.analysis.network import Network
from topology.fabric.inside import INTER_SOCKET_UNKNOWN_GBPS, slower
from topology.fabric.plan import GroupPlan
from topology.units import line_rate_GBps

NVLINK_GBPS = {60: 18.0, 70: 20.0, 80: 20.0, 86: 12.0, 90: 20.6, 100: 40.1}
"""What NCCL counts on per NVLink and direction, by compute capability (topo.h)."""

PCIE_X16_GBPS = {3: 12.0, 4: 24.0, 5: 48.0, 6: 96.0}
"""What NCCL counts on per x16 slot and direction (topo.cc: lanes x rate / 80)."""

NETWORK_SHARE = 0.96
"""Share of a network port's line rate that NCCL reaches: 12 GB/s per 100 Gb/s (NVIDIA/nccl-tests
issue 119: "24 GB/s is the peak per 200G NIC, 12 GB/s for 100G")."""

MAX_RING_CHANNELS = 32

_ONE_NODE = {
    80: (40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3),
    90: (60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3),
    100: (90, 80, 70, 60, 50, 45, 40, 30, 24, 20, 19, 18),
}
_BETWEEN_NODES = {
    80: (48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2, 0.24, 0.12),
    90: (48, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, 0.24, 0.12),
    100: (
        *(96, 86, 80, 48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2),
        *(0.24, 0.12),
    ),
}
"""Speeds in GB/s that the search tries, fastest first, by compute capability."""


@dataclass(frozen=True)
class NodeRing:
    """Ring channels of a node and the GB/s of each; their product is the ring's busbw."""

    channels: int
    speed_GBps: float

    @property
    def busbw_GBps(self) -> float:
        """GB/s per GPU of the ring, large messages."""
        return float(self.channels * self.speed_GBps)


@dataclass(frozen=True)
class NodeRates:
    """What the inside of a node can carry, as NCCL counts it, GB/s per direction.

    ``nvlink`` is 0 without NVLink between all GPUs; ``nic`` is the line rate of one NIC with all
    its ports; ``slot`` the PCIe slot that it sits in; ``nic_sockets`` the sockets that have NICs.
    """

    gpus: int
    compute_capability: int
    nvlink: float
    pcie: float
    socket: float | None
    nics: int
    nic: float
    slot: float
    nic_sockets: int


def node_rates(network: Network, group: GroupPlan, gpu: Gpu) -> NodeRates:
    """The rates of one node of a group, with its NICs as fitted."""
    node = group.node
    assert node is not None
    ports = network.ports(group)
    sockets = {branch.socket for branch in node.branches if branch.gpus}
    nic = ports.nic if ports else None
    slots = node.slots[ports.name] if ports else None
    count = ports.nics if ports else 0
    return NodeRates(
        gpus=node.gpus,
        compute_capability=gpu.compute_capability,
        nvlink=_nvlink(node, gpu),
        pcie=pcie_nccl_GBps(gpu.pcie),
        socket=(node.inter_socket_GBps or INTER_SOCKET_UNKNOWN_GBPS) if len(sockets) > 1 else None,
        nics=count,
        nic=line_rate_GBps(nic.speed_gbit) * nic.ports if nic else 0.0,
        slot=pcie_nccl_GBps(slower(nic.pcie, slots.pcie)) if nic and slots else 0.0,
        nic_sockets=len(
            {
                branch.socket
                for branch in node.branches
                if ports and any(slot < count for slot in branch.slots.get(ports.name, ()))
            }
        ),
    )


def pcie_nccl_GBps(pcie: Pcie) -> float:
    """What NCCL counts on for a PCIe link, GB/s of one direction."""
    return PCIE_X16_GBPS[pcie.generation] * pcie.width / 16


def _nvlink(node: Node, gpu: Gpu) -> float:
    """NVLink GB/s of one GPU and direction as NCCL counts it; 0 where not all GPUs are joined."""
    if node.nvlink is None or gpu.nvlink is None or node.nvlink.shape == "bridge":
        return 0.0
    per_link = NVLINK_GBPS[max(cc for cc in NVLINK_GBPS if cc <= gpu.compute_capability)]
    if node.nvlink.shape == "mesh":
        links = (node.nvlink.links_per_pair or 0) * (node.gpus - 1)
        return per_link * min(links, gpu.nvlink.links)
    return per_link * gpu.nvlink.links


def ring_of(rates: NodeRates, *, one_node: bool) -> NodeRing | None:
    """The ring that NCCL's search finds, or None for a node that cannot be left (no NIC).

    Parameters
    ----------
    rates : NodeRates
        The node.
    one_node : bool
        Whether the communicator is this one node; NICs are then left out.
    """
    if rates.gpus == 1 and one_node:
        return None
    if not one_node and not rates.nics:
        return None
    arrays = _ONE_NODE if one_node else _BETWEEN_NODES
    speeds = arrays[max((cc for cc in arrays if cc <= rates.compute_capability), default=80)]
    if rates.gpus > 1 and not rates.nvlink:
        return _over_pcie(rates, speeds, one_node=one_node)
    return _over_nvlink(rates, speeds, one_node=one_node)


def slowest_ring(rates: Iterable[NodeRates], *, one_node: bool) -> NodeRing | None:
    """The ring of a cluster of unlike nodes: the fewest channels, and the slowest.

    NCCL takes the minimum of both over all ranks (NVIDIA/nccl, src/init.cc), so that one weak
    node holds all others.
    """
    rings = [ring for rate in rates if (ring := ring_of(rate, one_node=one_node)) is not None]
    if not rings:
        return None
    return NodeRing(min(r.channels for r in rings), min(r.speed_GBps for r in rings))


def _over_nvlink(rates: NodeRates, speeds: tuple[float, ...], *, one_node: bool) -> NodeRing:
    """The search in closed form: a channel is an open chain whose last GPU leaves by a NIC."""
    nvlink = rates.nvlink if rates.gpus > 1 else float("inf")

    def fitting(speed: float) -> int:
        if one_node:
            return min(MAX_RING_CHANNELS, int(nvlink // speed))
        per_nic = min(int(rates.slot // speed), int(rates.nic // speed))
        if speed >= 1:
            per_nic = min(per_nic, int(rates.nic // int(speed)))
        most = min(MAX_RING_CHANNELS, rates.nics * per_nic)
        while most and speed * (most - most // rates.gpus) > nvlink:
            most -= 1
        return most

    fastest = nvlink if one_node else min(rates.nic, rates.slot, nvlink)
    whole = max(nvlink, rates.pcie) if rates.gpus > 1 else rates.slot * rates.nics
    best = NodeRing(0, 0.0)
    tried = [speed for speed in speeds if speed <= fastest] or [fastest]
    for position, speed in enumerate(tried):
        found = NodeRing(fitting(speed), speed)
        if found.busbw_GBps > best.busbw_GBps:
            best = found
        following = tried[position + 1] if position + 1 < len(tried) else 0.0
        if best.busbw_GBps >= whole or (best.channels and following / best.speed_GBps <= 0.49):
            break
    many, speed = best.channels, best.speed_GBps
    hopper = rates.compute_capability > 80
    if speed >= 25 and many and not (hopper and speed < 50 and many > 4):
        doubled = min(MAX_RING_CHANNELS, many * 2)
        many, speed = doubled, speed / 2
    return NodeRing(many, speed)


def _over_pcie(rates: NodeRates, speeds: tuple[float, ...], *, one_node: bool) -> NodeRing:
    """Without NVLink the ring crosses the sockets: one channel, or two that cross once each."""
    socket = rates.socket if rates.socket is not None else float("inf")
    network = float("inf") if one_node else min(rates.nic, rates.slot)
    single = _fastest(speeds, min(rates.pcie, socket, network))
    best = NodeRing(1, single)
    if not one_node and rates.nic_sockets > 1:
        double = NodeRing(2, _fastest(speeds, min(rates.pcie / 2, socket, network)))
        best = max(best, double, key=lambda ring: ring.busbw_GBps)
    return best


def _fastest(speeds: tuple[float, ...], limit: float) -> float:
    return next((speed for speed in speeds if speed <= limit), limit)
