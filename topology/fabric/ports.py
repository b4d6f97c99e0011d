"""Port accounting: how many ports and cages each device of a group uses, breakouts included."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import ceil

from toposmith.topology.fabric.once import once
from toposmith.topology.fabric.plan import GroupPlan, Plan
from toposmith.topology.findings.finding import Finding, found
from toposmith.topology.findings.place import at_group
from toposmith.topology.findings.values import Fact


@dataclass(frozen=True)
class PortUse:
    """Ports of one device of a group, for one port group.

    Parameters
    ----------
    group, ports : str
        The device group, and the slot group where it is a node (empty for a switch).
    used, free : int
        Ports taken by links and left over, at the speeds that the links run. Where a switch has
        whole cages left, ``free`` counts them in the native mode. ``free`` is negative when
        over-used.
    cages_used, cages : int
        Cages taken, and cages that there are; a cage runs one breakout mode, so the ports of a
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
        for end in (link.a, link.b):
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
    if group.switch is None:
        ports = group.port_groups[slots].ports
        return PortUse(group.name, slots, used, ports - used, used, ports, dict(by_speed))
    cages = group.switch.cages.count
    cages_used = sum(ceil(ports / breakout) for (_, breakout), ports in demand.items())
    spare = sum(-ports % breakout for (_, breakout), ports in demand.items())
    free = (cages - cages_used) * group.switch.native.ports + spare
    if cages_used > cages:
        free = -(cages_used - cages) * group.switch.native.ports
    return PortUse(group.name, slots, used, free, cages_used, cages, dict(by_speed))


@once
def port_findings(plan: Plan) -> tuple[Finding, ...]:
    """Errors where links ask for more ports than a device has."""
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
        part = plan.groups[name].switch
        if part is not None:
            values |= {
                "part": part.name,
                "ports": part.ports,
                "speed_gbit": part.native.speed_gbit,
                "cages": use.cages,
                "cages_asked": use.cages_used,
            }
        findings.append(found("ports-overused", at_group(name, slots), **values))
    return tuple(findings)
