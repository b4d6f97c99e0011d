"""Changes of dealt cables by single ones, indexed by device, port and pair."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from toposmith.fabric.device import At
from toposmith.fabric.once import once
from toposmith.fabric.plan import LinkPlan, Plan, PlannedEnd

Pair = tuple[int, At, At]
"""A link by its index, and the devices at its two ends."""


@dataclass(frozen=True)
class OwnCable:
    """The single cable at a port of a node: its link, its port, and its other end."""

    link: LinkPlan
    port: int
    far: PlannedEnd


class Rewired:
    """Queries of a plan's single cables, one device or pair at a time.

    Attributes
    ----------
    freed : dict
        Ports of nodes that lost their dealt cable, by group, slots and device.
    at_nodes : dict
        Single cables at the ports of nodes, by group, slots and device.
    lost, gained : dict
        Numbers of dealt cables lost and of single cables gained, by pair of devices.
    """

    def __init__(self, plan: Plan) -> None:
        self.freed: dict[tuple[str, str, At], set[int]] = defaultdict(set)
        self.at_nodes: dict[tuple[str, str, At], list[OwnCable]] = defaultdict(list)
        self.lost: dict[Pair, int] = defaultdict(int)
        self.gained: dict[Pair, int] = defaultdict(int)
        links = {link.index: link for link in plan.every_link}
        for dealt in plan.replaced:
            link = links[dealt.link]
            self.lost[dealt.link, dealt.a, dealt.b] += 1
            for end, at, far in ((link.a, dealt.a, dealt.b), (link.b, dealt.b, dealt.a)):
                if end.ports:
                    other = plan.groups[(link.b if end is link.a else link.a).group]
                    values = dict(zip(other.axes, far, strict=True))
                    peers = link.peers_of_a if end is link.a else link.peers_of_b
                    rank = 0
                    for axis in link.b_only if end is link.a else link.a_only:
                        rank = rank * plan.size(axis) + values[axis]
                    port = end.first_port + dealt.turn * peers + rank
                    self.freed[end.group, end.ports, at].add(port)
        for cable in plan.single_cables:
            self.gained[cable.link, cable.a.at, cable.b.at] += 1
            for here, there in ((cable.a, cable.b), (cable.b, cable.a)):
                if here.ports and here.port is not None:
                    own = OwnCable(links[cable.link], here.port, there)
                    self.at_nodes[here.group, here.ports, here.at].append(own)

    def __bool__(self) -> bool:
        return bool(self.gained or self.lost)


rewired_of = once(Rewired)
"""The single cables of a plan, worked out once."""
