"""Matching the devices of a dump with those of the plan.

By a map from the user; by equal names; by a pattern of numbers in names; else by the wiring itself:
a switch's port leads to one planned device, so every matched device votes for the identity of its
neighbours, and the most votes win. Devices that nothing distinguishes stay unmatched, with a note.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from toposmith.as_built.cable_list import (
    Cabling,
    ListedCable,
    ListedDevice,
    ListedEnd,
    UnreadableError,
    key_of,
    know_kinds,
    numbers_of,
    short_name,
)
from toposmith.as_built.equal_fabrics import same_fabric
from toposmith.as_built.name_maps import NameMap
from toposmith.as_built.port_names import port_map
from toposmith.cancellation import go_on
from toposmith.text import counted, joined, natural

LEAST_BY_WIRING = 0.7
"""The same of the larger of both, where names do not say that it is the same fabric."""

LEAST_AGREEING = 0.5
"""Share of the cables that an attempt has to explain to be final."""

_MOST_SEEDS = 256
_ROUNDS = 40

MatchedNames = dict[str, str]


@dataclass
class Match:
    """Devices of a dump by key, with those of the plan that they are.

    Parameters
    ----------
    pairs : dict of str to str
        Found device to planned device.
    ways : Counter
        Number of matches by method: map, name, pattern, wiring.
    notes : list of str
        Patterns that were used, and devices that could not be distinguished.
    ambiguous : int
        The number of other matches that explain as much; 0 where the match is unique.
    named : set of str
        Found devices that are matched by their names.
    """

    pairs: MatchedNames = field(default_factory=dict)
    ways: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    ambiguous: int = 0
    named: set[str] = field(default_factory=set)

    def take(self, pairs: MatchedNames, way: str) -> None:
        """Add the matches of one method; never replaces existing ones."""
        taken = set(self.pairs.values())
        for found, planned in pairs.items():
            if found not in self.pairs and planned not in taken:
                self.pairs[found] = planned
                taken.add(planned)
                self.ways[way] += 1
                if way != "wiring":
                    self.named.add(found)


class Wires:
    """The devices at each port in plan and dump, with the port labels of both mapped."""

    def __init__(self, plan: Cabling, found: Cabling) -> None:
        self.plan, self.found = plan, found
        for cabling in (plan, found):
            know_kinds(cabling)
        self.planned_at = _by_port(plan)
        self.found_at = _by_port(found)
        self._planned_labels = {key: frozenset(at) for key, at in self.planned_at.items()}
        self._found_labels = {key: frozenset(at) for key, at in self.found_at.items()}
        self._labels_of_group = {
            group: frozenset().union(*(
                self._planned_labels.get(key, frozenset())
                for key, device in plan.devices.items()
                if device.group == group and device.kind != "host"
            ))
            for group in {device.group for device in plan.devices.values()}
        }  # fmt: skip
        self._all_found_labels = frozenset().union(*(
            labels for key, labels in self._found_labels.items()
            if found.devices[key].kind != "host"
        ))  # fmt: skip
        self._planned_pairs = Counter(_devices_of(one) for one in plan.cables)
        self._number = {key: at for at, key in enumerate(found.devices)}
        ends = ((self._number[c.a.device], self._number[c.z.device]) for c in found.cables)
        self._ends = np.ascontiguousarray(np.array(list(ends), np.int32).reshape(-1, 2).T)

    def ports(self, found: str, planned: str) -> Mapping[str, str]:
        """The planned port that each port of a found switch is."""
        return port_map(
            self._planned_labels.get(planned, frozenset()),
            self._found_labels.get(found, frozenset()),
            self._labels_of_group[self.plan.devices[planned].group],
            self._all_found_labels,
        )

    def alike(self, found: str, planned: str) -> bool:
        """Whether both are hosts, or both switches, as far as is known."""
        kinds = {self.found.devices[found].kind, self.plan.devices[planned].kind}
        return len(kinds) == 1 or "unknown" in kinds

    def votes(self, pairs: MatchedNames) -> dict[str, Counter[str]]:
        """For every found device, the votes of ports of matched switches for a planned one."""
        votes: dict[str, Counter[str]] = defaultdict(Counter)
        for found, planned in pairs.items():
            if self.found.devices[found].kind == "host":
                continue
            ports, at = self.ports(found, planned), self.planned_at.get(planned, {})
            for label, far in self.found_at.get(found, {}).items():
                meant = ports.get(label)
                expected = at.get(meant) if meant is not None else None
                if expected is not None and self.alike(far.device, expected.device):
                    votes[far.device][expected.device] += 1
        return votes

    def agreeing(self, pairs: MatchedNames) -> int:
        """How many found cables join two devices that the plan joins."""
        go_on(len(self._ends[0]) // 100)
        matched = np.zeros(len(self._number), bool)
        matched[[self._number[key] for key in pairs]] = True
        cables = self.found.cables
        between = Counter(
            _devices_of(cables[at], pairs)
            for at in np.flatnonzero(matched[self._ends[0]] & matched[self._ends[1]])
        )
        return sum(min(many, self._planned_pairs[both]) for both, many in between.items())


def _devices_of(cable: ListedCable, called: Mapping[str, str] | None = None) -> tuple[str, str]:
    """The devices that a cable joins in one order, as the plan calls them where it is not its."""
    a, z = cable.a.device, cable.z.device
    if called is not None:
        a, z = called[a], called[z]
    return (a, z) if a <= z else (z, a)


def match(plan: Cabling, found: Cabling, given: NameMap | None = None) -> tuple[Match, Wires]:
    """Match a dump to a plan.

    Raises
    ------
    UnreadableError
        Where a map names unknown devices, or too little agrees for it to be the same fabric.
    """
    wires = Wires(plan, found)
    result = Match()
    if given is not None:
        result.take(_mapped(given, plan, found), "map")
    result.take(_same_names(wires, result.pairs), "name")
    free = _free(plan, result, found)
    if free[0] and free[1]:
        by_ports = replace(
            result,
            pairs=dict(result.pairs),
            ways=result.ways.copy(),
            notes=list(result.notes),
            named=set(result.named),
        )
        _match_rest(wires, by_ports)
        whole = min(len(plan.cables), len(found.cables))
        same = None
        if wires.agreeing(by_ports.pairs) < whole:
            same = same_fabric(plan, found, result.pairs)
        if same is None:
            result = by_ports
        else:
            pairs, result.ambiguous = same
            result.take(pairs, "wiring")
            alike = "; those with the same wiring may be exchanged, which a map (--map) settles"
            result.notes.append(
                "names and ports do not agree: devices were matched by the wiring"
                + (alike if result.ambiguous else "")
            )
    _require_likeness(wires, result)
    return result, wires


def _match_rest(wires: Wires, result: Match) -> None:
    """What names leave over: by the votes of what is matched, by patterns, else by wiring alone."""
    result.take(_propagated(wires, result.pairs, certain=True), "wiring")
    if _known_switches(wires, result) >= 0.5:
        return
    pattern, words = _patterns(wires, result)
    with_pattern = {**result.pairs, **pattern}
    with_pattern = _propagated(wires, with_pattern, certain=True)
    by_pattern = wires.agreeing(with_pattern) if pattern else -1
    by_wiring, agreed, others = _by_wiring(wires, result.pairs)
    # A pattern that explains as much as the wiring is what people meant by the names.
    if pattern and by_pattern >= 0.9 * agreed:
        result.take(pattern, "pattern")
        result.take(with_pattern, "wiring")
        result.notes += words
        return
    result.take(by_wiring, "wiring")
    if others:
        result.ambiguous = others
        result.notes.append(
            f"names do not agree, and {others + 1} ways to match the dump to the plan explain the "
            "same cables: whole units with the same wiring can be swapped; a map (--map) settles "
            "it"
        )
    elif by_wiring:
        result.notes.append(
            "names do not agree: devices were matched by the ports that they are on"
        )


def _known_switches(wires: Wires, result: Match) -> float:
    """Share of the planned switches that are matched."""
    switches = [key for key, device in wires.plan.devices.items() if device.kind != "host"]
    return sum(key in result.pairs.values() for key in switches) / max(1, len(switches))


def _free(plan: Cabling, result: Match, found: Cabling) -> tuple[list[str], list[str]]:
    taken = set(result.pairs.values())
    return (
        [key for key in plan.devices if key not in taken],
        [
            key
            for key, device in found.devices.items()
            if key not in result.pairs and not (device.unnamed and device.kind == "host")
        ],
    )


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


def _patterns(wires: Wires, result: Match) -> tuple[MatchedNames, list[str]]:
    """Names that count alike: ``dgx-s1-n04`` for ``node-su0-3``, where every number fits."""
    plan_free, found_free = _free(wires.plan, result, wires.found)
    pairs: MatchedNames = {}
    words: list[str] = []
    planned_sets = _families(plan_free, wires.plan.devices)
    found_sets = _families(found_free, wires.found.devices)
    used: set[tuple[str, str]] = set()
    for (kind, _), keys in sorted(planned_sets.items(), key=lambda one: -len(one[1])):
        fits = []
        for family, found_keys in found_sets.items():
            if family in used or ("unknown" not in (kind, family[0]) and family[0] != kind):
                continue
            fitted = _fitted(keys, found_keys)
            if len(fitted) >= 0.8 * min(len(keys), len(found_keys)) and len(fitted) > 1:
                close = -abs(len(keys) - len(found_keys))
                fits.append((len(fitted), close, family, fitted))
        fits.sort(key=lambda one: (one[0], one[1]), reverse=True)
        if not fits or (len(fits) > 1 and fits[0][:2] == fits[1][:2]):
            continue
        _, _, family, fitted = fits[0]
        used.add(family)
        pairs |= fitted
        one = min(fitted, key=natural)
        words.append(
            f"names: {wires.found.devices[one].name} is {wires.plan.devices[fitted[one]].name}, "
            f"and so on ({len(fitted)} of {len(keys)}); if that is wrong, say it with --map"
        )
    return pairs, words


def _families(
    keys: list[str], devices: dict[str, ListedDevice]
) -> dict[tuple[str, str], list[str]]:
    families: dict[tuple[str, str], list[str]] = defaultdict(list)
    for key in keys:
        if numbers_of(key) and not devices[key].unnamed:
            families[devices[key].kind, re.sub(r"\d+", "#", key)].append(key)
    return families


def _fitted(planned: list[str], found: list[str]) -> MatchedNames:
    """Each number shifted so that the lowest agree; with other numbers, in order where all fit."""
    by_number = {numbers_of(key): key for key in planned}
    of_found = {key: numbers_of(key) for key in found}
    width = {len(one) for one in by_number} | {len(one) for one in of_found.values()}
    pairs: MatchedNames = {}
    if len(width) == 1:
        shift = tuple(
            min(one[at] for one in of_found.values()) - min(one[at] for one in by_number)
            for at in range(width.pop())
        )
        for key, numbers in of_found.items():
            meant = by_number.get(tuple(n - s for n, s in zip(numbers, shift, strict=True)))
            if meant is not None:
                pairs[key] = meant
    if len(pairs) < len(found) and len(planned) == len(found):
        ordered = sorted(found, key=of_found.__getitem__)
        return dict(zip(ordered, sorted(planned, key=numbers_of), strict=True))
    return pairs


def _propagated(wires: Wires, start: MatchedNames, *, certain: bool) -> MatchedNames:
    """Match neighbours by votes until nothing changes."""
    pairs = dict(start)
    for _ in range(_ROUNDS):
        votes = wires.votes(pairs)
        taken = set(pairs.values())
        claims: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for found, tally in votes.items():
            if found in pairs or _is_nameless_host(wires, found):
                continue
            ranked = [one for one in tally.most_common(8) if one[0] not in taken]
            if not ranked:
                continue
            best = ranked[0]
            if len(ranked) > 1 and ranked[1][1] == best[1]:
                continue
            if certain and 2 * best[1] <= sum(tally.values()):
                continue
            claims[best[0]].append((best[1], found))
        added = False
        for planned, wanted in claims.items():
            wanted.sort(reverse=True)
            if len(wanted) > 1 and wanted[0][0] == wanted[1][0]:
                continue
            pairs[wanted[0][1]] = planned
            added = True
        if not added:
            break
    return pairs


def _refined(wires: Wires, pairs: MatchedNames, fixed: MatchedNames) -> MatchedNames:
    """Match every device again by all its neighbours, which corrects early errors."""
    for _ in range(3):
        votes = wires.votes(pairs)
        wanted = sorted(
            ((many, found, planned) for found, counted in votes.items()
             for planned, many in counted.items()), key=lambda one: (-one[0], one[1:])
        )  # fmt: skip
        again = dict(fixed)
        taken = set(again.values())
        for _, found, planned in wanted:
            if found not in again and planned not in taken and not _is_nameless_host(wires, found):
                again[found] = planned
                taken.add(planned)
        for found, planned in pairs.items():
            if found not in again and planned not in taken:
                again[found] = planned
                taken.add(planned)
        if again == pairs:
            break
        pairs = again
    return pairs


def _is_nameless_host(wires: Wires, found: str) -> bool:
    """Adapters without a name are placed one by one, by the port that they are on."""
    device = wires.found.devices[found]
    return device.unnamed and device.kind == "host"


def _by_wiring(wires: Wires, fixed: MatchedNames) -> tuple[MatchedNames, int, int]:
    """Try a switch of the plan as each switch of the dump; the try that explains most is right.

    Returns
    -------
    tuple
        The match, how many cables it explains, and how many other tries explain as many.
    """
    best: tuple[int, MatchedNames] = (-1, {})
    others = 0
    for seed in _seeds(wires, fixed):
        tries: list[tuple[int, MatchedNames]] = []
        for found in _candidates(wires, seed, fixed):
            start = {**fixed, found: seed}
            pairs = _refined(wires, _propagated(wires, start, certain=False), fixed)
            tries.append((wires.agreeing(pairs), pairs))
        if not tries:
            continue
        top = max(many for many, _ in tries)
        equal = [pairs for many, pairs in tries if many == top]
        different = [pairs for pairs in equal if pairs != equal[0]]
        if top > best[0]:
            best, others = (top, equal[0]), len(different)
        if top >= LEAST_AGREEING * min(len(wires.plan.cables), len(wires.found.cables)):
            break
    return best[1], max(0, best[0]), others


def _seeds(wires: Wires, fixed: MatchedNames) -> list[str]:
    """Switches of the plan to begin with: those of the smallest tier first."""
    plan = wires.plan
    hosts = Counter[str]()
    for cable in plan.cables:
        for one, other in ((cable.a, cable.z), (cable.z, cable.a)):
            hosts[one.device] += plan.devices[other.device].kind == "host"
    free = [key for key, device in plan.devices.items()
            if device.kind != "host" and key not in fixed.values()]  # fmt: skip
    tiers: dict[bool, list[str]] = defaultdict(list)
    for key in free:
        tiers[hosts[key] > 0].append(key)
    ordered = sorted(tiers.values(), key=len)
    return [sorted(tier, key=natural)[at] for at in range(2) for tier in ordered if at < len(tier)]


def _candidates(wires: Wires, seed: str, fixed: MatchedNames) -> list[str]:
    """Switches of the dump that a planned one may be: those with about as many cables."""
    many = len(wires.planned_at.get(seed, {}))
    cables = {key: len(wires.found_at.get(key, {})) for key in wires.found.devices}
    free = [key for key, device in wires.found.devices.items()
            if device.kind != "host" and key not in fixed and cables[key] <= 2 * many]  # fmt: skip
    free.sort(key=lambda key: (abs(cables[key] - many), natural(key)))
    if free and 2 * cables[free[0]] > many:
        free = [key for key in free if 2 * cables[key] > many]
    return free[:_MOST_SEEDS]


def _require_likeness(wires: Wires, result: Match) -> None:
    """Refuse a dump of another fabric rather than list thousands of differences."""
    plan, found = wires.plan, wires.found
    switches = [key for key in result.pairs if found.devices[key].kind != "host"]
    agreed = wires.agreeing(result.pairs)
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
        return
    raise UnreadableError(
        f"{found.source} does not fit {plan.source}: {len(result.pairs)} of "
        f"{counted(len(plan.devices), 'planned device')} found, and {agreed + placed} of "
        f"{known} cables "
        f"explained. "
        f"The plan has {_sizes(plan)}, the dump {_sizes(found)}. Is it the dump of another fabric? "
        "Where names differ, a map says which is which (--map)"
    )


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
