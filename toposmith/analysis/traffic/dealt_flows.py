"""Shortest paths between sets of switches that dealt cables join, all ends of two sets at once.

Traffic passes through no third set, so that two of them are a small fabric of their own; equivalent
pairs are routed once. The rule is that of
:mod:`toposmith.analysis.traffic.single_routes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from toposmith.cancellation import go_on
from toposmith.fabric.dealt_sets import DealtSets, Numbers, Whole

Two = tuple[int, int]
"""Two sets: the number of the first, and the distance to the second, modulo their number."""

Truths = npt.NDArray[np.bool_]
"""Flags of devices, by fabric and end."""

Rates = Mapping[Two, Numbers]
"""Traffic of each switch of one set to each of another; equal arrays may be the same object."""

MOST_AT_ONCE = 2_000_000
"""Pairs of devices times ends that are routed in one batch: some tens of megabytes."""


class Apart(Exception):
    """Two sets are joined only through a third."""


@dataclass(frozen=True)
class BundleFlow:
    """Loads of the traffic from one set to another on the bundles of cables between switches.

    Parameters
    ----------
    here, there : array
        Loads inside the two sets; ``there`` is empty where they are one.
    out, back : array
        Loads from the first to the second and back, in the order of :attr:`DealtSets.starts`.
    """

    here: Numbers
    there: Numbers
    out: Numbers
    back: Numbers


@dataclass(frozen=True)
class SetLoads:
    """Loads on all cables between the switches of sets.

    Parameters
    ----------
    sets : DealtSets
        The cables.
    weighted : bool
        Whether devices split by remaining path capacity; equally by cable if not.
    rates : mapping
        The traffic.
    flows : mapping
        Loads of each pair of sets on their bundles.
    inside, far : array
        Sums of these, by set.
    """

    sets: DealtSets
    weighted: bool
    rates: Rates
    flows: Mapping[Two, BundleFlow]
    inside: Numbers
    far: Numbers

    @staticmethod
    def of(sets: DealtSets, rates: Rates, *, weighted: bool) -> SetLoads:
        """Route all traffic.

        Raises
        ------
        Apart
            If two sets have no way but through a third.
        """
        many, members = sets.sets, sets.members
        lacking = _lacking(sets)
        alike: dict[object, list[Two]] = {}
        for two, sent in rates.items():
            odd = two[0] in sets.left or sum(two) % many in sets.left or two in lacking
            alike.setdefault((two if odd else two[1], id(sent)), []).append(two)
        flows: dict[Two, BundleFlow] = {}
        inside = np.zeros((many, members, members))
        far = np.zeros((many, len(sets.starts)))
        one_of_each = [(of[0], rates[of[0]]) for of in alike.values()]
        found = routed(sets, one_of_each, weighted=weighted)
        for of, flow in zip(alike.values(), found, strict=True):
            flows.update(dict.fromkeys(of, flow))
            _count(sets, (inside, far), of, flow, 1)
        return SetLoads(sets, weighted, rates, flows, inside, far)

    def with_fewer(self, sets: DealtSets, rates: Rates, unlike: Iterable[Two]) -> SetLoads:
        """The same with fewer cables, and with other rates between some sets.

        Only the sets are routed again whose rates differ, or some of whose flow was on a bundle
        that has lost cables: all other ways, and how they share, are as they were.
        """
        rates, flows = dict(rates), dict(self.flows)
        inside, far = self.inside.copy(), self.far.copy()
        again = {*unlike, *self._lost(sets)}
        for two in again & flows.keys():
            _count(sets, (inside, far), [two], flows.pop(two), -1)
        sent = [(two, rates[two]) for two in again if two in rates]
        found = routed(sets, sent, weighted=self.weighted)
        for (two, _), flow in zip(sent, found, strict=True):
            flows[two] = flow
            _count(sets, (inside, far), [two], flow, 1)
        return SetLoads(sets, self.weighted, rates, flows, inside, far)

    def _lost(self, sets: DealtSets) -> Iterable[Two]:
        """Two sets each some of whose flow is on a bundle that has fewer cables."""
        many = sets.sets
        fewer = {
            number: sum(of[link] != self.sets.cables(number)[link] for link in of)
            for number, of in sets.left.items()
            if of is not self.sets.left.get(number)
        }
        far = sets.far != self.sets.far
        rows = {int(row) for row in np.flatnonzero(far.any(axis=1))}
        for (here, apart), flow in self.flows.items():
            there = (here + apart) % many
            ends = [(here, flow.here, flow.out, apart)]
            ends += [(there, flow.there, flow.back, many - apart)] if apart else []
            if any(
                (number in fewer and (inside * fewer[number]).any())
                or (apart and number in rows and (out * far[number, sets.to(to)]).any())
                for number, inside, out, to in ends
            ):
                yield here, apart

    @cached_property
    def on_links(self) -> Mapping[int, Numbers]:
        """What one cable between each two switches carries, by the index of its link.

        By set and two members inside of sets; by set and dealt cable between these.
        """
        sets = self.sets
        found: dict[int, Numbers] = {}
        each = range(sets.sets)
        wide = np.stack([_wide(sets, number, weighted=self.weighted) for number in each])
        of_bundle = np.divide(self.inside, wide, out=np.zeros_like(wide), where=wide > 0)
        for link in sets.links:
            there = np.stack([sets.cables(number)[link.index] > 0 for number in each])
            found[link.index] = of_bundle * there * (link.line_GBps if self.weighted else 1.0)
        found[sets.dealt.index] = np.divide(
            self.far, sets.far, out=np.zeros_like(self.far), where=sets.far > 0
        )
        return found


def routed(
    sets: DealtSets, sent: Sequence[tuple[Two, Numbers]], *, weighted: bool
) -> list[BundleFlow]:
    """Route the traffic of each pair of sets, or inside a set, separately.

    Raises
    ------
    Apart
        If two have no way but through a third.
    """
    found: list[BundleFlow] = []
    members = sets.members
    step = max(1, MOST_AT_ONCE // (4 * members**2 * members))
    for at in range(0, len(sent), step):
        go_on()
        part = sent[at : at + step]
        wide = np.stack([_both(sets, two, weighted=weighted) for two, _ in part])
        ends = [np.flatnonzero(rates.any(axis=0)) for _, rates in part]
        columns = np.zeros((len(part), max(map(len, ends))), np.intp)
        rates = np.zeros((len(part), 2 * members, columns.shape[1]))
        for number, (((_, apart), of), to) in enumerate(zip(part, ends, strict=True)):
            columns[number, : len(to)] = to + (members if apart else 0)
            rates[number, :members, : len(to)] = of[:, to]
        flows = shortest(wide, columns, rates, weighted=weighted)
        found += [_flow(sets, two, flow) for (two, _), flow in zip(part, flows, strict=True)]
    return found


def _both(sets: DealtSets, two: Two, *, weighted: bool) -> Numbers:
    """The bundles in and between two sets."""
    (here, apart), members = two, sets.members
    both = np.zeros((2 * members, 2 * members))
    both[:members, :members] = _wide(sets, here, weighted=weighted)
    if not apart:
        return both
    there = (here + apart) % sets.sets
    both[members:, members:] = _wide(sets, there, weighted=weighted)
    rate = sets.dealt.line_GBps if weighted else 1.0
    out, back = sets.to(apart), sets.to(sets.sets - apart)
    both[sets.starts[out], members + sets.ends[out]] = sets.far[here, out] * rate
    both[members + sets.starts[back], sets.ends[back]] = sets.far[there, back] * rate
    return both


def _flow(sets: DealtSets, two: Two, flow: Numbers) -> BundleFlow:
    members, apart = sets.members, two[1]
    here = flow[:members, :members].copy()
    if not apart:
        none = np.zeros(0)
        return BundleFlow(here, none, none, none)
    out, back = sets.to(apart), sets.to(sets.sets - apart)
    return BundleFlow(
        here,
        flow[members:, members:].copy(),
        flow[sets.starts[out], members + sets.ends[out]],
        flow[members + sets.starts[back], sets.ends[back]],
    )


def shortest(wide: Numbers, ends: Whole, rates: Numbers, *, weighted: bool) -> Numbers:
    """Route traffic along shortest paths of several fabrics; return the flow of every bundle.

    Parameters
    ----------
    wide : array
        By fabric, GB/s of the cables from each device to each other, or their number.
    ends : array
        By fabric, devices that receive traffic.
    rates : array
        By fabric, traffic of each device to each of these.
    weighted : bool
        Whether devices split by remaining path capacity; equally by cable if not.

    Raises
    ------
    Apart
        If some traffic has no path.
    """
    _, devices, many = rates.shape
    joined: Truths = wide > 0
    hops, used, most = _ways(joined, ends, rates > 0)
    passed = np.logical_or.reduce(used, axis=2)
    fabric, start, end = np.nonzero(joined & passed[:, :, None] & passed[:, None, :])
    line = wide[fabric, start, end]
    start, end = fabric * devices + start, fabric * devices + end
    # what a device has for one of the ends is at a place
    flat, onto = hops.reshape(-1, many), used.reshape(-1, many)
    depth, closer = flat[start], flat[end]
    bundle, column = np.nonzero((depth == closer + 1) & (closer >= 0) & onto[start])
    deep = depth[bundle, column]
    order = np.argsort(deep, kind="stable")
    bundle, column = bundle[order], column[order]
    here, there = start[bundle] * many + column, end[bundle] * many + column
    rate, places = line[bundle], rates.size
    levels = np.searchsorted(deep[order], np.arange(1, most + 2))
    parts = [slice(levels[at], levels[at + 1]) for at in range(most)]
    capacity = np.full(places, np.inf)
    share = np.empty(len(bundle))
    for at, part in enumerate(parts):
        weight, place = rate[part], here[part]
        if weighted and at:
            # as in bundle_weights, where links along axes deal nothing to compare with
            onward = capacity[there[part]]
            most_wide, most_onward = np.zeros(places), np.zeros(places)
            np.maximum.at(most_wide, place, weight)
            np.maximum.at(most_onward, place, onward)
            whole, beyond = most_wide[place], most_onward[place]
            weight = np.minimum(whole, beyond) * np.minimum(weight / whole, onward / beyond)
        through = np.bincount(place, weight, places)[place]
        share[part] = weight / through
        capacity[place] = through
    flow, waiting = np.zeros(len(line)), rates.ravel().copy()
    for part in reversed(parts):
        moved = waiting[here[part]] * share[part]
        flow += np.bincount(bundle[part], moved, len(line))
        waiting += np.bincount(there[part], moved, places)
    found = np.zeros_like(wide)
    found[fabric, start % devices, end % devices] = flow
    return found


def _ways(joined: Truths, ends: Whole, sends: Truths) -> tuple[npt.NDArray[np.int16], Truths, int]:
    """How far each device is from each end, which of them the ways there touch, and the most hops.

    Distances are looked for as far as something is sent from, and -1 beyond.
    """
    fabrics, _, many = sends.shape
    hops = np.full(sends.shape, -1, np.int16)
    hops[np.arange(fabrics)[:, None], ends, np.arange(many)] = 0
    near, most = joined.astype(np.float32), 0
    edge = hops == 0
    while (sends & (hops < 0)).any():
        most += 1
        edge = (near @ edge.astype(np.float32) > 0) & (hops < 0)
        if not edge.any():
            raise Apart
        hops[edge] = most
    used, back = sends.copy(), near.transpose(0, 2, 1)
    for depth in range(most, 0, -1):
        at = (used & (hops == depth)).astype(np.float32)
        used |= (back @ at > 0) & (hops == depth - 1)
    return hops, used, most


def _wide(sets: DealtSets, number: int, *, weighted: bool) -> Numbers:
    """Capacity of the bundles inside a set, GB/s, or their number of cables."""
    wide = np.zeros((sets.members, sets.members))
    for link in sets.links:
        wide += sets.cables(number)[link.index] * (link.line_GBps if weighted else 1.0)
    return wide


def _lacking(sets: DealtSets) -> set[Two]:
    """Sets between which dealt cables are missing."""
    most = sets.far.max(axis=0, initial=0.0)
    found: set[Two] = set()
    for number, cable in np.argwhere(sets.far < most):
        apart = int(np.searchsorted(sets.first, cable, side="right")) - 1
        number = int(number)
        found |= {(number, apart), ((number + apart) % sets.sets, sets.sets - apart)}
    return found


def _count(
    sets: DealtSets, sums: tuple[Numbers, Numbers], of: list[Two], flow: BundleFlow, times: int
) -> None:
    """Add what two sets put on cables, or take it away, at each place where it is alike."""
    inside, far = sums
    apart = of[0][1]
    here = [number for number, _ in of]
    inside[here] += times * flow.here
    if apart:
        there = [(number + apart) % sets.sets for number in here]
        inside[there] += times * flow.there
        far[here, sets.to(apart)] += times * flow.out
        far[there, sets.to(sets.sets - apart)] += times * flow.back
