"""Claims about collectives over all GPUs: a bound with its sets, a rate, and who sends to whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from toposmith.analysis.bounds.intake import links_around_one
from toposmith.analysis.jobs.communicator import NodeOrder
from toposmith.analysis.jobs.parallel_layout import WORLD
from toposmith.analysis.jobs.world import gpus_of
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.result import Analysis, LinkLoad
from toposmith.analysis.traffic.algorithm_loads import pattern_of
from toposmith.analysis.traffic.node_pairs import numbers_of
from toposmith.analysis.traffic.row_network import standing
from toposmith.analysis.traffic.trees import double_tree
from toposmith.collectives import COLLECTIVES, collective_name
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.nvlink_domains import outside
from toposmith.fabric.rows import Cables, FabricRows, Numbers
from toposmith_check.reading import same
from toposmith_check.routing import MOST_EXCHANGING

# Sets of GPUs whose entering cables bound a collective: the dual side of its optimum.
#
# Any disjoint sets give a bound that holds; sought are those that give the least. Each candidate is
# a number by device, -1 outside of all sets.

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


Json = dict[str, Any]

PATTERNS = ("ring", "trees", "pairs")
"""Patterns whose flows a certificate has; those into switches that reduce are not among them."""


class Claims:
    """The claims about one design.

    Parameters
    ----------
    design : EvaluatedDesign
        The design.
    rows : FabricRows
        Its devices.
    cables : Cables
        The cables that collectives use.
    tables : list of tuple
        The link and Gb/s of each table of cables.

    Attributes
    ----------
    lost : list of str
        What is claimed elsewhere and not proven here.
    """

    def __init__(
        self,
        design: EvaluatedDesign,
        rows: FabricRows,
        cables: Cables,
        tables: list[tuple[int, float]],
    ) -> None:
        self._design, self._rows = design, rows
        self._cables, self._tables = cables, tables
        self._sets = SetsOfNodes(design.network, rows, cables)
        self.lost: list[str] = []

    @cached_property
    def gpu_links(self) -> list[Json]:
        """The links of one GPU that all others send to it over; empty where GPUs differ."""
        network, groups = self._design.network, self._design.network.world.groups
        cut = links_around_one(network, self._design.catalog, gpu=True)
        gpus = gpus_of(groups[0]) * network.world.trays if len(groups) == 1 else 0
        if not cut or not gpus or any(link.cables % gpus for link in cut):
            return []
        return [
            {"name": of.link, "links": of.cables // gpus, "GBps": round(of.capacity_GBps, 3)}
            for of in cut
        ]

    def claim(self, collective: str) -> Json:
        """What is claimed of one collective."""
        request = replace(self._design.asked, collective=collective)
        analysis = self._design.asking(request).analysis
        if analysis.communicator.kind != WORLD:
            self.lost.append(f"{collective_name(collective)} of {analysis.communicator.words}")
            return {"collective": collective, "bound": {}, "figures": {}, "traffic": {}}
        bound = self._bound(analysis)
        return {
            "collective": collective,
            "bound": bound,
            "figures": self._figures(analysis, bound),
            "traffic": self._traffic(analysis),
        }

    def _bound(self, analysis: Analysis) -> Json:
        """The least bound that sets prove, or what enters one GPU."""
        name, known = collective_name(analysis.collective), analysis.bound_busbw_GBps
        if known is None:
            self.lost.append(f"{name}: a bound, which is unknown")
            return {}
        of_gpu = sum(link["links"] * link["GBps"] for link in self.gpu_links)
        least = self._sets.least(analysis.collective)
        if of_gpu and (least is None or of_gpu < least[0]):
            claimed: Json = {"busbw_GBps": of_gpu, "sets": [], "GBps": of_gpu}
        elif least is not None:
            claimed = {"busbw_GBps": least[0], **self._shown(least[1])}
        else:
            self.lost.append(f"{name}: its bound of {known:.4g} GB/s")
            return {}
        proven = claimed["busbw_GBps"]
        if proven > known and not same(proven, known):
            self.lost.append(f"{name}: its bound of {known:.4g} GB/s; proven are {proven:.4g}")
        return claimed

    def _shown(self, sets: EnteringSets) -> Json:
        crossing = self._cables[sets.crossing]
        cut = [
            [number, int(crossing.count[self._of_table(crossing, table)].sum())]
            for number, table in enumerate(self._tables)
        ]
        return {
            "sets": self._runs(sets.of),
            "count": len(sets.gpus),
            "GBps": float(sets.GBps.sum()),
            "cut": [pair for pair in cut if pair[1]],
        }

    def _runs(self, of: Numbers) -> list[list[int]]:
        found: list[list[int]] = []
        for number, (name, group) in enumerate(self._design.plan.groups.items()):
            first = self._rows.first[name]
            found += as_runs(of[first : first + group.instances], number)
        return found

    @staticmethod
    def _of_table(cables: Cables, table: tuple[int, float]) -> np.ndarray[Any, np.dtype[np.bool_]]:
        link, gbit = table
        found: np.ndarray[Any, np.dtype[np.bool_]] = (cables.link == link) & (cables.gbit == gbit)
        return found

    def _figures(self, analysis: Analysis, bound: Json) -> Json:
        """How busbw follows from latency and rate; and its share of the bound that was proven."""
        if analysis.time_us is None or analysis.latency_us is None or not analysis.busbw_GBps:
            self.lost.append(f"{collective_name(analysis.collective)}: a rate, which is unknown")
            return {}
        transfer_us = analysis.time_us - analysis.latency_us
        holds, share = analysis.bound.value, None
        if bound and holds and same(bound["busbw_GBps"], holds):
            share = min(analysis.busbw_GBps / bound["busbw_GBps"], 1.0)
        return {
            "message_bytes": analysis.message_bytes,
            "latency_us": analysis.latency_us,
            "time_us": analysis.time_us,
            "rate_GBps": analysis.message_bytes / 1000 / transfer_us,
            "algbw_GBps": analysis.algbw_GBps,
            "busbw_GBps": analysis.busbw_GBps,
            "share_of_bound": share,
        }

    def _traffic(self, analysis: Analysis) -> Json:
        """The flows, and what they load; empty where the certificate cannot have them."""
        if self._design.network.world.nccl_nodes < 2 or not analysis.busbw_GBps:
            return {}
        traffic = self._flows(analysis)
        links = self._loads(analysis, traffic.pop("over", None)) if traffic else []
        if not links:
            self.lost.append(f"{collective_name(analysis.collective)}: the loads of its cables")
            return {}
        usable = {load.usable_GBps or load.capacity_GBps for load, _ in links}
        line = {load.capacity_GBps for load, _ in links}
        return {
            **traffic,
            "payload": max(usable) / max(line),
            "links": [shown for _, shown in links],
        }

    def _flows(self, analysis: Analysis) -> Json:
        """Who sends to whom; of a large all-to-all the sets whose one link, ``over``, limits it."""
        pattern, network = self._pattern(analysis), self._design.network
        shortest = analysis.routing == "ideal" and self._design.asked.routing.minimal
        if pattern not in PATTERNS or not network.all_on_switches or not shortest:
            return {}
        if pattern == "pairs" and analysis.gpus <= MOST_EXCHANGING:
            return {"pattern": pattern}
        if pattern == "pairs":
            for load in analysis.limiting:
                sets = None if load.index is None else self._sets.by_link(load.index)
                if sets:
                    return {"pattern": "cut", "sets": self._runs(sets.of), "over": load.index}
            return {}
        order = self._order()
        trees = {"trees": _parents(len(order))} if pattern == "trees" else {}
        return {"pattern": pattern, "order": self._order_runs(order), **trees}

    @staticmethod
    def _pattern(analysis: Analysis) -> str:
        return pattern_of(analysis.collective, analysis.algorithm)  # type: ignore[arg-type]

    def _loads(self, analysis: Analysis, only: int | None) -> list[tuple[LinkLoad, Json]]:
        """The load of each table of cables that collectives use, or of one link alone."""
        carried = set(zip(self._cables.link.tolist(), self._cables.gbit.tolist(), strict=True))
        loads = {
            (load.index, load.slow_gbit or load.capacity_GBps * 8): load for load in analysis.limits
        }
        figures, found = self._figures(analysis, {}), list[tuple[LinkLoad, Json]]()
        for number, table in enumerate(self._tables):
            if table not in carried or only not in (None, table[0]):
                continue
            load = loads.get(table)
            if load is None or not load.usable_GBps:
                return []
            each = load.load_GBps / figures["algbw_GBps"]
            shown = {
                "table": number,
                "per_algbw": each,
                "load_GBps": load.load_GBps,
                "use": load.utilization,
                "limits": each * figures["rate_GBps"] >= load.usable_GBps * (1 - 1e-6),
            }
            found.append((load, shown))
        return found

    def _order(self) -> list[int]:
        """The first node of each NVLink domain, in the order of ranks."""
        network, job = self._design.network, self._design.asked.job
        order = NodeOrder(network.world, job.placement, job.seed)
        numbers: list[int] = standing(network, self._rows)[numbers_of(order)].tolist()
        return [numbers[at] for at in order.firsts] if network.world.joined else numbers

    def _order_runs(self, order: list[int]) -> list[list[int]]:
        """The order as runs of nodes: group, first, how many, and the step from one to the next."""
        names, firsts = list(self._rows.first), list(self._rows.first.values())
        found: list[list[int]] = []
        for node in order:
            group = max(at for at in range(len(names)) if firsts[at] <= node)
            at = node - firsts[group]
            last = found[-1] if found and found[-1][0] == group else None
            if last and last[2] == 1 and at > last[1]:
                last[2], last[3] = 2, at - last[1]
            elif last and at == last[1] + last[2] * last[3]:
                last[2] += 1
            else:
                found.append([group, at, 1, 1])
        return found


def _parents(nodes: int) -> list[list[int]]:
    """The parent of each place in the order, in both trees; -1 at the roots."""
    edges = double_tree(nodes)
    trees = []
    for tree in (edges[: nodes - 1], edges[nodes - 1 :]):
        parents = [-1] * nodes
        for child, parent in tree:
            parents[child] = parent
        trees.append(parents)
    return trees
