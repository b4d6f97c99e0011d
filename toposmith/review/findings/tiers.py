"""Oversubscription of tiers against the policy, and the uplinks that would fix it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import ceil, prod

from toposmith.analysis.result import Tier
from toposmith.design.edits import set_cables
from toposmith.fabric.breakout_limits import most_logical_ports
from toposmith.fabric.dealing import peer_axes
from toposmith.fabric.plan import LinkEnd, LinkPlan, Plan
from toposmith.findings.codes.code import Fact
from toposmith.findings.finding import Finding, Place, at_group, at_groups, found
from toposmith.review.findings.ports import switch_that_fits
from toposmith.review.findings.subject import Explained, Explainers, Find, Subject, other_end


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
    known: dict[tuple[str, str, int, int], tuple[int, int]] = {}  # what links of one kind lack
    for link in plan.links:
        for end in (link.a, link.b):
            if rewiring.cables_at(plan, link, end) <= link.cables_at(end.group):
                continue
            kind = (end.group, end.ports, end.breakout, link.speed_gbit)
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


OVERBUILT = 0.5
"""Capacity down over capacity up from which on a tier has twice the uplinks that it can fill."""

ROUNDING = 1 + 1e-3
"""Within which a ratio is that of the policy."""

TierUplinks = Mapping[int, tuple[str, LinkPlan]]
"""The links up from a tier, by index, each with the group of the tier that it leaves."""


def oversubscribed(subject: Subject, finding: Finding) -> Explained:
    """The ratio against the policy's, and the cables, or switches above, that keep it."""
    tier = _tier(subject, finding.place)
    if tier is None or tier.oversubscription is None:
        return {}
    limit = subject.policy.limits.oversubscription_of(tier.tier)
    # what is down or slow is to be repaired, not compensated
    cabled = tier.oversubscription if tier.as_cabled is None else tier.as_cabled
    more = max(0, ceil(tier.ports_up * (cabled / limit - 1) - 1e-9))
    if not more:
        return {"limit": limit, "more_uplinks": 0}
    links = {link.index: (name, link) for name in tier.groups for link in subject.links_up(name)}
    rewired = _more_uplinks(subject, links, cabled / limit)
    return {"limit": limit, "more_uplinks": more, **rewired}


def _more_uplinks(subject: Subject, links: TierUplinks, factor: float) -> dict[str, Fact]:
    """What to write into the design for so many times the uplinks, with ports for all of them."""
    plan = subject.plan
    by_above: dict[str, dict[int, float]] = defaultdict(dict)
    for index, (name, link) in links.items():
        by_above[other_end(link, name).group][index] = factor
    rewiring = AS_IS
    try:
        for above, factors in by_above.items():
            rewiring = growing(plan, rewiring, above, factors)
    except ValueError:
        return _with_larger_switches(subject, links, factor)
    return {
        "switches": tuple(rewiring.counts),
        "switches_wanted": tuple(rewiring.counts.values()),
        "switches_now": tuple(plan.size(above) for above in rewiring.counts),
        **_cables(links, rewiring),
    }


def _with_larger_switches(subject: Subject, links: TierUplinks, factor: float) -> dict[str, Fact]:
    """The cables that as many switches would want, the ports that these lack, and what has them."""
    plan = subject.plan
    wanted = {
        index: ceil(link.cables_per_pair * factor - 1e-9) for index, (_, link) in links.items()
    }
    rewiring = Rewiring(cables=wanted)
    lacks = lacking(plan, rewiring)
    design = plan.design
    for index, cables in wanted.items():
        design = set_cables(design, index, cables).design
    switches = (name for name in lacks if name in plan.groups and plan.groups[name].switch)
    fits = {name: switch_that_fits(subject, name, design) for name in switches}
    larger = tuple(part.name if (part := fits.get(name)) else "" for name in lacks)
    ports: dict[str, Fact] = {"lacking": tuple(lacks), "ports_lacking": tuple(lacks.values())}
    return {**_cables(links, rewiring), **ports, "larger": larger}


def _cables(links: TierUplinks, rewiring: Rewiring) -> dict[str, Fact]:
    """Each link with its new cables, and with those that it has."""
    return {
        "links": tuple(f"{name} - {other_end(link, name).group}" for name, link in links.values()),
        "cables_wanted": tuple(rewiring.cables[index] for index in links),
        "cables_now": tuple(link.cables_per_pair for _, link in links.values()),
    }


def within_policy(subject: Subject, finding: Finding) -> bool:
    """Whether an oversubscription is one that the policy allows."""
    if finding.code != "oversubscribed" or finding.value is None:
        return False
    most = subject.policy.limits.oversubscription_of(finding.values.text("tier"))
    return not finding.value.beyond(most)


def overbuilt(subject: Subject) -> Iterator[Finding]:
    """Tiers with at least twice the capacity up that they have down."""
    for tier in subject.analysis.tiers:
        cabled = tier.oversubscription if tier.as_cabled is None else tier.as_cabled
        if cabled is not None and cabled <= OVERBUILT:
            spare = tier.ports_up - ceil(tier.ports_up * cabled)
            yield found(
                "overbuilt-uplinks",
                at_groups(tier.groups),
                ports_up=tier.ports_up,
                ports_down=tier.ports_down,
                ratio=cabled,
                spare=spare,
            )


def _tier(subject: Subject, place: Place) -> Tier | None:
    return next((t for t in subject.analysis.tiers if at_groups(t.groups) == place), None)


def undivided(subject: Subject) -> Iterator[Finding]:
    """Switches whose ports down do not divide over their peers above, so that uplinks stay idle.

    A non-blocking switch has as many uplinks as cables down, at equal speed; where those do not
    divide by the number of its peers, the whole cables that fit leave fewer than one a peer over.
    A tier beyond the policy's oversubscription is named for that, once.
    """
    limits = subject.policy.limits
    beyond = {
        name
        for tier in subject.analysis.tiers
        if (tier.oversubscription or 0.0) > limits.oversubscription_of(tier.tier) * ROUNDING
        for name in tier.groups
    }
    for name, group in subject.plan.groups.items():
        up, down = subject.links_up(name), subject.links_down(name)
        if group.switch is None or len(up) != 1 or not down or name in beyond:
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
        cables = link.cables_per_pair
        more = lacking(subject.plan, Rewiring(cables={link.index: cables + 1}))
        yield found(
            "uneven-uplinks",
            at_group(name),
            group=name,
            above=above,
            uplinks=want,
            peers=peers,
            cables=cables,
            left=int(left),
            more_cables=None if more else cables + 1,
            peers_that_divide=tuple(n for n in near if peers <= 2 * n and n <= 2 * peers),
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


FIND: tuple[Find, ...] = (
    overbuilt,
    undivided,
    unlike_widths,
    missing,
)
EXPLAIN: Explainers = {"oversubscribed": oversubscribed}
