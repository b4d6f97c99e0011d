"""Shortest paths over switches from many ends to many targets at once, on rows of cables.

The rule is that of :mod:`toposmith.analysis.traffic.next_hops`: switches split traffic by what
remains of the capacity onwards, or equally by cable. Attachments and classes of switches are those
of :mod:`toposmith.analysis.traffic.row_network`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.row_network import Amounts, RowNetwork, row_network
from toposmith.cancellation import go_on
from toposmith.fabric.once import once
from toposmith.fabric.rows import Numbers
from toposmith.units import line_rate_GBps

APART = np.iinfo(np.int32).max
"""The distance of what no path joins."""

_AT_ONCE = 1_000_000
"""Arcs times targets that are routed at once: some 50 MB, and a moment between cancellations."""

_ARCS_A_STEP = 8
"""Arcs times targets that one step of work takes, at every distance."""


def by_capacity(bundle: Amounts, beyond: Amounts, dealt: Amounts, span: Numbers) -> Amounts:
    """The weights of bundles of cables to next devices, GB/s.

    The rule is that of :func:`toposmith.analysis.traffic.next_hops.bundle_weights`.

    Parameters
    ----------
    bundle, beyond : array of float
        By arc, and perhaps target, GB/s of the bundle, and what the next device can pass on.
    dealt : array of float
        GB/s that links deal.
    span : array of int
        By arc, the same number for those from one device to a group; equal ones side by side.
    """
    first = np.diff(span, prepend=-1) != 0
    starts, of = np.flatnonzero(first), np.cumsum(first) - 1
    best = np.maximum.reduceat(beyond, starts, axis=0)[of]
    widest = np.maximum(np.maximum.reduceat(bundle, starts, axis=0)[of], dealt)
    with np.errstate(invalid="ignore", divide="ignore"):
        kept = np.minimum(bundle / widest, np.where(np.isinf(best), np.inf, beyond / best))
        weight: Amounts = np.minimum(widest, best) * kept
    return weight


@once
def row_routes(network: ComputeNetwork, *, weighted: bool) -> RowRoutes:
    """The routes of a compute network, worked out once."""
    return RowRoutes(row_network(network), weighted=weighted)


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
    tail, head : array of int
        By arc, where it begins, and the next device.
    capacity, count : array of float
        By arc, GB/s of the cables from one device to a next one, and their number.
    many : array of float
        By arc, how many such next devices there are.
    dealt : array of float
        By arc, GB/s that links deal between two such devices.
    span : array of int
        By arc, the same number for all from one vertex to devices of one group.
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
        stands = np.zeros(net.rows.devices, bool)
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
        self.tail = self._arcs // len(self.sizes) // self._groups
        self.head = self._arcs % len(self.sizes)
        many = len(self._arcs)
        self.capacity: Amounts = np.bincount(arc, count * GBps, many).astype(float)
        self.count: Amounts = np.bincount(arc, count, many).astype(float)
        self.many = self.sizes[self.head].astype(float)
        span = self.tail * self._groups + self._group[self.head]
        self.span = np.cumsum(np.diff(span, prepend=-1) != 0) - 1
        self._tails, self._tail_starts = np.unique(self.tail, return_index=True)
        self.dealt = self._dealt_between()
        self.part = self._parts()

    def _dealt_between(self) -> Amounts:
        """By arc, what links deal between two such devices, GB/s."""
        names = [*self.net.rows.first]
        rule = np.zeros((len(names) + 1, len(names) + 1))
        for one, others in self.net.rows.plan.dealt_GBps.items():
            for other, GBps in others.items():
                rule[names.index(one), names.index(other)] = GBps
        found: Amounts = rule[self._group[self.tail], self._group[self.head]]
        return found

    def _parts(self) -> Numbers:
        """The part of the fabric of each cable of an attachment."""
        part = np.arange(self.switches)
        between = self.tail < self.switches
        tail, head = self.tail[between], self.head[between]
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
        step = max(1, _AT_ONCE // max(1, len(self.tail)))
        for start in range(0, len(targets), step):
            some = slice(start, min(start + step, len(targets)))
            go_on(len(self.tail) * (some.stop - start) // _ARCS_A_STEP)
            yield some, self.ways(targets[some])

    def ways(self, targets: Numbers) -> Ways:
        """The shortest paths from everywhere to the NICs of attachments."""
        distance = np.full((len(self.sizes), len(targets)), APART, np.int32)
        of = self.net.attachments
        at, place = np.nonzero(of.cable[targets] >= 0)
        near = self.net.class_of[of.switch[of.cable[targets][at, place]]]
        distance[near, at] = 1
        step = 1
        inner = self._tails < self.switches
        while True:
            edge = distance == step
            met = (
                np.logical_or.reduceat(edge[self.head], self._tail_starts, axis=0)
                if len(self._tails)
                else edge[:0]
            )
            met &= distance[self._tails] == APART
            step += 1
            at, of_target = np.nonzero(met)
            distance[self._tails[at], of_target] = step
            # attachments are ends, not places to pass
            if not met[inner].any():
                break
        return Ways(self, targets, distance, *self._shares(distance))

    def _shares(self, distance: NDArray[np.int32]) -> tuple[Amounts, int]:
        """By arc and target, the share of one next device in what a device sends there."""
        tail, head = distance[self.tail], distance[self.head]
        closer = (tail != APART) & (tail == head + 1)
        shares = np.where(closer, (self.capacity if self.weighted else self.count)[:, None], 0.0)
        farthest = int(tail[closer].max(initial=0))
        through = np.full(distance.shape, np.inf)
        for step in range(2, farthest + 1):
            arcs = np.flatnonzero((closer & (tail == step)).any(axis=1))
            now = closer[arcs] & (tail[arcs] == step)
            if self.weighted and step > 2:
                beyond = np.where(now, through[self.head[arcs]], 0.0)
                bundle = np.where(now, self.capacity[arcs][:, None], 0.0)
                weight = by_capacity(bundle, beyond, self.dealt[arcs][:, None], self.span[arcs])
                shares[arcs] = np.where(now, weight, shares[arcs])
            tails, starts = np.unique(self.tail[arcs], return_index=True)
            summed = np.add.reduceat(
                np.where(now, shares[arcs] * self.many[arcs][:, None], 0.0), starts, axis=0
            )
            through[tails] = np.where(distance[tails] == step, summed, through[tails])
        sent = through[self.tail]
        return np.where(closer, shares / np.where(np.isinf(sent), 1.0, sent), 0.0), farthest

    def sent(self, ways: Ways, amounts: Amounts) -> tuple[Amounts, Amounts]:
        """Amounts sent from attachments to targets: what arcs carry, and what arrives by switch.

        Parameters
        ----------
        ways : Ways
            The paths.
        amounts : array of float
            By attachment and target, what all its NICs send.

        Returns
        -------
        flow : array of float
            By arc, what is sent over it.
        arrived : array of float
            By class of switches and target, what reaches the target from there.
        """
        flow, waiting = np.zeros(len(self.tail)), np.zeros(ways.distance.shape)
        waiting[self.switches :] = amounts
        for step in range(ways.farthest, 1, -1):
            due = np.where(ways.distance == step, waiting, 0.0)
            senders = (due != 0).any(axis=1)
            waiting[senders] -= due[senders]
            arcs = np.flatnonzero(senders[self.tail])
            arcs = arcs[np.argsort(self.head[arcs], kind="stable")]
            moved = due[self.tail[arcs]] * ways.shares[arcs] * self.many[arcs][:, None]
            flow[arcs] += moved.sum(axis=1)
            heads, starts = np.unique(self.head[arcs], return_index=True)
            if len(heads):
                waiting[heads] += np.add.reduceat(moved, starts, axis=0)
        return flow, waiting[: self.switches]

    def image(self, of_class: Numbers, attachment: Numbers) -> Numbers | None:
        """By arc, the one that a permutation takes it to; None where there is none like it."""
        vertex = np.concatenate([of_class, self.switches + attachment])
        if len(vertex) != len(self.sizes) or (self.sizes[vertex] != self.sizes).any():
            return None
        keys = self._keys(vertex[self.tail], vertex[self.head])
        found = np.minimum(np.searchsorted(self._arcs, keys), len(keys) - 1)
        same = (
            (self._arcs[found] == keys)
            & (self.capacity[found] == self.capacity)
            & (self.count[found] == self.count)
            & (self.dealt[found] == self.dealt)
        )
        return found if same.all() else None

    def arcs(self, tail: Numbers, head: Numbers) -> Numbers:
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
        arcs = self.arcs(self.switches + at, self.net.class_of[of.switch[kind]])
        found[at, place] = ways.shares[arcs] * self.of_arc(arcs, of.gbit[kind])[:, None]
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
            return line_rate_GBps(1) * gbit / self.capacity[arcs]
        found: Amounts = 1 / self.count[arcs]
        return found

    def loads(self, flow: Amounts) -> Amounts:
        """By row between switches, both ways round, the load of one cable under a flow of arcs."""
        cables, class_of = self.net.between, self.net.class_of
        arcs = self.arcs(class_of[cables.a], class_of[cables.b])
        each = flow[arcs] / self.sizes[self.tail[arcs]] / self.many[arcs]
        found: Amounts = each * self.of_arc(arcs, cables.gbit)
        return found


@dataclass(frozen=True)
class Ways:
    """Shortest paths to some targets: by vertex and target the distance, by arc the share."""

    routes: RowRoutes
    targets: Numbers
    distance: NDArray[np.int32]
    shares: Amounts
    farthest: int

    @property
    def from_attachments(self) -> NDArray[np.int32]:
        """By attachment and target, the distance of its NICs."""
        return self.distance[len(self.routes.net.size) :]
