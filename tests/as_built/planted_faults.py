"""Faults put into fabrics by a generator that knows the fewest moves that put them right.

A fabric is its planned cables; a fault changes which port is cabled to which. The dump says it
either in the plan's own names of ports, or as drivers and subnet managers do (``mlx5_3``, ports
counted through).
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from typing import NamedTuple

from tests.as_built.fabrics import Ends, design, design_of, plan_of
from toposmith.as_built.cable_list import Cabling, ListedCable, ListedEnd
from toposmith.evaluation import EvaluatedDesign
from toposmith.text import natural

LEAF_SPINE = """\
toposmith: 1
axes: {pod: 5}
groups:
  node: {part: dgx-h100, per: [pod], count: 6}
  leaf: {part: qm9700, per: [pod]}
  spine: {part: qm9700, count: 3}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 4}
"""
DUAL_PLANE = """\
toposmith: 1
axes: {rail: 4, plane: 2}
groups:
  node: {part: dgx-h100, count: 24}
  leaf: {part: qm9700, per: [rail, plane]}
  spine: {part: qm9700, per: [plane], count: 2}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 6}
"""
THREE_TIERS = """\
toposmith: 1
axes: {pod: 2, su: 2, rail: 8, plane: 4}
groups:
  node: {part: dgx-h100, per: [pod, su], count: 8}
  leaf: {part: qm9700, per: [pod, su, rail]}
  spine: {part: qm9700, per: [pod, plane]}
  core: {part: qm9700, per: [plane], count: 2}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine]}
  - {between: [spine, core], cables: 8}
"""
FABRICS: dict[str, Callable[[], EvaluatedDesign]] = {
    "rails": lambda: design("dgx-h100-superpod-1su"),
    "leaf and spine": lambda: design_of(LEAF_SPINE),
    "dual plane": lambda: design_of(DUAL_PLANE),
    "three tiers": lambda: design_of(THREE_TIERS),
    "NVLink racks": lambda: design("gb200-nvl72-8-racks-ndr"),
    "torus": lambda: design("torus-4x4x4-h100"),
}
ROTATES = {"rails", "three tiers", "NVLink racks"}
"""Where all leaves of a unit have the same uplinks, so that names of leaves can be exchanged."""


TURNS = {"dual plane"}
"""Where leaves and the spines above them can exchange names together, as most hosts have them."""


class Planted(NamedTuple):
    """A fabric with a fault, and what puts it right.

    Parameters
    ----------
    ends : list
        Both ends of every cable, in words of the plan.
    moves, add, remove : int
        The fewest ends to move, cables to lay, and cables to take out.
    by_drivers : int or None
        The fewest moves where hosts' ports have other names than in the plan, if that differs: most
        hosts say which name is which port.
    """

    ends: list[Ends]
    moves: int = 0
    add: int = 0
    remove: int = 0
    by_drivers: int | None = None


class Fabric:
    """The planned cables of a fabric, hosts' ends first."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.plan = plan_of(FABRICS[name]())
        self.ends: list[Ends] = []
        self.ports: dict[str, dict[str, str]] = defaultdict(dict)
        for one in self.plan.cables:
            a, z = (one.z, one.a) if self.is_host(one.z) else (one.a, one.z)
            self.ends.append((a, z))
            if self.is_host(a):
                self.ports[a.device][a.port] = z.device
        self.hosts = sorted(self.ports, key=natural)

    def is_host(self, end: ListedEnd) -> bool:
        return self.plan.devices[end.device].kind == "host"

    def rails(self, host: str) -> list[str]:
        """The ports of a host in the order of the switches that they are on."""
        held = self.ports[host]
        return sorted(held, key=lambda port: (natural(held[port]), natural(port)))

    def switches(self, *, of_hosts: bool) -> list[list[str]]:
        """Switches with hosts, or without, by unit: those with the same group and neighbours."""
        near: dict[str, Counter[str]] = defaultdict(Counter)
        for a, z in self.ends:
            near[z.device][a.device] += 1
            if not self.is_host(a):
                near[a.device][z.device] += 1
        hosts = set(self.hosts)
        units: dict[object, list[str]] = defaultdict(list)
        for key, beside in near.items():
            if bool(beside.keys() & hosts) != of_hosts or self.plan.devices[key].kind == "host":
                continue
            same = {other: many for other, many in beside.items() if other not in hosts}
            units[self.plan.devices[key].group, frozenset(same.items())].append(key)
        return [unit for unit in units.values() if len(unit) > 1]

    def as_planned(self, ends: Sequence[Ends]) -> Cabling:
        """A dump in the plan's own names."""
        return self._dump(ends)

    def as_drivers_say(self, ends: Sequence[Ends], order: Sequence[int] = ()) -> Cabling:
        """A dump with ``mlx5_0`` and so on, and ports of switches counted through.

        ``order`` numbers the adapters of every host otherwise than by rail.
        """
        label: dict[ListedEnd, str] = {}
        for host in self.hosts:
            for rail, port in enumerate(self.rails(host)):
                number = order[rail] if len(order) == len(self.rails(host)) else rail
                label[ListedEnd(host, port)] = f"mlx5_{number}"

        def named(end: ListedEnd) -> ListedEnd:
            return end._replace(port=label.get(end) or str(_counted_through(end.port)))

        return self._dump([(named(a), named(z)) for a, z in ends])

    def _dump(self, ends: Sequence[Ends]) -> Cabling:
        dump = Cabling("dump", "made")
        for both in ends:
            for end in both:
                dump.device(end.device, end.device, self.plan.devices[end.device].kind)
        dump.cables = [
            ListedCable(a, z, None, f"dump:{at}") for at, (a, z) in enumerate(ends)
        ]  # fmt: skip
        return dump

    def changed(self, ends: Sequence[Ends]) -> int:
        """Ports of hosts that are on another switch than planned, as far as they are cabled."""
        return sum(
            self.ports[a.device][a.port] != z.device for a, z in ends if a.device in self.ports
        )


