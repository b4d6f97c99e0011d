"""The cables at the NICs of nodes: dealt or single ones, without faults, with their speed."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from toposmith.design.selectors import Selection
from toposmith.fabric.cuts import Cells, Cuts
from toposmith.fabric.dealing import Coordinates
from toposmith.fabric.dealt_ports import (
    DealtPort,
    dealt_ports,
    unevenly_met,
    unlike_bundles,
    unlike_pairings,
)
from toposmith.fabric.faults import Faults, faults_of
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.fabric.rewired import Rewired, rewired_of
from toposmith.fabric.slow_cables import SlowCables, slow_cables_of
from toposmith.intervals import Interval

NicCable = tuple[int, Cells, float]
"""A cable of a NIC: its link, the class of its peer, and what it runs, Gb/s."""

ValueSets = tuple[tuple[str, frozenset[Interval]], ...]
"""Axes, and sets of their values to cut them by."""


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
        self._dealt: dict[tuple[str, str], tuple[list[list[DealtPort]], ValueSets]] = {}
        self._cabled: dict[tuple[str, str, Cells], list[tuple[NicCable, ...]]] = {}
        self._uneven: dict[tuple[str, str, tuple[int, ...]], ValueSets] = {}

    def dealt(self, group: GroupPlan, name: str) -> tuple[list[list[DealtPort]], ValueSets]:
        """Where the ports of every NIC are dealt to, and what NICs alone tell apart of that."""
        key = group.name, name
        if key not in self._dealt:
            fitted = dealt_ports(self._plan, self._cuts, group, name)
            apart = (*unlike_bundles(group, fitted), *unlike_pairings(group, fitted))
            self._dealt[key] = fitted, apart
        return self._dealt[key]

    def unevenly_met(self, group: GroupPlan, name: str, colours: tuple[int, ...]) -> ValueSets:
        """What NICs of these colours tell apart of the peers that they are dealt to."""
        key = group.name, name, colours
        if key not in self._uneven:
            fitted, _ = self.dealt(group, name)
            self._uneven[key] = tuple(unevenly_met(self._cuts, group, fitted, colours))
        return self._uneven[key]

    def cabled(
        self,
        group: GroupPlan,
        name: str,
        cells: Cells,
        at: Coordinates,
        cards: list[list[DealtPort]],
        there: Mapping[str, Container[Cells]],
    ) -> list[tuple[NicCable, ...]]:
        """The cables of each NIC that are there; see :meth:`live`."""
        key = group.name, name, cells
        if key not in self._cabled:
            self._cabled[key] = [
                self._of_nic(group, name, cells, at, card, there) for card in cards
            ]
        return self._cabled[key]

    def _of_nic(
        self,
        group: GroupPlan,
        name: str,
        cells: Cells,
        at: Coordinates,
        cards: list[DealtPort],
        there: Mapping[str, Container[Cells]],
    ) -> tuple[NicCable, ...]:
        cabled: list[NicCable] = []
        for card, peer, speed in self.live(group, name, cells, at, cards, there):
            # between two nodes equal ports meet, so every slot is a class of its own
            meets = (card.port,) if self._plan.groups[card.peer].host else ()
            cabled.append((card.link.index, (*peer, *meets), speed))
        return tuple(sorted(cabled))

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


def node_cables(plan: Plan, cuts: Cuts, *, without_down: bool) -> NodeCables:
    """The cables at nodes of these classes; graphs that only mark others share them."""
    known: tuple[Cuts, bool, NodeCables] | None = plan.result_cache.get(node_cables)
    if known is None or known[1] != without_down or known[0] != cuts:
        faults = faults_of(plan, without_down=without_down)
        found = NodeCables(plan, cuts, faults, slow_cables_of(plan), rewired_of(plan))
        known = plan.result_cache[node_cables] = cuts, without_down, found
    return known[2]
