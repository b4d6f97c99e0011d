"""Other counts of switches and other cables of links, and the ports that these would lack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import ceil, prod

from toposmith.fabric.breakout_limits import most_logical_ports
from toposmith.fabric.dealing import peer_axes
from toposmith.fabric.plan import LinkEnd, LinkPlan, Plan


@dataclass(frozen=True)
class Rewiring:
    """What would be changed of a design; all else stays.

    Parameters
    ----------
    counts : mapping of str to int
        New counts, by group.
    cables : mapping of int to int
        New cables from one instance to each of its peers, by index of the link.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    cables: Mapping[int, int] = field(default_factory=dict)

    def cables_at(self, plan: Plan, link: LinkPlan, end: LinkEnd) -> int:
        """Cables of a link that one device at this end would take."""
        axes = peer_axes(link, end)
        peers = prod(self.counts.get(axis, plan.size(axis)) for axis in axes)
        return peers * self.cables.get(link.index, link.cables_per_pair)


AS_IS = Rewiring()
"""Nothing changed."""


def lacking(plan: Plan, rewiring: Rewiring) -> dict[str, int]:
    """The groups that would lack ports, more than they do now, and how many each of them lacks.

    Ports are counted as the links that want more of them break them out; where these do so unlike,
    those of one are named.
    """
    lacks: dict[str, int] = {}
    known: dict[tuple[LinkEnd, int], tuple[int, int]] = {}  # equal for links of like ends and speed
    for link in plan.links:
        for end in (link.a, link.b):
            if rewiring.cables_at(plan, link, end) <= link.cables_at(end.group):
                continue
            kind = (replace(end, first_port=0), link.speed_gbit)
            if kind not in known:
                now, then = (_ports_lacking(plan, link, end, one) for one in (AS_IS, rewiring))
                known[kind] = now, then
            now, then = known[kind]
            if then > max(0, now):
                lacks[end.label] = then
    return lacks


def growing(plan: Plan, rewiring: Rewiring, above: str, factors: Mapping[int, float]) -> Rewiring:
    """A rewiring that also gives links to the switches above so many times their cables.

    It takes the fewest switches above whose ports, and those of all others, suffice.

    Parameters
    ----------
    plan, rewiring
        The design, and what is changed of it already.
    above : str
        The group of switches above.
    factors : mapping of int to float
        Uplinks wanted over uplinks there, by index of a link to that group.

    Raises
    ------
    ValueError
        Where no number of switches above will do.
    """
    now = plan.size(above)
    for count in _counts(plan, above, factors):
        cables = {
            link.index: _whole(link.cables_per_pair * now * factors[link.index] / count)
            for link in plan.links
            if link.index in factors
        }
        grown = {above: count} if count != now else {}
        tried = Rewiring({**rewiring.counts, **grown}, {**rewiring.cables, **cables})
        if not lacking(plan, tried):
            return tried
    raise ValueError(f"no number of {above} has the ports")


def _counts(plan: Plan, above: str, factors: Mapping[int, float]) -> Iterator[int]:
    """Counts of a group worth trying: as now, then more, up to where each gets one cable."""
    now = plan.size(above)
    yield now
    links = [link for link in plan.links if link.index in factors]
    if all(above in (*link.a_only, *link.b_only) for link in links):
        most = max(_whole(link.cables_per_pair * now * factors[link.index]) for link in links)
        yield from range(now + 1, most + 1)


def _whole(cables: float) -> int:
    """Whole cables that are at least so many; 8.000000001 of rounding is 8."""
    return ceil(cables - 1e-9)


def _ports_lacking(plan: Plan, link: LinkPlan, end: LinkEnd, rewiring: Rewiring) -> int:
    """Ports like those of this link that its end would lack; negative where some stay free."""
    taken: Counter[tuple[int, int]] = Counter()
    for one in plan.links_of(end.group):
        here = one.end_of(end.group)
        if here.ports == end.ports:
            mode = (one.speed_gbit, here.breakout)
            taken[mode] += rewiring.cables_at(plan, one, here)
    group = plan.groups[end.group]
    if group.switch is None:
        return taken.total() - group.port_groups[end.ports].ports
    own = (link.speed_gbit, end.breakout)
    others = sum(ceil(ports / mode[1]) for mode, ports in taken.items() if mode != own)
    lacks = taken[own] - (group.switch.cages.count - others) * end.breakout
    most = most_logical_ports(group.switch)
    return lacks if most is None else max(lacks, taken.total() - most)
