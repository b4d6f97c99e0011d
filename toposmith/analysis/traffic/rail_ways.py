"""Ways over switches alone, from the NICs of a node to those of others: where rails meet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.cancellation import go_on
from toposmith.fabric.cuts import Cells
from toposmith.fabric.device import Device
from toposmith.fabric.plan import GroupPlan

NicSwitches = frozenset[Device]
"""The switches that a NIC is cabled to."""


def rails_apart(network: ComputeNetwork) -> Iterator[tuple[GroupPlan, int, int]]:
    """Groups of nodes with NICs that no way over switches joins.

    Each with how many NICs of a node one of them misses, and how many there are.
    """
    if network.world.nodes < 2 or not network.all_on_switches:
        return
    ways = RailWays(network)
    for group in network.world.groups:
        ports = network.ports(group)
        if gpus_of(group) < 2 or ports is None or ports.nic is None:
            continue
        missed, nics = 0, 0
        for found in ways.nics_of(group):
            cabled = [nic for nic in found if nic]
            lost = next(filter(None, (ways.missed(nic, cabled) for nic in cabled)), 0)
            missed, nics = max((missed, nics), (lost, len(cabled)))
        if missed:
            yield group, missed, nics


class RailWays:
    """Ways over switches alone, walked no further than they may lead.

    Where every link between switches keeps to one value of an axis, as one of spines for each rail
    does, no path leads to another value, and those need no walk over the whole fabric.
    """

    def __init__(self, network: ComputeNetwork) -> None:
        plan = network.plan
        self._network = network
        self._cells: dict[str, list[Cells]] = defaultdict(list)
        for name, cells in network.live_slots:
            self._cells[name].append(cells)
        between = [link for link in plan.links if not (link.a.ports or link.b.ports)]
        self._kept = {
            name: [
                (axis, place)
                for place, axis in enumerate(group.axes)
                if not plan.single_cables and all(axis in link.shared for link in between)
            ]
            for name, group in plan.groups.items()
        }

    def nics_of(self, group: GroupPlan) -> Iterator[tuple[NicSwitches, ...]]:
        """The NICs of a node of every class of a group, in the order of slots; empty if uncabled.

        Nodes whose NICs are on the same switches are looked at once.
        """
        seen: set[tuple[NicSwitches, ...]] = set()
        for cells in self._cells[group.name]:
            at = tuple(self._network.classes.coordinates(group, cells).values())
            nics = self._network.devices.at_node((group.name, at))
            found = tuple(frozenset(switch for switch, _ in nic) for nic in nics)
            if found not in seen:
                seen.add(found)
                yield found

    def missed(self, nic: NicSwitches, others: Sequence[NicSwitches]) -> int:
        """How many of some NICs no way over switches leads to from one."""
        parts = set(map(self._part, nic))
        near = [other for other in others if not parts.isdisjoint(map(self._part, other))]
        return len(others) - len(near) + self._walked(nic, near)

    def _part(self, switch: Device) -> frozenset[tuple[str, int]]:
        """The values that all switches have to which a way leads from this one."""
        group, at = switch
        return frozenset((axis, at[place]) for axis, place in self._kept[group])

    def _walked(self, nic: NicSwitches, others: list[NicSwitches]) -> int:
        """How many of some NICs no way leads to; walked until all are met."""
        reached, waiting = set(nic), list(nic)
        while waiting and any(map(reached.isdisjoint, others)):
            go_on(20 + len(others))
            near = self._network.devices.beside(waiting.pop()).keys() - reached
            reached |= near
            waiting += near
        return sum(map(reached.isdisjoint, others))
