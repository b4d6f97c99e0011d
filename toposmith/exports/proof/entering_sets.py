"""Sets of GPUs whose entering cables bound a collective: the dual side of its optimum.

Any disjoint sets give a bound that holds; sought are those that give the least. Each candidate is
a number by device, -1 outside of all sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.collectives import COLLECTIVES
from toposmith.fabric.nvlink_domains import outside
from toposmith.fabric.rows import Cables, FabricRows, Numbers

OUTSIDE = -1


@dataclass(frozen=True)
class EnteringSets:
    """Disjoint sets of devices.

    Attributes
    ----------
    of : array of int
        By device its set, ``OUTSIDE`` for none.
    gpus : array of int
        By set, its GPUs.
    GBps : array of float
        By set, what its entering cables carry.
    crossing : array of bool
        By row of the cables, whether it enters a set.
    """

    of: Numbers
    gpus: Numbers
    GBps: np.ndarray[Any, np.dtype[np.float64]]
    crossing: np.ndarray[Any, np.dtype[np.bool_]]

    def busbw_GBps(self, collective: str, ranks: int) -> float | None:
        """The bound on busbw that they prove; None where they prove none.

        Of an all-to-all the data of all pairs of which one is in a set has to enter it. Of an
        all-reduce every element takes 2 (m - 1) receptions by whole sets (Patarasuk and Yuan 2009).
        """
        factor = COLLECTIVES[collective].busbw_factor(ranks)
        if collective == "all_to_all":
            pairs = int((self.gpus * (ranks - self.gpus)).sum())
            return float(self.GBps.sum()) * ranks * factor / pairs if pairs else None
        if len(self.gpus) < 2 or self.gpus.sum() < ranks:
            return None
        return float(self.GBps.sum()) / 2 / (len(self.gpus) - 1) * factor


class SetsOfNodes:
    """The sets that are looked at: by node, and by the places of nodes along their axes.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network.
    rows : FabricRows
        Its devices.
    cables : Cables
        The cables that collectives use.
    """

    def __init__(self, network: ComputeNetwork, rows: FabricRows, cables: Cables) -> None:
        self._network, self._rows, self._cables = network, rows, cables
        self._gpus = np.zeros(rows.devices, np.int64)
        for group in network.world.groups:
            first = rows.first[group.name]
            self._gpus[first : first + group.instances] = gpus_of(group)
        self._gpus[~rows.there] = 0

    def least(self, collective: str) -> tuple[float, EnteringSets] | None:
        """The least bound that any of them proves, GB/s of busbw, and its sets."""
        found: list[tuple[float, EnteringSets]] = []
        ranks = int(self._gpus.sum())
        for sets in self._candidates():
            most = sets.busbw_GBps(collective, ranks)
            if most is not None:
                found.append((most, sets))
            if collective == "all_to_all" and len(sets.gpus):
                each = sets.GBps / (sets.gpus * (ranks - sets.gpus)).clip(1)
                worst = int(np.argmin(np.where(sets.gpus < ranks, each, np.inf)))
                alone = self._sets(np.where(sets.of == worst, 0, OUTSIDE))
                most = alone.busbw_GBps(collective, ranks)
                # of sets that are alike all are shown
                if most is not None and most < (found[-1][0] if found else np.inf) * (1 - 1e-9):
                    found.append((most, alone))
        return min(found, key=lambda one: one[0], default=None)

    def by_node(self) -> EnteringSets:
        """A set for each node, or NVLink domain of several."""
        of = np.full(self._rows.devices, OUTSIDE)
        for group in self._network.world.groups:
            first = self._rows.first[group.name]
            many = prod(group.sizes[outside(group) :]) if self._network.world.joined else 1
            of[first : first + group.instances] = first + np.arange(group.instances) // many
        return self._sets(of)

    def by_link(self, link: int) -> EnteringSets | None:
        """Sets that no cables but those of one link enter; None where none is found."""
        for sets in self._candidates():
            if len(sets.gpus) > 1 and set(self._cables.link[sets.crossing].tolist()) == {link}:
                return sets
        return None

    def _candidates(self) -> Iterator[EnteringSets]:
        yield self.by_node()
        joined = self._network.world.joined
        prefixes = {
            group.axes[:many]
            for group in self._network.world.groups
            for many in range(1, 1 + (outside(group) if joined else len(group.axes)))
        }
        for axes in sorted(prefixes):
            yield self._sets(self._along(axes, 1))
            yield self._sets(self._along(axes[-1:], 1))
            yield self._sets(self._along(axes[-1:], 2))

    def _along(self, axes: tuple[str, ...], parts: int) -> Numbers:
        """By device its place along axes, in halves with two parts, where it has all of these."""
        plan, of = self._network.plan, np.full(self._rows.devices, OUTSIDE)
        for name, group in plan.groups.items():
            if set(axes) <= set(group.axes):
                at, own = self._rows.at(group.name), np.zeros(group.instances, np.int64)
                for axis in axes:
                    own = own * plan.size(axis) + at[axis]
                if parts > 1:
                    own = own * parts // plan.size(axes[-1])
                of[self._rows.first[name] : self._rows.first[name] + group.instances] = own
        return of

    def _sets(self, of: Numbers) -> EnteringSets:
        """These sets without those that have no GPU, numbered from 0."""
        of = np.where(self._rows.there, of, OUTSIDE)
        known, number = np.unique(of, return_inverse=True)
        gpus = np.bincount(number, self._gpus, len(known)).astype(np.int64)
        kept = (gpus > 0) & (known != OUTSIDE)
        of = np.where(kept, np.cumsum(kept) - 1, OUTSIDE)[number]
        one, other = of[self._cables.a], of[self._cables.b]
        crossing = one != other
        GBps = np.zeros(int(kept.sum()) + 1)
        carried = self._cables.count * self._cables.gbit / 8
        np.add.at(GBps, one[crossing], carried[crossing])
        np.add.at(GBps, other[crossing], carried[crossing])
        return EnteringSets(of, gpus[kept], GBps[:-1], crossing)


def as_runs(values: Numbers, group: int) -> list[list[int]]:
    """Devices of one group by their sets, run by run: group, first, how many, set, and step.

    The sets of a run are equal (step 0), or each device has the next one (step 1).
    """
    found: list[list[int]] = []
    for at, value in enumerate(values.tolist()):
        if value == OUTSIDE:
            continue
        last = found[-1] if found and found[-1][1] + found[-1][2] == at else None
        if last and last[2] == 1 and value - last[3] in (0, 1):
            last[2], last[4] = 2, value - last[3]
        elif last and value == last[3] + last[4] * last[2]:
            last[2] += 1
        else:
            found.append([group, at, 1, value, 0])
    return found
