"""The compute network as rows of cables: kinds of nodes, how NICs are cabled, classes of switches.

NICs with the same cables are one *attachment*; nodes of a group whose NICs have the same
attachments by slot are one *kind*; switches without NICs that have the same neighbours over the
same cables, such as the spines of one plane, are one *class*, since to swap two of them changes
nothing, whatever else is broken. A cable from NIC to NIC is a switch of its own, with two ports.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toposmith.analysis.network import ComputeNetwork
from toposmith.fabric.axis_values import apart, by_cells
from toposmith.fabric.dealing import dealt_over
from toposmith.fabric.device import Device
from toposmith.fabric.nvlink_domains import outside
from toposmith.fabric.once import once
from toposmith.fabric.plan import GroupPlan, LinkEnd, Plan
from toposmith.fabric.rows import (
    NO_PORT,
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
    group, domain, domains, count : array of int
        By kind, the place of its group among those of the world, its NVLink domain, how many such
        domains there are, its nodes.
    at : array of int
        By kind and slot, the attachment of the NIC; -1 where it has no cable.
    """

    nodes: Numbers
    of_node: Numbers
    group: Numbers
    domain: Numbers
    domains: Numbers
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
    domains : array of int
        By NVLink domain, how many it stands for.
    """

    groups: Sequence[GroupPlan]
    slots: Mapping[str, str]
    nodes: Numbers
    group: Numbers
    domain: Numbers
    domains: Numbers


@once
def row_network(network: ComputeNetwork) -> RowNetwork:
    """The rows of a compute network, every device by itself, worked out once."""
    rows = fabric_rows(network.plan, tuple(sorted(network.slots.items())))
    return RowNetwork(rows, _ranked(network, rows))


@once
def network_of_cells(network: ComputeNetwork, *, in_order: bool) -> RowNetwork:
    """The rows of a compute network, of devices that nothing tells apart one for all.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network.
    in_order : bool
        Whether what is cabled to other switches is told apart, as where the order of nodes counts;
        else one such place is of those that nothing else tells apart.
    """
    plan, cuts = network.plan, network.classes.cuts
    if network.along or not network.all_on_switches:
        return row_network(network)
    switches = {axis for group in plan.groups.values() if group.switch for axis in group.axes}
    placed = switches & {axis for group in network.world.groups for axis in group.axes}
    along = {axis for link in plan.every_link for axis, _ in link.along}
    told = along | dealt_over(plan, network.slots) | (placed if in_order else set())
    axes = {
        axis: apart(size) if axis in told else by_cells(cuts.cells(axis), marked=axis in placed)
        for axis, size in cuts.sizes.items()
    }
    rows = FabricRows(plan, network.slots, axes)
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
    no_domain = np.zeros_like(nodes), np.ones(1, np.int64)
    found = RowNetwork(rows, Members(groups, dict(slots), nodes, group, *no_domain))
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
    direct : array of int
        The rows of cables from NIC to NIC.
    devices : int
        How many numbers of devices there are, those of these cables last.
    fitted : array of int
        By kind of node, the NICs that it is fitted with.
    attachments : Attachments
        How NICs are cabled.
    kinds : Kinds
        The kinds of nodes.
    class_of : array of int
        By device, its class as a switch; -1 for others.
    size : array of int
        By class of switches, how many it stands for.
    first : array of int
        By class of switches, its first switch.
    set_of : array of int
        By device, the number of its set among those that dealt cables join; -1 for others.
    """

    def __init__(self, rows: FabricRows, members: Members) -> None:
        self.rows = rows
        ends = rows.cables.port_a, rows.cables.port_b
        self.direct: Numbers = np.flatnonzero((ends[0] != NO_PORT) & (ends[1] != NO_PORT))
        self.devices = rows.devices + len(self.direct)
        self.between = cables_between_switches(rows)
        self._attach(members)
        self.set_of = self._sets()
        self.class_of = self._twins()
        switch = np.flatnonzero(self.class_of >= 0)
        sizes = np.append(rows.size, np.ones(len(self.direct), np.int64))
        self.size = np.bincount(self.class_of[switch], sizes[switch]).astype(np.int64)
        _, first = np.unique(self.class_of, return_index=True)
        self.first = first[len(first) - len(self.size) :]

    @cached_property
    def result_cache(self) -> dict[object, Any]:
        """Results computed so far; see :mod:`toposmith.fabric.once`."""
        return {}

    def group_of(self, devices: Numbers) -> Numbers:
        """The place among the groups of the plan of the group of each device."""
        firsts = list(self.rows.first.values())
        found: Numbers = np.searchsorted(firsts, devices, side="right") - 1
        return found

    def alone(self, rows: Numbers) -> RowNetwork:
        """The same with some of the rows between switches, and each switch a class of its own."""
        found, devices = copy(self), self.devices
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

    def copies(self) -> tuple[Numbers, Numbers]:
        """By attachment, and by kind of node, in how many places there are such switches."""
        of, at = self.attachments, self.kinds.at
        of_attachment, of_kind = np.ones(len(of), np.int64), np.ones(len(at), np.int64)
        for many in self.rows.many.values() if not len(self.direct) else ():
            # at the end one for cables and NICs that are not there, numbered -1
            here = np.append(many[of.switch], 1)[of.cable].max(axis=1)
            of_attachment *= here
            of_kind *= np.append(here, 1)[at].max(axis=1, initial=1)
        return of_attachment, of_kind

    def _attach(self, members: Members) -> None:
        """The attachments of all NICs that take part, and the kinds of nodes."""
        plan, nodes = self.rows.plan, members.nodes
        place = np.full(self.rows.devices, -1)
        place[nodes] = np.arange(len(nodes))
        parts: list[Cables] = []
        of_slot: list[Numbers] = []
        cables = self.rows.cables
        plug = np.full(len(cables), -1)
        plug[self.direct] = self.rows.devices + np.arange(len(self.direct))
        for side, seen in enumerate((cables, cables.turned())):
            seen = Cables(**{**vars(seen), "b": np.where(plug < 0, seen.b, plug)})
            for link in plan.every_link:
                end = (link.a, link.b)[side]
                if end.ports and members.slots.get(end.group) == end.ports:
                    parts.append(seen[(seen.link == link.index) & (place[seen.a] >= 0)])
                    of_slot.append(slots_of(plan, end)[parts[-1].port_a])
        used = [(of, members.slots.get(of.name)) for of in members.groups]
        nics = [of.port_groups[slots].nics if slots else 0 for of, slots in used]
        fitted = np.array(nics, np.int64)
        most = int(fitted.max(initial=0))
        at = np.full((len(nodes), most), -1)
        none = np.zeros((0, 1), np.int64)
        self.attachments = Attachments(none, none, none[:, 0], none[:, 0], np.zeros(0))
        if any(map(len, parts)):
            cables, slot = Cables.joined(parts), np.concatenate(of_slot)
            self.attachments, of_nic = attachments_of(cables, place[cables.a] * most + slot)
            at.ravel()[: len(of_nic)] = of_nic
        columns, of_node = distinct(members.group, members.domain, *at.T)
        count = np.bincount(of_node, self.rows.size[nodes], len(columns[0])).astype(np.int64)
        by_slot = np.array(columns[2:], np.int64).reshape(most, len(count)).T
        group, domain, *_ = columns
        self.kinds = Kinds(nodes, of_node, group, domain, members.domains[domain], count, by_slot)
        self.fitted: Numbers = fitted[group]

    def _sets(self) -> Numbers:
        """By device, the number of its set."""
        found, plan = np.full(self.devices, -1), self.rows.plan
        for link in plan.links:
            if not link.bundle:
                continue
            (around,) = (axis for axis, word in link.along if word == "other")
            name = link.a.group
            found[self.rows.of_group(name)] = self.rows.first[name] + self.rows.at(name)[around]
        return found

    def _twins(self) -> Numbers:
        """By device, the class of a switch: itself, or all with the same neighbours and cables."""
        cables, hosts = self.between, np.zeros(self.devices, bool)
        hosts[self.attachments.switch] = True
        first = np.where(hosts, np.arange(len(hosts)), -1)
        inner = np.flatnonzero(~hosts[cables.a])
        columns = (
            cables.a,
            cables.b,
            cables.link,
            in_mbit(cables.gbit),
            cables.count,
            cables.many_b,
        )
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
    world, none = network.world, np.zeros(0, np.int64)
    nodes, group, domain, domains = [none], [none], [none], np.ones(0, np.int64)
    for place, of in enumerate(world.groups):
        own = np.arange(rows.devices)[rows.of_group(of.name)]
        own = own[rows.there[own]]
        around = of.axes[: outside(of)] if world.joined else ()
        _, number = distinct(own * 0, *(rows.values[axis][own] for axis in around))
        many = np.ones(int(number.max(initial=-1)) + 1, np.int64)
        for axis in around:
            many[number] = many[number] * rows.many[axis][own]
        nodes.append(own)
        group.append(np.full(len(own), place))
        domain.append(len(domains) + number)
        domains = np.concatenate([domains, many])
    every, places, of_node = map(np.concatenate, (nodes, group, domain))
    return Members(world.groups, network.slots, every, places, of_node, domains)


def slots_of(plan: Plan, end: LinkEnd) -> Numbers:
    """By port at an end of a link, the slot of the NIC that has it."""
    held = plan.groups[end.group].port_groups[end.ports]
    return np.array([held.nic_of(port) for port in range(held.ports)], np.int64)


def standing(network: ComputeNetwork, rows: FabricRows) -> Numbers:
    """By node with ranks, in the order of the document, the device that stands for it."""
    parts = [rows.stand_for(group) for group in network.world.groups]
    every = np.concatenate([np.zeros(0, np.int64), *parts])
    found: Numbers = every[rows.there[every]]
    return found


def joined_switches(network: ComputeNetwork) -> Iterator[frozenset[Device]]:
    """The switches of a compute network in sets that cables between switches join."""
    rows, cables = row_network(network).rows, row_network(network).between
    part = _least_reached(cables.a, cables.b, rows.devices)
    members: dict[int, list[Device]] = defaultdict(list)
    for name, group in network.plan.groups.items():
        if group.node is None:
            own = part[rows.of_group(name)].tolist()
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
