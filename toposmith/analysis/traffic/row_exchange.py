"""The fabric under a uniform all-to-all, on rows of cables.

All nodes of a group whose NICs are cabled to the same switches are one *kind*; what goes to the
NICs of one attachment is routed at once. The answer is that of
:mod:`toposmith.analysis.traffic.all_to_all` by classes, for any fabric in which NICs are cabled to
switches.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic.class_routes import Arc
from toposmith.analysis.traffic.row_classes import row_classes
from toposmith.analysis.traffic.row_network import Amounts, row_network
from toposmith.analysis.traffic.row_routes import APART, Ways, row_routes
from toposmith.analysis.traffic.row_symmetry import orbits_of
from toposmith.analysis.traffic.unreachable import WITHOUT_PXN, Unreachable
from toposmith.cancellation import go_on
from toposmith.fabric.rows import Mask, Numbers, distinct

_CELLS_A_STEP = 15
"""Numbers of an array that one step of work takes, each a few times."""

_CELLS_AT_ONCE = 4_000_000
"""Numbers of the largest array that is made of some NICs: 30 MB."""

_STEPS_OF_A_CHUNK = 1_000
"""Steps for targets that are routed at once, however few senders there are."""


def exchange_on_rows(
    network: ComputeNetwork, *, weighted: bool, pxn: bool = True
) -> dict[Arc, float]:
    """Load of the worst cable of every class, in units of one rank's sending rate.

    Parameters are those of :func:`toposmith.analysis.traffic.all_to_all.all_to_all_loads`.

    Raises
    ------
    Unreachable
        If two nodes are not connected.
    """
    return _Exchange(network, weighted=weighted, pxn=pxn).loads()


class _Exchange:
    """An all-to-all over one network."""

    def __init__(self, network: ComputeNetwork, *, weighted: bool, pxn: bool) -> None:
        self._network = network
        self._weighted = weighted
        self._pxn = pxn
        self._groups = network.world.groups
        self._net = row_network(network)
        self._kinds, self._attachments = self._net.kinds, self._net.attachments
        self._routes = row_routes(network, weighted=weighted)

    def _name(self, kind: int) -> str:
        return self._groups[int(self._kinds.group[kind])].name

    @cached_property
    def _at_once(self) -> int:
        """How many NICs are looked at together: for all, thousands of kinds take gigabytes."""
        return max(1, _CELLS_AT_ONCE // max(1, self._kinds.at.size))

    @cached_property
    def _reaches(self) -> Mask:
        """By kind and attachment, whether some NIC of a node gets there."""
        parts, of = self._routes.part, self._kinds.at
        numbers = np.unique(parts[parts >= 0])
        in_part = (parts[:, :, None] == numbers).any(axis=1).astype(np.float32)
        on = np.where(of[:, :, None] >= 0, in_part[np.maximum(of, 0)], 0.0).max(axis=1, initial=0.0)
        found: Mask = on @ in_part.T > 0
        return found

    @cached_property
    def _each(self) -> Amounts:
        """By kinds of sender and receiver, what one node sends to one NIC of another."""
        kinds, gpus = self._kinds, np.array([gpus_of(group) for group in self._groups])
        self._pairs = kinds.count[:, None] * kinds.count - np.where(
            np.eye(len(kinds.count), dtype=bool), kinds.count, 0
        )
        if self._network.world.joined:
            apart = kinds.domain[:, None] != kinds.domain
            self._pairs = np.where(apart, self._pairs, 0)
        reached = np.zeros((len(kinds.count), len(kinds.count)))
        for slot in range(kinds.at.shape[1]):
            at = kinds.at[:, slot]
            reached += (
                self._reaches[:, np.maximum(at, 0)] * (at >= 0) if len(self._attachments) else 0
            )
        cut = (self._pairs > 0) & (reached == 0)
        if cut.any():
            sender, receiver = np.argwhere(cut)[0]
            raise Unreachable(self._name(sender), self._name(receiver))
        if not self._pxn:
            short = (self._pairs > 0) & (reached < (kinds.at >= 0).sum(axis=1))
            if short.any():
                sender, receiver = np.argwhere(short)[0]
                raise Unreachable(self._name(sender), self._name(receiver), WITHOUT_PXN)
        of_pair = gpus[kinds.group][:, None] * gpus[kinds.group] / self._network.world.gpus
        found: Amounts = np.where(self._pairs > 0, of_pair / np.maximum(reached, 1), 0.0)
        return found

    def loads(self) -> dict[Arc, float]:
        """The worst cable of every class."""
        kinds, each = self._kinds, self._each
        receiver, slot = np.nonzero(kinds.at >= 0)
        target = kinds.at[receiver, slot]
        wide = self._attachments.cable.shape[1]
        # what comes to one switch alone is told apart by nothing else on the way
        narrow = (self._attachments.cable[target] >= 0).sum(axis=1) == 1
        own = np.where(narrow, -1, receiver * kinds.at.shape[1] + slot)
        (attachment, nic), entry = distinct(target, own)
        equal = orbits_of(self._routes)
        of_nic = equal.cable.reshape(*kinds.at.shape, wide)[:, :, 0].ravel()
        orbit = np.where(nic < 0, equal.attachment[attachment], len(equal.attachment) + of_nic[nic])
        _, routed, times = np.unique(orbit, return_index=True, return_counts=True)
        number = np.full(len(nic), -1)
        number[routed] = np.arange(len(routed))
        entry = number[entry]
        order = np.argsort(entry, kind="stable")
        order = order[entry[order] >= 0]
        entry, receiver, slot = entry[order], receiver[order], slot[order]
        sent = np.zeros((*kinds.at.shape, wide))
        taken = np.zeros((*kinds.at.shape, wide))
        flow = np.zeros(len(self._routes.tail))
        for some, ways in self._routes.chunks(attachment[routed]):
            mine = np.flatnonzero((entry >= some.start) & (entry < some.stop))
            where = entry[mine] - some.start, receiver[mine], slot[mine]
            flow += self._chunk(ways, times[some], where, each, sent, taken)
        flow = _mean(flow, equal.arc)
        sent = _mean(sent.ravel(), equal.cable).reshape(sent.shape)
        most = np.zeros(taken.size)
        np.maximum.at(most, equal.cable, taken.ravel())
        taken = most[equal.cable].reshape(taken.shape)
        return self._by_class(flow, sent / np.maximum(kinds.count, 1)[:, None, None], taken)

    def _chunk(
        self,
        ways: Ways,
        times: Numbers,
        where: tuple[Numbers, Numbers, Numbers],
        each: Amounts,
        sent: Amounts,
        taken: Amounts,
    ) -> Amounts:
        """Traffic to some targets by arc; adds what NICs send by cable, and what they take in.

        Each target stands for so many; ``where`` are by NIC its target, kind of node and slot,
        in the order of targets.
        """
        entry, receiver, slot = where
        kinds, routes, of = self._kinds, self._routes, self._attachments
        fitted = self._net.fitted
        distance = ways.from_attachments
        injected = np.zeros((len(of), len(ways.targets)))
        per_nic = np.zeros(len(receiver))
        reach = self._reaches[:, ways.targets]
        leaving = routes.leaving(ways)
        for number in np.unique(slot):
            for width in np.unique(fitted[receiver[slot == number]]):
                every = np.flatnonzero((slot == number) & (fitted[receiver] == width))
                for mine in np.array_split(every, -(-len(every) // self._at_once)):
                    go_on(_STEPS_OF_A_CHUNK + len(each) * len(mine) // _CELLS_A_STEP)
                    to, target = receiver[mine], entry[mine]
                    amount = each[:, to] * self._pairs[:, to] * reach[:, target]
                    per_nic[mine] = amount.sum(axis=0) / kinds.count[to]
                    columns, begins = np.unique(target, return_index=True)  # they come in order
                    summed: Amounts = np.add.reduceat(amount, begins, axis=1) * times[columns]
                    far = np.where(
                        kinds.at[:, :, None] >= 0,
                        distance[:, columns][np.maximum(kinds.at, 0)],
                        APART,
                    )
                    if not self._pxn:
                        self._check_own_nics(far, summed, to)
                    used = self._used(far, int(number), fitted == width)
                    share = (
                        summed[:, None, :] * used / np.maximum(used.sum(axis=1, keepdims=True), 1)
                    )
                    kind, nic = np.nonzero(kinds.at >= 0)
                    at = kinds.at[kind, nic]
                    block = np.zeros((len(of), len(columns)))
                    np.add.at(block, at, share[kind, nic])
                    injected[:, columns] += block
                    for place in range(of.cable.shape[1]):
                        out = leaving[:, place][:, columns][at]
                        sent[kind, nic, place] += (share[kind, nic] * out).sum(axis=1)
        flow, arrived = routes.sent(ways, injected)
        for place, part in enumerate(routes.arriving(ways, arrived)):
            taken[receiver, slot, place] += per_nic * part[entry]
        return flow

    def _used(self, far: NDArray[np.int32], slot: int, alike: Mask) -> Amounts:
        """By kind, NIC and target, 1 where a node sends by the NIC.

        That of the same number and all that are as far away; the nearest where that does not reach
        or the nodes have unlike numbers of NICs; each GPU's own without PXN.
        """
        if not self._pxn:
            return (far < APART).astype(float)
        nearest = far.min(axis=1)
        same = far[:, slot] if slot < far.shape[1] else np.full_like(nearest, APART)
        chosen = np.where(alike[:, None] & (same < APART), same, nearest)
        used: Amounts = ((far == chosen[:, None, :]) & (far < APART)).astype(float)
        return used

    def _check_own_nics(self, far: NDArray[np.int32], sent: Amounts, receiver: Numbers) -> None:
        """Raise Unreachable where a GPU's own NIC does not reach a target."""
        short = (self._kinds.at[:, :, None] >= 0) & (far == APART) & (sent[:, None, :] > 0)
        if short.any():
            sender = int(np.argwhere(short)[0][0])
            raise Unreachable(self._name(sender), self._name(int(receiver[0])), WITHOUT_PXN)

    def _by_class(self, flow: Amounts, sent: Amounts, taken: Amounts) -> dict[Arc, float]:
        """The worst cable of every class of the network's graph."""
        classes, kinds = row_classes(self._network), self._kinds
        worst = defaultdict(float, classes.between_switches(self._routes.loads(flow)))
        (vertex, kind), _ = distinct(classes.of[kinds.nodes], kinds.of_node)
        row, slot = np.nonzero(kinds.at[kind] >= 0)
        attachment = kinds.at[kind[row], slot]
        at, place = np.nonzero(self._attachments.cable[attachment] >= 0)
        node, cable = vertex[row[at]], self._attachments.cable[attachment[at], place]
        held = kind[row[at]], slot[at], place
        for arc, load in classes.at_nics(node, slot[at], cable, sent[held], taken[held]):
            worst[arc] = max(worst[arc], load)
        return dict(worst)


def _mean(values: Amounts, orbit: Numbers) -> Amounts:
    """The mean over its orbit, for each value."""
    count = np.maximum(np.bincount(orbit, minlength=len(values)), 1)
    found: Amounts = (np.bincount(orbit, values, len(values)) / count)[orbit]
    return found
