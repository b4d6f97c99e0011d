"""NCCL's channel search in closed form, for nodes whose GPUs are joined evenly by NVLink.

Follows ``src/graph/search.cc`` of NVIDIA/nccl. Compared elsewhere with the real search of
v2.27.7, built without GPUs: 396 of 396 rings and NVLS graphs and 391 of 396 trees are equal (8
GPUs behind NVSwitches, 1 to 8 NICs of 10 to 800 Gb/s, PCIe 3 to 6, A100, H100 and B200).
"""

from __future__ import annotations

from dataclasses import replace

from toposmith.nccl.constants import most_channels, speeds
from toposmith.nccl.nccl_version import NcclVersion
from toposmith.nccl.node import Channels, NcclNode, PathType, TreePattern

NOT_WORTH_TRYING = 0.49
"""The search stops at speeds below about half of the best one found."""

NVLS_FROM = 90
"""NVSwitches reduce by themselves from Hopper on."""

MOST_HEADS = 32


def even_ring(node: NcclNode, version: NcclVersion, *, one_node: bool) -> Channels | None:
    """The ring channels of a node, or None where it has no NIC towards another node, or no peer."""
    if one_node and node.gpus == 1:
        return None
    if not one_node and not (node.nics and node.nic_GBps and node.slot_GBps):
        return None
    tried = _tried(node, version, one_node=one_node)
    best = Channels(0, 0.0, 0.0)
    for position, speed in enumerate(tried):
        count = _fitting(node, speed, version, one_node=one_node)
        if count * speed > best.count * best.intra_GBps:
            best = Channels(count, speed, speed)
        following = tried[position + 1] if position + 1 < len(tried) else 0.0
        whole = node.whole_GBps if node.gpus > 1 else node.slot_GBps * node.nics
        if best.count * best.intra_GBps >= whole:
            break
        if best.count and following / best.intra_GBps <= NOT_WORTH_TRYING:
            break
    if not best.count:
        return None
    count, speed = duplicated(best.count, best.intra_GBps, node, version)
    for faster in reversed(tried):
        if faster > speed and _fitting(node, faster, version, one_node=one_node) >= count:
            speed = faster
    # NCCL compares the way between GPUs with NVLink; a GPU alone in its node has none
    intra = PathType.NVL if node.gpus > 1 else PathType.LOC
    return Channels(count, speed, speed, intra_path=intra, inter_path=node.nic_path)


