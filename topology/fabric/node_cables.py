"""The cables at the NICs of nodes: dealt or single ones, without faults, with their speed."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from toposmith.topology.design.selectors import Selection
from toposmith.topology.fabric.cuts import Cells, Cuts
from toposmith.topology.fabric.dealing import Coordinates
from toposmith.topology.fabric.dealt_ports import DealtPort
from toposmith.topology.fabric.faults import Faults
from toposmith.topology.fabric.plan import GroupPlan, Plan
from toposmith.topology.fabric.rewired import Rewired
from toposmith.topology.fabric.slow_cables import SlowCables


class NodeCables:
    """Queries of the cables at the ports of nodes, one node at a time.

    A node represents its class: the cuts separate what faults make different.
    """

    def __init__(
        self, plan: Plan, cuts: Cuts, faults: Faults, slow: SlowCables, rewired: Rewired
    ) -> None:
        self._plan = plan
        self._cuts = cuts
        self._faults = faults
        self._slow = slow
        self._rewired = rewired
        self._asked: tuple[str, Coordinates, list[Selection]] = ("", {}, [])
        self._first = {axis: [cell.first for cell in cuts.cells(axis)] for axis in cuts.sizes}

    def cards(
        self, group: GroupPlan, name: str, at: Coordinates, dealt: list[list[DealtPort]]
    ) -> list[list[DealtPort]]:
        """The cabled ports of one node by its NICs: dealt ones that are left, and single ones."""
        place = (group.name, name, tuple(at[axis] for axis in group.axes))
        freed, own = self._rewired.freed.get(place), self._rewired.at_nodes.get(place)
        if not freed and not own:
            return dealt
        cards = [[card for card in nic if card.port not in (freed or ())] for nic in dealt]
        held = group.port_groups[name]
        for one in own or ():
            axes = self._plan.groups[one.far.group].axes
            cells = tuple(
                (None, self._cuts.cell_of(axis, value))
                for axis, value in zip(axes, one.far.at, strict=True)
            )
            # a device of its own class: for any of its values no other peer has these
            values = (-1, *one.far.at)
            cards[held.nic_of(one.port)].append(
                DealtPort(one.port, one.link, one.far.group, cells, values)
            )
        return cards

    def live(
        self,
        group: GroupPlan,
        name: str,
        cells: Cells,
        at: Coordinates,
        cards: list[DealtPort],
        there: Mapping[str, Container[Cells]],
    ) -> Iterator[tuple[DealtPort, Cells, float]]:
        """The cables of one NIC that are there: port, class of the peer, Gb/s.

        Parameters
        ----------
        group : GroupPlan
            The group of the node.
        name : str
            Its slot group.
        cells, at : tuple of int, mapping
            The class of the node, and the coordinates that stand for it.
        cards : list of DealtPort
            The cabled ports of the NIC, from :meth:`cards`.
        there : mapping
            The classes of every group that are there.
        """
        gone = self._ports_gone(group, at)
        for card in cards:
            peer = card.peer_cells(cells)
            if gone and any(one.ports == name and one.port in (None, card.port) for one in gone):
                continue
            if peer in there[card.peer] and not self._is_gone(group, card, peer, at):
                yield card, peer, self._gbit(group, card, peer, at)

    def _ports_gone(self, group: GroupPlan, at: Coordinates) -> list[Selection]:
        """What takes ports of a node, which is asked for each of its NICs in turn."""
        if group.name not in self._faults.ports:
            return []
        asked, of, gone = self._asked
        if asked != group.name or of is not at:
            gone = self._faults.ports_gone(group.name, at)
            self._asked = group.name, at, gone
        return gone

    def _gbit(self, group: GroupPlan, card: DealtPort, peer: Cells, at: Coordinates) -> float:
        """What the cable at a port of a node runs, Gb/s."""
        link = card.link
        if not self._slow.touches(link):
            return link.speed_gbit
        here, other = (group.name, at), (card.peer, self._coordinates(card.peer, peer))
        if link.a.group == group.name:
            return self._slow.gbit(link, here, other, port_a=card.port)
        return self._slow.gbit(link, other, here, port_b=card.port)

    def _is_gone(self, group: GroupPlan, card: DealtPort, peer: Cells, at: Coordinates) -> bool:
        faults = self._faults
        if {group.name, card.peer} not in faults.cables:
            return False
        there = self._coordinates(card.peer, peer)
        return faults.takes_cables((group.name, at), (card.peer, there))

    def _coordinates(self, group: str, cells: Cells) -> dict[str, int]:
        first, axes = self._first, self._plan.groups[group].axes
        return {axis: first[axis][cell] for axis, cell in zip(axes, cells, strict=True)}
