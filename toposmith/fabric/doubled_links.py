"""Links along axes that join some of the same devices, which then have the cables of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toposmith.fabric.plan import LinkPlan
from toposmith.findings.finding import Finding, at_link, found

__all__ = ["doubled_links"]

MOST_COMPARED = 100
"""Unlike relations between the same ends with which later ones are compared: no design has more."""


def doubled_links(links: Sequence[LinkPlan]) -> Iterator[Finding]:
    """Findings on links along an axis that join devices which an earlier one joins."""
    doubled: list[tuple[LinkPlan, LinkPlan]] = []
    for laid in _by_ends(links).values():
        firsts: dict[tuple[tuple[str, str], ...], LinkPlan] = {}  # of equal relations the first
        for link in laid:
            before = [one for one in firsts.values() if one.along or link.along]
            doubled += ((one, link) for one in before if _overlap(one, link))
            if len(firsts) < MOST_COMPARED:
                firsts.setdefault(link.along, link)
    for one, other in sorted(doubled, key=lambda pair: (pair[0].index, pair[1].index)):
        ends = (other.a.label, other.b.label)
        yield found("cabled-twice", at_link(other.index, ends), link=one.label)


def _by_ends(links: Sequence[LinkPlan]) -> dict[object, list[LinkPlan]]:
    """Links between the same ends, where a relation along an axis is among them."""
    found: dict[object, list[LinkPlan]] = {}
    for link in links:
        if link.peers_of_a and link.peers_of_b:
            ends = frozenset((end.group, end.ports) for end in (link.a, link.b))
            found.setdefault(ends, []).append(link)
    return {ends: laid for ends, laid in found.items() if any(link.along for link in laid)}


def _overlap(one: LinkPlan, other: LinkPlan) -> bool:
    """Whether two links of the same ends join a pair of devices both.

    ``same`` and ``other`` exclude each other on an axis. All other relations overlap: neighbours
    are among the others, and cables may be dealt to any device.
    """
    words, others = dict(one.along), dict(other.along)
    return all(
        {words.get(axis, "same"), others.get(axis, "same")} not in _APART
        for axis in words.keys() | others.keys()
    )


_APART = ({"same", "next"}, {"same", "other"})
