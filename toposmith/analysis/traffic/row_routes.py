"""Shortest paths over switches from many ends to many targets at once, on rows of cables.

Shares are those of :mod:`toposmith.analysis.traffic.row_graph`. Attachments and
classes of switches are those of :mod:`toposmith.analysis.traffic.row_network`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toposmith.analysis.traffic.row_graph import Arcs, RowGraph, Towards
from toposmith.analysis.traffic.row_network import Amounts, RowNetwork
from toposmith.fabric.once import once
from toposmith.fabric.rows import Numbers, distinct
from toposmith.units import line_rate_GBps

_AT_ONCE = 1_000_000
"""Arcs times targets that are routed at once: some 50 MB, and a moment between cancellations."""


@once
def row_routes(net: RowNetwork, *, weighted: bool) -> RowRoutes:
    """The routes over the rows of a network, worked out once."""
    return RowRoutes(net, weighted=weighted)


class RowRoutes:
    """The switches of a fabric with the attachments of NICs, as vertices and arcs.

    Parameters
    ----------
    net : RowNetwork
        The compute network.
    weighted : bool
        Whether switches split by remaining capacity; equally by cable if not.

    Attributes
    ----------
    switches : int
        How many vertices are classes of switches; the others are attachments.
    sizes : array of int
        By vertex, how many devices it stands for.
    arcs : Arcs
        From devices to next ones, those from attachments last.
    graph : RowGraph
        The same to find paths over.
    part : array of int
        By attachment and place of its cables, the part of the fabric that it is in; -1 for none.
    """

    def __init__(self, net: RowNetwork, *, weighted: bool) -> None:
        self.net = net
        self.weighted = weighted
        self._build()

    def _build(self) -> None:
        """Arcs between classes of switches, then from attachments to switches."""
        net, of = self.net, self.net.attachments
        cables, class_of, first = net.between, net.class_of, net.first
        self.switches = len(first)
        stands = np.zeros(net.devices, bool)
        stands[first] = True
        shown = stands[cables.a] & stands[cables.b]
        at, place = np.nonzero(of.cable >= 0)
        kind = of.cable[at, place]
        tail = np.concatenate([class_of[cables.a[shown]], self.switches + at])
        head = np.concatenate([class_of[cables.b[shown]], class_of[of.switch[kind]]])
        count = np.concatenate([cables.count[shown], of.count[at, place]])
        GBps = line_rate_GBps(1) * np.concatenate([cables.gbit[shown], of.gbit[kind]])
        groups = len(net.rows.first)
        self._groups = groups + 1
        self.sizes = np.concatenate([net.size, np.ones(len(of), np.int64)])
        # attachments are of no group: nothing is dealt between them and switches
        self._group = np.concatenate([net.group_of(first), np.full(len(of), groups)])
        self._arcs, arc = np.unique(self._keys(tail, head), return_inverse=True)
        tail, head = self._arcs // len(self.sizes) // self._groups, self._arcs % len(self.sizes)
        many = len(self._arcs)
        self.arcs = Arcs(
            tail,
            head,
            np.bincount(arc, count * GBps, many).astype(float),
            np.bincount(arc, count, many).astype(float),
            self._next_devices(),
            self._dealt_between(tail, head),
            self._groups_of(tail, head),
        )
        direct = np.append(first >= net.rows.devices, np.zeros(len(of), bool))
        self.graph = RowGraph(self.arcs, direct, weighted=self.weighted)
        self._of_attachments = int(np.searchsorted(tail, self.switches))
        self.part = self._parts()

    def _next_devices(self) -> Amounts:
        """By arc, how many devices like the next one a device is cabled to; NICs to one."""
        cables, class_of = self.net.between, self.net.class_of
        leads = np.flatnonzero(self.net.first[class_of[cables.a]] == cables.a)
        (a, b), pair = distinct(cables.a[leads], cables.b[leads])
        many = np.zeros(len(a))
        many[pair] = cables.many_b[leads]
        found = np.ones(len(self._arcs))
        arc, of = np.unique(self.arcs_between(class_of[a], class_of[b]), return_inverse=True)
        found[arc] = np.bincount(of, many)
        return found

    def _groups_of(self, tail: Numbers, head: Numbers) -> Numbers:
        """By arc, the number of the group of the next device among those of where it begins."""
        group = self._group[head]
        other = np.diff(tail, prepend=-1) != 0
        turn = np.cumsum(other | (np.diff(group, prepend=-1) != 0)) - 1
        found: Numbers = turn - np.maximum.accumulate(np.where(other, turn, 0))
        return found

    def _dealt_between(self, tail: Numbers, head: Numbers) -> Amounts:
        """By arc, what links deal between two such devices, GB/s."""
        names = [*self.net.rows.first]
        rule = np.zeros((len(names) + 1, len(names) + 1))
        for one, others in self.net.rows.plan.dealt_GBps.items():
            for other, GBps in others.items():
                rule[names.index(one), names.index(other)] = GBps
        found: Amounts = rule[self._group[tail], self._group[head]]
        return found

    def _parts(self) -> Numbers:
        """The part of the fabric of each cable of an attachment."""
        part = np.arange(self.switches)
        tail, head = (end[: self._of_attachments] for end in (self.arcs.tail, self.arcs.head))
        while len(tail):
            least = part.copy()
            np.minimum.at(least, tail, part[head])
            least = least[least]
            if (least == part).all():
                break
            part = least
        of = self.net.attachments
        return np.where(
            of.cable >= 0, part[self.net.class_of[of.switch[np.maximum(of.cable, 0)]]], -1
        )

    def chunks(self, targets: Numbers) -> Iterator[tuple[slice, Ways]]:
        """Ways to attachments, so many at a time as are worth it."""
        step = max(1, _AT_ONCE // max(1, len(self.arcs)))
        for start in range(0, len(targets), step):
            some = slice(start, min(start + step, len(targets)))
            yield some, self.ways(targets[some])

    def ways(self, targets: Numbers) -> Ways:
        """The shortest paths from everywhere to the NICs of attachments."""
        of = self.net.attachments
        at, place = np.nonzero(of.cable[targets] >= 0)
        near = self.net.class_of[of.switch[of.cable[targets][at, place]]]
        ends = np.unique(near * len(targets) + at)
        return Ways(self, targets, self.graph.towards(ends, len(targets)))

    def image(self, of_class: Numbers, attachment: Numbers) -> Numbers | None:
        """By arc, the one that a permutation takes it to; None where there is none like it."""
        vertex = np.concatenate([of_class, self.switches + attachment])
        if len(vertex) != len(self.sizes) or (self.sizes[vertex] != self.sizes).any():
            return None
        keys, of = self._keys(vertex[self.arcs.tail], vertex[self.arcs.head]), self.arcs
        found = np.minimum(np.searchsorted(self._arcs, keys), len(keys) - 1)
        same = self._arcs[found] == keys
        for column in (of.capacity, of.count, of.many, of.dealt):
            same &= column[found] == column
        return found if same.all() else None

    def arcs_between(self, tail: Numbers, head: Numbers) -> Numbers:
        """The arcs between vertices that one joins."""
        found: Numbers = np.searchsorted(self._arcs, self._keys(tail, head))
        return found

    def _keys(self, tail: Numbers, head: Numbers) -> Numbers:
        """Numbers for arcs: by where they begin, the group of the next device, the device."""
        keys: Numbers = (tail * self._groups + self._group[head]) * len(self.sizes) + head
        return keys

    def leaving(self, ways: Ways) -> Amounts:
        """By attachment, place of its cables and target, the share of one cable in what leaves."""
        of = self.net.attachments
        found = np.zeros((*of.cable.shape, len(ways.targets)))
        at, place = np.nonzero(of.cable >= 0)
        kind = of.cable[at, place]
        arcs = self.arcs_between(self.switches + at, self.net.class_of[of.switch[kind]])
        shares = ways.paths.leaving(self._of_attachments)[arcs - self._of_attachments]
        found[at, place] = shares * self.of_arc(arcs, of.gbit[kind])[:, None]
        return found

    def arriving(self, ways: Ways, arrived: Amounts) -> Iterator[Amounts]:
        """For each place of cables, by target, the share of one cable in what comes to a NIC."""
        of, targets = self.net.attachments, np.arange(len(ways.targets))
        cable, count = of.cable[ways.targets], of.count[ways.targets]
        held = cable >= 0
        switch = np.where(held, self.net.class_of[of.switch[np.maximum(cable, 0)]], -1)
        weight = np.where(held, of.gbit[np.maximum(cable, 0)] if self.weighted else 1.0, 0.0)
        total = np.maximum(arrived.sum(axis=0), np.finfo(float).tiny)
        for place in range(cable.shape[1]):
            beside = np.where(switch == switch[:, place : place + 1], weight * count, 0.0).sum(
                axis=1
            )
            here = arrived[switch[:, place], targets] / total
            yield np.where(
                held[:, place], here * weight[:, place] / np.maximum(beside, 1e-300), 0.0
            )

    def of_arc(self, arcs: Numbers, gbit: Amounts) -> Amounts:
        """The share of one cable in what the equal or unequal cables of an arc carry."""
        if self.weighted:
            return line_rate_GBps(1) * gbit / self.arcs.capacity[arcs]
        found: Amounts = 1 / self.arcs.count[arcs]
        return found

    def loads(self, flow: Amounts) -> Amounts:
        """By row between switches, both ways round, the load of one cable under a flow of arcs."""
        cables, class_of = self.net.between, self.net.class_of
        arcs = self.arcs_between(class_of[cables.a], class_of[cables.b])
        each = flow[arcs] / self.sizes[self.arcs.tail[arcs]] / self.arcs.many[arcs]
        found: Amounts = each * self.of_arc(arcs, cables.gbit)
        return found


@dataclass(frozen=True)
class Ways:
    """Shortest paths to the NICs of some attachments, each a column."""

    routes: RowRoutes
    targets: Numbers
    paths: Towards

    @property
    def from_attachments(self) -> NDArray[np.int32]:
        """By attachment and target, the distance of its NICs."""
        return self.paths.distance[self.routes.switches :]

    def sent(self, amounts: Amounts) -> tuple[Amounts, Amounts]:
        """Amounts sent from attachments to targets: what arcs carry, and what arrives by switch.

        Parameters
        ----------
        amounts : array of float
            By attachment and target, what all its NICs send.

        Returns
        -------
        flow : array of float
            By arc, what is sent over it.
        arrived : array of float
            By class of switches and target, what reaches the target from there.
        """
        whole = np.zeros(self.paths.distance.shape)
        whole[self.routes.switches :] = amounts
        flow, arrived = self.paths.sent(whole)
        return flow, arrived[: self.routes.switches]
