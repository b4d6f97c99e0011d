"""Constants of real runs beyond NCCL's own estimate: few, and the same for every system.

NCCL's tuner ranks algorithms; it does not predict times. What its model leaves out was fitted to
published nccl-tests results once, over all systems together: a start-up time per protocol, the
efficiency of reduction in NVSwitches, and few more. ``python -m bench.measured`` prints the errors
in sample, ``python -m bench.measured.left_out`` those of each system by constants refitted without
it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from toposmith.analysis.prediction.ways import PCIE_SHARE
from toposmith.analysis.traffic.trees import busiest_node
from toposmith.catalog import Nic
from toposmith.nccl.closed_form import MOST_HEADS
from toposmith.nccl.nccl_version import NcclVersion
from toposmith.nccl.node import NcclNode, NcclProtocol, PathType
from toposmith.nccl.nvls_loops import STAGES, NvlsLoop, nvls_loop, nvls_tree_loop

BYTES_PER_US = 1000
"""1 GB/s is 1000 bytes in a microsecond."""

START_US: dict[NcclProtocol, float] = {"ll": 4.0, "ll128": 25.0, "simple": 40.0}
"""Microseconds beyond the tuner's latency: launch, and the first chunks that fill the pipeline.
Least median error over all healthy published curves from 32 KiB on; between so many ranks as most
of these have, and more."""

START_RANKS = 8
"""Ranks from which on the whole start-up is there; two and four take their part of it, LL's inside
a node only. Rings and exchanges alike, all-gather as all-reduce: by Simple some 9, 15 and 33 us
with 2, 4 and 8 GPUs of B300 and 20, 27 and 54 of A100, by LL some 2, 4 and 7 (the curves of these
two in NVIDIA's ai-dynamo/aiconfigurator; nothing was taken from those of H200, GB300 and RTX PRO
6000)."""

TREE_SHARE = 0.92
LL128_SHARE = 120 / 128
"""What a tree reaches of a network, and LL128's data in its lines (NVIDIA/nccl, tag v2.27.7-1,
src/graph/tuning.cc). Two nodes with a GPU each send each other all of their data once, up one half
of the double tree and down the other, with no GPU in between: algbw is that share of the NICs,
where NCCL's estimate, made for GPUs that pass on what comes up and what goes down, halves it."""

COPY_STEPS = 0.5
"""Steps that a ring or an exchange takes beyond those that cross a link, in steps: its first or
last copy stays inside the GPU and overlaps only half with the others. Seen alike on A100, H200,
B300 and GB300: all-gather over 2, 4 and 8 GPUs of one node reaches some 65, 82 and 90 % of what
NCCL counts on, all-reduce 80, 92 and 96 %."""

ONE_PEER_GBPS = 345.0
"""What a GPU sends to one other of its node, however many NVLinks it has: NCCL gives a peer so many
channels, and each so many threads. All-to-alls of two B300 reach 341 of 722 GB/s; those of two
GB300, which nothing was taken from, 350. Several peers are sent to side by side."""

FEW_GPUS = 2
FEW_GPUS_REACHED = (0.71, 0.94)
"""What a ring through nodes with one or two GPUs of it each reached of its NICs in public runs. So
few channels and steps leave no room to copy while data travels; what one channel carries of which
NIC is not public. All-gathers: 0.76 of 48 GB/s (out of place) and 0.94 (in place) with one GPU of
each of two A4 nodes, 0.71 with two, and 0.79 of 24 on a pair of DGX Spark."""

FEW_GPUS_SHARE = sum(FEW_GPUS_REACHED) / 2
"""The middle of that range, which the figure is labelled with."""

THROUGH_ROOT_SHARE = 0.45
"""What each of more than two GPUs exchanges with the next through the root complex of CPUs other
than AMD's, of the raw rate of its PCIe link; two have it to themselves. From open curves of rings,
copies apart: 25 to 29 of 63 GB/s on generation 5 with 4 and 8 GPUs, 48 with 2 (RTX PRO 6000), and
7.8 of 15.75 on generation 3 with 4 (V100 without usable NVLink); four A100 beside AMD's reach 25.9
of 31.5. NCCL, too, charges Intel's root complexes more (NVIDIA/nccl, src/graph/topo.h)."""

