"""The capacity out of a set of nodes, on rows of cables."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import NamedTuple

import numpy as np

from toposmith.analysis.bounds.array_cuts import Joined
from toposmith.analysis.bounds.cut_links import PER_GBPS, inside_name
from toposmith.analysis.bounds.near_cuts import whole_MBps
from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.result import CutLink
from toposmith.analysis.traffic.row_network import RowNetwork, row_network
from toposmith.cancellation import go_on
from toposmith.fabric.cuts import Cuts
from toposmith.fabric.inside import shared_GBps
from toposmith.fabric.once import once
from toposmith.fabric.plan import GroupPlan
from toposmith.fabric.rows import Mask, Numbers, distinct, in_mbit
from toposmith.units import line_rate_GBps

Classes = tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
"""Classes of nodes: their group, and their cell on some of its axes."""


_Name = tuple[str, int | None, float]
"""A kind of cable: name and index of the link, GB/s of one."""


_PER_STEP = 5
"""Bundles that take as long as a step: 80,000 take 15 ms."""


class _Bundles(NamedTuple):
    """Bundles of equal cables by column: their ends, name, number of cables, MB/s of each."""

    tail: Numbers
    head: Numbers
    name: Numbers
    cables: Numbers
    MBps: Numbers

    def rows(self, some: Numbers | Mask) -> _Bundles:
        """Some of the bundles."""
        return _Bundles(*(column[some] for column in self))

    def turned(self) -> _Bundles:
        """The same seen from their other ends."""
        return self._replace(tail=self.head, head=self.tail)


def _together(*parts: _Bundles) -> _Bundles:
    return _Bundles(*map(np.concatenate, zip(*parts, strict=True)))


def nodes_in(network: ComputeNetwork, cuts: Cuts, classes: Classes) -> Mask:
    """Which of the nodes that take part, in their order, lie in one of some classes."""
    net, groups = row_network(network), [group.name for group in network.world.groups]
    nodes, found = net.kinds.nodes, np.zeros(len(net.kinds.nodes), bool)
    of_group = net.kinds.group[net.kinds.of_node]
    wanted: dict[tuple[str, tuple[str, ...]], list[tuple[int, ...]]] = defaultdict(list)
    for name, cells in classes:
        axes = tuple(axis for axis, _ in cells)
        wanted[name, axes].append(tuple(number for _, number in cells))
    for (name, axes), numbers in wanted.items():
        mine = np.flatnonzero(of_group == groups.index(name))
        code, asked = np.zeros(len(mine), np.int64), np.zeros(len(numbers), np.int64)
        for place, axis in enumerate(axes):
            of_axis = cuts.cells(axis)
            of_value = np.zeros(cuts.sizes[axis], np.int64)
            for number, cell in enumerate(of_axis):
                of_value[list(cell.values())] = number
            code = code * len(of_axis) + of_value[net.rows.values[axis][nodes[mine]]]
            asked = asked * len(of_axis) + np.array([of[place] for of in numbers])
        found[mine[np.isin(code, asked)]] = True
    return found


@once
def single_cuts(network: ComputeNetwork) -> SingleCuts:
    """The cuts of a network."""
    return SingleCuts(network)


@dataclass(frozen=True)
class SingleCuts:
    """Cuts between the nodes of one network, with the rows between switches shared."""

    network: ComputeNetwork

    def severed(self, within: Mask) -> tuple[int, Fraction, tuple[CutLink, ...]]:
        """GPUs inside, GB/s that can leave them, and the cables where that is limited.

        Parameters
        ----------
        within : array of bool
            By node that takes part, in their order, whether it is inside.
        """
        kinds, between = self._net.kinds, [self._between]
        go_on(len(self._between.tail) // _PER_STEP)
        inside = np.bincount(kinds.of_node[within], minlength=len(kinds.count))
        ends: list[_Bundles] = []
        # equal NICs on one side are one vertex
        first, nic = self._net.rows.devices, self._at_adapters
        for of in (inside, kinds.count - inside):
            beyond = nic._replace(
                tail=first + nic.tail, cables=nic.cables * of[self._adapters.tail[nic.tail]]
            )
            between += [beyond, beyond.turned()]
            adapters = self._adapters._replace(head=first + self._adapters.head)
            of_side = _together(self._ends, adapters)
            ends.append(of_side._replace(cables=of_side.cables * of[of_side.tail]))
            first += len(self._adapters.tail)
        whole = _together(*between)
        whole, *ends = (of.rows(of.cables > 0) for of in (whole, *ends))
        met = np.unique(np.concatenate([whole.tail, *(of.head for of in ends)]))
        tails, heads = (np.searchsorted(met, of) for of in (whole.tail, whole.head))
        joined = Joined(len(met), tails, heads, whole.cables * whole.MBps)
        enters, leaves = (
            joined.total(np.searchsorted(met, of.head), of.cables * of.MBps) for of in ends
        )
        side = np.zeros(first, bool)
        side[met] = joined.narrowest(enters, leaves)
        cut = _together(
            whole.rows(side[whole.tail] & ~side[whole.head]),
            ends[0].rows(~side[ends[0].head]),
            ends[1].rows(side[ends[1].head]),
        )
        counted = np.bincount(cut.name, cut.cables).astype(np.int64)
        links: list[CutLink] = []
        for name in np.unique(cut.name).tolist():
            label, index, GBps = self._names[name]
            links.append(CutLink(label, index, int(counted[name]), GBps))
        gpus = np.array([gpus_of(group) * self._is_cabled(group) for group in self._groups])
        held = int(inside @ gpus[kinds.group])
        return held, Fraction(int(cut.cables @ cut.MBps), PER_GBPS), tuple(links)

    @cached_property
    def _net(self) -> RowNetwork:
        return row_network(self.network)

    @property
    def _groups(self) -> tuple[GroupPlan, ...]:
        return self.network.world.groups

    def _is_cabled(self, group: GroupPlan) -> bool:
        return group.name in self.network.slots

    @cached_property
    def _named(self) -> tuple[list[_Name], Numbers, Numbers]:
        """The kinds of cables; that of each row between switches, and of each cable of NICs."""
        between, of = self._net.between, self._net.attachments
        gbit = np.concatenate([between.gbit, of.gbit])
        (index, _), name = distinct(np.concatenate([between.link, of.link]), in_mbit(gbit))
        speed = np.zeros(len(index))
        speed[name] = gbit
        labels = {link.index: link.label for link in self.network.plan.every_link}
        names: list[_Name] = [
            (labels[link], link, line_rate_GBps(of_one))
            for link, of_one in zip(index.tolist(), speed.tolist(), strict=True)
        ]
        for group in self._groups:
            names.append((inside_name(group.name, "adapter"), None, self._most(group)))
        return names, name[: len(between)], name[len(between) :]

    @property
    def _names(self) -> list[_Name]:
        return self._named[0]

    def _most(self, group: GroupPlan) -> float:
        """GB/s that a NIC of a group takes over all its ports together."""
        ports = self.network.ports(group)
        return shared_GBps(ports.nic) if ports is not None and ports.nic else inf

    @cached_property
    def _between(self) -> _Bundles:
        """The cables between switches that nodes reach, once in each direction."""
        cables, reached = self._net.between, np.zeros(self._net.rows.devices, bool)
        reached[self._net.attachments.switch] = True
        known = -1
        while known != (known := int(reached.sum())):
            reached[cables.b[reached[cables.a]]] = True
        of = _Bundles(cables.a, cables.b, self._named[1], cables.count, whole_MBps(cables.gbit))
        return of.rows(reached[cables.a])

    @cached_property
    def _nics(self) -> tuple[Numbers, Numbers, Mask]:
        """The cabled NICs of a node of each kind: its kind, attachment, and if its ports limit."""
        of, kinds = self._net.attachments, self._net.kinds
        kind, slot = np.nonzero(kinds.at >= 0)
        attachment = kinds.at[kind, slot]
        gbit = np.where(of.cable >= 0, of.gbit[np.maximum(of.cable, 0)] * of.count, 0.0)
        most = np.array([self._most(group) for group in self._groups])
        ports = line_rate_GBps(1) * gbit.sum(axis=1)[attachment]
        return kind, attachment, ports <= most[kinds.group[kind]]

    def _cables_of(self, nics: Numbers, tail: Numbers) -> _Bundles:
        """The cables of some of the NICs of nodes, with these first ends."""
        of, attachment = self._net.attachments, self._nics[1][nics]
        at, place = np.nonzero(of.cable[attachment] >= 0)
        held = attachment[at], place
        cable = of.cable[held]
        name, MBps = self._named[2][cable], whole_MBps(of.gbit[cable])
        return _Bundles(tail[at], of.switch[cable], name, of.count[held], MBps)

    @cached_property
    def _ends(self) -> _Bundles:
        """The cables from a node of a kind to switches, of NICs whose ports limit."""
        kind, _, wide = self._nics
        return self._cables_of(np.flatnonzero(wide), kind[wide])

    @cached_property
    def _adapters(self) -> _Bundles:
        """The other NICs: from a node of a kind to a number for each."""
        kind, _, wide = self._nics
        narrow = kind[~wide]
        number, group = np.arange(len(narrow)), self._net.kinds.group[narrow]
        most = np.array([0 if wide.all() else self._most(of) for of in self._groups])
        MBps = np.rint(most[group] * PER_GBPS).astype(np.int64)
        name = len(self._names) - len(self._groups) + group
        return _Bundles(narrow, number, name, np.ones(len(narrow), np.int64), MBps)

    @cached_property
    def _at_adapters(self) -> _Bundles:
        """The cables from these to switches."""
        narrow = np.flatnonzero(~self._nics[2])
        return self._cables_of(narrow, np.arange(len(narrow)))
