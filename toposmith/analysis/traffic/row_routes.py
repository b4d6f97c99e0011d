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

from toposmith.analysis.traffic.row_network import Amounts, RowNetwork
from toposmith.cancellation import go_on
from toposmith.fabric.rows import Numbers
from toposmith.units import line_rate_GBps

APART = np.iinfo(np.int32).max
"""The distance of what no path joins."""

_AT_ONCE = 1_000_000
"""Arcs times targets that are routed at once: some 50 MB, and a moment between cancellations."""


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
    tail : array of int
        By arc, where it begins: classes of switches, then attachments.
    part : array of int
        By attachment and place of its cables, the part of the fabric that it is in; -1 for none.
    """

    def __init__(self, net: RowNetwork, *, weighted: bool) -> None:
        self.net = net
        self._weighted = weighted
        self._build()

    def _build(self) -> None:
        """Arcs between classes of switches, then from attachments to switches."""
        net, of = self.net, self.net.attachments
        cables, class_of, first = net.between, net.class_of, net.first
        self._switches = len(first)
        stands = np.zeros(net.rows.devices, bool)
        stands[first] = True
        shown = stands[cables.a] & stands[cables.b]
        at, place = np.nonzero(of.cable >= 0)
        kind = of.cable[at, place]
        tail = np.concatenate([class_of[cables.a[shown]], self._switches + at])
        head = np.concatenate([class_of[cables.b[shown]], class_of[of.switch[kind]]])
        count = np.concatenate([cables.count[shown], of.count[at, place]])
        GBps = line_rate_GBps(1) * np.concatenate([cables.gbit[shown], of.gbit[kind]])
        groups = len(net.rows.first)
        self._groups = groups + 1
        self._sizes = np.concatenate([net.size, np.ones(len(of), np.int64)])
        # attachments are of no group: nothing is dealt between them and switches
        self._group = np.concatenate([net.group_of(first), np.full(len(of), groups)])
        self._arcs, arc = np.unique(self._keys(tail, head), return_inverse=True)
        self.tail = self._arcs // len(self._sizes) // self._groups
        self._head = self._arcs % len(self._sizes)
        self._capacity = np.bincount(arc, count * GBps, len(self._arcs))
        self._count = np.bincount(arc, count, len(self._arcs)).astype(float)
        self._many = self._sizes[self._head].astype(float)
        self._arc_at = dict(
            zip(
                zip(self.tail.tolist(), self._head.tolist(), strict=True),
                range(len(self._arcs)),
                strict=True,
            )
        )
        span = self.tail * self._groups + self._group[self._head]
        self._span_starts = np.flatnonzero(np.diff(span, prepend=-1))
        self._span = np.cumsum(np.diff(span, prepend=-1) != 0) - 1
        self._tails, self._tail_starts = np.unique(self.tail, return_index=True)
        self._dealt = self._dealt_between()
        self.part = self._parts()

    def _dealt_between(self) -> Amounts:
        """By arc, what links deal between two such devices, GB/s."""
        names = [*self.net.rows.first]
        rule = np.zeros((len(names) + 1, len(names) + 1))
        for one, others in self.net.rows.plan.dealt_GBps.items():
            for other, GBps in others.items():
                rule[names.index(one), names.index(other)] = GBps
        found: Amounts = rule[self._group[self.tail], self._group[self._head]]
        return found

    def _parts(self) -> Numbers:
        """The part of the fabric of each cable of an attachment."""
        part = np.arange(self._switches)
        between = self.tail < self._switches
        tail, head = self.tail[between], self._head[between]
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
            go_on()
            some = slice(start, min(start + step, len(targets)))
            yield some, self.ways(targets[some])

    def ways(self, targets: Numbers) -> Ways:
        """The shortest paths from everywhere to the NICs of attachments."""
        distance = np.full((len(self._sizes), len(targets)), APART, np.int32)
        of = self.net.attachments
        at, place = np.nonzero(of.cable[targets] >= 0)
        near = self.net.class_of[of.switch[of.cable[targets][at, place]]]
        distance[near, at] = 1
        step = 1
        inner = self._tails < self._switches
        while True:
            edge = distance == step
            met = (
                np.logical_or.reduceat(edge[self._head], self._tail_starts, axis=0)
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
        tail, head = distance[self.tail], distance[self._head]
        closer = (tail != APART) & (tail == head + 1)
        shares = np.where(closer, (self._capacity if self._weighted else self._count)[:, None], 0.0)
        farthest = int(tail[closer].max(initial=0))
        through = np.full(distance.shape, np.inf)
        for step in range(2, farthest + 1):
            arcs = np.flatnonzero((closer & (tail == step)).any(axis=1))
            now = closer[arcs] & (tail[arcs] == step)
            if self._weighted and step > 2:
                spans, starts = np.unique(self._span[arcs], return_index=True)
                span = np.searchsorted(spans, self._span[arcs])
                beyond = np.where(now, through[self._head[arcs]], 0.0)
                bundle = np.where(now, self._capacity[arcs][:, None], 0.0)
                best = np.maximum.reduceat(beyond, starts, axis=0)[span]
                widest = np.maximum.reduceat(bundle, starts, axis=0)[span]
                widest = np.maximum(widest, self._dealt[arcs][:, None])
                with np.errstate(invalid="ignore", divide="ignore"):
                    kept = np.minimum(
                        bundle / widest, np.where(np.isinf(best), np.inf, beyond / best)
                    )
                    weight = np.minimum(widest, best) * kept
                shares[arcs] = np.where(now, weight, shares[arcs])
            tails, starts = np.unique(self.tail[arcs], return_index=True)
            summed = np.add.reduceat(
                np.where(now, shares[arcs] * self._many[arcs][:, None], 0.0), starts, axis=0
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
        waiting[self._switches :] = amounts
        for step in range(ways.farthest, 1, -1):
            due = np.where(ways.distance == step, waiting, 0.0)
            senders = (due != 0).any(axis=1)
            waiting[senders] -= due[senders]
            arcs = np.flatnonzero(senders[self.tail])
            arcs = arcs[np.argsort(self._head[arcs], kind="stable")]
            moved = due[self.tail[arcs]] * ways.shares[arcs] * self._many[arcs][:, None]
            flow[arcs] += moved.sum(axis=1)
            heads, starts = np.unique(self._head[arcs], return_index=True)
            if len(heads):
                waiting[heads] += np.add.reduceat(moved, starts, axis=0)
        return flow, waiting[: self._switches]

    def image(self, of_class: Numbers, attachment: Numbers) -> Numbers | None:
        """By arc, the one that a permutation takes it to; None where there is none like it."""
        vertex = np.concatenate([of_class, self._switches + attachment])
        if len(vertex) != len(self._sizes) or (self._sizes[vertex] != self._sizes).any():
            return None
        keys = self._keys(vertex[self.tail], vertex[self._head])
        found = np.minimum(np.searchsorted(self._arcs, keys), len(keys) - 1)
        same = (
            (self._arcs[found] == keys)
            & (self._capacity[found] == self._capacity)
            & (self._count[found] == self._count)
            & (self._dealt[found] == self._dealt)
        )
        return found if same.all() else None

    def _keys(self, tail: Numbers, head: Numbers) -> Numbers:
        """Numbers for arcs: by where they begin, the group of the next device, the device."""
        keys: Numbers = (tail * self._groups + self._group[head]) * len(self._sizes) + head
        return keys

    def leaving(self, ways: Ways) -> Amounts:
        """By attachment, place of its cables and target, the share of one cable in what leaves."""
        of = self.net.attachments
        found = np.zeros((*of.cable.shape, len(ways.targets)))
        at, place = np.nonzero(of.cable >= 0)
        kind = of.cable[at, place]
        heads = self.net.class_of[of.switch[kind]].tolist()
        tails = (self._switches + at).tolist()
        arcs = np.array([self._arc_at[pair] for pair in zip(tails, heads, strict=True)], np.int64)
        if len(arcs):
            found[at, place] = ways.shares[arcs] * self._of_arc(arcs, of.gbit[kind])[:, None]
        return found

    def arriving(self, ways: Ways, arrived: Amounts) -> Iterator[Amounts]:
        """For each place of cables, by target, the share of one cable in what comes to a NIC."""
        of, targets = self.net.attachments, np.arange(len(ways.targets))
        cable, count = of.cable[ways.targets], of.count[ways.targets]
        held = cable >= 0
        switch = np.where(held, self.net.class_of[of.switch[np.maximum(cable, 0)]], -1)
        weight = np.where(held, of.gbit[np.maximum(cable, 0)] if self._weighted else 1.0, 0.0)
        total = np.maximum(arrived.sum(axis=0), np.finfo(float).tiny)
        for place in range(cable.shape[1]):
            beside = np.where(switch == switch[:, place : place + 1], weight * count, 0.0).sum(
                axis=1
            )
            here = arrived[switch[:, place], targets] / total
            yield np.where(
                held[:, place], here * weight[:, place] / np.maximum(beside, 1e-300), 0.0
            )

    def _of_arc(self, arcs: Numbers, gbit: Amounts) -> Amounts:
        """The share of one cable in what the equal or unequal cables of an arc carry."""
        if self._weighted:
            return line_rate_GBps(1) * gbit / self._capacity[arcs]
        found: Amounts = 1 / self._count[arcs]
        return found

    def loads(self, flow: Amounts) -> Amounts:
        """By row between switches, both ways round, the load of one cable under a flow of arcs."""
        cables, class_of = self.net.between, self.net.class_of
        arcs = np.array(
            [
                self._arc_at[pair]
                for pair in zip(
                    class_of[cables.a].tolist(), class_of[cables.b].tolist(), strict=True
                )
            ],
            np.int64,
        )
        if not len(arcs):
            return np.zeros(0)
        each = flow[arcs] / self._sizes[self.tail[arcs]] / self._many[arcs]
        found: Amounts = each * self._of_arc(arcs, cables.gbit)
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