FAST_NODE_GBPS = 400.0
FAST_NODE_SHARE = 0.96
"""What a ring through nodes with 3.2 Tb/s of NICs or more reaches of NCCL's own figure for them:
365 of 382 GB/s (4 nodes of 8 H200 and of 8 H100; github.com/stas00/ml-engineering at 744d01e1,
network/README.md). Nodes with 200G NICs reach all of it (NVIDIA/nccl issue 812)."""

NVLS_SHARE = 0.85
"""Share of NVLink that in-switch reduction reaches while a loop runs: what NCCL's own tuner has for
Hopper (NVIDIA/nccl, tag v2.28.9, src/graph/tuning.cc, ``nvlsEfficiency``), used for every release.
Its 0.74 for Blackwell is this and what loops wait for each other."""

NVLS_LOOP_US = {90: 1.0, 100: 6.0}
"""What every loop of NVLS (``toposmith/nccl/nvls_loops.py``) takes beside its bytes, on Hopper and
Blackwell: loops of 8 MiB take 30.5 us on H200 and of 12 MiB 29.2 on B300, of which their bytes take
30.0 and 23.1 (128 and 512 MiB of these two in NVIDIA's ai-dynamo/aiconfigurator)."""

WIDE_DOMAIN = 8
WIDE_SHARE = 0.84
WIDE_FILL_LOOPS = 4.7
"""What an NVLink domain with more GPUs than that reaches of it, and the loops until its pipeline is
full: 64 GB300 of a rack from 512 MiB on (oracle-quickstart/oci-gpu-quickstarts). Nothing was taken
from the 72 GB200 of CoreWeave's rack, nor from runs over several racks. Between 9 and 63 GPUs
nothing is published."""

NVLS_FROM = 90
"""Compute capability of the first GPUs whose NVSwitches reduce: Hopper."""

SHARP_SHARE = 0.86
"""What reduction in the switches of the network reaches of the sum of a node's NICs: 82.5 of 96
GB/s of algbw (four nodes of 8 A100 with four 200 Gb/s NICs, NCCL 2.16, February 2023; with NCCL
2.12 it was 59.7; github.com/coreweave/nccl-tests at 703d6eb1, README.md). NCCL's maintainers count
on some 20 GB/s for each such NIC, 80 with four (NVIDIA/nccl issue 320)."""

SHARP_INSIDE_SHARE = 0.8
"""What NVLink without reduction in NVSwitches, before Hopper, reaches of its rate then: some 110 of
137 GB/s of algbw with eight A100 and as many NICs, by the same maintainers (issue 320)."""

NVLS_TREE_START_US = 15.0
NVLS_TREE_STEP_US = 12.0
NVLS_TREE_LONGEST_FILL_US = 190.0
"""What NVLSTree takes to start, and until its pipeline is full. Pieces of a message follow each
other over NVSwitch, NICs and NVSwitch; where each costs a step, the best number of them adds
``2 sqrt(step x transfer)`` to the transfer (Sanders, Speck and Traeff, "Two-tree algorithms for
full bandwidth broadcast, reduction and scan", Parallel Computing 35, 2009), until NCCL's pieces are
as large as they get. From the open curves of two pairs of H100 nodes from 1 MiB to 1 GiB; nothing
was fitted to those of four nodes, of B200 and of H20, but the form was chosen with them in view."""

NVLS_TREE_SHARE = 0.92
"""What NVLSTree reaches between two nodes of the narrower of its NICs and its NVSwitches (median
of the published curves where it runs; between more nodes NCCL's own estimate fits). Between racks
it is that of what NVLS reaches in each, over the times that the two trees pass a rack's data on
(``busiest_node``): no constant was taken from two racks (743 to 820 GB/s at 4 to 16 GiB, 5 % below
it) nor from the one public run over more, twenty racks (344 to 406 GB/s there, 2 to 5 % below;
github.com/coreweave/nccl-tests), but that trees hold racks was seen on it."""

