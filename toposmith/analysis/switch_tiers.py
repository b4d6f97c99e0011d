"""Tiers of switches: their order, ports below and above, and oversubscription."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

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
    non-blocking); None for the topmost. Ports are as cabled.

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
    down: dict[int, float] = defaultdict(float)
    up: dict[int, float] = defaultdict(float)
    cabled_down: dict[int, float] = defaultdict(float)
    cabled_up: dict[int, float] = defaultdict(float)
    ports_down: dict[int, int] = defaultdict(int)
    ports_up: dict[int, int] = defaultdict(int)
    for link in plan.every_link:
        ends = (link.a, link.b)
        if any(end.group not in heights or end.ports != slots.get(end.group, "") for end in ends):
            continue
        low, high = sorted((heights[link.a.group], heights[link.b.group]))
        many = cables[link.index]
        if low == high:
            continue
        ports_down[high] += many
        down[high] += rates[link.index]
        ports_up[low] += many
        up[low] += rates[link.index]
        cabled_down[high] += many * link.line_GBps
        cabled_up[low] += many * link.line_GBps
    rows: list[Tier] = []
    for height in sorted(set(heights.values()) - {0}):
        groups = tuple(name for name, at in heights.items() if at == height)
        ratio = down[height] / up[height] if up[height] else None
        cabled = cabled_down[height] / cabled_up[height] if cabled_up[height] else None
        whole = (down[height], up[height]) == (cabled_down[height], cabled_up[height])
        rows.append(
            Tier(
                tier_name(height),
                groups,
                sum(devices[name] for name in groups),
                ports_down[height],
                ports_up[height],
                ratio,
                None if whole or cabled == ratio else cabled,
            )
        )
    return tuple(rows)
