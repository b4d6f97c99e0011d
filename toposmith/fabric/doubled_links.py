"""Links along axes that join some of the same devices, which then have the cables of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from toposmith.fabric.plan import LinkPlan
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import at_link

__all__ = ["doubled_links"]


def doubled_links(links: Sequence[LinkPlan]) -> Iterator[Finding]:
    """Findings on links along an axis that join devices which an earlier one joins."""
    laid = [link for link in links if link.peers_of_a and link.peers_of_b]
    for one, other in combinations(laid, 2):
        if (one.along or other.along) and _ends(one) == _ends(other) and _overlap(one, other):
            ends = (other.a.label, other.b.label)
            yield found("cabled-twice", at_link(other.index, ends), link=one.label)


def _ends(link: LinkPlan) -> list[tuple[str, str]]:
    return sorted((end.group, end.ports) for end in (link.a, link.b))


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