def duplicated(count: int, speed: float, node: NcclNode, version: NcclVersion) -> tuple[int, float]:
    """Twice the channels at half the speed, where the search does that."""
    hopper = node.compute_capability > 80
    if speed < 25 or (hopper and speed < 50 and count > 4):
        return count, speed
    return min(most_channels(version) // 2, count * 2), speed / 2


def even_tree(
    node: NcclNode, ring: Channels, version: NcclVersion, *, one_node: bool
) -> Channels | None:
    """The tree channels: as many as the ring's, at the highest speeds that fit."""
    tried = _tried(node, version, one_node=one_node)
    room = node.whole_GBps * node.gpus / max(node.gpus - 1, 1)
    inter = next(
        (
            speed
            for speed in tried
            if speed * ring.count <= room
            and _carried(ring.count, node) * speed <= _nvlink(node)
            and (one_node or _leaving(node, speed) >= ring.count)
        ),
        None,
    )
    if inter is None:
        return replace(ring, pattern=_pattern(node, version))
    intra = inter
    for speed in reversed(speeds(node.compute_capability, version, one_node=one_node)):
        if intra >= 2 * inter or speed <= intra:
            continue
        if speed * _carried(ring.count, node) > _nvlink(node):
            break
        intra = speed
    return Channels(ring.count, intra, inter, PathType.NVL, node.nic_path, _pattern(node, version))


def even_nvls(node: NcclNode, version: NcclVersion, *, one_node: bool) -> Channels | None:
    """The channels of reduction in NVSwitches, one per head; None where the node cannot."""
    if not node.switched or node.compute_capability < NVLS_FROM or node.gpus < 2:
        return None
    if not node.summing_share:
        return None
    heads = min(MOST_HEADS, node.gpus, node.gpus if one_node else node.nics)
    tried = _tried(node, version, one_node=one_node)
    best = Channels(0, 0.0, 0.0)
    for speed in tried:
        # the head of a channel takes part twice: it feeds the reduction and stores its result
        count = min(heads, int(node.nvlink_GBps // speed) - 1)
        if count > best.count:
            best = Channels(count, speed, speed)
    if best.count < (heads if one_node else 1):
        return None
    inter = best.intra_GBps
    if version >= (2, 19):
        reach = float("inf") if one_node else min(node.nic_GBps, node.slot_GBps)
        for speed in reversed(tried):
            if inter < speed <= reach and inter < 2 * best.intra_GBps:
                inter = speed
    return Channels(best.count, best.intra_GBps, inter, PathType.NVL, node.nic_path)


def _tried(node: NcclNode, version: NcclVersion, *, one_node: bool) -> list[float]:
    """Speeds from the fastest that a single path of the node carries."""
    fastest = _fastest(node, one_node=one_node)
    within = speeds(node.compute_capability, version, one_node=one_node)
    return [speed for speed in within if speed <= fastest] or [fastest]


def _fastest(node: NcclNode, *, one_node: bool) -> float:
    inside = _nvlink(node)
    return inside if one_node else min(node.nic_GBps, node.slot_GBps, inside)


def _nvlink(node: NcclNode) -> float:
    return node.nvlink_GBps if node.gpus > 1 else float("inf")


def _fitting(node: NcclNode, speed: float, version: NcclVersion, *, one_node: bool) -> int:
    """How many channels of a speed fit in the node."""
    most = most_channels(version) // 2
    if node.gpus > 1 and not node.switched:
        most = min(most, _through_mesh(node, speed))
    if one_node:
        return min(most, int(node.nvlink_GBps // speed))
    most = min(most, _leaving(node, speed))
    while most and speed * _carried(most, node) > _nvlink(node):
        most -= 1
    return most


def _leaving(node: NcclNode, speed: float) -> int:
    """Channels of a speed that the NICs and their slots take."""
    per_nic = min(int(node.slot_GBps // speed), int(node.nic_GBps // speed))
    if speed >= 1:
        per_nic = min(per_nic, int(node.nic_GBps // int(speed)))
    if node.gpus == 1:
        return min(node.nics * per_nic, int(node.pcie_GBps // speed))
    return node.nics * per_nic


def _carried(count: int, node: NcclNode) -> int:
    """Channels over one GPU's NVLink: a channel is an open chain whose last GPU leaves by a NIC.

    Before Hopper a node whose GPUs have a PCIe switch each leaves through a neighbour's NIC
    (PXN), one more step over NVLink.
    """
    if node.own_switch and node.compute_capability < NVLS_FROM:
        return count
    return count - count // node.gpus


def _through_mesh(node: NcclNode, speed: float) -> int:
    """Rings through all GPUs of a mesh whose pairs carry so many channels each.

    The complete directed graph on G vertices splits into G - 1 Hamiltonian cycles, except for G =
    4 and 6, where two copies of it do (Tillson, "A Hamiltonian decomposition of K*2m", 1980).
    """
    per_pair = int(node.pair_GBps // speed)
    if node.gpus in (4, 6) and per_pair % 2:
        return (per_pair - 1) * (node.gpus - 1) + node.gpus - 2
    return per_pair * (node.gpus - 1)


def _pattern(node: NcclNode, version: NcclVersion) -> TreePattern:
    """Hopper's trees end with all NIC traffic on one GPU where no two GPUs share a switch."""
    if node.compute_capability >= NVLS_FROM and (node.own_switch or version < (2, 19)):
        return "tree"
    return "balanced"
