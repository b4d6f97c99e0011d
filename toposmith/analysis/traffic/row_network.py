"""The compute network as rows of cables: kinds of nodes, how NICs are cabled, classes of switches.

NICs with the same cables are one *attachment*; nodes of a group whose NICs have the same
attachments by slot are one *kind*; switches without NICs that have the same neighbours over the
same cables, such as the spines of one plane, are one *class*, since to swap two of them changes
nothing, whatever else is broken.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from toposmith.analysis.network import ComputeNetwork
from toposmith.fabric.device import Device
from toposmith.fabric.nvlink_domains import outside
from toposmith.fabric.once import once
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.fabric.rows import (
    Cables,
    FabricRows,
    Numbers,
    cables_between_switches,
    distinct,
    fabric_rows,
    in_mbit,
)

Amounts = NDArray[np.float64]


@dataclass(frozen=True)
class Attachments:
    """The distinct ways in which NICs are cabled to switches.

    Attributes
    ----------
    cable : array of int
        By attachment, the kinds of its cables, -1 where it has fewer than others.
    count : array of int
        How many of each it has.
    switch, link : array of int
        By kind of cable, the number of the switch, and the link.
    gbit : array of float
        By kind of cable, what one runs, Gb/s.
    """

    cable: Numbers
    count: Numbers
    switch: Numbers
    link: Numbers
    gbit: Amounts

    def __len__(self) -> int:
        return len(self.cable)


def attachments_of(nics: Cables, nic: Numbers) -> tuple[Attachments, Numbers]:
    """The attachments of NICs, and which each NIC has (-1 for none).

    Parameters
    ----------
    nics : Cables
        Rows whose first end is a NIC, whose second a switch.
    nic : array of int
        By row, the number of the NIC.
    """
    (switch, link, mbit), kind = distinct(nics.b, nics.link, in_mbit(nics.gbit))
    (of_nic, cable), row = distinct(nic, kind)
    place = np.arange(len(of_nic)) - np.searchsorted(of_nic, of_nic)
    shape = int(nic.max(initial=-1)) + 1, int(place.max(initial=-1)) + 1
    cables, counts = np.full(shape, -1), np.zeros(shape, np.int64)
    cables[of_nic, place], counts[of_nic, place] = cable, np.bincount(row, minlength=len(cable))
    columns, which = distinct(*cables.T, *counts.T)
    cable_of, count_of = (
        np.stack(part, axis=1) for part in (columns[: shape[1]], columns[shape[1] :])
    )
    cabled = cable_of[:, 0] >= 0
    number = np.where(cabled, np.cumsum(cabled) - 1, -1)
    gbit = np.zeros(len(mbit))
    gbit[kind] = nics.gbit
    found = Attachments(cable_of[cabled], count_of[cabled], switch, link, gbit)
    return found, number[which]


@dataclass(frozen=True)
class Kinds:
    """Kinds of nodes: those of one group whose NICs have the same attachments by slot.

    Attributes
    ----------
    nodes : array of int
        The numbers of the nodes that take part.
    of_node : array of int
        The kind of each.
    group, domain, count : array of int
        By kind, the place of its group among those of the world, its NVLink domain, its nodes.
    at : array of int
        By kind and slot, the attachment of the NIC; -1 where it has no cable.
    """

    nodes: Numbers
    of_node: Numbers
    group: Numbers
    domain: Numbers
    count: Numbers
    at: Numbers


@dataclass(frozen=True)
class Members:
    """The devices that take part, with the slots of their groups whose NICs carry the traffic.

    Attributes
    ----------
    groups : sequence of GroupPlan
        Their groups.
    slots : mapping of str to str
        The slot group of each.
    nodes : array of int
        Their numbers.
    group, domain : array of int
        By device, the place of its group among the groups, and its NVLink domain.
    """

    groups: Sequence[GroupPlan]
    slots: Mapping[str, str]
    nodes: Numbers
    group: Numbers
    domain: Numbers


@once
def row_network(network: ComputeNetwork) -> RowNetwork:
    """The rows of a compute network, worked out once."""
    rows = fabric_rows(network.plan, tuple(sorted(network.slots.items())))
    return RowNetwork(rows, _ranked(network, rows))


@once
def network_of_slots(plan: Plan, slots: tuple[tuple[str, str], ...]) -> RowNetwork:
    """The rows of all that is cabled by some slots, equal cables between two switches as one."""
    rows = fabric_rows(plan, slots)
    groups = [plan.groups[name] for name, _ in slots]
    parts = [rows.first[of.name] + np.arange(of.instances) for of in groups]
    group = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    nodes = np.concatenate([np.zeros(0, np.int64), *parts])
    there = rows.there[nodes]
    nodes, group = nodes[there], group[there]
    found = RowNetwork(rows, Members(groups, dict(slots), nodes, group, np.zeros_like(nodes)))
    # cables that sets deal in several positions between two switches are one bundle
    cables = found.between
    columns, which = distinct(cables.a, cables.b, cables.link, in_mbit(cables.gbit))
    first = np.zeros(len(columns[0]), np.int64)
    first[which] = np.arange(len(which))
    many = np.bincount(which, cables.count, len(first)).astype(np.int64)
    found.between = Cables(**{**vars(cables[first]), "count": many})
    return found


class RowNetwork:
    """The cables between the devices that take part, and the switches, as rows.

    Parameters
    ----------
    rows : FabricRows
        The cables of the slots that are meant, whose NICs are cabled to switches.
    members : Members
        The devices that take part.

    Attributes
    ----------
    rows : FabricRows
        The devices and cables.
    between : Cables
        The cables between switches, both ways round.
    fitted : array of int
        By kind of node, the NICs that it is fitted with.
    attachments : Attachments
        How NICs are cabled.
    kinds : Kinds
        The kinds of nodes.
    class_of : array of int
        By device, its class as a switch; -1 for others.
    size : array of int
        By class of switches, how many it has.
    first : array of int
        By class of switches, its first switch.
    set_of : array of int
        By device, the number of its set among those that dealt cables join; -1 for others.
    """

    def __init__(self, rows: FabricRows, members: Members) -> None:
        self.rows = rows
        self.between = cables_between_switches(rows)
        self._attach(members)
        self.set_of = self._sets()
        self.class_of = self._twins()
        self.size = np.bincount(self.class_of[self.class_of >= 0])
        _, first = np.unique(self.class_of, return_index=True)
        self.first = first[len(first) - len(self.size) :]

    def group_of(self, devices: Numbers) -> Numbers:
        """The place among the groups of the plan of the group of each device."""
        firsts = list(self.rows.first.values())
        found: Numbers = np.searchsorted(firsts, devices, side="right") - 1
        return found

    def alone(self, rows: Numbers) -> RowNetwork:
        """The same with some of the rows between switches, and each switch a class of its own."""
        found, devices = copy(self), self.rows.devices
        found.between = self.between[rows]
        found.class_of = found.first = np.arange(devices)
        found.size = np.ones(devices, np.int64)
        return found

    @cached_property
    def cables_of_kinds(self) -> tuple[Numbers, Numbers, Numbers]:
        """The cables of a node of each kind: by row that kind, the kind of cable, and how many."""
        kind, slot = np.nonzero(self.kinds.at >= 0)
        attachment = self.kinds.at[kind, slot]
        at, place = np.nonzero(self.attachments.cable[attachment] >= 0)
        held = attachment[at], place
        return kind[at], self.attachments.cable[held], self.attachments.count[held]

    def _attach(self, members: Members) -> None:
        """The attachments of all NICs that take part, and the kinds of nodes."""
        plan, nodes = self.rows.plan, members.nodes
        place = np.full(self.rows.devices, -1)
        place[nodes] = np.arange(len(nodes))
        parts: list[Cables] = []
        of_slot: list[Numbers] = []
        for link in plan.every_link:
            cables = self.rows.cables[self.rows.cables.link == link.index]
            if link.b.ports and not link.a.ports:
                cables = cables.turned()
            end = link.a if link.a.ports else link.b
            if not end.ports or not len(cables) or members.slots.get(end.group) != end.ports:
                continue
            held = plan.groups[end.group].port_groups[end.ports]
            slots = np.array([held.nic_of(port) for port in range(held.ports)], np.int64)
            parts.append(cables[place[cables.a] >= 0])
            of_slot.append(slots[parts[-1].port_a])
        used = [(of, members.slots.get(of.name)) for of in members.groups]
        nics = [of.port_groups[slots].nics if slots else 0 for of, slots in used]
        fitted = np.array(nics, np.int64)
        most = int(fitted.max(initial=0))
        at = np.full((len(nodes), most), -1)
        none = np.zeros((0, 1), np.int64)
        self.attachments = Attachments(none, none, none[:, 0], none[:, 0], np.zeros(0))
        if parts:
            cables, slot = Cables.joined(parts), np.concatenate(of_slot)
            self.attachments, of_nic = attachments_of(cables, place[cables.a] * most + slot)
            at.ravel()[: len(of_nic)] = of_nic
        columns, of_node = distinct(members.group, members.domain, *at.T)
        count = np.bincount(of_node, minlength=len(columns[0]))
        by_slot = np.array(columns[2:], np.int64).reshape(most, len(count)).T
        self.kinds = Kinds(nodes, of_node, columns[0], columns[1], count, by_slot)
        self.fitted: Numbers = fitted[columns[0]]

    def _sets(self) -> Numbers:
        """By device, the number of its set."""
        found, plan = np.full(self.rows.devices, -1), self.rows.plan
        for link in plan.links:
            if not link.bundle:
                continue
            (around,) = (axis for axis, word in link.along if word == "other")
            group, first = plan.groups[link.a.group], self.rows.first[link.a.group]
            found[first : first + group.instances] = first + self.rows.at(group)[around]
        return found

    def _twins(self) -> Numbers:
        """By device, the class of a switch: itself, or all with the same neighbours and cables."""
        cables, hosts = self.between, np.zeros(self.rows.devices, bool)
        hosts[self.attachments.switch] = True
        first = np.where(hosts, np.arange(len(hosts)), -1)
        inner = np.flatnonzero(~hosts[cables.a])
        columns = (cables.a, cables.b, cables.link, in_mbit(cables.gbit), cables.count)
        order = inner[np.lexsort([column[inner] for column in reversed(columns)])]
        table = np.stack([column[order] for column in columns], axis=1)
        switches, starts = np.unique(table[:, 0], return_index=True)
        ends = [*starts[1:].tolist(), len(table)][: len(switches)]
        known: dict[object, int] = {}
        places = zip(self.group_of(switches).tolist(), self.set_of[switches].tolist(), strict=True)
        for switch, start, end, place in zip(
            switches.tolist(), starts.tolist(), ends, places, strict=True
        ):
            first[switch] = known.setdefault((place, table[start:end, 1:].tobytes()), switch)
        numbers = np.unique(first[first >= 0])
        return np.where(first >= 0, np.searchsorted(numbers, first), -1)


def _ranked(network: ComputeNetwork, rows: FabricRows) -> Members:
    """The nodes with ranks, by the places of their groups in the world."""
    world, blocks = network.world, network.world.blocks
    place = {group.name: number for number, group in enumerate(world.groups)}
    of_block = np.array([place[block.group.name] for block in blocks], np.int64)
    domains: dict[object, int] = {}
    domain = [
        domains.setdefault(
            (block.group.name, block.outer[: outside(block.group)] if world.joined else ()),
            len(domains),
        )
        for block in blocks
    ]
    first = np.zeros(len(blocks), np.int64)
    for group in world.groups:
        mine = np.flatnonzero(of_block == place[group.name])
        at = np.array([(*blocks[number].outer, 0) for number in mine], np.int64)
        number = np.ravel_multi_index(tuple(at.T), group.sizes)
        first[mine] = rows.first[group.name] + number
    runs = [(number, *run) for number, block in enumerate(blocks) for run in block.runs]
    block, low, high = np.array(runs, np.int64).reshape(-1, 3).T
    many = high - low + 1
    begins = np.repeat(first[block] + low - np.cumsum(many) + many, many)
    of_node = np.repeat(block, many)
    nodes = begins + np.arange(len(begins))
    return Members(
        world.groups, network.slots, nodes, of_block[of_node], np.array(domain, np.int64)[of_node]
    )


def joined_switches(network: ComputeNetwork) -> Iterator[frozenset[Device]]:
    """The switches of a compute network in sets that cables between switches join."""
    rows, cables = row_network(network).rows, row_network(network).between
    part = _least_reached(cables.a, cables.b, rows.devices)
    members: dict[int, list[Device]] = defaultdict(list)
    for name, group in network.plan.groups.items():
        if group.node is None:
            own = part[rows.first[name] : rows.first[name] + group.instances].tolist()
            places = product(*map(range, group.sizes))
            for number, at in zip(own, places, strict=True):
                members[number].append((name, at))
    yield from (frozenset(members[number]) for number in sorted(members))


def _least_reached(a: Numbers, b: Numbers, devices: int) -> Numbers:
    """The least device that each reaches over cables between these ends."""
    least = np.arange(devices)
    while True:
        near = least.copy()
        np.minimum.at(near, a, least[b])
        np.minimum.at(near, b, least[a])
        near = near[near]  # whom the least one reaches, too: far ends meet in few rounds
        if np.array_equal(near, least):
            return least
        least = near
