"""A design of which a job takes the first nodes only; the others stay idle."""

from __future__ import annotations

from dataclasses import replace

from toposmith.analysis.jobs.world import NodeBlock, world
from toposmith.design.selectors import Selection, Selector
from toposmith.fabric.plan import Plan


def on_first_nodes(plan: Plan, nodes: int, each: int | None = None) -> Plan:
    """The plan with all nodes after the first so many, in rank order, out of the job.

    They are marked as absent, which leaves every port where it is. With ``each`` so many of every
    NVLink domain at most.
    """
    left, idle = nodes, []
    for domain in world(plan).domains:
        inside = left if each is None else min(left, each)
        for block in domain:
            for low, high in block.runs:
                taken = min(inside, high - low + 1)
                inside -= taken
                left -= taken
                if low + taken <= high:
                    idle.append(_selector(block, low + taken, high))
    return replace(plan, absent=(*plan.absent, *idle)) if idle else plan


def _selector(block: NodeBlock, low: int, high: int) -> Selector:
    group = block.group
    at = [(axis, where, where) for axis, where in zip(group.axes, block.outer, strict=False)]
    ranges = (*at, (group.axes[-1], low, high))
    words = ",".join(f"{axis}={a}..{b}" for axis, a, b in ranges)
    return Selector(f"{group.name}[{words}]", Selection(group.name, ranges))
