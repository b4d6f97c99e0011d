"""What NCCL's search finds in a node: channels, the speed of each, and how far they reach."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

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
