"""NCCL's channel search link by link, for nodes whose GPUs are not joined evenly.

A depth-first packing after ``src/graph/search.cc`` of NVIDIA/nccl: at each speed of the array as
many channels as fit are taken out of the links' capacities, nearest GPU first; the product of
count and speed decides. The search of a node ends after so many steps, as NCCL's own does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise

from toposmith.nccl.closed_form import NOT_WORTH_TRYING, duplicated, even_nvls, even_ring, even_tree
from toposmith.nccl.constants import most_channels, speeds
from toposmith.nccl.nccl_version import NcclVersion
from toposmith.nccl.node import Channels, NcclNode, NodeGraphs, NodeLink, PathType

STEPS = 600
"""Vertices that the packing at one speed visits before it keeps what it has."""

INTEL_THROUGH_CPU = 6 / 5
"""What a path through an Intel CPU takes of its PCIe links (topo.h, INTEL_P2P_OVERHEAD)."""

_Arc = tuple[Hashable, Hashable]
_Taken = tuple[int, float]
"""An arc by its number, and what was taken of it, GB/s."""


@dataclass(frozen=True)
class _Way:
    """How one device reaches another: the arcs, their narrowest rate, and the class of path."""

    arcs: tuple[_Arc, ...]
    GBps: float
    path: PathType

    @property
    def ends(self) -> _Arc:
        """The devices at its ends."""
        return self.arcs[0][0], self.arcs[-1][1]


@lru_cache(maxsize=256)
def packed_ring(node: NcclNode, version: NcclVersion, *, one_node: bool) -> Channels | None:
    """The ring channels of a node with uneven links, or None where there is no ring."""
    ways = _ways(node.wires)
    ends = {end for wire in node.wires for end in (wire.a, wire.b)}
    gpus = sorted((end for end in ends if _is(end, "gpu")), key=repr)
    nics = sorted((end for end in ends if _is(end, "slot")), key=repr)
    if len(gpus) < 2 or not (one_node or nics):
        return None
    fastest, slowest = _range(ways, gpus, nics, one_node=one_node)
    tried = [s for s in speeds(node.compute_capability, version, one_node=one_node) if s <= fastest]
    best: tuple[Sequence[tuple[Hashable, ...]], float] = ((), 0.0)
    # the narrowest way last: NCCL's fallback of 0.1 GB/s is no figure of the hardware
    for speed in (*tried, slowest):
        if not speed:
            break
        found = _Packing(node, ways, gpus, () if one_node else nics, speed, version).best()
        if len(found) * speed > len(best[0]) * best[1]:
            best = (found, speed)
        if best[0] and (
            len(best[0]) * best[1] >= node.whole_GBps or speed / best[1] <= NOT_WORTH_TRYING
        ):
            break
    channels, speed = best
    if not channels:
        return None
    hops = [(a, b) for channel in channels for a, b in _hops(channel, closed=one_node)]
    inside = [ways[hop].path for hop in hops if _is(hop[0], "gpu") and _is(hop[1], "gpu")]
    between = [ways[hop].path for hop in hops if _is(hop[0], "slot") or _is(hop[1], "slot")]
    count, speed = duplicated(len(channels), speed, node, version)
    return Channels(
        count, speed, speed, max(inside), max(between, default=node.nic_path), pattern="balanced"
    )


def _is(vertex: Hashable, kind: str) -> bool:
    return isinstance(vertex, tuple) and vertex[0] == kind


def _hops(channel: Sequence[Hashable], *, closed: bool) -> Iterator[_Arc]:
    yield from pairwise(channel)
    if closed:
        yield channel[-1], channel[0]


def _range(
    ways: Mapping[_Arc, _Way],
    gpus: Sequence[Hashable],
    nics: Sequence[Hashable],
    *,
    one_node: bool,
) -> tuple[float, float]:
    """The best single path, from which the search starts, and the narrowest of all."""
    targets = gpus if one_node else nics
    rates = [ways[a, b].GBps for a in gpus for b in targets if a != b and (a, b) in ways]
    everywhere = [ways[a, b].GBps for a in gpus for b in (*gpus, *nics) if (a, b) in ways]
    return max(rates, default=0.0), min(everywhere, default=0.0)


def _ways(wires: tuple[NodeLink, ...]) -> dict[_Arc, _Way]:
    """The shortest way between every two GPUs or NICs; a GPU passes nothing on, nor does a NIC."""
    near: dict[Hashable, list[tuple[Hashable, float, str]]] = defaultdict(list)
    for wire in wires:
        near[wire.a].append((wire.b, wire.GBps, wire.tier))
        near[wire.b].append((wire.a, wire.GBps, wire.tier))
    ways: dict[_Arc, _Way] = {}
    for start in [v for v in near if _is(v, "gpu") or _is(v, "slot")]:
        for end, way in _from(start, near).items():
            ways[start, end] = way
    return ways


def _from(
    start: Hashable, near: Mapping[Hashable, list[tuple[Hashable, float, str]]]
) -> dict[Hashable, _Way]:
    best: dict[Hashable, tuple[int, float, tuple[_Arc, ...], tuple[str, ...]]] = {
        start: (0, float("inf"), (), ())
    }
    front = [start]
    while front:
        following: list[Hashable] = []
        for vertex in front:
            if vertex != start and (_is(vertex, "gpu") or _is(vertex, "slot")):
                continue
            hops, rate, arcs, tiers = best[vertex]
            for peer, GBps, tier in near[vertex]:
                found = (hops + 1, min(rate, GBps), (*arcs, (vertex, peer)), (*tiers, tier))
                known = best.get(peer)
                if known is None:
                    following.append(peer)
                if known is None or (found[0] == known[0] and found[1] > known[1]):
                    best[peer] = found
        front = following
    ends = {v: found for v, found in best.items() if v != start}
    return {
        end: _Way(arcs, rate, _path(arcs, tiers))
        for end, (_, rate, arcs, tiers) in ends.items()
        if _is(end, "gpu") or _is(end, "slot")
    }


def _path(arcs: tuple[_Arc, ...], tiers: tuple[str, ...]) -> PathType:
    if all(tier == "nvlink" for tier in tiers):
        return PathType.NVL
    if "socket" in tiers:
        return PathType.SYS
    if any(_is(vertex, "cpu") for arc in arcs for vertex in arc):
        return PathType.PHB
    return PathType.PIX


@dataclass
class _Packing:
    """Channels of one speed taken out of the links; the most that any branch found is kept."""

    node: NcclNode
    ways: Mapping[_Arc, _Way]
    gpus: Sequence[Hashable]
    nics: Sequence[Hashable]
    speed: float
    version: NcclVersion
    steps: int = STEPS
    room: list[float] = field(default_factory=list[float])
    """GB/s that are left, by the number of the arc."""
    number: dict[_Arc, int] = field(default_factory=dict[_Arc, int])
    chosen: list[tuple[Hashable, ...]] = field(default_factory=list[tuple[Hashable, ...]])
    kept: list[tuple[Hashable, ...]] = field(default_factory=list[tuple[Hashable, ...]])

    def best(self) -> list[tuple[Hashable, ...]]:
        """The channels, each as the devices it visits."""
        for wire in self.node.wires:
            self._widen((wire.a, wire.b), wire.GBps)
            self._widen((wire.b, wire.a), wire.GBps)
        for nic in self.nics:
            # one end of the fabric cable, in both directions
            self._widen((nic, "net"), self.node.nic_GBps)
            self._widen(("net", nic), self.node.nic_GBps)
        self._more()
        return self.kept

    def _widen(self, arc: _Arc, GBps: float) -> None:
        if arc not in self.number:
            self.number[arc] = len(self.room)
            self.room.append(0.0)
        self.room[self.number[arc]] += GBps

    @cached_property
    def _costs(self) -> dict[_Arc, tuple[tuple[int, float], ...]]:
        """What a channel takes of each arc on a hop, by the number of the arc."""
        costs = {
            hop: tuple((self.number[arc], self._cost(arc, way)) for arc in way.arcs)
            for hop, way in self.ways.items()
        }
        of_cables = [arc for arc in self.number if "net" in arc]
        return costs | {arc: ((self.number[arc], self.speed),) for arc in of_cables}

    @cached_property
    def _hangs_on(self) -> dict[Hashable, list[tuple[Hashable, int, int]]]:
        """The devices that each GPU is wired to, with the numbers of the arcs there and back."""
        found: dict[Hashable, list[tuple[Hashable, int, int]]] = defaultdict(list)
        for wire in self.node.wires:
            there, back = self.number[wire.a, wire.b], self.number[wire.b, wire.a]
            found[wire.a].append((wire.b, there, back))
            found[wire.b].append((wire.a, back, there))
        return found

    @cached_property
    def _order(self) -> dict[Hashable, int]:
        """The places of GPUs in the order of their names."""
        return {gpu: at for at, gpu in enumerate(sorted(self.gpus, key=repr))}

    def _more(self) -> bool:
        """Add channels until nothing fits; True to stop everything."""
        if len(self.chosen) > len(self.kept):
            self.kept = list(self.chosen)
        most = most_channels(self.version) // 2
        if len(self.kept) >= most or len(self.kept) * self.speed >= self.node.whole_GBps:
            return True
        if self.chosen:
            last = self.chosen[-1]
            if self._again(last) or self._again(last[::-1]):
                return True
        starts: Sequence[Hashable] = self.nics or self.gpus[:1]
        return any(self._onward([start], self.gpus) for start in starts)

    def _again(self, channel: tuple[Hashable, ...]) -> bool:
        """Repeat a channel, or its reverse, which is what the search tries first."""
        taken: list[_Taken] = []
        hops = list(_hops(channel, closed=not self.nics))
        if self.nics:
            hops = [("net", channel[0]), *hops, (channel[-1], "net")]
        for hop in hops:
            if not self._take(hop, taken):
                break
        else:
            self.chosen.append(channel)
            if self._more():
                return True
            self.chosen.pop()
        self._give(taken)
        return False

    def _onward(self, visited: list[Hashable], left: Sequence[Hashable]) -> bool:
        """Extend a channel to the nearest GPU that has room, and try the others after it."""
        self.steps -= 1
        if self.steps < 0:
            return True
        if not left:
            return self._close(visited)
        here = visited[-1]
        entering: list[_Taken] = []
        if _is(here, "slot") and len(visited) == 1 and not self._take(("net", here), entering):
            return False
        if _is(here, "gpu") and len(visited) == 1:
            left = [gpu for gpu in left if gpu != here]
        tried: set[tuple[object, ...]] = set()
        for gpu in sorted(left, key=lambda gpu: self._nearness(here, gpu)):
            alike = self._wiring(gpu)
            if alike in tried:
                continue
            tried.add(alike)
            taken: list[_Taken] = []
            if self._take((here, gpu), taken) and self._onward(
                [*visited, gpu], [other for other in left if other != gpu]
            ):
                return True
            self._give(taken)
        self._give(entering)
        return False

    def _close(self, visited: list[Hashable]) -> bool:
        """Leave by a NIC (the one of entry first), or return to the first GPU."""
        first, last = visited[0], visited[-1]
        ends: Sequence[Hashable] = [first]
        if self.nics:
            ends = [first, *(nic for nic in self.nics if nic != first)]
        for end in ends:
            taken: list[_Taken] = []
            if self._take((last, end), taken) and (
                not self.nics or self._take((end, "net"), taken)
            ):
                channel = (*visited, end) if self.nics else tuple(visited)
                self.chosen.append(channel)
                if self._more():
                    return True
                self.chosen.pop()
            self._give(taken)
        return False

    def _wiring(self, gpu: Hashable) -> tuple[object, ...]:
        """What a GPU hangs on and how much room is left there: equal for interchangeable GPUs."""
        room = self.room
        return tuple([(peer, room[to], room[back]) for peer, to, back in self._hangs_on[gpu]])

    def _nearness(self, here: Hashable, gpu: Hashable) -> tuple[float, float, int]:
        way, room = self.ways.get((here, gpu)), self.room
        if way is None:
            return (float("inf"), 0.0, self._order[gpu])
        left = min([room[arc] for arc, _ in self._costs[here, gpu]])
        return (way.path, -left, self._order[gpu])

    def _take(self, hop: _Arc, taken: list[_Taken]) -> bool:
        """Take a hop's speed out of the links on its way; False where one has too little left."""
        costs, room = self._costs.get(hop, ()), self.room
        if not costs:
            return False
        for arc, cost in costs:
            if room[arc] < cost:
                return False
        for arc, cost in costs:
            room[arc] -= cost
        taken += costs
        return True

    def _cost(self, arc: _Arc, way: _Way) -> float:
        over_root = way.path == PathType.PHB and all(_is(end, "gpu") for end in way.ends)
        if over_root and self.node.cpu == "intel" and not all(_is(v, "cpu") for v in arc):
            return self.speed * INTEL_THROUGH_CPU
        return self.speed

    def _give(self, taken: list[_Taken]) -> None:
        """Put back what a branch of the search had taken."""
        while taken:
            arc, cost = taken.pop()
            self.room[arc] += cost


