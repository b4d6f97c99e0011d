"""The groups that run a collective at once, and where their ranks sit in the nodes.

Ranks fill node after node, in the order that the placement gives. All groups of the chosen kind
run at the same time, so that they share NICs and uplinks where they meet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from random import Random
from typing import Any

from toposmith.analysis.jobs.parallel_layout import (
    PLACEMENTS,
    WORLD,
    Layout,
    RankPlacement,
    parse_layout,
)
from toposmith.analysis.jobs.world import NodeBlock, World
from toposmith.fabric.nvlink_domains import outside
from toposmith.findings.codes.code import Fact
from toposmith.findings.finding import Finding, at_block, found


@dataclass(frozen=True)
class Job:
    """A job: its parallel layout, the kind of group that communicates, and the rank placement.

    Parameters
    ----------
    layout : Layout
        Sizes of the parallel dimensions; the world without any.
    kind : str
        ``tp``, ``pp``, ``dp``, ``ep``, ``cp`` or ``world``; empty for the layout's usual one.
    placement : str
        ``packed``: node after node, as the document has them; ``striped``: one node of every pod
        in turn; ``scattered``: in random order, as on a fragmented cluster.
    seed : int
        Seed of the scattered order.
    """

    layout: Layout = field(default_factory=Layout)
    kind: str = ""
    placement: RankPlacement = "packed"
    seed: int = 0

    def group_for(self, collective: str) -> str:
        """The kind of group that runs a collective."""
        return self.kind or self.layout.usual_kind(collective)


def job_of(block: Mapping[str, Any] | None) -> Job:
    """Read the ``communicator:`` block of a design: layout, group, placement and seed.

    Raises
    ------
    ValueError
        Names the wrong key, what was found and what is accepted.
    """
    given = dict(block or {})
    for key in given:
        if key not in _KEYS:
            raise ValueError(f"communicator: unknown key {key!r}; known are {', '.join(_KEYS)}")
    placement = given.get("placement", "packed")
    if placement not in PLACEMENTS:
        raise ValueError(
            f"communicator: placement {placement!r} is not one of {', '.join(PLACEMENTS)}"
        )
    seed = given.get("seed", 0)
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise ValueError(f"communicator: seed {seed!r} is not a whole number")
    layout = parse_layout(str(given.get("layout", "")))
    group = str(given.get("group", ""))
    if group not in ("", WORLD, *(kind for kind, _ in layout.sizes)):
        raise ValueError(f"communicator: the layout {layout} has no group {group!r}")
    return Job(layout, group, placement, seed)


_KEYS = ("layout", "group", "placement", "seed")


@dataclass(frozen=True)
class Groups:
    """All communicators of one kind.

    Parameters
    ----------
    kind : str
        The parallel dimension that they serve.
    size : int
        Ranks of one group.
    concurrent : int
        Groups in the cluster, all running at once.
    members : int
        Ranks that one group has in each of its nodes; 0 where nodes differ (the world).
    sharing : int
        Groups that have ranks in one node.
    nodes : int
        Nodes of one group, as NCCL counts them: an NVLink domain of many nodes is one.
    stride : int
        Distance in such nodes between neighbours of one group.
    gpu_stride : int
        Distance in GPUs between neighbours inside a node.
    """

    kind: str
    size: int
    concurrent: int
    members: int
    sharing: int
    nodes: int
    stride: int = 1
    gpu_stride: int = 1

    @property
    def is_world(self) -> bool:
        """Whether one group has all ranks of all nodes, regardless of its name."""
        return not self.members

    def members_in(self, gpus: int) -> int:
        """Ranks that a group has in a node with so many GPUs."""
        return self.members or gpus


def groups_of(world: World, job: Job, collective: str = "all_reduce") -> Groups | Finding:
    """The groups of a job that run a collective, or a finding that says why there are none."""
    ranks, kind = world.gpus, job.group_for(collective)
    if kind == WORLD:
        return Groups(WORLD, ranks, 1, 0, 1, world.nccl_nodes)
    layout = job.layout
    if kind not in dict(layout.sizes):
        return _unfit(layout=str(layout), kind=kind)
    if ranks % layout.ranks:
        return _unfit(layout=str(layout), ranks_each=layout.ranks, ranks=ranks)
    per_node = world.nccl_node_gpus
    if not per_node:
        return _unfit()
    if len(per_node) > 1:
        return _unfit(gpus_of_nodes=per_node, joined=world.joined or None)
    return _in_nodes(layout, kind, ranks, per_node[0], joined=world.joined)


def _in_nodes(
    layout: Layout, kind: str, ranks: int, gpus: int, *, joined: bool
) -> Groups | Finding:
    """The position of groups in nodes of equal size: inside one, one rank in each, or a slice."""
    size, stride = layout.size(kind), layout.stride(kind)
    many = ranks // size
    span = size * stride
    if gpus % span == 0:
        return Groups(kind, size, many, size, gpus // size, 1, gpu_stride=stride)
    if stride % gpus == 0:
        return Groups(kind, size, many, 1, gpus, size, stride=stride // gpus)
    if gpus % stride == 0 and span % gpus == 0:
        members = gpus // stride
        return Groups(kind, size, many, members, stride, span // gpus, gpu_stride=stride)
    return _unfit(kind=kind, size=size, stride=stride, gpus=gpus, joined=joined or None)


def _unfit(**values: Fact) -> Finding:
    return found("communicator-does-not-fit", at_block("communicator"), **values)


@dataclass(frozen=True)
class NodeOrder:
    """The nodes in the order in which ranks fill them, each by its block and own coordinate."""

    world: World
    placement: RankPlacement = "packed"
    seed: int = 0

    @cached_property
    def nodes(self) -> list[tuple[NodeBlock, int]]:
        """Every node that takes part."""
        if self.world.joined:
            return [
                node for domain in self._domains for block in domain for node in _in_block(block)
            ]
        if self.placement == "striped":
            return list(_striped(self.world))
        nodes = list(packed_nodes(self.world))
        if self.placement == "scattered":
            # any uniform shuffle will do
            Random(self.seed).shuffle(nodes)
        return nodes

    @cached_property
    def _domains(self) -> list[tuple[NodeBlock, ...]]:
        """NVLink domains of many nodes, which are allocated whole, by their blocks."""
        domains = list(self.world.domains)
        if self.placement == "striped":
            # one of every pod in turn: pods differ in what is outside of the domain's own axis
            turns: Counter[tuple[object, ...]] = Counter()
            keys: list[int] = []
            for domain in domains:
                group = domain[0].group
                pod = (group.name, domain[0].outer[: max(outside(group) - 1, 0)])
                keys.append(turns[pod])
                turns[pod] += 1
            order = sorted(range(len(domains)), key=lambda at: keys[at])
            return [domains[at] for at in order]
        if self.placement == "scattered":
            Random(self.seed).shuffle(domains)
        return domains

    @cached_property
    def firsts(self) -> Sequence[int]:
        """The position of the first tray of each node as NCCL counts them."""
        if not self.world.joined:
            return range(self.world.nodes)
        trays_of = (sum(block.nodes for block in domain) for domain in self._domains)
        return list(accumulate(trays_of, initial=0))[:-1]


def packed_nodes(world: World) -> Iterator[tuple[NodeBlock, int]]:
    """Every node that takes part, in the order of the document."""
    for block in world.blocks:
        yield from _in_block(block)


def _in_block(block: NodeBlock) -> Iterator[tuple[NodeBlock, int]]:
    for low, high in block.runs:
        yield from ((block, own) for own in range(low, high + 1))


def _striped(world: World) -> Iterator[tuple[NodeBlock, int]]:
    waiting = [
        iter([(block, own) for low, high in block.runs for own in range(low, high + 1)])
        for block in world.blocks
    ]
    while waiting:
        left = []
        for nodes in waiting:
            if (node := next(nodes, None)) is not None:
                yield node
                left.append(nodes)
        waiting = left


def sequences(groups: Groups, nodes: int) -> Iterator[range]:
    """The nodes of every set of groups that has the same ones, as positions in the order."""
    span = groups.stride * groups.nodes
    for first in range(0, nodes, span):
        for inner in range(first, first + groups.stride):
            yield range(inner, first + span, groups.stride)
