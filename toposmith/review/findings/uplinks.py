"""Uplinks that do not divide over the switches above, and switches that lack some."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial

from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import at_group
from toposmith.review.findings.rewiring import Rewiring, lacking
from toposmith.review.findings.subject import Explainers, Find, Subject, other_end


def undivided(subject: Subject) -> Iterator[Finding]:
    """Switches whose ports down do not divide over their peers above, so that uplinks stay idle.

    A non-blocking switch has as many uplinks as cables down, at equal speed; where those do not
    divide by the number of its peers, the whole cables that fit leave fewer than one a peer over.
    """
    for name, group in subject.plan.groups.items():
        up, down = subject.links_up(name), subject.links_down(name)
        if group.switch is None or len(up) != 1 or not down:
            continue
        link = up[0]
        peers = link.cables_at(name) // link.cables_per_pair
        wanted = sum(d.cables_at(name) * d.line_GBps for d in down) / link.line_GBps
        left = wanted - link.cables_at(name)
        if not 0 < left < peers or wanted % 1:
            continue
        want = int(wanted)
        above = other_end(link, name).group
        near = nearest_divisors(want, peers, partial(_has_ports, subject.plan, link, above, want))
        yield found(
            "uneven-uplinks",
            at_group(name),
            group=name,
            above=above,
            uplinks=want,
            peers=peers,
            cables=link.cables_per_pair,
            left=int(left),
            peers_that_divide=tuple(near),
        )


def unlike_widths(subject: Subject) -> Iterator[Finding]:
    """Switches that reach switches of one tier above over unlike numbers or speeds of cables."""
    for name, group in subject.plan.groups.items():
        up = subject.links_up(name)
        if group.switch is None or len(up) < 2:
            continue
        tiers: dict[int, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for link in up:
            above = other_end(link, name).group
            tiers[subject.heights[above]][above] += link.cables_per_pair * link.line_GBps
        for widths in tiers.values():
            if len(set(widths.values())) > 1:
                yield found(
                    "uneven-uplinks",
                    at_group(name),
                    group=name,
                    above=tuple(widths),
                    widths_GBps=tuple(f"{width:g}" for width in widths.values()),
                    widest_GBps=max(widths.values()),
                    times=max(widths.values()) / min(widths.values()),
                )


def missing(subject: Subject) -> Iterator[Finding]:
    """Switches with fewer uplinks than others of their group, because something is absent."""
    if not subject.plan.absent:
        return
    graph = subject.built.graph
    uplinks: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for vertex in subject.built.vertices("switch"):
        name = vertex[1]
        many = sum(
            data["per"][vertex]
            for _, other, data in graph.edges(vertex, data=True)
            if subject.heights.get(other[1], -1) > subject.heights.get(name, 99)
        )
        uplinks[name][many] += graph.nodes[vertex]["size"]
    for name, counts in uplinks.items():
        if len(counts) > 1:
            most, fewest = max(counts), min(counts)
            thin = sum(size for many, size in counts.items() if many < most)
            lacking_cables = sum((most - many) * size for many, size in counts.items())
            cables = {"fewest": fewest, "most": most, "missing": lacking_cables}
            yield found("uplinks-missing", at_group(name), switches=thin, **cables)


def nearest_divisors(
    uplinks: int, peers: int, possible: Callable[[int], bool] = lambda _: True
) -> list[int]:
    """The nearest smaller and larger number of peers over which uplinks divide, if possible."""
    works = [n for n in range(1, uplinks + 1) if uplinks % n == 0 and n != peers and possible(n)]
    return [n for n in works if n < peers][-1:] + [n for n in works if n > peers][:1]


def _has_ports(plan: Plan, link: LinkPlan, above: str, uplinks: int, peers: int) -> bool:
    """Whether all ends have ports if the switches below meet so many peers above."""
    met = link.peers_of_a if link.b.group == above else link.peers_of_b
    count, rest = divmod(plan.size(above) * peers, met)
    if rest or above not in (*link.a_only, *link.b_only):
        return False
    return not lacking(plan, Rewiring({above: count}, {link.index: uplinks // peers}))


FIND: tuple[Find, ...] = (undivided, unlike_widths, missing)
EXPLAIN: Explainers = {}
