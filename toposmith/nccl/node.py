"""A node as NCCL sees it: the GPUs of one communicator, their links and the NICs beside them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from toposmith.catalog.parts import CpuVendor
from toposmith.nccl.graphs import PathType


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
