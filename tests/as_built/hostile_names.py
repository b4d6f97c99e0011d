"""Fabrics whose dumps call devices otherwise than the plan does, in every way that comes to mind.

A case is a design, how its switches and hosts are called in the dump, how ports are labelled, and
up to three faults of cabling. Its own truth (which device is which) says how many cables may
differ at most: no match has to be that truth, since a fabric may be laid over itself, but none may
leave more cables unexplained, nor ask for more steps than the faults took.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tests.as_built.fabrics import Ends, design_of, plan_of
from toposmith.as_built.cable_list import Cabling, ListedCable, ListedEnd
from toposmith.as_built.cabling_comparison import compare
from toposmith.as_built.device_matches import match
from toposmith.text import natural

_TWO = """\
toposmith: 1
axes: {{pod: {pods}}}
groups:
  node: {{part: dgx-h100, per: [pod], count: {nodes}}}
  leaf: {{part: qm9700, per: [pod]}}
  spine: {{part: qm9700, count: {spines}}}
links:
  - {{between: [node.compute, leaf]}}
  - {{between: [leaf, spine], cables: {cables}}}
"""
_THREE = """\
toposmith: 1
axes: {{pod: {pods}, su: {sus}, rail: 8, plane: 4}}
groups:
  node: {{part: dgx-h100, per: [pod, su], count: {nodes}}}
  leaf: {{part: qm9700, per: [pod, su, rail]}}
  spine: {{part: qm9700, per: [pod, plane]}}
  core: {{part: qm9700, per: [plane], count: 2}}
links:
  - {{between: [node.compute, leaf]}}
  - {{between: [leaf, spine]}}
  - {{between: [spine, core], cables: {cables}}}
"""
_RAIL = """\
toposmith: 1
axes: {{su: {pods}, rail: 8}}
groups:
  node: {{part: dgx-h100, per: [su], count: {nodes}}}
  leaf: {{part: qm9700, per: [su, rail]}}
  spine: {{part: qm9700, per: [rail], count: {spines}}}
links:
  - {{between: [node.compute, leaf]}}
  - {{between: [leaf, spine], cables: {cables}}}
"""
_PLANES = """\
toposmith: 1
axes: {{rail: 4, plane: 2}}
groups:
  node: {{part: dgx-h100, count: {nodes}}}
  leaf: {{part: qm9700, per: [rail, plane]}}
  spine: {{part: qm9700, per: [plane], count: {spines}}}
links:
  - {{between: [node.compute, leaf]}}
  - {{between: [leaf, spine], cables: {cables}}}
"""
_DRAGONFLY = """\
toposmith: 2
axes: {{group: {pods}, place: {sus}}}
groups:
  node: {{part: dgx-h100, per: [group, place], count: {hosts}}}
  router: {{part: qm9700, per: [group, place]}}
links:
  - {{between: [node.compute, router]}}
  - {{between: [router, router], along: {{place: other}}}}
  - {{between: [router, router], along: {{group: other, place: dealt}}, cables: {dealt}}}
"""
_TORUS = """\
toposmith: 2
axes: {{x: {x}, 'y': {y}, z: {z}}}
groups:
  node: {{part: dgx-h100, per: [x, 'y', z], count: {hosts}}}
  switch: {{part: qm9700, per: [x, 'y', z]}}
links:
  - {{between: [node.compute, switch]}}
  - {{between: [switch, switch], along: {{x: next}}, cables: {cables}}}
  - {{between: [switch, switch], along: {{'y': next}}, cables: {cables}}}
  - {{between: [switch, switch], along: {{z: next}}, cables: {cables}}}
"""
_ISLANDS = """\
toposmith: 1
axes: {{pod: {pods}, rail: 8}}
groups:
  node: {{part: dgx-h100, per: [pod], count: {nodes}}}
  leaf: {{part: qm9700, per: [pod, rail]}}
  spine: {{part: qm9700, per: [pod], count: {spines}}}
