"""Tiers of switches: their order, ports below and above, and oversubscription."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from toposmith.analysis.result import Tier
from toposmith.fabric.counts import link_rates_GBps, standing_cable_counts
from toposmith.fabric.plan import LinkPlan, Plan

TIER_NAMES = ("leaf", "spine", "core")


def tier_of_groups(plan: Plan, slots: Mapping[str, str]) -> dict[str, int]:
    """Tiers from the nodes up to each switch group of one network: 0 for a node, 1 for a leaf.

    Storage and nodes that take no part are in none, wherever they are wired to.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    slots : mapping of str to str
        The slot group of each node group on this network; switches that only other slot groups
        reach are left out.
    """
    return _climbed(plan, slots, lambda name, ports: ports == slots.get(name, ""))


def tiers_everywhere(plan: Plan) -> dict[str, int]:
    """Tiers of all groups on all networks: 0 for nodes and storage, 1 for a leaf."""
    hosts = [name for name, group in plan.groups.items() if group.switch is None]
    return _climbed(plan, hosts, lambda name, ports: True)


def _climbed(
    plan: Plan, bottom: Iterable[str], leads: Callable[[str, str], bool]
) -> dict[str, int]:
    """The steps from the bottom to every switch group, over the ports of a group that lead on."""
    height = dict.fromkeys(bottom, 0)
    edge_of_search = list(height)
    while edge_of_search:
        found: list[str] = []
        for name in edge_of_search:
            for link in plan.links_of(name):
                end = link.end_of(name)
                other = (link.b if end is link.a else link.a).group
                is_switch = plan.groups[other].switch is not None
                if is_switch and other not in height and leads(name, end.ports):
                    height[other] = height[name] + 1
                    found.append(other)
        edge_of_search = found
    return height


def tier_name(height: int) -> str:
    """``leaf``, ``spine``, ``core``, then ``tier 4`` and so on."""
    return TIER_NAMES[height - 1] if height <= len(TIER_NAMES) else f"tier {height}"


def tier_of_link(link: LinkPlan, heights: Mapping[str, int]) -> str:
    """The tier that a link belongs to: that of its lower end, ``nic`` at a node."""
    lower = min(heights.get(link.a.group, 0), heights.get(link.b.group, 0))
    return "nic" if lower == 0 else tier_name(lower)


def tiers(
    plan: Plan,
    slots: Mapping[str, str],
    devices: Mapping[str, int],
    cables: Mapping[int, int],
) -> tuple[Tier, ...]:
    """Every tier from the leaf up, with its oversubscription.

    Oversubscription is the capacity towards the nodes over the capacity away from them, summed
    over the cables that the tier has and that are not down, slow ones as they run (1 is
    non-blocking); None for the topmost. Groups of one tier with another ratio are a row each, since
    none of them has what they have on average. Ports are as cabled.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    slots : mapping of str to str
        The slot group of each node group on this network.
    devices, cables : mapping
        Devices per group and cables per link, from :mod:`toposmith.fabric.counts`.
    """
    heights = tier_of_groups(plan, slots)
    rates = link_rates_GBps(plan, standing_cable_counts(plan))
    sides: dict[str, tuple[Capacity, Capacity]] = {
        name: (Capacity(), Capacity()) for name, height in heights.items() if height
    }
    for link in plan.every_link:
        ends = (link.a, link.b)
        if any(end.group not in heights or end.ports != slots.get(end.group, "") for end in ends):
            continue
        low, high = sorted((end.group for end in ends), key=heights.__getitem__)
        if heights[low] == heights[high]:
            continue
        many = cables[link.index]
        for name, side in ((low, 1), (high, 0)):
            if name in sides:
                sides[name][side].add(many, rates[link.index], many * link.line_GBps)
    rows: list[Tier] = []
    for height in sorted(set(heights.values()) - {0}):
        alike: dict[tuple[float | None, ...], list[str]] = defaultdict(list)
        for name in (name for name, at in heights.items() if at == height):
            down, up = sides[name]
            alike[_ratio(down.GBps, up.GBps), _ratio(down.cabled, up.cabled)].append(name)
        for groups in alike.values():
            down, up = (sum((sides[n][side] for n in groups), Capacity()) for side in (0, 1))
            ratio, cabled = _ratio(down.GBps, up.GBps), _ratio(down.cabled, up.cabled)
            whole = (down.GBps, up.GBps) == (down.cabled, up.cabled)
            rows.append(
                Tier(
                    tier_name(height),
                    tuple(groups),
                    sum(devices[name] for name in groups),
                    down.ports,
                    up.ports,
                    down.GBps / up.GBps if up.GBps else None,
                    None if whole or cabled == ratio else cabled,
                    is_whole=len(alike) == 1,
                )
            )
    return tuple(rows)


@dataclass
class Capacity:
    """What the cables at one side of switches carry, GB/s, as they run and as they are cabled."""

    ports: int = 0
    GBps: float = 0.0
    cabled: float = 0.0

    def add(self, ports: int, GBps: float, cabled: float) -> None:
        """Count more cables in."""
        self.ports += ports
        self.GBps += GBps
        self.cabled += cabled

    def __add__(self, other: Capacity) -> Capacity:
        return Capacity(
            self.ports + other.ports, self.GBps + other.GBps, self.cabled + other.cabled
        )


def _ratio(down: float, up: float) -> float | None:
    """To nine digits, so that sums in another order are the same; None without cables up."""
    return float(f"{down / up:.9g}") if up else None
