"""The ranks of the world communicator: which nodes take part, in which order.

Ranks are packed: node groups in the order of the document, nodes by their coordinates, the
outermost axis first, as a scheduler that fills one scalable unit after the other would place them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, product
from math import prod
from typing import NamedTuple

from toposmith.design.selectors import Selector
from toposmith.fabric.nvlink_domains import are_joined, outside
from toposmith.fabric.once import once
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.intervals import Interval


class NodeBlock(NamedTuple):
    """Nodes that differ in their own axis only, as runs of that axis without gaps."""

    group: GroupPlan
    outer: tuple[int, ...]
    runs: tuple[Interval, ...]

    @property
    def nodes(self) -> int:
        """How many nodes the block has."""
        return nodes_in(self.runs)

    def at(self, own: int) -> dict[str, int]:
        """The coordinates of the node with this value on the own axis."""
        return dict(zip(self.group.axes, (*self.outer, own), strict=True))

    @property
    def first(self) -> dict[str, int]:
        """The coordinates of its first node."""
        return self.at(self.runs[0][0])

    @property
    def last(self) -> dict[str, int]:
        """The coordinates of its last node."""
        return self.at(self.runs[-1][1])


@dataclass(frozen=True)
class World:
    """All GPUs of the design that are neither absent nor down, in rank order."""

    blocks: tuple[NodeBlock, ...]

    @cached_property
    def joined(self) -> bool:
        """Whether nodes are in NVLink domains of several, each of which NCCL counts as one node."""
        return are_joined(self.groups)

    @cached_property
    def domains(self) -> tuple[tuple[NodeBlock, ...], ...]:
        """The blocks of each NVLink domain: one, or those of all racks that cables join."""
        return tuple(tuple(blocks) for _, blocks in groupby(self.blocks, key=domain_of))

    @cached_property
    def nccl_nodes(self) -> int:
        """The number of nodes as NCCL counts them: NVLink domains of many nodes, else nodes."""
        return len(self.domains) if self.joined else self.nodes

    @cached_property
    def nccl_node_gpus(self) -> tuple[int, ...]:
        """The distinct numbers of GPUs of nodes as NCCL counts them."""
        if not self.joined:
            return tuple(sorted({gpus_of(group) for group in self.groups}))
        sizes = {sum(b.nodes * gpus_of(b.group) for b in domain) for domain in self.domains}
        return tuple(sorted(sizes))

    @cached_property
    def trays(self) -> int:
        """Nodes of the NVLink domain that has fewest; 1 where nodes are not joined."""
        if not self.joined:
            return 1
        return min((sum(b.nodes for b in domain) for domain in self.domains), default=1)

    @cached_property
    def nodes_of_blocks(self) -> tuple[int, ...]:
        """How many nodes each block has."""
        many = {runs: nodes_in(runs) for runs in {block.runs for block in self.blocks}}
        return tuple(many[block.runs] for block in self.blocks)

    @cached_property
    def nodes_of(self) -> Mapping[str, int]:
        """Nodes that take part, by their group."""
        alike = Counter((block.group.name, block.runs) for block in self.blocks)
        found: Counter[str] = Counter()
        for (name, runs), many in alike.items():
            found[name] += many * nodes_in(runs)
        return found

    @cached_property
    def nodes(self) -> int:
        """Nodes that take part."""
        return sum(self.nodes_of.values())

    @cached_property
    def gpus(self) -> int:
        """Ranks, one per GPU."""
        return sum(self.nodes_of[group.name] * gpus_of(group) for group in self.groups)

    @cached_property
    def groups(self) -> tuple[GroupPlan, ...]:
        """The node groups that take part."""
        seen = {block.group.name: block.group for block in self.blocks}
        return tuple(seen.values())


def domain_of(block: NodeBlock) -> tuple[str, tuple[int, ...]]:
    """The key of a block's NVLink domain, where nodes are joined."""
    return block.group.name, block.outer[: outside(block.group)]


def nodes_in(runs: tuple[Interval, ...]) -> int:
    """How many nodes these runs of an axis have."""
    return sum(high - low + 1 for low, high in runs)


def gpus_of(group: GroupPlan) -> int:
    """GPUs of one node of a group."""
    return group.node.gpus if group.node else 0


MAX_BLOCKS = 20_000
"""The most blocks that an analysis handles, a second's work."""

MAX_NODES = 250_000
"""The most nodes, even where few of them are alike: two million GPUs in nodes of eight."""


def nodes_of(plan: Plan) -> int:
    """The number of nodes with GPUs, with those that are absent, computed without listing them."""
    return sum(group.instances for group in plan.groups.values() if gpus_of(group))


def blocks_of(plan: Plan) -> int:
    """The number of blocks of a design's node groups, computed without listing them."""
    return sum(prod(group.sizes[:-1]) for group in plan.groups.values() if gpus_of(group))


@once
def world(plan: Plan) -> World:
    """The world communicator of a design."""
    return World(tuple(_blocks(plan)))


def _blocks(plan: Plan) -> Iterator[NodeBlock]:
    for group in plan.groups.values():
        if not gpus_of(group):
            continue
        gone = [
            selector
            for selector in (*plan.absent, *plan.down)
            if selector.first.group == group.name
            and not selector.is_cable
            and selector.first.ports is None
        ]
        whole = ((0, group.sizes[-1] - 1),)
        for outer in product(*(range(size) for size in group.sizes[:-1])):
            runs = _runs(group, outer, gone) if gone else whole
            if runs:
                yield NodeBlock(group, outer, runs)


def _runs(group: GroupPlan, outer: tuple[int, ...], gone: list[Selector]) -> tuple[Interval, ...]:
    own = group.axes[-1]
    at = dict(zip(group.axes, outer, strict=False))
    holes: list[Interval] = []
    for selector in gone:
        ranges = {axis: (low, high) for axis, low, high in selector.first.ranges}
        if all(low <= at[axis] <= high for axis, (low, high) in ranges.items() if axis != own):
            holes.append(ranges.get(own, (0, group.sizes[-1] - 1)))
    runs: list[Interval] = []
    start = 0
    for low, high in sorted(holes):
        if low > start:
            runs.append((start, low - 1))
        start = max(start, high + 1)
    if start < group.sizes[-1]:
        runs.append((start, group.sizes[-1] - 1))
    return tuple(runs)
