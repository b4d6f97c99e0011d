"""What the order of a file decides: which ports of a node a link takes, the order of ranks.

Links take the ports of a node in the order in which they stand, so that the same links in another
order cable other ports. Where nothing follows from an order, it is no difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from toposmith.fabric.plan import LinkEnd, LinkPlan, Plan
from toposmith.review.differences.changes import Change
from toposmith.review.differences.group_matches import (
    in_old_words,
    same_groups,
    same_links,
)


def dealt_otherwise(old: Plan, new: Plan) -> Iterator[Change]:
    """Links of both designs that take other ports of a node than before."""
    same = same_groups(old.design, new.design)
    before, after = ({link.index: link for link in plan.links} for plan in (old, new))
    for was, now in same_links(old.design, new.design, same):
        if was in before and now in after:
            yield from _other_ports(old, before[was], new, after[now], same)


def _other_ports(
    old: Plan, was: LinkPlan, new: Plan, now: LinkPlan, same: Mapping[str, str]
) -> Iterator[Change]:
    for end in (now.a, now.b):
        name = same.get(end.group)
        if not end.ports or name not in (was.a.group, was.b.group):
            continue
        before = was.end_of(name)
        if before.ports == end.ports and before.first_port != end.first_port:
            words = _ports(old, was, before), _ports(new, now, end)
            yield Change("changed", "link", f"{now.label} ports of {end.label}", *words)


def _ports(plan: Plan, link: LinkPlan, end: LinkEnd) -> str:
    """The numbers of the ports that a link takes of each node: ``4 to 7``."""
    there = plan.groups[end.group].port_groups[end.ports].ports
    last = min(end.first_port + link.cables_at(end.group), there) - 1
    return f"{end.first_port}" if last <= end.first_port else f"{end.first_port} to {last}"


def order_of_the_file(old: Plan, new: Plan) -> Iterator[Change]:
    """Groups, links and axes that both designs have, in another order.

    Groups keep the order of ranks and racks; of links :func:`dealt_otherwise` says more where
    ports of nodes are others.
    """
    one, other = old.design, new.design
    same = same_groups(one, other)
    groups = [same.get(name, name) for name in other.groups]
    links = [_ends(link.between, same) for link in other.links]
    for key, before, after in (
        ("groups", list(one.groups), groups),
        ("links", [_ends(link.between, {}) for link in one.links], links),
        ("axes", list(one.axes), list(other.axes)),
    ):
        common = [[name for name in before if name in after], [n for n in after if n in before]]
        if common[0] != common[1]:
            yield Change("changed", "order", key, *map(", ".join, common))


def _ends(between: Sequence[str], same: Mapping[str, str]) -> str:
    return " - ".join(sorted(in_old_words(end, same) for end in between))