links:
  - {{between: [node.compute, leaf]}}
  - {{between: [leaf, spine], cables: {cables}}}
"""
SHAPES = {
    "two tiers": _TWO, "three tiers": _THREE, "rails": _RAIL, "dual plane": _PLANES,
    "dragonfly": _DRAGONFLY, "torus": _TORUS, "islands": _ISLANDS,
}  # fmt: skip

Names = dict[str, str]


def _shuffled(keys: Sequence[str], draw: random.Random) -> Names:
    return dict(zip(keys, draw.sample(keys, len(keys)), strict=True))


def _random(keys: Sequence[str], draw: random.Random) -> Names:
    return {key: "".join(draw.choices("bcdfghjklmnpqrstvwxz", k=9)) for key in keys}


def _addresses(keys: Sequence[str], draw: random.Random) -> Names:
    return {key: f"0x{draw.getrandbits(64):016x}" for key in keys}


def _in_pairs(keys: Sequence[str], draw: random.Random) -> Names:
    """A few pairs have each other's names."""
    called = dict(zip(keys, keys, strict=True))
    some = draw.sample(keys, min(len(keys) // 2, draw.randint(1, 6)) * 2)
    for one, other in zip(some[::2], some[1::2], strict=True):
        called[one], called[other] = other, one
    return called


def _prefixed(keys: Sequence[str], draw: random.Random) -> Names:
    word = draw.choice(["fra1-", "DC7.", "ib_", "rack-"])
    return {key: word + key for key in keys}


def _half(keys: Sequence[str], draw: random.Random) -> Names:
    """Half of them replaced, the others as planned."""
    return dict(zip(keys, keys, strict=True)) | _random(draw.sample(keys, len(keys) // 2), draw)


def _kept(keys: Sequence[str], _draw: random.Random) -> Names:
    return dict(zip(keys, keys, strict=True))


SWITCH_NAMES: dict[str, Callable[[Sequence[str], random.Random], Names]] = {
    "shuffled": _shuffled, "random": _random, "addresses": _addresses, "in pairs": _in_pairs,
    "prefixed": _prefixed, "half random": _half,
}  # fmt: skip
HOST_NAMES = {
    "kept": _kept, "shuffled": _shuffled, "random": _random, "prefixed": _prefixed,
}  # fmt: skip
PORT_LABELS = ("planned", "drivers", "shuffled")


class HostileCase(NamedTuple):
    """A plan, a dump of it under other names, and the truth.

    Parameters
    ----------
    truth : dict
        Found device to planned device, as it was made.
    steps : int
        Ends to move and cables to lay that put the faults right.
    """

    words: str
    plan: Cabling
    dump: Cabling
    truth: Names
    steps: int


def hostile_case(seed: int) -> HostileCase:
    """The case of a seed; 84 seeds in turn have every shape with every way to name."""
    draw = random.Random(f"hostile {seed}")
    shape = list(SHAPES)[seed % len(SHAPES)]
    switch_names = list(SWITCH_NAMES)[seed // len(SHAPES) % len(SWITCH_NAMES)]
    host_names = draw.choice(list(HOST_NAMES))
    ports = draw.choice(PORT_LABELS)
    sizes = {
        "pods": draw.randint(2, 5), "sus": draw.randint(2, 4), "nodes": draw.randint(3, 6),
        "hosts": draw.randint(1, 2), "spines": draw.randint(2, 4), "cables": draw.randint(1, 3),
        "x": draw.randint(2, 4), "y": draw.randint(3, 5), "z": draw.randint(2, 4),
    }  # fmt: skip
    # each group of a dragonfly has as many cables to every other as its routers can share
    sizes["dealt"] = sizes["sus"] * draw.randint(1, 2)
    plan = plan_of(design_of(SHAPES[shape].format(**sizes)))
    hosts = sorted((k for k, d in plan.devices.items() if d.kind == "host"), key=natural)
    switches = sorted(plan.devices.keys() - set(hosts), key=natural)
    whole = [(one.a, one.z) for one in plan.cables]
    faults = draw.randint(0, 3)
    ends, steps = with_faults(whole, faults, draw)
    called = SWITCH_NAMES[switch_names](switches, draw) | HOST_NAMES[host_names](hosts, draw)
    label = port_labels(whole, hosts, ports, draw)
    dump = Cabling("dump", "made")
    for key in draw.sample(sorted(plan.devices), len(plan.devices)):
        name = called[key]
        dump.device(name.casefold(), name, plan.devices[key].kind)
    for at, both in enumerate(draw.sample(ends, len(ends))):
        a, z = (ListedEnd(called[end.device].casefold(), label[end]) for end in both)
        dump.cables.append(ListedCable(a, z, None, f"dump:{at + 1}"))
    truth = {called[key].casefold(): key for key in plan.devices}
    words = f"{seed}: {shape}, switches {switch_names}, hosts {host_names}, ports {ports}, "
    return HostileCase(words + f"{faults} faults", plan, dump, truth, steps)


def with_faults(whole: Sequence[Ends], many: int, draw: random.Random) -> tuple[list[Ends], int]:
    """Cables with so many faults at as many places, and the steps that put them right."""
    ends, steps = list(whole), 0
    places = draw.sample(range(len(ends)), 2 * many)
    gone: set[int] = set()
    for one, other in zip(places[::2], places[1::2], strict=True):
        if draw.random() < 0.4:
            gone.add(one)
            steps += 1
        else:
            (a, z), (b, y) = ends[one], ends[other]
            if a.device != y.device and b.device != z.device:
                ends[one], ends[other] = (a, y), (b, z)
                steps += 2
    return [both for at, both in enumerate(ends) if at not in gone], steps


def port_labels(
    whole: Sequence[Ends], hosts: Sequence[str], how: str, draw: random.Random
) -> Mapping[ListedEnd, str]:
    """What the dump calls each port: as the plan does, as drivers do, or switches' in any order."""
    ports: dict[str, list[str]] = {}
    for end in (end for both in whole for end in both):
        ports.setdefault(end.device, []).append(end.port)
    label: dict[ListedEnd, str] = {}
    for key, held in ports.items():
        held.sort(key=natural)
        if how == "planned" or (how == "shuffled" and key in hosts):
            told = held
        elif how == "drivers" and key in hosts:
            told = [f"mlx5_{at}" for at in range(len(held))]
        elif how == "drivers":
            told = [str(2 * int(p.split("/")[0]) - 2 + int(p.split("/")[1])) for p in held]
        else:
            told = [str(number) for number in draw.sample(range(100, 200), len(held))]
        label |= {ListedEnd(key, port): own for port, own in zip(held, told, strict=True)}
    return label


class Judgement(NamedTuple):
    """Cables that differ, and steps asked for: those found, and the most that may be."""

    differing: int
    most_differing: int
    steps: int
    most_steps: int

    @property
    def is_wrong(self) -> bool:
        """Whether the match explains less than the planted truth."""
        return self.differing > self.most_differing or self.steps > self.most_steps


def judged(case: HostileCase) -> Judgement:
    """A case matched and compared."""
    matched, wires = match(case.plan, case.dump)
    differ = differing(case, matched.pairs)
    found = compare(matched, wires)
    steps = found.moves + found.add + found.remove
    return Judgement(differ, differing(case, case.truth), steps, case.steps)


def differing(case: HostileCase, pairs: Mapping[str, str]) -> int:
    """Cables that differ under a match: found and not planned, planned and not found."""
    planned = Counter(frozenset((one.a.device, one.z.device)) for one in case.plan.cables)
    found = Counter(
        frozenset(pairs.get(end.device, f"? {end.device}") for end in (one.a, one.z))
        for one in case.dump.cables
    )
    return (found - planned).total() + (planned - found).total()
