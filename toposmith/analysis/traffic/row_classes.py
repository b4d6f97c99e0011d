"""The classes of cables that rows are of: the arc of the network's class graph for each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain

import numpy as np

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.row_network import Amounts, RowNetwork, slots_of
from toposmith.fabric.axis_values import by_cells
from toposmith.fabric.class_builder import edge_key
from toposmith.fabric.classes import Arc, ClassVertex
from toposmith.fabric.once import once
from toposmith.fabric.relations import RelationKind, distinguishing_axes
from toposmith.fabric.rows import Numbers, distinct, in_mbit


@once
def row_classes(network: ComputeNetwork, net: RowNetwork) -> RowClasses:
    """The classes of the rows of a compute network, worked out once."""
    return RowClasses(network, net)


class RowClasses:
    """The vertices and arcs of the class graph, by number of device and by row.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network.
    net : RowNetwork
        Its rows.

    Attributes
    ----------
    of : array of int
        By device, the number of its vertex.
    """

    def __init__(self, network: ComputeNetwork, net: RowNetwork) -> None:
        self._network = network
        self._net = net
        self._links = {link.index: link for link in network.plan.every_link}
        self._name_devices()
        self._name_cables()
        classes = network.classes
        self._nics = {
            (("device", nic[1], nic[3]), slot): nic
            for nic in classes.vertices("nic")
            if network.slots.get(nic[1]) == nic[2]
            for slot in classes.graph.nodes[nic]["slots"]
        }
        self._ends = [*self._of_direct()]
        self._named += dict.fromkeys(chain(*self._ends))

    def _name_devices(self) -> None:
        classes, rows = self._network.classes, self._net.rows
        self.of: Numbers = np.full(self._net.devices, -1)
        self._named: list[ClassVertex] = []
        for name, group in self._network.plan.groups.items():
            cell: list[Numbers] = []
            at = rows.at(name)
            for axis in group.axes:
                of_cell = by_cells(classes.cuts.cells(axis))
                cell.append(of_cell.place(rows.axes[axis].first)[at[axis]])
            cells, which = distinct(*cell)
            self.of[rows.of_group(name)] = len(self._named) + which
            columns = (column.tolist() for column in cells)
            self._named += [("device", name, of) for of in zip(*columns, strict=True)]

    def _name_cables(self) -> None:
        """The arcs between switches, and that of each row."""
        cables = self._net.between
        kind, kinds = self._relations()
        columns, self._arc = distinct(
            self.of[cables.a], self.of[cables.b], cables.link, in_mbit(cables.gbit), kind
        )
        gbit = np.zeros(len(columns[0]))
        gbit[self._arc] = cables.gbit
        self._arcs: list[Arc] = [
            (self._named[a], self._named[b], edge_key(self._links[link], speed, kinds[of]))
            for (a, b, link, _, of), speed in zip(
                zip(*(c.tolist() for c in columns), strict=True), gbit.tolist(), strict=True
            )
        ]

    def _relations(self) -> tuple[Numbers, list[RelationKind]]:
        """By row, which kind of its link's cables it is; the kinds."""
        network, cables, kinds = self._network, self._net.between, [RelationKind()]
        of_row = np.zeros(len(cables), np.int64)
        for link in network.plan.every_link:
            told = distinguishing_axes(link, network.classes.cuts.rings)
            rows = np.flatnonzero(cables.link == link.index) if told or link.bundle else of_row[:0]
            if not len(rows):
                continue
            columns: list[Numbers] = [cables.kind[rows]] if link.bundle else []
            for axis, by_distance in () if link.bundle else told:
                one, other = (
                    self._net.rows.values[axis][ends[rows]] for ends in (cables.a, cables.b)
                )
                apart = np.abs(one - other)
                around = np.minimum(apart, network.plan.size(axis) - apart)
                columns.append(around if by_distance else (one != other).astype(np.int64))
            table, of = distinct(*columns)
            of_row[rows] = len(kinds) + of
            kinds += list(zip(*(column.tolist() for column in table), strict=True))
        return of_row, kinds

    def _of_direct(self) -> Iterator[list[ClassVertex]]:
        """By side, the NIC at that end of each cable from NIC to NIC."""
        cables, plan = self._net.rows.cables[self._net.direct], self._network.plan
        for side, (device, port) in enumerate(
            ((cables.a, cables.port_a), (cables.b, cables.port_b))
        ):
            ends = [
                (self._links[link].a, self._links[link].b)[side] for link in cables.link.tolist()
            ]
            yield [
                self._nics[self._named[self.of[node]], int(slots_of(plan, end)[number])]
                for end, node, number in zip(ends, device.tolist(), port.tolist(), strict=True)
            ]

    def _peers(self, node: Numbers, slot: Numbers, switch: Numbers) -> Numbers:
        """The vertices at the other ends of cables of NICs."""
        found: Numbers = self.of[switch]
        for row in np.flatnonzero(found < 0).tolist():
            own = self._nics[self._named[node[row]], int(slot[row])]
            one, other = (ends[int(switch[row]) - self._net.rows.devices] for ends in self._ends)
            found[row] = self._named.index(other if own == one else one)
        return found

    def between_switches(self, loads: Amounts) -> dict[Arc, float]:
        """The worst cable of every class between switches, of those that are loaded.

        Parameters
        ----------
        loads : array of float
            By row between switches, both ways round, the load of one cable.
        """
        most = np.zeros(len(self._arcs))
        np.maximum.at(most, self._arc, loads)
        loaded = np.flatnonzero(most)
        return dict(
            zip(map(self._arcs.__getitem__, loaded.tolist()), most[loaded].tolist(), strict=True)
        )

    def of_nics(self, sent: Amounts, taken: Amounts) -> dict[Arc, float]:
        """The worst cable of every class of cables of NICs, of those that are loaded.

        Parameters
        ----------
        sent, taken : array of float
            By kind of nodes, slot and place of a cable, what it carries out and in.
        """
        kinds, of = self._net.kinds, self._net.attachments
        (vertex, kind), _ = distinct(self.of[kinds.nodes], kinds.of_node)
        row, slot = np.nonzero(kinds.at[kind] >= 0)
        attachment = kinds.at[kind[row], slot]
        at, place = np.nonzero(of.cable[attachment] >= 0)
        held = kind[row[at]], slot[at], place
        node, cable = vertex[row[at]], of.cable[attachment[at], place]
        worst: dict[Arc, float] = defaultdict(float)
        for arc, load in self.at_nics(node, slot[at], cable, sent[held], taken[held]):
            worst[arc] = max(worst[arc], load)
        return dict(worst)

    def at_nics(
        self, node: Numbers, slot: Numbers, cable: Numbers, sent: Amounts, taken: Amounts
    ) -> Iterator[tuple[Arc, float]]:
        """Loads of cables of NICs that are loaded, by class; of a class there may be several.

        Parameters
        ----------
        node, slot, cable : array of int
            The vertex of a node, a slot of it, and the kind of a cable of the NIC there.
        sent, taken : array of float
            What one such cable carries out of the node, and into it.
        """
        of = self._net.attachments
        peer = self._peers(node, slot, of.switch[cable])
        columns, which = distinct(node, slot, peer, of.link[cable], in_mbit(of.gbit[cable]))
        most, gbit = np.zeros((2, len(columns[0]))), np.zeros(len(columns[0]))
        gbit[which] = of.gbit[cable]
        for worst, loads in zip(most, (sent, taken), strict=True):
            np.maximum.at(worst, which, loads)
        for at, number, peer, link, _, speed, out, into in zip(
            *(c.tolist() for c in (*columns, gbit, *most)), strict=True
        ):
            nic, switch = self._nics[self._named[at], number], self._named[peer]
            key = edge_key(self._links[link], speed)
            if out:
                yield (nic, switch, key), out
            if into:
                yield (switch, nic, key), into