@cache
def fabric(name: str) -> Fabric:
    return Fabric(name)


def _counted_through(label: str) -> int:
    """Two ports to a cage: ``5/2`` is 10."""
    cage, port = label.split("/")
    return 2 * (int(cage) - 1) + int(port)


# Faults


def reordered(
    whole: Fabric, hosts: Sequence[str], order: Callable[[list[str]], list[str]]
) -> list[Ends]:
    """The cables of some hosts in other adapters of the same host."""
    other = {
        ListedEnd(host, port): ListedEnd(host, new)
        for host in hosts
        for port, new in zip(whole.rails(host), order(whole.rails(host)), strict=True)
    }
    return [(other.get(a, a), z) for a, z in whole.ends]


def shifted(many: int) -> Callable[[Fabric, random.Random], Planted]:
    """Rails shifted by one on so many hosts; on all of them for 0."""

    def plant(whole: Fabric, draw: random.Random) -> Planted:
        count = min(many or len(whole.hosts), len(whole.hosts))
        ends = reordered(
            whole, draw.sample(whole.hosts, count), lambda ports: [*ports[1:], ports[0]]
        )
        moves = whole.changed(ends)
        fewer = min(count, len(whole.hosts) - count)
        by_drivers = moves // count * fewer
        if count == len(whole.hosts) and whole.name in ROTATES:
            moves = 0
        if whole.name in TURNS:
            moves = min(moves, by_drivers)
        return Planted(ends, moves, by_drivers=by_drivers)

    return plant


def rails_crossed(whole: Fabric, draw: random.Random) -> Planted:
    def crossed(ports: list[str]) -> list[str]:
        one, other = draw.sample(range(len(ports)), 2)
        ports = list(ports)
        ports[one], ports[other] = ports[other], ports[one]
        return ports

    ends = reordered(whole, [draw.choice(whole.hosts)], crossed)
    return Planted(ends, whole.changed(ends))


def order_of_one_host(whole: Fabric, draw: random.Random) -> Planted:
    """One host whose adapters a driver numbers by their PCI addresses."""
    ends = reordered(
        whole, [draw.choice(whole.hosts)], lambda ports: draw.sample(ports, len(ports))
    )
    return Planted(ends, whole.changed(ends))


def as_one_another(ends: Sequence[Ends], called: dict[str, str]) -> list[Ends]:
    """Devices that have each other's cables whole: only their names differ."""

    def name(end: ListedEnd) -> ListedEnd:
        return end._replace(device=called.get(end.device, end.device))

    return [(name(a), name(z)) for a, z in ends]


def leaves_exchanged(whole: Fabric, draw: random.Random) -> Planted:
    units = whole.switches(of_hosts=True)
    one, other = draw.sample(draw.choice(units), 2) if units else whole_pair(whole, draw)
    return Planted(as_one_another(whole.ends, {one: other, other: one}))


def whole_pair(whole: Fabric, draw: random.Random) -> list[str]:
    """Two switches of one group."""
    names = {z.device for _, z in whole.ends}
    one = draw.choice(sorted(names))
    group = whole.plan.devices[one].group
    alike = sorted(n for n in names if whole.plan.devices[n].group == group and n != one)
    return [one, draw.choice(alike)]


