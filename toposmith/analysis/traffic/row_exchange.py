"""The fabric under a uniform all-to-all, on rows of cables.

All nodes of a group whose NICs are cabled to the same switches are one *kind*; what goes to the
NICs of one attachment is routed at once, and of places that nothing tells apart only to one.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.traffic import exchange_limit
from toposmith.analysis.traffic.row_classes import row_classes
from toposmith.analysis.traffic.row_graph import APART
from toposmith.analysis.traffic.row_hosts import exchanged_by_cable, gpus_of_kinds
from toposmith.analysis.traffic.row_network import Amounts, network_of_cells
from toposmith.analysis.traffic.row_routes import Ways, row_routes
from toposmith.analysis.traffic.row_set_exchange import exchange_over_sets, nodes_in_sets
from toposmith.analysis.traffic.row_symmetry import orbits_of
from toposmith.analysis.traffic.unreachable import WITHOUT_PXN, Unreachable
from toposmith.cancellation import go_on
from toposmith.fabric.classes import Arc
from toposmith.fabric.rows import Mask, Numbers, distinct

_CELLS_A_STEP = 15
"""Numbers of an array that one step of work takes, each a few times."""

_CELLS_AT_ONCE = 4_000_000
"""Numbers of the largest array that is made of some NICs: 30 MB."""

_STEPS_OF_A_CHUNK = 1_000
"""Steps for targets that are routed at once, however few senders there are."""


def all_to_all_loads(
    network: ComputeNetwork, *, weighted: bool = True, pxn: bool = True
) -> dict[Arc, float]:
    """Load of the worst cable of every class, in units of one rank's sending rate.

    A rank sends 1/N of its rate to each of the N ranks. Traffic to a node arrives evenly
    over those of its NICs that the sender can reach; it enters the fabric through the NIC of the
    sending node in the slot of the same number (NCCL's PXN, ``ncclTopoGetNetDev`` in NVIDIA/nccl
    src/graph/topo.cc) and evenly through those that are as far away; through the nearest where
    that one does not reach it, and between nodes with unlike numbers of NICs.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network.
    weighted : bool
        Whether switches split by remaining path capacity; equally by cable if not.
    pxn : bool
        Whether traffic leaves by the nearest NICs; else each GPU's by its own, evenly over all.

    Returns
    -------
    dict
        By arc ``(from, to, key)`` of ``network.classes``, the load of the worst cable. Those of a
        class carry the same but for NICs whose slots are cabled otherwise in other nodes.

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
        self._net = network_of_cells(network, in_order=False)
        self._kinds, self._attachments = self._net.kinds, self._net.attachments
        self._routes = row_routes(self._net, weighted=weighted)

    def _name(self, kind: int) -> str:
        return self._groups[int(self._kinds.group[kind])].name

    @cached_property
    def _at_once(self) -> int:
        """How many NICs are looked at together: for all, thousands of kinds take gigabytes."""
        return max(1, _CELLS_AT_ONCE // max(1, self._kinds.at.size))

    @cached_property
    def _parts(self) -> tuple[Amounts, Amounts]:
        """By kind, and by attachment, which parts of the fabric it is in, 1 or 0."""
        parts, of = self._routes.part, self._kinds.at
        numbers = np.unique(parts[parts >= 0])
        in_part = (parts[:, :, None] == numbers).any(axis=1).astype(float)
        on = np.zeros((len(of), len(numbers)))
        for at in of.T:
            on[at >= 0] = np.maximum(on[at >= 0], in_part[at[at >= 0]])
        return on, in_part

    @cached_property
    def _reached(self) -> tuple[Numbers, Amounts]:
        """By kind a pattern; by pattern and kind, the NICs of a node of it that are reached."""
        on, in_part = self._parts
        # a column more, for there may be no parts
        columns, pattern = distinct(np.zeros(len(on), np.int64), *on.T.astype(np.int64))
        met = np.array(columns[1:], float).reshape(on.shape[1], len(columns[0])).T
        found = np.zeros((len(met), len(on)))
        for at in self._kinds.at.T:
            held = np.flatnonzero(at >= 0)
            found[:, held] += met @ in_part[at[held]].T > 0
        return pattern, found

    def _check(self) -> None:
        """Raise Unreachable for the first two kinds of nodes that do not reach each other."""
        kinds, (pattern, reached) = self._kinds, self._reached
        cabled = (kinds.at >= 0).sum(axis=1)
        for short, without in ((reached == 0, ""), (reached < cabled, WITHOUT_PXN)):
            if self._pxn and without:
                break
            for sender in np.flatnonzero(short.any(axis=1)[pattern]).tolist():
                pairs = self._pairs_of(np.array([sender]))[:, 0]
                cut = np.flatnonzero(short[pattern[sender]] & (pairs > 0))
                if len(cut):
                    raise Unreachable(self._name(sender), self._name(int(cut[0])), without)

    def _pairs_of(self, kinds: Numbers) -> Numbers:
        """By kind, and by kinds of these, the nodes of the two that exchange, two by two."""
        of = self._kinds
        found: Numbers = of.count[:, None] * of.count[kinds]
        if self._network.world.joined:
            inside = of.domain[:, None] == of.domain[kinds]
            return found - np.where(inside, found // of.domains[kinds], 0)
        found[kinds, np.arange(len(kinds))] -= of.count[kinds]
        return found

    def _sent(self, receivers: Numbers) -> Amounts:
        """By kind, what its nodes send to one NIC of the nodes of each of some kinds, together."""
        pattern, reached = self._reached
        gpus = gpus_of_kinds(self._network, self._net)
        each = gpus[:, None] * gpus[receivers] / self._network.world.gpus
        nics = np.maximum(reached[:, receivers][pattern], 1)
        found: Amounts = self._pairs_of(receivers) * each / nics
        return found

    def loads(self) -> dict[Arc, float]:
        """The worst cable of every class."""
        self._check()
        if nodes_in_sets(self._net):
            flow = exchange_over_sets(self._network, self._routes)
            carried = exchanged_by_cable(self._network, weighted=self._weighted)
            return self._by_class(flow, carried, carried)
        kinds = self._kinds
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
        of_attachment, of_kind = self._net.copies()
        copies = np.where(nic < 0, of_attachment[attachment], of_kind[nic // kinds.at.shape[1]])
        # one that stands for itself alone is of every orbit
        order = np.lexsort((copies, orbit))
        first = np.flatnonzero(np.diff(orbit[order], prepend=-1))
        routed = order[first]
        times = np.add.reduceat(copies[order], first) if len(first) else copies
        self._check_work(len(routed))
        number = np.full(len(nic), -1)
        number[routed] = np.arange(len(routed))
        entry = number[entry]
        order = np.argsort(entry, kind="stable")
        order = order[entry[order] >= 0]
        entry, receiver, slot = entry[order], receiver[order], slot[order]
        sent = np.zeros((*kinds.at.shape, wide))
        taken = np.zeros((*kinds.at.shape, wide))
        flow = np.zeros(len(self._routes.arcs))
        for some, ways in self._routes.chunks(attachment[routed]):
            mine = np.flatnonzero((entry >= some.start) & (entry < some.stop))
            where = entry[mine] - some.start, receiver[mine], slot[mine]
            flow += self._chunk(ways, times[some], where, sent, taken)
        sizes, arcs = self._routes.sizes, self._routes.arcs
        flow = _mean(flow, equal.arc, sizes[arcs.tail] * arcs.many)
        many = np.broadcast_to(kinds.count[:, None, None], sent.shape)
        sent = _mean(sent.ravel(), equal.cable, many.ravel()).reshape(sent.shape)
        most = np.zeros(taken.size)
        np.maximum.at(most, equal.cable, taken.ravel())
        taken = most[equal.cable].reshape(taken.shape)
        return self._by_class(flow, sent / np.maximum(kinds.count, 1)[:, None, None], taken)

    def _check_work(self, targets: int) -> None:
        """Raise TooMany where the fabric is joined along axes and so many targets are too many."""
        arcs = len(self._routes.arcs)
        if self._network.along and targets * arcs > exchange_limit.MOST_ROUTED:
            raise exchange_limit.TooMany(
                f"an all-to-all over {self._routes.switches:,} switches joined along axes, of "
                f"which these faults leave {targets:,} kinds, takes too long to route"
            )

    def _chunk(
        self,
        ways: Ways,
        times: Numbers,
        where: tuple[Numbers, Numbers, Numbers],
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
        on, in_part = self._parts
        leaving = routes.leaving(ways)
        for number in np.unique(slot):
            for width in np.unique(fitted[receiver[slot == number]]):
                every = np.flatnonzero((slot == number) & (fitted[receiver] == width))
                for mine in np.array_split(every, -(-len(every) // self._at_once)):
                    go_on(_STEPS_OF_A_CHUNK + len(kinds.count) * len(mine) // _CELLS_A_STEP)
                    to, target = receiver[mine], entry[mine]
                    amount = self._sent(to) * (on @ in_part[ways.targets[target]].T > 0)
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
        flow, arrived = ways.sent(injected)
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
        classes = row_classes(self._network, self._net)
        between = classes.between_switches(self._routes.loads(flow))
        return {**between, **classes.of_nics(sent, taken)}


def _mean(values: Amounts, orbit: Numbers, many: Amounts | Numbers) -> Amounts:
    """The share of each in the sum over its orbit, by how many it stands for."""
    together = np.maximum(np.bincount(orbit, many, len(values)), 1)
    found: Amounts = (np.bincount(orbit, values, len(values)) / together)[orbit] * many
    return found
