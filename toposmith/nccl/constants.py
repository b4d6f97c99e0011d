"""Rates that NCCL assumes of links, and the channel speeds that its search tries, by release.

Figures are those of NVIDIA/nccl, ``src/graph/topo.h``, ``topo.cc`` and ``search.cc`` of the tags
v2.18.6 to v2.30.7. 2.31 changes only what it counts on between AMD's sockets (24 GB/s of Zen 3 and
4, 32 of Zen 5, where it was 16), which a part says here; 2.32 is taken to leave them. GB/s of one
direction.
"""

from __future__ import annotations

from toposmith.nccl.nccl_version import NcclVersion

PCIE_X16_GBPS = {1: 3.0, 2: 6.0, 3: 12.0, 4: 24.0, 5: 48.0, 6: 96.0}
"""GB/s that NCCL assumes per x16 slot and direction (topo.cc: lanes x rate / 80)."""

NETWORK_SHARE = 0.96
"""Share of a network port's line rate that NCCL reaches: 12 GB/s per 100 Gb/s (NVIDIA/nccl-tests
issue 119: "24 GB/s is the peak per 200G NIC, 12 GB/s for 100G")."""

THROUGH_CPU_SHARE = 16 / 24
"""What is left of a NIC's rate without GPUDirect, which NCCL leaves off where the way from the GPU
leads through the CPU (NVIDIA/nccl issue 412: 16 GB/s is normal there for a 200G NIC)."""

_NVLINK_GBPS = {60: 18.0, 70: 20.0, 80: 20.0, 86: 12.0, 90: 20.6, 100: 40.1}

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


WITHOUT_CAPABILITY = 0
"""Code for GPUs without a CUDA compute capability: AMD's, driven by RCCL, a fork of NCCL."""

_RCCL_FASTEST = 48
"""RCCL runs a channel at the rate of one xGMI link of an MI300X, which it assumes to be 48 GB/s
(ROCm/rccl, src/graph/topo.h, GFX94X_XGMI_WIDTH)."""


def nvlink_GBps(compute_capability: int, version: NcclVersion) -> float:
    """GB/s that NCCL assumes per NVLink and direction (topo.h)."""
    generation = max((cc for cc in _NVLINK_GBPS if cc <= compute_capability), default=60)
    if generation == 90 and version < (2, 20):
        return 20.0
    if generation == 100 and version < (2, 27, 5):
        return 40.0
    return _NVLINK_GBPS[generation]


def speeds(compute_capability: int, version: NcclVersion, *, one_node: bool) -> tuple[float, ...]:
    """Speeds in GB/s that the search tries for a channel, fastest first (search.cc)."""
    table = _ONE_NODE if one_node else _BETWEEN_NODES
    blackwell = compute_capability >= 100 and version >= (2, 25)
    generation = 100 if blackwell else 90 if compute_capability >= 90 else 80
    tried = table[generation]
    if compute_capability == WITHOUT_CAPABILITY and one_node:
        tried = (_RCCL_FASTEST, *tried)
    unknown_yet = _UNKNOWN_YET[one_node, generation]
    return tuple(s for s in tried if s not in unknown_yet or version >= unknown_yet[s])


_UNKNOWN_YET: dict[tuple[bool, int], dict[float, tuple[int, int]]] = {
    (True, 80): {},
    (False, 80): {},
    (True, 90): {50: (2, 19), 11: (2, 21)},
    (False, 90): {22: (2, 19)},
    (True, 100): {45: (2, 30), 18: (2, 27)},
    (False, 100): {96: (2, 27), 86: (2, 30), 80: (2, 30), 45.1: (2, 27)},
}
"""The release that brought a speed, where it came later than its array."""


def most_channels(version: NcclVersion) -> int:
    """Channels that NCCL runs at most (MAXCHANNELS, device.h)."""
    return 64 if version >= (2, 25) else 32