# The graphs of a communicator: each node's own, and the weakest of all, which holds for all.


@lru_cache(maxsize=512)
def node_graphs(node: NcclNode, version: NcclVersion, *, one_node: bool) -> NodeGraphs | None:
    """The ring, tree and NVLS channels that NCCL's search finds in a node.

    Parameters
    ----------
    node : NcclNode
        The node, with the GPUs of the communicator.
    version : NcclVersion
        Whose search.
    one_node : bool
        Whether the communicator is this one node; NICs are then left out.

    Returns
    -------
    NodeGraphs or None
        None for a node that cannot be left, or a GPU alone.
    """
    if not node.even:
        ring = packed_ring(node, version, one_node=one_node)
        # without NVLink a chain is both: the tree runs on the ring's channels
        return None if ring is None else NodeGraphs(ring, ring)
    ring = even_ring(node, version, one_node=one_node)
    if ring is None:
        return None
    tree = even_tree(node, ring, version, one_node=one_node)
    return NodeGraphs(ring, tree, even_nvls(node, version, one_node=one_node))


def weakest(graphs: Sequence[NodeGraphs]) -> NodeGraphs:
    """The graphs that hold for a cluster of unlike nodes.

    NCCL takes the fewest channels, the slowest speeds and the longest paths of all ranks
    (NVIDIA/nccl, src/init.cc), so that one weak node holds all others.
    """
    first, *others = graphs
    for other in others:
        first = NodeGraphs(
            _lesser(first.ring, other.ring),
            first.tree and other.tree and _lesser(first.tree, other.tree),
            first.nvls and other.nvls and _lesser(first.nvls, other.nvls),
            first.collnet and other.collnet and _lesser(first.collnet, other.collnet),
        )
    return first


def _lesser(a: Channels, b: Channels) -> Channels:
    return replace(
        a,
        count=min(a.count, b.count),
        intra_GBps=min(a.intra_GBps, b.intra_GBps),
        inter_GBps=min(a.inter_GBps, b.inter_GBps),
        intra_path=max(a.intra_path, b.intra_path),
        inter_path=max(a.inter_path, b.inter_path),
        pattern="tree" if "tree" in (a.pattern, b.pattern) else a.pattern,
    )
