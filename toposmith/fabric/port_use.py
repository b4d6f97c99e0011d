"""Port accounting: how many ports and cages each device of a group uses, breakouts included."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from toposmith.fabric.once import once
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.findings.codes.code import Fact
from toposmith.findings.finding import Finding, at_group, found


@dataclass(frozen=True)
class PortUse:
    """Ports of one device of a group, for one port group.

    Parameters
    ----------
    group, ports : str
        The device group, and the slot group where it is a node (empty for a switch).
    used, free : int
        Ports used by links and remaining, at the speeds of the links. Where a switch has
        whole cages left, ``free`` counts them in the native mode. ``free`` is negative when
        over-used.
    cages_used, cages : int
        Cages used, and all cages; a cage runs one breakout mode, so the ports of a
        half-used cage can only serve links of the same speed. For a node a cage is a port.
    by_speed : dict of int to int
        Ports used per speed in Gb/s.
    """

    group: str
    ports: str
    used: int
    free: int
    cages_used: int
    cages: int
    by_speed: dict[int, int]


@once
def port_use(plan: Plan) -> dict[tuple[str, str], PortUse]:
    """Ports used and free on one device of every group, keyed by group and slot group."""
    demand: dict[tuple[str, str], dict[tuple[int, int], int]] = defaultdict(
        lambda: defaultdict(int)
    )
    for link in plan.links:
        for end in link.ends:
            mode = (link.speed_gbit, end.breakout)
            demand[end.group, end.ports][mode] += link.cables_at(end.group)
    uses: dict[tuple[str, str], PortUse] = {}
    for name, group in plan.groups.items():
        for slots in group.port_groups:
            uses[name, slots] = _use(group, slots, demand[name, slots])
    return uses


def _use(group: GroupPlan, slots: str, demand: dict[tuple[int, int], int]) -> PortUse:
    used = sum(demand.values())
    by_speed: dict[int, int] = defaultdict(int)
    for (speed, _), ports in demand.items():
        by_speed[speed] += ports
    if group.cages is None or slots:
        ports = group.port_groups[slots].ports
        return PortUse(group.name, slots, used, ports - used, used, ports, dict(by_speed))
    cages, native = group.cages.count, group.cages.modes[0].ports
    cages_used = sum(ceil(ports / breakout) for (_, breakout), ports in demand.items())
    spare = sum(-ports % breakout for (_, breakout), ports in demand.items())
    free = (cages - cages_used) * native + spare
    if cages_used > cages:
        free = -(cages_used - cages) * native
    return PortUse(group.name, slots, used, free, cages_used, cages, dict(by_speed))


@once
def port_findings(plan: Plan) -> tuple[Finding, ...]:
    """Errors where links need more ports than a device has."""
    findings: list[Finding] = []
    for (name, slots), use in port_use(plan).items():
        if use.cages_used <= use.cages:
            continue
        takers = [link for link in plan.links_of(name) if link.end_of(name).ports == slots]
        values: dict[str, Fact] = {
            "ports": use.cages,
            "ports_asked": use.used,
            "too_many": use.cages_used - use.cages,
            "links": tuple(link.label for link in takers),
            "cables": tuple(link.cables_at(name) for link in takers),
        }
        part, cages = plan.groups[name].part, plan.groups[name].cages
        if part is not None and cages is not None and not slots:
            values |= {
                "part": part.name,
                "ports": cages.count * cages.modes[0].ports,
                "speed_gbit": cages.modes[0].speed_gbit,
                "cages": use.cages,
                "cages_asked": use.cages_used,
            }
        findings.append(found("ports-overused", at_group(name, slots), **values))
    over = {finding.place.group for finding in findings}
    return (*findings, *(each for each in _with_single_cables(plan, over)))


def _with_single_cables(plan: Plan, over: set[str]) -> Iterator[Finding]:
    """Errors where single cables need more cages than a switch has left."""
    change: dict[tuple[str, tuple[int, ...]], dict[tuple[int, int], int]] = defaultdict(
        lambda: defaultdict(int)
    )
    links = {link.index: link for link in plan.every_link}
    single = [(links[one.link], one.a.at, one.b.at, 1) for one in plan.single_cables]
    gone = [(links[one.link], one.a, one.b, -1) for one in plan.replaced]
    for link, at_a, at_b, step in (*single, *gone):
        for end, at in ((link.a, at_a), (link.b, at_b)):
            if not end.ports:
                change[end.group, at][link.speed_gbit, end.breakout] += step
    dealt: dict[str, dict[tuple[int, int], int]] = defaultdict(lambda: defaultdict(int))
    for link in plan.links if change else ():
        for end in link.ends:
            dealt[end.group][link.speed_gbit, end.breakout] += link.cables_at(end.group)
    for (name, at), steps in change.items():
        has = plan.groups[name].cages
        modes = dealt[name] | {mode: dealt[name][mode] + more for mode, more in steps.items()}
        cages = sum(ceil(ports / breakout) for (_, breakout), ports in modes.items())
        if has is not None and name not in over and cages > has.count:
            axes = zip(plan.groups[name].axes, at, strict=True)
            device = f"{name}[{','.join(f'{axis}={value}' for axis, value in axes)}]"
            yield found(
                "single-cables-overused",
                at_group(name),
                device=device,
                cages=has.count,
                cages_asked=cages,
                too_many=cages - has.count,
            )
