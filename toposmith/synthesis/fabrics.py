"""Fabrics by six numbers: rails, planes, which leaves share spines, tiers, units and bundles.

There are no templates here: one switch, rails alone, top of rack, rail-optimised, rail-only,
multi-plane and three-tier fabrics are values of these numbers, and so is what lies between them.

With leaves of ``down`` ports towards nodes and ``u`` uplinks, ``L`` leaves that share their spines
and spines of ``k`` ports, a bundle of ``c`` cables between each leaf and each spine needs
``L c <= k`` and ``S c = u``: bundles divide by construction. Two tiers reach ``k^2 / 2`` ports at
1:1, three tiers ``k^3 / 4`` in ``5 k^2 / 4`` switches (Al-Fares et al., SIGCOMM 2008).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, inf
from typing import Any, Literal

from toposmith.collectives import COLLECTIVES
from toposmith.design.document import Design, FittedNics, Group, Link
from toposmith.nccl.constants import NETWORK_SHARE
from toposmith.text import counted, oversubscription

Share = Literal["all", "plane", "rail"]
"""Which leaves have spines in common: all, those of one plane, or those of one rail."""

Shape = Literal[
    "one switch",
    "rails alone",
    "rail-optimised",
    "top-of-rack",
    "rail-only",
    "planes",
    "three tiers",
]

SHAPES: dict[Shape, str] = {
    "one switch": "all nodes on one switch",
    "rails alone": "a switch for every rail, no spines: traffic changes rails inside nodes",
    "rail-optimised": "a leaf for every rail of an SU, spines over all leaves",
    "top-of-rack": "a leaf for all ports of a rack, spines over all leaves",
    "rail-only": "a leaf for every rail of an SU, spines for every rail alone",
    "planes": "planes that share nothing, of leaves alone or with spines",
    "three tiers": "pods of leaves and spines, joined by cores",
}
"""What people call fabrics of some numbers."""

TAPERS = tuple(map(Fraction, ("1", "16/15", "8/7", "4/3", "3/2", "2", "3", "4", "6", "8")))
"""Oversubscriptions that are tried at leaves."""

SPINE_TAPERS = (Fraction(1), Fraction(2), Fraction(4))
"""Those that are tried at spines below cores."""


@dataclass(frozen=True)
class Ports:
    """What a node and a pair of switches offer each other.

    Parameters
    ----------
    node, slots : str
        The node's part and the slot group that is cabled.
    nic : str or None
        The NIC to fit; None where those of the part stay.
    nics : int
        How many of it.
    node_ports, nic_ports : int
        Ports of one node, and of one of its NICs.
    node_gbit, up_gbit : int
        Speed of a cable below and above a leaf.
    leaf, spine : str
        Their parts; cores are of the spine's.
    leaf_cages, spine_ports : int
        Cages of a leaf, and ports of a spine at the speed of an uplink.
    below, above : int
        Ports of a leaf's cage towards nodes, and towards spines.
    gpus : int
        GPUs of a node.
    split : bool
        Whether uplinks are split below the fastest that both switches run, for a higher radix.
    """

    node: str
    slots: str
    nic: str | None
    nics: int
    node_ports: int
    nic_ports: int
    node_gbit: int
    up_gbit: int
    leaf: str
    spine: str
    leaf_cages: int
    spine_ports: int
    below: int
    above: int
    gpus: int
    split: bool = False
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        values = (getattr(self, one.name) for one in fields(self) if one.compare)
        object.__setattr__(self, "_hash", hash(tuple(values)))

    def __hash__(self) -> int:
        return self._hash

    def up_ports(self, down: int) -> int:
        """Uplinks that a leaf can have beside so many ports towards nodes."""
        return max(0, self.leaf_cages - -(-down // self.below)) * self.above

    def uplinks(self, down: int, taper: Fraction) -> int:
        """Uplinks that carry what so many ports bring, at an oversubscription."""
        brought = down * self.node_gbit * taper.denominator
        return max(1, -(-brought // (self.up_gbit * taper.numerator)))


@dataclass(frozen=True)
class Fabric:
    """A fabric by its numbers.

    Parameters
    ----------
    ports : Ports
        What its parts offer each other.
    nodes : int
        Nodes that are wanted.
    unit, units : int
        Node slots of one SU (nodes below the same leaves), and SUs in all pods.
    rails, planes : int
        Leaves of an SU, by rail and by plane.
    share : str
        Which leaves have spines in common.
    spines, bundle : int
        Spines above a leaf, and cables to each; none in one tier.
    pods : int
        Pods, in each of which SUs have spines of their own.
    cores, core_bundle : int
        Cores above each spine, and cables to each; those of one number in all pods share them.
    """

    ports: Ports
    nodes: int
    unit: int
    units: int = 1
    rails: int = 1
    planes: int = 1
    share: Share = "all"
    spines: int = 0
    bundle: int = 0
    pods: int = 1
    cores: int = 0
    core_bundle: int = 0

    @property
    def tiers(self) -> int:
        """Tiers of switches."""
        return 1 + bool(self.spines) + bool(self.cores)

    @property
    def shape(self) -> Shape:
        """What people call it."""
        if self.cores:
            return "three tiers"
        if self.planes > 1:
            return "planes"
        if not self.spines:
            return "rails alone" if self.rails > 1 else "one switch"
        if self.share == "rail":
            return "rail-only"
        return "rail-optimised" if self.rails > 1 else "top-of-rack"

    @property
    def joined(self) -> bool:
        """Whether switches join all rails: else traffic changes them inside nodes."""
        return self.rails == 1 or bool(self.spines and self.share != "rail")

    @property
    def fabrics(self) -> int:
        """Sets of leaves that have spines in common."""
        return {"all": 1, "plane": self.planes, "rail": self.rails * self.planes}[self.share]

    @property
    def leaves(self) -> int:
        """Leaf switches."""
        return self.units * self.rails * self.planes

    @property
    def spine_switches(self) -> int:
        """Spine switches."""
        return self.fabrics * self.spines * self.pods

    @property
    def core_switches(self) -> int:
        """Core switches."""
        return self.fabrics * self.spines * self.cores

    @property
    def switches(self) -> int:
        """Switches of all tiers."""
        return self.leaves + self.spine_switches + self.core_switches

    @property
    def uplinks(self) -> int:
        """Uplinks of a leaf."""
        return self.spines * self.bundle

    @property
    def down(self) -> int:
        """Ports of a leaf towards nodes."""
        return self.unit * self.ports.node_ports // (self.rails * self.planes)

    @cached_property
    def cables(self) -> int:
        """Cables of all tiers."""
        above = self.leaves * self.uplinks + self.spine_switches * self.cores * self.core_bundle
        return self.nodes * self.ports.node_ports + above

    @property
    def oversubscription(self) -> Fraction:
        """Capacity down over capacity up, of the worst tier; 1 where there are no uplinks."""
        if not self.spines:
            return Fraction(1)
        leaf = Fraction(self.down * self.ports.node_gbit, self.uplinks * self.ports.up_gbit)
        if not self.cores:
            return leaf
        below = self._leaves_below * self.bundle
        return max(leaf, Fraction(below, self.cores * self.core_bundle))

    @property
    def _leaves_below(self) -> int:
        """Leaves below a spine."""
        return self.units // self.pods * self.leaves // (self.units * self.fabrics)

    @property
    def survives_switch(self) -> bool:
        """Whether any one switch may fail without a node losing its last way to the others."""
        if self.rails * self.planes < 2:
            return False
        return not self.spines or self.fabrics > 1 or self.spines > 1

    def cuts(self) -> Iterator[tuple[float, int]]:
        """GB/s at line rate into a set of GPUs from outside, and how many GPUs are in it.

        A node takes in what its ports carry, an SU what its uplinks do, and a pod what its spines
        have from cores. Where rails are apart, traffic may enter an SU in any of them.
        """
        ports, line = self.ports, self.ports.up_gbit / 8
        yield ports.node_ports * ports.node_gbit / 8, ports.gpus
        if self.spines:
            up = self.rails * self.planes * self.uplinks
            yield up * line, self.unit * ports.gpus
        if self.cores:
            up = self.fabrics * self.spines * self.cores * self.core_bundle
            yield up * line, self.unit * (self.units // self.pods) * ports.gpus

    def at_most_GBps(self, collective: str) -> float:
        """The most busbw of a GPU that cuts allow over all GPUs, at NCCL's share of a line.

        What one set of ``m`` of ``n`` GPUs takes in limits all: of an all-to-all each of them
        receives ``(n - m) / (n - 1)`` of its busbw from outside; of an all-reduce, where switches
        may reduce, half of ``n / (n - 1)`` of it enters the set. Infinite for other collectives.
        """
        ranks, least = self.nodes * self.ports.gpus, inf
        bound = COLLECTIVES[collective].bound
        for GBps, inside in self.cuts():
            if inside >= ranks:
                continue
            if bound == "all_to_all":
                least = min(least, GBps / inside * (ranks - 1) / (ranks - inside))
            elif bound == "all_reduce":
                least = min(least, 2 * GBps * (ranks - 1) / (ranks - inside))
        return least * NETWORK_SHARE

    def lets_through_GBps(self, collective: str) -> float:
        """Busbw of a GPU below which no cut above nodes holds a collective back.

        An exchange as in :meth:`at_most_GBps`; anything else as a ring, which takes all of its
        busbw across each cut, where trees and switches that reduce take half.
        """
        ranks, least = self.nodes * self.ports.gpus, inf
        exchange = COLLECTIVES[collective].bound == "all_to_all"
        for GBps, inside in list(self.cuts())[1:]:
            if inside < ranks:
                share = (ranks - 1) / (ranks - inside) / inside if exchange else 1.0
                least = min(least, GBps * share)
        return least * NETWORK_SHARE

    @property
    def words(self) -> str:
        """``rail-optimised, 4 SU of 32, 32 leaves, 16 spines (1:1)``."""
        said: list[str] = [self.shape]
        if self.planes > 1:
            said.append(counted(self.planes, "plane"))
            if self.share == "rail" and self.spines:
                said.append("rails apart")
        elif self.cores and self.share == "rail":
            said.append("rails apart")
        if self.pods > 1:
            said.append(counted(self.pods, "pod"))
        if self.units > 1:
            rack = "racks" if self.shape == "top-of-rack" else "SU"
            said.append(f"{self.units:,} {rack} of {self.unit:,}")
        if self.rails not in (1, self.ports.node_ports // self.planes):
            said.append(counted(self.rails, "rail"))
        if self.shape != "one switch":
            said.append(counted(self.leaves, "leaf" if self.spines else "switch"))
        if self.spines:
            said.append(counted(self.spine_switches, "spine"))
        if self.cores:
            said.append(counted(self.core_switches, "core"))
        if self.ports.split:
            said.append(f"uplinks of {self.ports.up_gbit}G")
        ratio = f" ({oversubscription(float(self.oversubscription))})" if self.spines else ""
        return ", ".join(said) + ratio

    @property
    def part_words(self) -> str:
        """``8 x connectx-7-ndr, sn5600 and sn5610``: what it is made of."""
        ports = self.ports
        switches = ports.leaf if ports.leaf == ports.spine else f"{ports.leaf} and {ports.spine}"
        if not self.spines:
            switches = ports.leaf
        return f"{ports.nics} x {ports.nic}, {switches}" if ports.nic else switches

    def design(self) -> Design:
        """The fabric as a design."""
        ports, three = self.ports, bool(self.cores)
        column = "plane" if self.planes == 1 else "column"
        sizes = {
            "pod": self.pods,
            self._unit_axis: self.units // self.pods,
            "rail": self.rails,
            "plane": self.planes,
        }
        if three:
            sizes[column] = self.spines
        axes = {axis: size for axis, size in sizes.items() if size > 1}

        def per(*names: str) -> tuple[str, ...]:
            return tuple(name for name in names if name in axes)

        nics = {ports.slots: FittedNics(part=ports.nic, count=ports.nics)} if ports.nic else {}
        below = per("pod", self._unit_axis)
        planes = ("plane",) if self.planes > 1 else ()
        shared = {"all": (), "plane": planes, "rail": ("rail", *planes)}[self.share]
        groups = {
            "node": Group(part=ports.node, per=below, count=self.unit, nics=nics),
            "leaf": Group(part=ports.leaf, per=below + per("rail", *planes)),
        }
        links = [Link(between=(f"node.{ports.slots}", "leaf"))]
        speed = ports.up_gbit if ports.split else None
        if self.spines:
            above = per("pod", *shared, column) if three else per(*shared)
            count = 1 if three else self.spines
            groups["spine"] = Group(part=ports.spine, per=above, count=count)
            links.append(Link(between=("leaf", "spine"), cables=self.bundle, speed=speed))
        if self.cores:
            groups["core"] = Group(part=ports.spine, per=per(*shared, column), count=self.cores)
            links.append(Link(between=("spine", "core"), cables=self.core_bundle, speed=speed))
        name = f"{self.nodes:,} x {ports.node}, {self.shape}"
        return Design(
            name=name, axes=axes, groups=groups, links=tuple(links), absent=self._absent(axes)
        )

    @property
    def _unit_axis(self) -> str:
        return "rack" if self.shape == "top-of-rack" else "su"

    def _absent(self, axes: dict[str, int]) -> tuple[str, ...]:
        """The slots of the last SU that no node takes."""
        empty = self.unit * self.units - self.nodes
        if not empty:
            return ()
        last = [f"{name}={axes[name] - 1}" for name in ("pod", self._unit_axis) if name in axes]
        first = self.unit - empty
        span = f"{first}" if empty == 1 else f"{first}..{self.unit - 1}"
        return (f"node[{','.join((*last, f'node={span}'))}]",)

    def grown(self, later: int) -> tuple[Fabric, int] | None:
        """The same fabric with more nodes, and the cables to be re-plugged; None where it is full.

        SUs are added; the spines stay, and a bundle gets thinner where spines run out of ports:
        then the cables that made it thicker move to spines that are added.
        """
        units = ceil(later / self.unit)
        if units <= self.units:
            return self, 0
        if not self.spines or self.cores:
            return None
        joined = units * self.leaves // (self.units * self.fabrics)
        bundle = min(self.bundle, self.ports.spine_ports // joined)
        while bundle and self.uplinks % bundle:
            bundle -= 1
        if not bundle:
            return None
        moved = self.leaves * (self.uplinks - self.spines * bundle)
        spines = self.uplinks // bundle
        return replace(self, nodes=later, units=units, spines=spines, bundle=bundle), moved


# All of them


def fabrics(
    ports: Ports, nodes: int, *, need_GBps: float = 0.0, align: int = 1, later: int = 0
) -> Iterator[Fabric]:
    """Every fabric of these parts: rails, planes, shared spines, tiers, tapers and bundles.

    Parameters
    ----------
    ports : Ports
        What the parts offer each other.
    nodes : int
        Nodes.
    need_GBps : float
        All-to-all busbw of a GPU that is wanted: uplinks that carry just that are tried, too.
    align : int
        An SU holds a multiple of so many nodes.
    later : int
        Nodes after growth: a first SU has spines where more are to come.
    """
    for rails, planes in dealings(ports):
        each = ports.node_ports // (rails * planes)
        share: Share = "plane" if planes > 1 else "all"
        if nodes * each <= ports.leaf_cages * ports.below and not ports.split:
            yield Fabric(ports, nodes, nodes, 1, rails, planes, share)
        for unit, units in unit_sizes(ports, nodes, each, align, later):
            down = unit * each
            for shared in (share, "rail") if rails > 1 else (share,):
                base = Fabric(ports, nodes, unit, units, rails, planes, shared)
                leaves = base.leaves // base.fabrics
                for up in _uplinks(base, down, need_GBps):
                    yield from _two_tiers(base, leaves, up, down)
                    if leaves > ports.spine_ports:  # else two tiers reach, with fewer switches
                        yield from _three_tiers(base, leaves // units, up)


def dealings(ports: Ports) -> Iterator[tuple[int, int]]:
    """Rails and planes that the ports of a node can be dealt over evenly.

    The ports of one NIC are in different planes, or all in one. A rail for every port comes first.
    """
    for planes in (each for each in range(1, ports.nic_ports + 1) if ports.nic_ports % each == 0):
        in_plane = ports.node_ports // planes
        yield from ((rails, planes) for rails in range(in_plane, 0, -1) if in_plane % rails == 0)


def unit_sizes(
    ports: Ports, nodes: int, each: int, align: int = 1, later: int = 0
) -> list[tuple[int, int]]:
    """Nodes of an SU and SUs, at most as many nodes as a leaf takes at every taper.

    Parameters
    ----------
    ports, nodes, align, later
        As in :func:`fabrics`.
    each : int
        Ports of a node at one leaf.
    """
    found: dict[tuple[int, int], None] = {}
    for taper in TAPERS:
        most = ports.leaf_cages * ports.below // each
        while most and ports.up_ports(most * each) < ports.uplinks(most * each, taper):
            most -= 1
        most -= most % align
        if most:
            units = ceil(nodes / most)
            unit = min(most, ceil(ceil(nodes / units) / align) * align)
            units = ceil(nodes / unit)
            if units > 1 or later > unit:
                found[unit, units] = None
    return list(found)


def _uplinks(base: Fabric, down: int, need_GBps: float) -> list[int]:
    """Uplinks of a leaf that are tried: of every taper, and what an all-to-all needs."""
    ports = base.ports
    found = {ports.uplinks(down, taper) for taper in TAPERS}
    ranks, inside = base.nodes * ports.gpus, base.unit * ports.gpus
    if need_GBps and ranks > inside:
        whole = need_GBps / NETWORK_SHARE * inside * (ranks - inside) / (ranks - 1)
        found.add(max(1, ceil(whole * 8 / ports.up_gbit / (base.rails * base.planes) - 1e-9)))
    return sorted(one for one in found if one <= ports.up_ports(down))


def bundles(wanted: int, most: int, below: int, ports: int) -> Iterator[tuple[int, int]]:
    """Switches above and cables to each, for so many uplinks: none with more of both."""
    fewest = most + 1
    for bundle in range(ports // below if below else 0, 0, -1):
        above = ceil(wanted / bundle)
        if above * bundle <= most and above * bundle < fewest:
            fewest = above * bundle
            yield above, bundle


def _two_tiers(base: Fabric, below: int, up: int, down: int) -> Iterator[Fabric]:
    most = base.ports.up_ports(down)
    for spines, bundle in bundles(up, most, below, base.ports.spine_ports):
        yield _with(base, spines=spines, bundle=bundle)


def _three_tiers(base: Fabric, leaves: int, up: int) -> Iterator[Fabric]:
    """Pods with spines of their own; spines of one number in all pods share their cores."""
    radix = base.ports.spine_ports
    for bundle in (each for each in range(1, radix // leaves + 1) if up % each == 0):
        for taper in SPINE_TAPERS:
            most = int(radix * taper / (1 + taper)) // (leaves * bundle)  # SUs of a pod
            if not most:
                continue
            pods = ceil(base.units / most)
            per_pod = ceil(base.units / pods)
            units = pods * per_pod
            unit = ceil(base.nodes / units)
            if pods < 2 or unit * units - base.nodes >= unit:
                continue
            below = per_pod * leaves * bundle
            for cores, core_bundle in bundles(ceil(below / taper), radix - below, pods, radix):
                yield _with(
                    base, unit=unit, units=units, pods=pods, spines=up // bundle, bundle=bundle,
                    cores=cores, core_bundle=core_bundle,
                )  # fmt: skip


def _with(base: Fabric, **numbers: Any) -> Fabric:
    return replace(base, **numbers)
