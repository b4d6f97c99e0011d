"""GPUs marked in ``slow:``: their number by share of their full rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

from toposmith.fabric.faults import Faults, Instance, selects
from toposmith.fabric.once import once
from toposmith.fabric.plan import Plan
from toposmith.findings.finding import Finding, at_group, found
from toposmith.text import counted


@once
def slow_gpu_counts(plan: Plan) -> dict[str, dict[float, int]]:
    """GPUs below their rate by group and share of it; of several entries the slowest counts.

    Nodes that are absent or down have no GPUs.
    """
    gone = Faults(plan, without_down=True)
    shares: dict[tuple[str, tuple[int, ...], int], float] = {}
    for slow in plan.slow_gpus:
        group, named = plan.groups[slow.selection.group], slow.selection
        ranges = {axis: range(low, high + 1) for axis, low, high in named.ranges}
        sizes = zip(group.axes, group.sizes, strict=True)
        every = range(group.node.gpus if group.node else 0)
        for at in product(*(ranges.get(axis, range(size)) for axis, size in sizes)):
            if gone.takes_device(group.name, dict(zip(group.axes, at, strict=True))):
                continue
            for gpu in every if named.port is None else (named.port,):
                key = (group.name, at, gpu)
                shares[key] = min(slow.share, shares.get(key, 1.0))
    counts: dict[str, Counter[float]] = {}
    for (name, _, _), share in shares.items():
        if share < 1:
            counts.setdefault(name, Counter())[share] += 1
    return {name: dict(sorted(found.items())) for name, found in counts.items()}


def slowest_gpu(plan: Plan) -> float:
    """The least share of its rate that any GPU runs at; 1 where none is slow."""
    return min((share for found in slow_gpu_counts(plan).values() for share in found), default=1.0)


def gpu_share(plan: Plan, device: Instance, gpu: int) -> float:
    """The share of its rate that one GPU of a node runs at."""
    named = (
        slow.share
        for slow in plan.slow_gpus
        if selects(slow.selection, device) and slow.selection.port in (None, gpu)
    )
    return min(named, default=1.0)


def slow_gpu_findings(plan: Plan) -> Iterator[Finding]:
    """Findings on groups with slow GPUs: their number and share, and what waits for them."""
    for name, counts in slow_gpu_counts(plan).items():
        slow = tuple(
            f"{counted(many, 'GPU')} at {100 * share:g} %" for share, many in counts.items()
        )
        yield found("slow-gpu", at_group(name), slow=slow, slowest_percent=100 * min(counts))
