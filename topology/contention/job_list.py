"""Jobs as people write them: on which nodes, what they run, of what size.

8 nodes, all_reduce                   the first eight that are free
8 nodes, all_to_all, scattered        eight free ones at random, as on a fragmented cluster
train: node[su=0], all_reduce, 1GiB   a name, and nodes by a selector
all, write                            every node writes a checkpoint to the design's storage
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toposmith.errors import ToposmithError
from toposmith.text import counted, read_message_size
from toposmith.topology.analysis.jobs.communicator import NodeOrder
from toposmith.topology.analysis.jobs.layout import PLACEMENTS, Placement
from toposmith.topology.analysis.jobs.ranks import World, gpus_of
from toposmith.topology.analysis.request import DEFAULT_MESSAGE_BYTES, LARGEST_MESSAGE_BYTES
from toposmith.topology.collectives import COLLECTIVES
from toposmith.topology.design.document import Design
from toposmith.topology.design.selectors import group_axes, parse_selector
from toposmith.topology.fabric.translations import Device

STORAGE_TRAFFIC = ("read", "write")
"""What nodes do with the storage of the design, beside collectives."""

MOST_JOBS = 50
MOST_SEED = 2**31 - 1

_NAMED = re.compile(r"\s*([A-Za-z][\w-]{0,30})\s*:\s*(.+)", re.DOTALL)
_COUNT = re.compile(r"(\d{1,7})(?: *nodes?)?")
_SEED = re.compile(r"seed *= *(\d{1,10})")
_PARTS = re.compile(r",(?![^\[]*\])")


class JobError(ToposmithError):
    """A job that cannot run on the design, with its words and what would be right."""


@dataclass(frozen=True)
class RunningJob:
    """One job on nodes of its own, or traffic between nodes and storage.

    Parameters
    ----------
    name : str
        What it is called.
    runs : str
        A collective, ``read`` or ``write``.
    nodes : tuple of Device
        In the order of ranks.
    gpus : int
        Of these.
    message_bytes : int
        Of a collective.
    """

    name: str
    runs: str
    nodes: tuple[Device, ...]
    gpus: int
    message_bytes: int = DEFAULT_MESSAGE_BYTES

    @property
    def is_storage(self) -> bool:
        """Whether it is traffic with storage."""
        return self.runs in STORAGE_TRAFFIC


@dataclass(frozen=True)
class _Asked:
    """A job's text, taken apart."""

    text: str
    name: str
    where: str
    runs: str
    message_bytes: int
    placement: Placement
    seed: int


def read_jobs(texts: Sequence[str], design: Design, world: World) -> tuple[RunningJob, ...]:
    """The jobs that texts describe, each on nodes of its own.

    Jobs that name their nodes take these; those that say how many take them from what is left,
    in order. Ranks follow each other as the nodes do in the design.

    Raises
    ------
    JobError
        Says which job is wrong, what was found and what would be right.
    """
    if len(texts) > MOST_JOBS:
        raise JobError(f"{len(texts)} jobs; at most {MOST_JOBS} are compared at once")
    asked = [_read(text, number) for number, text in enumerate(texts, start=1)]
    names = [one.name for one in asked]
    for one in asked:
        if names.count(one.name) > 1:
            raise JobError(f"{one.text!r}: another job is called {one.name}, too")
    order = dict(_all_nodes(world, "packed", 0))
    taken: dict[Device, str] = {}
    found: dict[str, tuple[Device, ...]] = {}
    for one in sorted(asked, key=lambda each: _COUNT.fullmatch(each.where) is not None):
        nodes = _nodes(one, design, world, order, taken)
        found[one.name] = tuple(node for node in order if node in nodes)
        if one.runs not in STORAGE_TRAFFIC:
            taken |= dict.fromkeys(nodes, one.name)
    return tuple(
        RunningJob(
            one.name,
            one.runs,
            found[one.name],
            sum(order[node] for node in found[one.name]),
            one.message_bytes,
        )
        for one in asked
    )


def _read(text: str, number: int) -> _Asked:
    named = _NAMED.fullmatch(text)
    name, rest = (named[1], named[2]) if named else (f"job {number}", text)
    where, *others = [part.strip() for part in _PARTS.split(rest)]
    runs, size, seed = "", DEFAULT_MESSAGE_BYTES, 0
    placement: Placement = "packed"
    for other in others:
        word = other.lower().replace("-", "_")
        read = read_message_size(other)
        if word in (*COLLECTIVES, *STORAGE_TRAFFIC):
            runs = word
        elif word in PLACEMENTS:
            placement = PLACEMENTS[PLACEMENTS.index(word)]
        elif (found := _SEED.fullmatch(other)) and int(found[1]) <= MOST_SEED:
            seed = int(found[1])
        elif read and read <= LARGEST_MESSAGE_BYTES:
            size = read
        else:
            known = ", ".join((*COLLECTIVES, *STORAGE_TRAFFIC))
            raise JobError(
                f"{text!r}: {other!r} is none of {known}, a size such as 1GiB, "
                f"{', '.join(PLACEMENTS)}, or seed=3"
            )
    if not runs:
        raise JobError(f"{text!r}: say what it runs, such as '8 nodes, all_reduce' or 'all, write'")
    return _Asked(text, name, where, runs, size, placement, seed)


def _nodes(
    one: _Asked,
    design: Design,
    world: World,
    order: dict[Device, int],
    taken: dict[Device, str],
) -> set[Device]:
    if one.where == "all":
        nodes = set(order)
    elif (count := _COUNT.fullmatch(one.where)) is not None:
        many = int(count[1])
        if not many:
            raise JobError(f"{one.text!r}: a job runs on one node at least")
        storage = one.runs in STORAGE_TRAFFIC
        free = [
            node
            for node, _ in _all_nodes(world, one.placement, one.seed)
            if storage or node not in taken
        ]
        if many > len(free):
            raise JobError(
                f"{one.text!r}: {counted(many, 'node')} wanted, {counted(len(free), 'node')} of "
                f"{len(order):,} are free"
            )
        nodes = set(free[:many])
    else:
        nodes = _selected(one, design, order)
    twice = [node for node in nodes if node in taken]
    if twice and one.runs not in STORAGE_TRAFFIC:
        raise JobError(
            f"{one.text!r}: {len(twice):,} of its nodes belong to {taken[twice[0]]} already"
        )
    return nodes


def _selected(one: _Asked, design: Design, order: dict[Device, int]) -> set[Device]:
    try:
        selector = parse_selector(one.where, design)
    except ValueError as wrong:
        raise JobError(f"{one.text!r}: {wrong}") from None
    first = selector.first
    if selector.is_cable or first.ports is not None:
        raise JobError(f"{one.text!r}: {one.where!r} is no selector of nodes, such as node[su=0]")
    axes = group_axes(design, first.group)
    nodes = {
        node
        for node in order
        if node[0] == first.group and first.matches(dict(zip(axes, node[1], strict=True)))
    }
    if not nodes:
        raise JobError(f"{one.text!r}: {one.where!r} selects no node with GPUs that is there")
    return nodes


def _all_nodes(world: World, placement: Placement, seed: int) -> Iterator[tuple[Device, int]]:
    for block, own in NodeOrder(world, placement, seed).nodes:
        yield (block.group.name, (*block.outer, own)), gpus_of(block.group)
