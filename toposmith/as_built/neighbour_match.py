"""Which device of a dump is which of the plan, by what each is joined to.

Switches and labels of adapters are matched by their profiles. Where several of the plan have one
profile, one of them is taken for the closest of the dump, and profiles are mixed again. Then one
assignment after another, tier by tier, each the best for the tiers around it, keeps as many cables
as planned as can be; at last pairs of switches are exchanged as long as that keeps more.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array, csr_array, eye_array, hstack
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from toposmith.as_built.cable_arrays import (
    CABLE,
    DEVICE,
    HOST,
    LABEL,
    PORT,
    SWITCH,
    CableArrays,
    Numbers,
    PortNumbers,
    Reals,
    joins,
    matrix,
)
from toposmith.as_built.profiles import Heard, Profiles, distances
from toposmith.cancellation import go_on

FEWEST = 3
"""With fewer cables than this, cables that are exchanged are as likely as devices that are."""

_ROUNDS = 12
_NAMED_NEARER = 0.05
"""How much nearer a profile is by its name: less than what a lone cable does to it."""

_RENAMED = 0.7
"""By this share of its cables another name has to explain more than a device's own."""

_ON_PORTS = 0.85
"""The share of ports by which devices that are joined to the same are told apart."""

_NAME, _ORDER, _LEAST, _UNPAIRED = 0.5, 0.2, 0.3, 1e-3
"""Names and their order decide among equal matches: all less than one port."""


