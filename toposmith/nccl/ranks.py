"""The ranks of a communicator, and NCCL's names of algorithms and protocols."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from toposmith.collectives import NcclCollective as NcclCollective
from toposmith.text import counted

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
