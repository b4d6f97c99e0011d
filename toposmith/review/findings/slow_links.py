"""Cables and GPUs that run below their speed, and what that costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from toposmith.analysis.analyse import analyse
from toposmith.analysis.request import Request
from toposmith.fabric.counts import slow_cable_counts
from toposmith.fabric.slow_gpus import slow_gpu_findings
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import at_link
from toposmith.review.findings.subject import Explainers, Find, Subject
from toposmith.text import counted
from toposmith.units import BITS_PER_BYTE


def slow_links(subject: Subject) -> Iterator[Finding]:
    """Every link with slow cables: how many at which speed, and the figure with and without."""
    plan = subject.plan
    slow = slow_cable_counts(plan)
    cost = _cost(subject) if slow else None
    if cost and len(slow) > 1:
        cost += " (of all slow links together)"
    for link in plan.every_link:
        rates = slow.get(link.index)
        if not rates:
            continue
        speeds = [
            f"{counted(many, 'cable')} at {rate * BITS_PER_BYTE:g}" for rate, many in rates.items()
        ]
        yield found(
            "slow-link",
            at_link(link.index, (link.a.label, link.b.label)),
            slow=tuple(speeds),
            speed_gbit=link.speed_gbit,
            slowest_percent=100 * min(rates) * BITS_PER_BYTE / link.speed_gbit,
            cost=cost or "unknown",
        )


def slow_gpus(subject: Subject) -> Iterator[Finding]:
    """GPUs below their rate, which change no collective."""
    return slow_gpu_findings(subject.plan)


def _cost(subject: Subject) -> str | None:
    """What the collective gets as it is, and with every cable at the speed of its link."""
    asked = Request(subject.analysis.collective)
    with_slow, without = (
        analyse(plan, subject.catalog, asked)
        for plan in (subject.plan, replace(subject.plan, slow=()))
    )
    if with_slow.busbw_GBps is None or without.busbw_GBps is None:
        return None
    words = [
        one.busbw_label.marked(f"{one.busbw_GBps:.4g}")
        for one in (with_slow, without)
        if one.busbw_GBps is not None
    ]
    kind = asked.collective.replace("_", "-")
    return f"{kind} {words[0]} GB/s per GPU, {words[1]} GB/s with every cable at full speed"


FIND: tuple[Find, ...] = (slow_links, slow_gpus)
EXPLAIN: Explainers = {}
