"""Cables beyond their reach, lengths that are not given, and power beyond the policy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from toposmith.bill.link_parts import Chooser
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import DESIGN, at_block
from toposmith.review.findings.subject import Explained, Explainers, Find, Subject

# Ways that cables take: along a row, across a hall, between halls (m).
_LENGTHS_M = (0.5, 1, 2, 3, 5, 10, 20, 30, 40, 50, 100, 150, 300, 500, 1000, 2000)


def no_cable(subject: Subject, finding: Finding) -> Explained:
    """The link's length, and the longest that the catalog can build: its reach, or a usual one."""
    link = next((one for one in subject.plan.links if one.index == finding.place.index), None)
    if link is None:
        return {}
    reach = finding.values.get("reach_m")
    tried = (*_LENGTHS_M, reach) if isinstance(reach, int | float) else _LENGTHS_M
    longest, chooser = 0.0, Chooser(subject.plan, subject.catalog)
    for metres in tried:
        recipe, _ = chooser.parts(replace(link, length_m=metres))
        if recipe is not None:
            longest = max(longest, metres)
    return {"length_m": link.length_m, "buildable_m": longest}


def unknown_lengths(subject: Subject) -> Iterator[Finding]:
    """Links without a length: those that racks do not give, those that assumed racks give."""
    links = [one for one in subject.plan.links if one.peers_of_a * one.peers_of_b]
    without = [one for one in links if subject.plan.design.links[one.index].length is None]
    measured = {run.link for run in subject.runs}
    unknown = [one.label for one in without if one.index not in measured]
    if unknown:
        yield _of_links("length-unknown", unknown, len(links))
    assumed = [one.label for one in without if one.index in measured]
    if assumed and subject.plan.design.placement is None:
        yield _of_links("length-assumed", assumed, len(links))


def _of_links(code: str, names: Sequence[str], of: int) -> Finding:
    return found(code, at_block("links"), names=tuple(names), count=len(names), links=of)


def power(subject: Subject) -> Iterator[Finding]:
    """Power of all parts above what the policy allows."""
    most = subject.policy.limits.power_kw
    total = subject.bill.power_w
    if most is None or total.known <= most * 1000:
        return
    power = {"power_kw": total.known / 1000, "limit_kw": most}
    yield found("power-over-policy", DESIGN, complete=total.complete, **power)


FIND: tuple[Find, ...] = (unknown_lengths, power)
EXPLAIN: Explainers = {"no-cable": no_cable}