@dataclass
class NeighbourMatch:
    """Vertices of a dump and of a plan.

    Parameters
    ----------
    plan, found : CableArrays
        The cables of both.
    planned_ports, found_ports : tuple of array
        Numbers of ports, the latter as far as they are known before any device is.
    ports : callable
        The numbers of found ports, once found vertices are called by those of the plan.
    fixed, own : array
        The planned vertex that a found one is for certain, and that of the same name; else -1.
    order : tuple of array
        Where each found and planned vertex stands among its kind by its name, from 0 to 1.
    partial : bool
        Whether the dump is of some devices only.
    """

    plan: CableArrays
    found: CableArrays
    planned_ports: PortNumbers
    found_ports: PortNumbers
    ports: Callable[[Numbers], PortNumbers]
    fixed: Numbers
    own: Numbers
    order: tuple[Reals, Reals]
    partial: bool

    def improved(
        self, called: Numbers, *, bare: bool = False, held: bool = False, strict: bool = False
    ) -> Numbers:
        """A better match: one assignment for each block, until nothing changes.

        Parameters
        ----------
        called : array
            The planned vertex that each found one is; -1 where none is known.
        bare : bool
            Leave out hosts that are on one switch, which would hold it where it is.
        held : bool
            Names stay unless a device has nearly all cables of another.
        strict : bool
            A host with another name has to be on the ports of the one that it is.
        """
        for _ in range(_ROUNDS):
            before = called
            for block in self._blocks:
                called = self._assigned(called, block, bare=bare, held=held, strict=strict)
            if (called == before).all():
                break
        return called

    def agreeing(self, called: Numbers) -> tuple[int, int]:
        """How many found cables join what they are planned to, and ends that are on their port."""
        agreed = self._agreed(called)[self.found.kind != LABEL]
        return int((agreed // CABLE).sum()) // 2, int((agreed % DEVICE).sum())

    def supported(self, called: Numbers) -> tuple[Numbers, bool]:
        """What is fixed or has nearly all its cables; whether names say so of all switches."""
        ends = np.concatenate((self.found.a, self.found.z))
        cables = np.bincount(ends, minlength=len(called))
        lacking = cables - self._agreed(called) // CABLE
        sure = (called >= 0) & (lacking <= np.maximum(1, cables // 10)) & (cables > lacking)
        told = (cables >= FEWEST) & (self.found.kind == SWITCH)
        by_name = (called == self.own) | (self.fixed >= 0)
        settled = (by_name & (lacking <= cables // 20))[told].all()
        return np.where(sure, called, self.fixed), bool(settled)

    def by_profiles(self, known: Numbers, *, ports: bool, seed: int) -> tuple[Numbers, int]:
        """Switches and labels matched by profiles, and how many others choices could have taken.

        Parameters
        ----------
        known : array
            What is taken for certain, as in :meth:`improved`.
        ports : bool
            Whether numbers of ports are believed.
        seed : int
            Draws the numbers that are mixed; but for 0 also which of several is chosen.
        """
        draw = np.random.default_rng(seed)
        profiles = Profiles(draw, self._base)
        plan = Heard(self.plan, self._left(self.plan, True), self.planned_ports if ports else None)
        found = Heard(self.found, self._left(self.found, True), self.found_ports if ports else None)
        called, others = known.copy(), 0
        while True:
            go_on(len(self.found.a) // 100)
            taken = np.full(len(self.plan.keys), -1)
            taken[called[called >= 0]] = called[called >= 0]
            planned, seen = profiles.of(plan, taken), profiles.of(found, called)
            alike: dict[bytes, list[int]] = defaultdict(list)
            for at in np.flatnonzero((taken < 0) & (self.plan.kind != HOST)).tolist():
                alike[np.round(planned[at], 5).tobytes()].append(at)
            groups = [one for one in alike.values() if len({self._near[at] for at in one}) > 1]
            if not groups:
                break
            group = min(groups, key=lambda one: (len(one), one[0]))
            one = group[int(draw.integers(len(group)))] if seed else group[0]
            free = np.flatnonzero((called < 0) & (self.found.kind == self.plan.kind[one]))
            if not len(free):
                break
            far = np.round(((seen[free] - planned[one]) ** 2).sum(axis=1), 6)
            far -= _NAMED_NEARER * (self.own[free] == one)
            tie = (self.order[0][free] - self.order[1][one]) ** 2
            called[free[np.lexsort((tie, far))[0]]] = one
            others += len(group) - 1
        for kind in (LABEL, SWITCH):
            free = np.flatnonzero((called < 0) & (self.found.kind == kind))
            open_ = np.flatnonzero((taken < 0) & (self.plan.kind == kind))
            tie = (self.order[0][free][:, None] - self.order[1][open_]) ** 2
            tie -= self.own[free][:, None] == open_
            row, column = linear_sum_assignment(distances(seen[free], planned[open_]) + 1e-6 * tie)
            called[free[row]] = open_[column]
        return called, others

    def exchanged(self, called: Numbers) -> Numbers:
        """Two switches at a time take each other's place, as long as more cables or ports agree."""
        rows = np.flatnonzero((called >= 0) & (self.found.kind == SWITCH))
        for _ in rows:
            joined = self._joined(called, bare=True)[0][rows]
            held = (joined @ self._planned(True)[0][called[rows]].T).toarray()
            own = np.diag(held)
            gain = held + held.T - own[:, None] - own[None, :]
            # cables between the two stay, and each was lost twice above
            both = _between(self.found, rows) & _between(self.plan, called[rows])
            for (one, other), many in both.items():
                gain[[one, other], [other, one]] += 2 * many * (CABLE + DEVICE)
            best = np.unravel_index(np.argmax(gain), gain.shape)
            if gain[best] < PORT:
                break
            two = rows[list(best)]
            called = called.copy()
            called[two] = called[two[::-1]]
        return called

    @cached_property
    def _base(self) -> int:
        """More than any number of a planned vertex or port."""
        most = (int(ports.max(initial=0)) for ports in self.planned_ports)
        return 1 + max(len(self.plan.keys), *most)

    @cached_property
    def _near(self) -> list[frozenset[tuple[tuple[int, int], int]]]:
        """What each planned vertex is joined to, apart from hosts on one switch: twins have one."""
        near: list[Counter[tuple[int, int]]] = [Counter() for _ in self.plan.keys]
        for at in np.flatnonzero(~self._left(self.plan, True)).tolist():
            a, z = int(self.plan.a[at]), int(self.plan.z[at])
            label = int(self.plan.label[at])
            near[a][z, label] += 1
            near[z][a, label] += 1
            near[label][a, z] += 1
        return [frozenset(one.items()) for one in near]

    @cached_property
    def _blocks(self) -> list[Numbers]:
        """Planned hosts, labels, and switches in tiers of which none joins two."""
        plan = self.plan
        near: dict[int, set[int]] = {
            at: set() for at in np.flatnonzero(plan.kind == SWITCH).tolist()
        }
        for a, z in zip(plan.a.tolist(), plan.z.tolist(), strict=True):
            if a in near and z in near:
                near[a].add(z)
                near[z].add(a)
        tiers: dict[int, int] = {}
        wave = list(near)[::-1]
        while wave:
            here = wave.pop()
            if here not in tiers:
                taken = {tiers.get(far) for far in near[here]}
                tiers[here] = next(tier for tier in range(len(near)) if tier not in taken)
                wave += near[here] - tiers.keys()
        of_tier: dict[int, list[int]] = defaultdict(list)
        for at, tier in tiers.items():
            of_tier[tier].append(at)
        hosts, labels = (np.flatnonzero(plan.kind == kind) for kind in (HOST, LABEL))
        blocks = [hosts, labels, *(np.array(sorted(held)) for held in of_tier.values())]
        return [block for block in blocks if len(block)]

    def _left(self, side: CableArrays, bare: bool) -> NDArray[np.bool_]:
        """Cables that are left out."""
        alone = side.alone if bare else np.zeros(len(side.keys), bool)
        return alone[side.a] | alone[side.z]

    @cached_property
    def _kept(self) -> dict[bool, tuple[csr_array, Numbers, Numbers]]:
        return {}

    def _planned(self, bare: bool) -> tuple[csr_array, Numbers, Numbers]:
        """Planned vertices by what they are joined to, the numbers of that, and their cables."""
        if bare not in self._kept:
            every, left = np.arange(len(self.plan.keys)), self._left(self.plan, bare)
            found = joins(self.plan, every, self.planned_ports, left, self._base)
            known = np.unique(found.what)
            cables = np.bincount(found.vertex, found.weight == DEVICE, len(every))
            once = found._replace(weight=np.ones_like(found.weight))
            self._kept[bare] = matrix(once, len(every), known), known, cables
        return self._kept[bare]

    def _joined(
        self, called: Numbers, *, bare: bool
    ) -> tuple[csr_array, Numbers, Numbers, Numbers]:
        """Found vertices by what they are joined to; its weight, cables and known ports of each."""
        found = joins(
            self.found, called, self.ports(called), self._left(self.found, bare), self._base
        )
        sums = (found.weight, found.weight == DEVICE, found.weight == PORT)
        whole, cables, ports = (
            np.bincount(found.vertex, one, len(called)).astype(np.int64) for one in sums
        )
        return matrix(found, len(called), self._planned(bare)[1]), whole, cables, ports

    def _agreed(self, called: Numbers) -> Numbers:
        """The weight of what agrees, of each found vertex."""
        joined, *_ = self._joined(called, bare=False)
        planned = self._planned(False)[0][np.maximum(called, 0)]
        return np.asarray(joined.multiply(planned).sum(axis=1)).ravel() * (called >= 0)

    def _assigned(
        self, called: Numbers, block: Numbers, *, bare: bool, held: bool, strict: bool
    ) -> Numbers:
        """A block matched anew, so that most agrees with what the others are called."""
        go_on(len(self.found.a) // 100)
        inside = np.zeros(len(self.plan.keys) + 1, bool)
        inside[block] = inside[-1] = True
        kind = self.plan.kind[block[:1]]
        joined, whole, cables, ports = self._joined(called, bare=bare)
        free = (self.found.kind == kind) & inside[called] & (self.fixed < 0)
        free &= (cables > 0) | (kind == LABEL) | (not bare)
        rows, columns = np.flatnonzero(free), np.setdiff1d(block, called[~free])
        if not len(rows) or not len(columns):
            return called
        planned, _, planned_cables = self._planned(bare)
        cells = (joined[rows] @ planned[columns].T).tocoo()
        at, to = rows[cells.row], columns[cells.col]
        own, value = self.own[at], cells.data.astype(float)
        if kind != LABEL:
            near, on_port = cells.data // DEVICE % (CABLE // DEVICE), cells.data % DEVICE
            enough = (2 * near > cables[at]) & (self.partial | (4 * near >= planned_cables[to]))
            if strict and kind == HOST:
                enough &= 2 * on_port > cables[at]
            value[~enough & (own != to)] = 0
            other = np.flatnonzero((own >= 0) & (own != to) & held)
            both = planned[own[other]].multiply(planned[to[other]])
            rest = whole[at[other]] - joined[at[other]].multiply(both).sum(axis=1)
            lost = _RENAMED * (rest + CABLE * (2 * rest > CABLE))
            told = on_port[other] > _ON_PORTS * ports[at[other]]
            told &= (ports[at[other]] >= FEWEST) & (rest < (FEWEST - 0.5) * CABLE)
            value[other] -= np.minimum(np.where(told, 0, lost), 0.99 * value[other])
        value[value < _LEAST] = 0
        far = (self.order[0][at] - self.order[1][to]) ** 2
        value += np.where(value > 0, _ORDER * (1 - far), 0)
        named = np.flatnonzero(np.isin(self.own[rows], columns))
        place = np.searchsorted(columns, self.own[rows[named]])
        shape = (len(rows), len(columns))
        names = coo_array((np.full(len(named), _NAME), (named, place)), shape=shape)
        weights = coo_array((value, (cells.row, cells.col)), shape=shape).tocsr() + names.tocsr()
        weights.eliminate_zeros()
        if kind == LABEL:  # hosts may call the same adapter by several labels
            row = np.flatnonzero(np.diff(weights.indptr))
            column = np.asarray(weights[row].argmax(axis=1)).ravel()
        else:
            row, column = _paired(weights)
        called = called.copy()
        called[rows] = -1
        called[rows[row]] = columns[column]
        return called


def _paired(weights: csr_array) -> tuple[Numbers, Numbers]:
    """Rows and columns in pairs of the greatest weight; a row may stay without a column."""
    alone = eye_array(weights.shape[0], format="csr") * _UNPAIRED
    row, column = min_weight_full_bipartite_matching(
        hstack((weights, alone), format="csr"), maximize=True
    )
    kept = column < weights.shape[1]
    return row[kept], column[kept]


def _between(side: CableArrays, rows: Numbers) -> Counter[tuple[int, int]]:
    """How many cables join two of some vertices, by their places."""
    place = {at: number for number, at in enumerate(rows.tolist())}
    ends = zip(side.a.tolist(), side.z.tolist(), strict=True)
    return Counter(
        (min(place[a], place[z]), max(place[a], place[z]))
        for a, z in ends
        if a in place and z in place
    )
