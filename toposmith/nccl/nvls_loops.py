"""How NCCL cuts an all-reduce that NVSwitches sum (NVLS, NVLSTree) into loops.

In a loop every channel takes one chunk for each head: a GPU that has the NVSwitches sum its part.
Loops follow each other through a pipeline that copies data into buffers, sums them, and copies the
sums out.
"""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.nccl.closed_form import MOST_HEADS
from toposmith.nccl.nccl_version import NcclVersion
from toposmith.nccl.node import NcclNode, PathType

KIB = 1024
WHOLE_CHUNK_BYTES = 128 * KIB
"""``NCCL_NVLS_CHUNKSIZE`` of NVIDIA/nccl, src/transport/nvls.cc, from 2.18 to 2.31."""

FEWER_CHANNELS_FROM = NcclVersion(2, 27)
"""``NVLS_NCHANNELS_SM100_NVL`` of src/transport/nvls.cc."""

BY_NICS_FROM = NcclVersion(2, 30)
FAST_NIC, FASTEST_NIC = 48.0, 96.0
"""GB/s of NICs by which Blackwell's channels and chunks between domains go: 400 and 800 Gb/s."""

BLACKWELL = 100
"""Its compute capability."""

RUBIN = range(107, 110)
"""Its compute capabilities; 120 and 121 are Blackwell's without NVSwitches."""

STAGES = 3
"""Into the buffers, the sum, out of them (NVIDIA/nccl, src/device/all_reduce.h)."""


@dataclass(frozen=True)
class NvlsLoop:
    """One loop over all channels and heads of a message.

    Parameters
    ----------
    loop_bytes : int
        What all channels take in one loop.
    loops : float
        Loops of the message; a message smaller than one is a loop of its own.
    """

    loop_bytes: int
    loops: float


def nvls_channels(node: NcclNode, version: NcclVersion, *, one_domain: bool) -> int:
    """Channels of NVLS (NVIDIA/nccl, src/transport/nvls.cc, ``NVLS_NCHANNELS``).

    16 on Hopper, 32 on Blackwell, and there 24 from 2.27 on where no other domain takes part. Twice
    as many on Rubin, which NCCL knows since 2.32.
    """
    if node.compute_capability < BLACKWELL:
        return 16
    if node.compute_capability in RUBIN:
        return 48 if one_domain else 64
    return 24 if one_domain and version >= FEWER_CHANNELS_FROM else 32


def nvls_loop(node: NcclNode, version: NcclVersion, message_bytes: int) -> NvlsLoop:
    """The loops of an all-reduce inside one NVLink domain (src/enqueue.cc, ``NCCL_ALGO_NVLS``)."""
    at_once = nvls_channels(node, version, one_domain=True) * min(node.gpus, MOST_HEADS)
    chunk = WHOLE_CHUNK_BYTES
    for chunks, smaller in ((64, 64 * KIB), (8, 32 * KIB), (2, 16 * KIB)):
        if message_bytes < chunks * at_once * chunk and chunk > smaller:
            chunk = smaller
    return _loops(message_bytes, at_once * chunk)


def nvls_tree_loop(
    node: NcclNode, version: NcclVersion, message_bytes: int, domains: int
) -> NvlsLoop:
    """The loops of an all-reduce between NVLink domains (``NCCL_ALGO_NVLS_TREE``)."""
    channels, chunk = _nvls_tree_shape(node, version, domains)
    at_once = channels * min(node.gpus, MOST_HEADS)
    for chunks, smaller in ((16, 128 * KIB), (4, 64 * KIB), (1, 32 * KIB)):
        if message_bytes < chunks * at_once * chunk and chunk > smaller:
            chunk = smaller
    return _loops(message_bytes, at_once * chunk)


def _nvls_tree_shape(node: NcclNode, version: NcclVersion, domains: int) -> tuple[int, int]:
    """Channels between domains, and the bytes of a chunk.

    Blackwell's depend on its NICs from 2.30 on (src/transport/nvls.cc,
    ``ncclNvlsTreeSm100Tuning``).
    """
    channels = nvls_channels(node, version, one_domain=False)
    if node.compute_capability < BLACKWELL or version < BY_NICS_FROM or node.nic_GBps < FAST_NIC:
        return channels, 64 * KIB if domains >= 4 else WHOLE_CHUNK_BYTES
    near, fastest = node.nic_path <= PathType.PXB, node.nic_GBps >= FASTEST_NIC
    if domains == 2:
        if node.gpus <= 4:
            return channels, 256 * KIB
        half = node.gpus >= 16 or (node.gpus <= 8 and near and not fastest)
        return channels, 64 * KIB if half else 128 * KIB
    if fastest:
        if node.gpus <= 8:
            return 24, 256 * KIB
        return channels, 128 * KIB if node.gpus < 32 else 64 * KIB
    return 24, 64 * KIB if near else 128 * KIB


def _loops(message_bytes: int, loop_bytes: int) -> NvlsLoop:
    taken = min(loop_bytes, max(1, message_bytes))
    return NvlsLoop(taken, message_bytes / taken)