def spines_exchanged(whole: Fabric, draw: random.Random) -> Planted:
    units = whole.switches(of_hosts=False)
    one, other = draw.sample(draw.choice(units), 2) if units else whole_pair(whole, draw)
    return Planted(as_one_another(whole.ends, {one: other, other: one}))


def hosts_exchanged(whole: Fabric, draw: random.Random) -> Planted:
    """Hosts with each other's names, in twos and in threes."""
    names = draw.sample(whole.hosts, 7)
    called = dict(zip(names[:2], names[1::-1], strict=True))
    called |= dict(zip(names[2:4], names[3:1:-1], strict=True))
    called |= dict(zip(names[4:], [*names[5:], names[4]], strict=True))
    return Planted(as_one_another(whole.ends, called))


def unplugged(whole: Fabric, draw: random.Random) -> Planted:
    ends = list(whole.ends)
    for _ in range(3):
        ends.pop(draw.randrange(len(ends)))
    return Planted(ends, add=3)


def end_moved(whole: Fabric, draw: random.Random) -> Planted:
    """One end of a cable in a free port of another switch."""
    ends = list(whole.ends)
    at = draw.randrange(len(ends))
    a, z = ends[at]
    used = {end for both in whole.ends for end in both}
    free = [
        end
        for switch in sorted({end.device for _, end in ends} - {a.device, z.device})
        for end in (ListedEnd(switch, f"{cage}/{port}") for cage in range(1, 33) for port in (1, 2))
        if end not in used
    ]
    ends[at] = (a, draw.choice(free))
    return Planted(ends, 1)


def two_swapped(whole: Fabric, draw: random.Random) -> Planted:
    """One end each of two cables of hosts on other switches, or of switches to others."""
    while True:
        ends = list(whole.ends)
        one, other = draw.sample(range(len(ends)), 2)
        (a, z), (b, y) = ends[one], ends[other]
        if len({a.device, b.device, z.device, y.device}) == 4 and z.device != y.device:
            ends[one], ends[other] = (a, y), (b, z)
            if not (Counter(map(whole_key, ends)) - Counter(map(whole_key, whole.ends))):
                continue
            return Planted(ends, 2)


def whole_key(ends: Ends) -> frozenset[str]:
    return frozenset(end.device for end in ends)


def exchanged_and_faulty(whole: Fabric, draw: random.Random) -> Planted:
    """Two switches exchanged whole, and at them two cables unplugged: these are not hidden."""
    planted = spines_exchanged(whole, draw)
    called = {
        end.device
        for both, plain in zip(planted.ends, whole.ends, strict=True)
        for end, own in zip(both, plain, strict=True)
        if end != own
    }
    at = [n for n, both in enumerate(planted.ends) if {end.device for end in both} & called]
    gone = set(draw.sample(at, 2))
    return Planted([both for n, both in enumerate(planted.ends) if n not in gone], add=2)


def several_at_once(whole: Fabric, draw: random.Random) -> Planted:
    """Rails of a host shifted, two other cables unplugged, and two switches exchanged whole."""
    host = draw.choice(whole.hosts)
    ends = reordered(whole, [host], lambda ports: [*ports[1:], ports[0]])
    moves = whole.changed(ends)
    others = [n for n, (a, _) in enumerate(ends) if a.device != host]
    gone = set(draw.sample(others, 2))
    units = whole.switches(of_hosts=False)
    one, other = draw.sample(draw.choice(units), 2) if units else whole_pair(whole, draw)
    called = {one: other, other: one}
    kept = [both for n, both in enumerate(ends) if n not in gone]
    return Planted(as_one_another(kept, called), moves, 2)


FAULTS: dict[str, Callable[[Fabric, random.Random], Planted]] = {
    "nothing": lambda whole, _draw: Planted(list(whole.ends)),
    "rails shifted on 1 host": shifted(1),
    "rails shifted on 16 hosts": shifted(16),
    "rails shifted on all hosts": shifted(0),
    "two rails of a host crossed": rails_crossed,
    "adapters of a host in another order": order_of_one_host,
    "two leaves exchanged whole": leaves_exchanged,
    "two spines exchanged whole": spines_exchanged,
    "hosts with each other's names": hosts_exchanged,
    "three cables unplugged": unplugged,
    "one end moved": end_moved,
    "two cables swapped": two_swapped,
    "spines exchanged, two cables unplugged": exchanged_and_faulty,
    "several at once": several_at_once,
}