EFA_GPUDIRECT_FROM = 80
"""Compute capability of the first GPUs whose memory EFA reaches: A100, with the P4d instances of
November 2020 (aws.amazon.com/ec2/instance-types/p4). Before, data go through the CPU's memory."""

EFA_LATENCY_US = {100: 75.0, 200: 35.0}
"""What AWS's plugin reports to NCCL of a network hop, by the Gb/s of its devices (aws/aws-ofi-nccl,
platform data of p4d and p5, and of p5en and later). By it NCCL chooses; a hop does not take it."""

EFA_HOP_US = {100: 28.0, 200: 14.0}
EFA_STAGED_HOP_US = 12.0
"""What a crossing over EFA takes beyond one over InfiniBand, by the Gb/s of its devices; and where
data go through the CPU's memory. From the smallest messages of open all-reduces: (175 - 73) / 4 =
25 (rings of two p4d.24xlarge, LL), (164 - 39) / 4 = 31 (trees of four, LL), (167 - 59) / 8 = 14
(sixteen p5en.48xlarge, LL); (70.2 - 46.4) / 2 = 12 (g4dn.8xlarge, Simple)."""

TCP_HOP_US = 22.0
"""The same over TCP sockets: (106 - 46.4) / 2 = 30 (g4dn.8xlarge, Simple), (52 - 24.4) / 2 = 14
(CSCS Alps without its OFI plugin, LL)."""


def start_us(protocol: NcclProtocol, ranks: int, *, in_a_node: bool) -> float:
    """Start-up time of a ring, a tree or an exchange beyond the tuner's latency, us."""
    if protocol == "ll" and not in_a_node:
        return START_US[protocol]
    return START_US[protocol] * min(ranks, START_RANKS) / START_RANKS


def lone_tree_algbw_GBps(protocol: NcclProtocol, leaving_GBps: float) -> float:
    """All-reduce algbw of a tree between two nodes with one GPU each, GB/s."""
    return TREE_SHARE * leaving_GBps * (LL128_SHARE if protocol == "ll128" else 1)


def sharp_algbw_GBps(nodes: Iterable[NcclNode], leaving_GBps: float) -> float:
    """All-reduce algbw where the network's switches reduce, GB/s.

    Each byte leaves a node once and returns reduced; inside, a GPU sends all but its own part to
    the others and receives as much, ``2 (G - 1) / G`` of the data over its NVLink.
    """
    inside = [
        (SHARP_INSIDE_SHARE if node.compute_capability < NVLS_FROM else 1)
        * node.nvlink_GBps
        * node.gpus
        / (2 * (node.gpus - 1))
        for node in nodes
        if node.gpus > 1 and node.nvlink_GBps
    ]
    return min([SHARP_SHARE * leaving_GBps, *inside])


def nvls_tree_fill_us(transfer_us: float) -> float:
    """Pipeline fill time of NVLSTree beyond latency and transfer, us."""
    return min(2 * math.sqrt(NVLS_TREE_STEP_US * transfer_us), NVLS_TREE_LONGEST_FILL_US)


@dataclass(frozen=True)
class Pace:
    """The rate and fill time of a pipeline.

    Parameters
    ----------
    algbw_GBps : float
        Rate once it is full.
    fill_us : float
        Time until it is full, microseconds.
    """

    algbw_GBps: float
    fill_us: float


def nvls_pace(node: NcclNode, version: NcclVersion, message_bytes: int) -> Pace:
    """The pace of an all-reduce that the NVSwitches of one NVLink domain sum (NVLS)."""
    loop = nvls_loop(node, version, message_bytes)
    loop_us = _nvls_loop_us(node, loop)
    fill: float = STAGES - 1
    if node.gpus > WIDE_DOMAIN:
        fill = max(fill, min(WIDE_FILL_LOOPS, loop.loops))
    return Pace(loop.loop_bytes / (BYTES_PER_US * loop_us), fill * loop_us)


