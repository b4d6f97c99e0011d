"""What real runs take beyond NCCL's own estimate: few constants, the same for every system.

NCCL's tuner ranks algorithms; it does not predict times. What its model leaves out was read off
published nccl-tests results once, over all systems together (``bench/measured.py`` prints how well
it does): a start-up time per protocol, and the efficiency of reduction in NVSwitches.
"""

from __future__ import annotations

from toposmith.catalog import Nic
from toposmith.topology.analysis.prediction.textbook import nvls_algbw_GBps as nvls_algbw_limit
from toposmith.topology.nccl.closed_form import MOST_HEADS
from toposmith.topology.nccl.node import NcclNode
from toposmith.topology.nccl.ranks import Protocol

START_US: dict[Protocol, float] = {"ll": 4.0, "ll128": 25.0, "simple": 40.0}
"""Microseconds beyond the tuner's latency: launch, and the first chunks that fill the pipeline.
Least median error over all healthy published curves from 32 KiB on."""

COPY_STEPS = 0.5
"""Steps that a ring or an exchange takes beyond those that cross a link, in steps: its first or
last copy stays inside the GPU and overlaps only half with the others. Seen alike on A100, H200,
B300 and GB300: all-gather over 2, 4 and 8 GPUs of one node reaches some 65, 82 and 90 % of what
NCCL counts on, all-reduce 80, 92 and 96 %."""

FAST_NODE_GBPS = 400.0
FAST_NODE_SHARE = 0.96
"""What a ring through nodes with 3.2 Tb/s of NICs or more reaches of NCCL's own figure for them:
365 of 382 GB/s (4 nodes of 8 H200 and of 8 H100; github.com/stas00/ml-engineering at 744d01e1,
network/README.md). Nodes with 200G NICs reach all of it (NVIDIA/nccl issue 812)."""

NVLS_SHARE = {90: 0.85, 100: 0.74}
"""Share of NVLink that in-switch reduction reaches on Hopper and Blackwell (NVIDIA/nccl, tag
v2.28.9, src/graph/tuning.cc, ``nvlsEfficiency``), used for every release: the hardware is the
same."""

NVLS_TREE_SHARE = 0.92
"""What NVLSTree reaches between two nodes of the narrower of its NICs and its NVSwitches (median
of the published curves where it runs; between more nodes NCCL's own estimate fits)."""

EFA_LATENCY_US = {100: 75.0, 200: 35.0}
"""What AWS's plugin tells NCCL of a network hop, by the Gb/s of its devices (aws/aws-ofi-nccl,
platform data of p4d and p5, and of p5en and later)."""


def nvls_algbw_GBps(node: NcclNode) -> float:
    """All-reduce algbw of one node whose NVSwitches reduce, GB/s.

    Every GPU feeds each reduction and a head stores its part: 1 + 1/G of the data over its NVLink
    with G heads, so that algbw is ``L G / (G + 1)`` of what the links reach. NCCL has 32 heads at
    most (``NCCL_MAX_NVLS_ARITY`` of NVIDIA/nccl, src/include/device.h).
    """
    generation = max((cc for cc in NVLS_SHARE if cc <= node.compute_capability), default=90)
    heads = min(node.gpus, MOST_HEADS)
    return nvls_algbw_limit(heads, node.nvlink_GBps * NVLS_SHARE[generation])


def copied_share(steps: int) -> float:
    """Share of the time of so many steps in which data crosses links."""
    return steps / (steps + COPY_STEPS)


def fast_nodes_share(leaving_GBps: float) -> float:
    """What rings reach through nodes whose NICs carry so much by line rate."""
    return FAST_NODE_SHARE if leaving_GBps >= FAST_NODE_GBPS else 1.0


def network_latency_us(nic: Nic | None, transport: str) -> float:
    """What the network plugin tells NCCL about a hop; 0 for its own InfiniBand and RoCE."""
    if nic is None or transport != "efa":
        return 0.0
    return EFA_LATENCY_US[100 if nic.speed_gbit <= 100 else 200]
