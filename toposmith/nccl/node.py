"""A node as NCCL sees it: the GPUs of one communicator, their links and the NICs beside them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

from toposmith.catalog.parts import CpuVendor
from toposmith.collectives import NcclCollective as NcclCollective
from toposmith.text import counted

# The ranks of a communicator, and NCCL's names of algorithms and protocols.

Algorithm = Literal["tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"]
NcclProtocol = Literal["ll", "ll128", "simple"]
Cpu = Literal["intel", "amd", "arm", "mixed"]
Generation = Literal["volta", "ampere", "hopper", "blackwell"]

# NCCL tries them in this order and keeps the first of equals.
ALGORITHMS: tuple[Algorithm, ...] = (
    *("tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"),
)
PROTOCOLS: tuple[NcclProtocol, ...] = ("ll", "ll128", "simple")

# The newest first: the first one a GPU reaches is its own.
_OLDEST_CAPABILITY: tuple[tuple[int, Generation], ...] = (
    *((100, "blackwell"), (90, "hopper"), (80, "ampere")),
)


@dataclass(frozen=True)
class Ranks:
    """The ranks of one communicator, as NCCL's tuner sees them.

    Parameters
    ----------
    ranks, nodes : int
        GPUs that take part, at least 2, and the nodes they sit in.
    compute_capability : int
        The lowest of the GPUs, such as 90 for an H100.
    cpu : str
        Maker of the hosts' CPUs; ``arm`` is every one that is not x86.
    mixed_gpus : bool
        Whether the GPUs differ in compute capability.
    nvswitch : bool
        Whether the nodes have NVSwitches.
    collnet : bool
        Whether the network reduces (SHARP) and NCCL may use it.
    nic_per_rank : bool
        Whether every GPU of a node can have a NIC of its own.
    nic_GBps : float
        Line rate of the slowest NIC that a GPU sends through, GB/s per direction; 0 if there is
        none.
    nic_latency_us : float
        Latency that the NIC's plugin reports, us; 0 for NCCL's own InfiniBand and RoCE transport.

    Raises
    ------
    ValueError
        If no collective can run on so many ranks in so many nodes.
    """

    ranks: int
    nodes: int
    compute_capability: int
    cpu: Cpu
    mixed_gpus: bool = False
    nvswitch: bool = True
    collnet: bool = False
    nic_per_rank: bool = True
    nic_GBps: float = 0.0
    nic_latency_us: float = 0.0

    def __post_init__(self) -> None:
        if self.ranks < 2:
            raise ValueError(f"a collective needs at least 2 ranks, not {self.ranks}")
        if not 1 <= self.nodes <= self.ranks:
            raise ValueError(
                f"{counted(self.ranks, 'rank')} cannot sit in {counted(self.nodes, 'node')}"
            )

    @property
    def per_node(self) -> float:
        """Ranks of one node, on average."""
        return self.ranks / self.nodes

    @property
    def generation(self) -> Generation:
        """Generation of the oldest GPU; everything before Ampere counts as Volta."""
        for oldest, generation in _OLDEST_CAPABILITY:
            if self.compute_capability >= oldest:
                return generation
        return "volta"


# What NCCL's search finds in a node: channels, the speed of each, and how far they reach.

TreePattern = Literal["balanced", "split", "tree"]


class PathType(IntEnum):
    """How two devices of a node reach each other, nearest first (NVIDIA/nccl, graph/topo.h)."""

    LOC = 0
    NVL = 1
    NVB = 2
    C2C = 3
    PIX = 4
    PXB = 5
    P2C = 6
    PXN = 7
    PHB = 8
    SYS = 9
    NET = 10


@dataclass(frozen=True)
class Channels:
    """The channels of one kind of graph.

    Parameters
    ----------
    count : int
        Channels of the search (NCCL runs more at once; see ``tuning``).
    intra_GBps, inter_GBps : float
        What one channel carries inside a node and between nodes, GB/s per direction.
    intra_path, inter_path : PathType
        The farthest way between two GPUs, and between a GPU and its NIC.
    pattern : str
        How a tree hangs on the GPUs next to the NIC; of no meaning for other graphs.
    """

    count: int
    intra_GBps: float
    inter_GBps: float
    intra_path: PathType = PathType.NVL
    inter_path: PathType = PathType.PIX
    pattern: TreePattern = "balanced"


@dataclass(frozen=True)
class NodeGraphs:
    """The graphs of one node, or of a cluster's weakest; None where NCCL finds or allows none."""

    ring: Channels
    tree: Channels | None = None
    nvls: Channels | None = None
    collnet: Channels | None = None


@dataclass(frozen=True)
class NodeLink:
    """A link inside a node: GB/s per direction as NCCL counts it; ``tier`` as in the fabric."""

    a: Hashable
    b: Hashable
    GBps: float
    tier: str


@dataclass(frozen=True)
class NcclNode:
    """One node of a communicator, GB/s per direction as NCCL counts links.

    Parameters
    ----------
    gpus : int
        GPUs of the communicator in this node.
    compute_capability : int
        Of its GPUs.
    cpu : str
        Maker of the CPU, which decides some of NCCL's constants.
    nvlink_GBps : float
        NVLink of one GPU to all others evenly; 0 where there is none, or it is uneven.
    switched : bool
        Whether NVLink goes through NVSwitches.
    pcie_GBps : float
        PCIe link of one GPU.
    own_switch : bool
        Whether every GPU has a PCIe switch to itself.
    nics : int
        NICs of the network that collectives use.
    nic_GBps, slot_GBps : float
        Line rate of one NIC with all its ports, and what its PCIe slot carries.
    nic_path : PathType
        From a NIC to the GPU that is nearest to it.
    summing_share : float
        Share of its NVLinks that leads to NVSwitches which add up what all GPUs send.
    wires : tuple of NodeLink
        The whole inside, for nodes whose channels must be packed link by link.
    """

    gpus: int
    compute_capability: int
    cpu: CpuVendor
    nvlink_GBps: float
    switched: bool
    pcie_GBps: float
    own_switch: bool
    nics: int
    nic_GBps: float
    slot_GBps: float
    nic_path: PathType = PathType.PIX
    summing_share: float = 1.0
    wires: tuple[NodeLink, ...] = ()

    @property
    def even(self) -> bool:
        """Whether NVLink joins all GPUs alike, so that channels need no packing."""
        return self.gpus == 1 or self.nvlink_GBps > 0

    @property
    def has_nvlink(self) -> bool:
        """Whether GPUs of the node are joined by NVLink at all, evenly or not."""
        return self.nvlink_GBps > 0 or any(wire.tier == "nvlink" for wire in self.wires)

    @property
    def pair_GBps(self) -> float:
        """NVLink between two GPUs of an even mesh."""
        return self.nvlink_GBps / (self.gpus - 1)

    @property
    def whole_GBps(self) -> float:
        """The most that one GPU can exchange (``totalBw`` of NCCL's search)."""
        if self.wires:
            return max(self.pcie_GBps, *self._nvlinks().values())
        return max(self.nvlink_GBps if self.gpus > 1 else 0.0, self.pcie_GBps)

    def _nvlinks(self) -> dict[Hashable, float]:
        """NVLink of every GPU, all its links together."""
        sums: dict[Hashable, float] = {"none": 0.0}
        for wire in self.wires:
            if wire.tier == "nvlink":
                for end in (wire.a, wire.b):
                    sums[end] = sums.get(end, 0.0) + wire.GBps
        return sums