def nvls_tree_pace(node: NcclNode, version: NcclVersion, message_bytes: int, domains: int) -> Pace:
    """The pace of an all-reduce that the NVSwitches of several racks sum; trees join their heads.

    Up and down each level of the tree is a stage of the pipeline. A loop lasts as often as the
    busiest rack has to pass its data on: once of two racks, 1.5 times of three, twice of more.
    Before 2.30 chunks are halved from four racks on, which fills the pipeline sooner; no run shows
    that four racks gain by it over three, and none is predicted to.
    """
    paces = [_tree_pace(node, version, message_bytes, domains)]
    if domains > _LAST_WITH_WHOLE_CHUNKS:
        paces.append(_tree_pace(node, version, message_bytes, _LAST_WITH_WHOLE_CHUNKS))
    return max(paces, key=lambda one: one.fill_us + message_bytes / one.algbw_GBps / BYTES_PER_US)


_LAST_WITH_WHOLE_CHUNKS = 3


def _tree_pace(node: NcclNode, version: NcclVersion, message_bytes: int, domains: int) -> Pace:
    loop = nvls_tree_loop(node, version, message_bytes, domains)
    loop_us = _nvls_loop_us(node, loop) * busiest_node(domains) / NVLS_TREE_SHARE
    levels = (domains - 1).bit_length()
    return Pace(loop.loop_bytes / (BYTES_PER_US * loop_us), (STAGES - 1 + 2 * levels) * loop_us)


def _nvls_loop_us(node: NcclNode, loop: NvlsLoop) -> float:
    """Time of one loop, microseconds.

    Every GPU feeds each reduction and a head stores its part: 1 + 1/G of the data over its NVLink
    with G heads, so that algbw is at most ``L G / (G + 1)`` of what the links reach (NVIDIA/nccl,
    src/graph/search.cc, counts the head twice).
    """
    generation = max((cc for cc in NVLS_LOOP_US if cc <= node.compute_capability), default=90)
    summing = node.nvlink_GBps * node.summing_share
    heads = min(node.gpus, MOST_HEADS)
    most = summing * NVLS_SHARE * heads / (heads + 1)
    whole = loop.loop_bytes / (BYTES_PER_US * most) + NVLS_LOOP_US[generation]
    return whole / (WIDE_SHARE if node.gpus > WIDE_DOMAIN else 1)


def through_pcie_GBps(node: NcclNode, path: PathType) -> float:
    """GB/s that a GPU exchanges with the next over PCIe; less where the path crosses the CPU."""
    if path < PathType.PHB or node.gpus <= 2 or node.cpu == "amd":
        return node.pcie_GBps
    return min(node.pcie_GBps, THROUGH_ROOT_SHARE / PCIE_SHARE * node.pcie_GBps)


def copied_share(steps: int) -> float:
    """Share of the time of these steps in which data crosses links."""
    return steps / (steps + COPY_STEPS)


def fast_nodes_share(leaving_GBps: float) -> float:
    """Efficiency of rings through nodes, by the line rate of a node's NICs, GB/s."""
    return FAST_NODE_SHARE if leaving_GBps >= FAST_NODE_GBPS else 1.0


def network_latency_us(nic: Nic | None, transport: str) -> float:
    """Latency of a hop that the network plugin reports to NCCL, us; 0 for InfiniBand and RoCE."""
    if nic is None or transport != "efa":
        return 0.0
    return EFA_LATENCY_US[100 if nic.speed_gbit <= 100 else 200]


def wire_latency_us(nic: Nic, transport: str, *, gpudirect: bool = True) -> float:
    """Latency of a crossing beyond one over InfiniBand or RoCE, us."""
    if transport == "tcp":
        return TCP_HOP_US
    if transport == "efa" and not gpudirect:
        return EFA_STAGED_HOP_US
    if transport == "efa":
        return EFA_HOP_US[100 if nic.speed_gbit <= 100 else 200]
    return 0.0
