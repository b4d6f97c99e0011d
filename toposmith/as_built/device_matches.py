"""Matching the devices of a dump with those of the plan.

A map from the user holds. Names that agree are where the search begins, and stay unless nearly all
cables of a device are another's; where names say nothing, or do not explain the cables, devices are
matched by what they are joined to (:mod:`neighbour_match`), and names only choose among matches
that explain as much.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from toposmith.as_built.cable_arrays import (
    LABEL,
    SWITCH,
    CableArrays,
    Numbers,
    PortNumbers,
    Reals,
    cable_arrays,
)
from toposmith.as_built.cable_list import (
    Cabling,
    ListedEnd,
    UnreadableError,
    key_of,
    know_kinds,
    short_name,
)
from toposmith.as_built.name_maps import NameMap
from toposmith.as_built.neighbour_match import NeighbourMatch
from toposmith.as_built.port_names import port_map
from toposmith.text import counted, joined, natural

LEAST_BY_WIRING = 0.7
"""The share of the cables of the larger of both, where no name says that it is the same fabric."""

MOSTLY = 0.9
"""A match that explains so much is believed against the names."""

_NAMES_COST, _MOST_COST, _TELLING = 2.0, 2.5, 20
"""Cables that each other name costs, and all together where a fabric is no handful of cables."""

_FEWEST_TRIES, _MOST_TRIES, _CABLES_TRIED = 2, 24, 40_000
"""How often a match is begun anew, and over how many cables altogether."""

MatchedNames = dict[str, str]


@dataclass
class Match:
    """Devices of a dump by key, with those of the plan that they are.

    Parameters
    ----------
    pairs : dict of str to str
        Found device to planned device.
    ways : Counter
        Number of matches by what they rest on: map, name, wiring.
    notes : list of str
        What else to know of how devices were matched.
    ambiguous : int
        The number of other matches that explain as much; 0 where the match is unique.
    named : dict of str to str
        Found devices that have the name of a planned one, or are mapped to it.
    doubt : str
        Why it may be the dump of another fabric; empty where nothing says so.
    """

    pairs: MatchedNames = field(default_factory=dict)
    ways: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    ambiguous: int = 0
    named: MatchedNames = field(default_factory=dict)
    doubt: str = ""


class Wires:
    """The devices at each port in plan and dump, with the port labels of both mapped."""

    def __init__(
        self, plan: Cabling, found: Cabling, counted_anew: AbstractSet[str] = frozenset()
    ) -> None:
        self.plan, self.found, self.counted_anew = plan, found, counted_anew
        for cabling in (plan, found):
            know_kinds(cabling)
        self.planned_at = _by_port(plan)
        self.found_at = _by_port(found)
        self._planned_labels = {key: frozenset(at) for key, at in self.planned_at.items()}
        self._found_labels = {key: frozenset(at) for key, at in self.found_at.items()}
        self.labels_of_group = {
            group: frozenset().union(*(
                self._planned_labels.get(key, frozenset())
                for key, device in plan.devices.items()
                if device.group == group and device.kind != "host"
            ))
            for group in {device.group for device in plan.devices.values()}
        }  # fmt: skip
        self.all_found_labels = frozenset().union(*(
            labels for key, labels in self._found_labels.items()
            if found.devices[key].kind != "host"
        ))  # fmt: skip

    def ports(self, found: str, planned: str) -> Mapping[str, str]:
        """The planned port that each port of a found switch is."""
        return port_map(
            self._planned_labels.get(planned, frozenset()),
            self._found_labels.get(found, frozenset()),
            self.labels_of_group[self.plan.devices[planned].group],
            self.all_found_labels,
        )

    def alike(self, found: str, planned: str) -> bool:
        """Whether both are hosts, or both switches."""
        return (self.found.devices[found].kind == "host") == (
            self.plan.devices[planned].kind == "host"
        )


def match(
    plan: Cabling,
    found: Cabling,
    given: NameMap | None = None,
    counted_anew: AbstractSet[str] = frozenset(),
) -> tuple[Match, Wires]:
    """Match a dump to a plan.

    Parameters
    ----------
    plan, found : Cabling
        The cables of both.
    given : NameMap, optional
        A map of device names of the dump.
    counted_anew : set of str
        Planned switches whose port numbers say nothing, by key.

    Raises
    ------
    UnreadableError
        Where a map names unknown devices, or no cable of the dump is as planned.
    """
    wires = Wires(plan, found, counted_anew)
    mapped = {} if given is None else _mapped(given, plan, found)
    named = _same_names(wires, mapped)
    search = _Search(wires, mapped, named)
    called, others = search.best()
    result = Match(search.pairs(called), ambiguous=others, named={**mapped, **named})
    for key, planned in result.pairs.items():
        way = "map" if key in mapped else "name" if named.get(key) == planned else "wiring"
        result.ways[way] += 1
    result.doubt = _doubt(wires, result, search.match.agreeing(called)[0])
    result.notes = [*([result.doubt] if result.doubt else ()), *_notes(wires, result)]
    return result, wires


class _Candidate(NamedTuple):
    """A match by how good it is: the cables that agree, less what its other names cost.

    Among equals that is better whose ends of cables are more often on the planned ports.
    """

    worth: tuple[float, int]
    agreed: int
    called: Numbers
    others: int


class _Search:
    """The match that explains most cables: begun with names, else with the wiring alone."""

    def __init__(self, wires: Wires, mapped: MatchedNames, named: MatchedNames) -> None:
        self._wires = wires
        self._plan, self._found = cable_arrays(wires.plan), cable_arrays(wires.found)
        at_plan = {
            (self._plan.kind[at] == LABEL, key): at for at, key in enumerate(self._plan.keys)
        }
        fixed, own = np.full((2, len(self._found.keys)), -1)
        for at, key in enumerate(self._found.keys):
            if self._found.kind[at] == LABEL:
                fixed[at] = at_plan.get((True, key), -1)
            elif key in mapped:
                fixed[at] = at_plan.get((False, mapped[key]), -1)
            elif key in named:
                own[at] = at_plan.get((False, named[key]), -1)
        labels = {end.port for one in self._plan.cables for end in (one.a, one.z)}
        self._numbers = {label: at for at, label in enumerate(sorted(labels))}
        self._maps: dict[tuple[str, str], Mapping[str, str]] = {}
        counted = {
            key: {} if key in wires.counted_anew else {label: label for label in labels}
            for key in wires.plan.devices
        }
        every: dict[str, str] = {}
        for held in wires.labels_of_group.values():
            every = {**port_map(held, wires.all_found_labels), **every}
        self.match = NeighbourMatch(
            self._plan, self._found, self._numbered(self._plan, wires.plan, counted.__getitem__),
            self._numbered(self._found, wires.found, lambda _: every), self._ports, fixed, own,
            (_order(self._found), _order(self._plan)), wires.found.observed is not None,
        )  # fmt: skip
        self._named = bool(((own >= 0) | (fixed >= 0))[self._found.kind != LABEL].any())
        self._whole = min(len(self._plan.cables), len(self._found.cables))
        ends = np.concatenate((self._found.a, self._found.z))
        self._on_switches = int((self._found.kind[ends] == SWITCH).sum())

    def best(self) -> tuple[Numbers, int]:
        """The best match, and how many others its choices could have taken."""
        match, best, since = self.match, _Candidate((-1, 0), 0, self.match.fixed, 0), 0
        most = max(_FEWEST_TRIES, min(_MOST_TRIES, _CABLES_TRIED // max(1, self._whole)))
        for at in range(-3 if self._named else 0, most):
            known = match.fixed
            if at == -3:
                known = np.where(known >= 0, known, match.own)
            elif at < 0:
                known = match.supported(best.called)[0]
            called, others = match.by_profiles(
                known, ports=at % 2 == 0 or at == -3, seed=max(0, at) // 2
            )
            if at > -3:
                called = match.exchanged(match.improved(called, bare=True))
                called = match.improved(called)
            matches = [called, match.improved(called, held=True, strict=at == -3)]
            better = max(
                (best, *(self._candidate(one, others) for one in matches[at == -3 :])),
                key=lambda one: one.worth,
            )
            best, since = better, since + 1 if better is best else 0
            whole = best.agreed == self._whole and (since > 0 or best.worth[1] >= self._on_switches)
            sure = whole or (at < 0 and match.supported(best.called)[1])
            if sure or (at >= 0 and since > 2 and best.agreed >= MOSTLY * self._whole):
                break
        if 2 * best.worth[1] < self._on_switches:  # so few agree by chance: names decide
            nowhere = np.full(len(self._found.cables), -1)
            by_name = replace(match, ports=lambda _: (nowhere, nowhere))
            best = max(
                best,
                self._candidate(by_name.improved(best.called, held=True), best.others),
                key=lambda one: (one.worth[0], one is not best),
            )
        return best.called, best.others

    def _candidate(self, called: Numbers, others: int) -> _Candidate:
        """Names of others cost cables, but for a match that explains nearly all there are."""
        match = self.match
        agreed, ports = match.agreeing(called)
        cost = float(_NAMES_COST * ((match.own >= 0) & (called != match.own)).sum())
        if self._whole >= _TELLING and agreed >= MOSTLY * self._whole:
            cost = min(cost, _MOST_COST)
        return _Candidate((agreed - cost, ports), agreed, called, others)

    def pairs(self, called: Numbers) -> MatchedNames:
        """Found devices with planned ones, by key."""
        return {
            self._found.keys[at]: self._plan.keys[to]
            for at, to in enumerate(called.tolist())
            if to >= 0 and self._found.kind[at] != LABEL
        }

    def _ports(self, called: Numbers) -> PortNumbers:
        """The numbers of found ports, at switches that are called by those of the plan."""
        keys = {
            key: self._plan.keys[to]
            for key, to in zip(self._found.keys, called.tolist(), strict=True)
            if to >= 0
        }

        def known(key: str) -> Mapping[str, str]:
            planned = keys.get(key)
            if planned is None or planned in self._wires.counted_anew:
                return {}
            if (key, planned) not in self._maps:
                self._maps[key, planned] = self._wires.ports(key, planned)
            return self._maps[key, planned]

        return self._numbered(self._found, self._wires.found, known)

    def _numbered(
        self, side: CableArrays, cabling: Cabling, known: Callable[[str], Mapping[str, str]]
    ) -> PortNumbers:
        """The number of the port of a switch at both ends of each cable, by maps of labels."""
        ports = {
            key: known(key) if one.kind != "host" else {} for key, one in cabling.devices.items()
        }
        numbers = [
            [self._numbers.get(ports[end.device].get(end.port, ""), -1) for end in (one.a, one.z)]
            for one in side.cables
        ]
        first, second = np.array(numbers, np.int64).reshape(-1, 2).T
        return first, second


def _order(side: CableArrays) -> Reals:
    """Where each vertex stands among those of its kind by its name, from 0 to 1."""
    order = np.zeros(len(side.keys))
    for kind in range(3):
        held = np.flatnonzero(side.kind == kind).tolist()
        held.sort(key=lambda at: natural(side.keys[at]))
        order[held] = np.arange(len(held)) / max(1, len(held))
    return order


def _notes(wires: Wires, result: Match) -> list[str]:
    """What a match rests on, where names do not say it."""
    by_group: dict[str, list[str]] = defaultdict(list)
    for key, planned in result.pairs.items():
        if result.named.get(key) != planned:
            device = wires.plan.devices[planned]
            by_group[device.group or device.kind].append(key)
    notes = []
    for keys in by_group.values():
        one = min(keys, key=natural)
        name = wires.plan.devices[result.pairs[one]].name
        notes.append(
            f"{counted(len(keys), 'device')} matched by what they are joined to: "
            f"{wires.found.devices[one].name} is {name}, and so on; "
            "if that is wrong, say it with --map"
        )
    if result.ambiguous:
        notes.append(
            f"{result.ambiguous + 1} ways to match explain the same cables: what is wired alike "
            "may be exchanged, which a map (--map) settles"
        )
    return notes


def _mapped(given: NameMap, plan: Cabling, found: Cabling) -> MatchedNames:
    pairs: MatchedNames = {}
    for key in found.devices:
        name = given.planned(found.devices[key].name) or given.planned(key)
        if name is None:
            continue
        planned = key_of(name)
        if planned not in plan.devices:
            raise UnreadableError(
                f"{given.source}: calls {found.devices[key].name} {name}, which the plan lacks"
            )
        if planned in pairs.values():
            raise UnreadableError(f"{given.source}: calls two devices {name}")
        pairs[key] = planned
    if not pairs:
        raise UnreadableError(f"{given.source}: names no device of the dump")
    return pairs


def _same_names(wires: Wires, known: MatchedNames) -> MatchedNames:
    pairs: MatchedNames = {}
    taken = set(known.values())
    short: dict[str, list[str]] = defaultdict(list)
    for key in wires.plan.devices:
        short[short_name(key)].append(key)
    for key, device in wires.found.devices.items():
        if device.unnamed or key in known:
            continue
        planned = key if key in wires.plan.devices else None
        if planned is None:
            same = short.get(short_name(key), [])
            planned = same[0] if len(same) == 1 else None
        if planned and planned not in taken and wires.alike(key, planned):
            pairs[key] = planned
            taken.add(planned)
    return pairs


def _doubt(wires: Wires, result: Match, agreed: int) -> str:
    """Why it may be another fabric: few cables are as planned for how many names say it is not.

    Raises
    ------
    UnreadableError
        Where no cable is as planned.
    """
    plan, found = wires.plan, wires.found
    switches = [key for key in result.pairs if found.devices[key].kind != "host"]
    placed = sum(
        1
        for key in switches
        for label, far in wires.found_at.get(key, {}).items()
        if found.devices[far.device].unnamed
        and wires.ports(key, result.pairs[key]).get(label) in wires.planned_at[result.pairs[key]]
    )
    named = result.ways["name"] + result.ways["map"]
    if 2 * named >= min(len(plan.devices), len(found.devices)):
        known, enough = min(len(plan.cables), len(found.cables)), 0.1
    else:
        # Without names a smaller fabric fits into a larger one: both have to be of one size.
        near = sum(
            one.a.device in result.pairs or one.z.device in result.pairs for one in found.cables
        )
        known, enough = max(len(plan.cables), near), LEAST_BY_WIRING
        if found.observed is not None:
            known = min(len(plan.cables), len(found.cables))
    if agreed + placed >= enough * known:
        return ""
    doubt = (
        f"{found.source} may be the dump of another fabric than {plan.source}: "
        f"{len(result.pairs)} of {counted(len(plan.devices), 'planned device')} found, and "
        f"{agreed + placed} of {known} cables explained. The plan has {_sizes(plan)}, the dump "
        f"{_sizes(found)}. Where names differ, a map says which is which (--map)"
    )
    if not agreed + placed:
        raise UnreadableError(doubt)
    return doubt


def _sizes(cabling: Cabling) -> str:
    kinds = Counter(device.kind for device in cabling.devices.values())
    hosts, switches = kinds["host"], kinds["switch"] + kinds["unknown"]
    return joined(
        (
            counted(hosts, "host"),
            counted(switches, "switch"),
            counted(len(cabling.cables), "cable"),
        )
    )


def _by_port(cabling: Cabling) -> dict[str, dict[str, ListedEnd]]:
    at: dict[str, dict[str, ListedEnd]] = defaultdict(dict)
    for cable in cabling.cables:
        at[cable.a.device][cable.a.port] = cable.z
        at[cable.z.device][cable.z.port] = cable.a
    return dict(at)
