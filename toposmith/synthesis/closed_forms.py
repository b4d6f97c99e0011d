"""Fabrics as counts: how many switches and cables a shape takes, and what it can carry at most.

With leaves of ``down`` ports towards nodes and ``u`` uplinks, ``L`` leaves that share their spines
and spines of ``k`` ports, a bundle of ``c`` cables between each leaf and each spine needs
``L c <= k`` and ``S c = u``: bundles divide by construction. Two tiers reach ``k^2 / 2`` ports at
1:1, three tiers ``k^3 / 4`` in ``5 k^2 / 4`` switches (Al-Fares et al., SIGCOMM 2008).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from fractions import Fraction
from math import inf
from typing import Literal

from toposmith.amount import Amount, Piece
from toposmith.collectives import COLLECTIVES
from toposmith.design.document import Design, FittedNics, Group, Link
from toposmith.synthesis.outlays import Outlay
from toposmith.text import counted, oversubscription

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
    "planes": "rail-optimised, in planes that share nothing",
    "three tiers": "rail-optimised pods of leaves and spines, joined by cores",
}


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
    node_ports : int
        Ports of one node.
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
    switch_power_w : tuple of float or None
        Power of a leaf and of a spine; None where it is unknown.
    """

    node: str
    slots: str
    nic: str | None
    nics: int
    node_ports: int
    node_gbit: int
    up_gbit: int
    leaf: str
    spine: str
    leaf_cages: int
    spine_ports: int
    below: int
    above: int
    gpus: int
    switch_power_w: tuple[float | None, float | None] = (None, None)
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        values = (getattr(self, one.name) for one in fields(self) if one.compare)
        object.__setattr__(self, "_hash", hash(tuple(values)))

    def __hash__(self) -> int:
        return self._hash

    def up_ports(self, down: int) -> int:
        """Uplinks that a leaf can have beside so many ports towards nodes."""
        return max(0, self.leaf_cages - -(-down // self.below)) * self.above


@dataclass(frozen=True)
class Candidate:
    """A fabric by its numbers, which follow from its shape without any analysis.

    Parameters
    ----------
    shape : str
        One of :data:`SHAPES`.
    ports : Ports
        Its parts.
    nodes : int
        Nodes that are wanted.
    unit : int
        Node slots of one SU (rack).
    units : int
        SUs in all pods.
    rails, planes, pods : int
        Leaves of an SU in one plane, planes, pods.
    spines : int
        In a plane, rail or pod, whichever they are shared in; 0 without spines.
    bundle : int
        Cables between each leaf and each spine above it.
    cores : int
        For the spines of one number in all pods.
    core_bundle : int
        Cables between each spine and each core above it.

    Attributes
    ----------
    switches, cables : int
        Of all tiers.
    cost : Outlay
        Switches, NICs of a node and cables, and the power of the switches, before there is a bill.
    cost_order : tuple of float
        Sort key by it.
    """

    shape: Shape
    ports: Ports
    nodes: int
    unit: int
    units: int = 1
    rails: int = 1
    planes: int = 1
    pods: int = 1
    spines: int = 0
    bundle: int = 0
    cores: int = 0
    core_bundle: int = 0
    switches: int = field(init=False, repr=False, compare=False)
    cables: int = field(init=False, repr=False, compare=False)
    cost: Outlay = field(init=False, repr=False, compare=False)
    cost_order: tuple[float, ...] = field(init=False, repr=False, compare=False)
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # read ten thousand times in a search: computed once
        leaves, uplinks = self.units * self.rails * self.planes, self.spines * self.bundle
        spines, cores = self.spine_switches, self.cores * self.spines
        switches = leaves + spines + cores
        cables = self.nodes * self.ports.node_ports + leaves * uplinks
        cables += spines * self.cores * self.core_bundle
        counts = (switches, self.ports.nics, cables)
        cost = Outlay(counts, self._power_w(leaves, spines + cores))
        numbers = (self.unit, self.units, self.rails, self.planes, self.pods, self.bundle)
        keep = object.__setattr__
        keep(self, "switches", switches)
        keep(self, "cables", cables)
        keep(self, "cost", cost)
        keep(self, "cost_order", cost.order)
        keep(self, "_hash", hash((self.shape, self.ports, counts, numbers)))

    def __hash__(self) -> int:
        return self._hash

    def _power_w(self, leaves: int, spines: int) -> Amount:
        known, unknown = 0.0, Counter[Piece]()
        parts = (self.ports.leaf, self.ports.spine)
        for part, count, each_w in zip(
            parts, (leaves, spines), self.ports.switch_power_w, strict=True
        ):
            if each_w is None and count:
                unknown[part, None] += count
            known += count * (each_w or 0.0)
        return Amount(known, unknown)

    @property
    def leaves(self) -> int:
        """Leaf switches."""
        return self.units * self.rails * self.planes

    @property
    def spine_switches(self) -> int:
        """Spine switches."""
        if self.shape == "rail-only":
            return self.spines * self.rails
        if self.shape == "planes":
            return self.spines * self.planes
        return self.spines * self.pods if self.shape == "three tiers" else self.spines

    @property
    def core_switches(self) -> int:
        """Core switches."""
        return self.cores * self.spines

    @property
    def uplinks(self) -> int:
        """Uplinks of a leaf."""
        return self.spines * self.bundle

    @property
    def down(self) -> int:
        """Ports of a leaf towards nodes."""
        return self.unit * self.ports.node_ports // (self.rails * self.planes)

    @property
    def oversubscription(self) -> Fraction:
        """Capacity down over capacity up, of the worst tier; 1 where there are no uplinks."""
        if not self.spines:
            return Fraction(1)
        leaf = Fraction(self.down * self.ports.node_gbit, self.uplinks * self.ports.up_gbit)
        if not self.cores:
            return leaf
        below = self.units // self.pods * self.rails * self.bundle
        return max(leaf, Fraction(below, self.cores * self.core_bundle))

    def at_most_GBps(self, collective: str) -> float:
        """The most busbw of a GPU that any algorithm gets of it, over all GPUs.

        A node takes in what its NICs carry and an SU what its uplinks carry; a GPU has to receive
        from all others. Of an all-reduce where switches reduce, half as much has to enter.
        """
        ports, ranks = self.ports, self.nodes * self.ports.gpus
        bound = COLLECTIVES[collective].bound
        if bound not in ("all_reduce", "all_to_all") or ranks < 2:
            return inf
        into_node = ports.node_ports * ports.node_gbit / 8
        into_unit = self.rails * self.planes * self.uplinks * ports.up_gbit / 8
        limits = [(into_node, ports.gpus)]
        if self.spines and self.shape != "rail-only":
            limits.append((into_unit, self.unit * ports.gpus))
        least = inf
        for GBps, inside in limits:
            if inside >= ranks:
                continue
            if bound == "all_to_all":
                least = min(least, GBps / inside * (ranks - 1) / (ranks - inside))
            else:
                least = min(least, 2 * GBps * (ranks - 1) / (ranks - inside))
        return least

    @property
    def words(self) -> str:
        """``rail-optimised, 4 SU of 32, 32 leaves, 16 spines (1:1)``."""
        said: list[str] = [self.shape]
        if self.planes > 1:
            said.append(counted(self.planes, "plane"))
        if self.pods > 1:
            said.append(counted(self.pods, "pod"))
        if self.units > 1:
            rack = "racks" if self.shape == "top-of-rack" else "SU"
            said.append(f"{self.units:,} {rack} of {self.unit:,}")
        if self.shape != "one switch":
            said.append(counted(self.leaves, "leaf" if self.spines else "switch"))
        if self.spines:
            said.append(counted(self.spine_switches, "spine"))
        if self.cores:
            said.append(counted(self.core_switches, "core"))
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
        ports, three = self.ports, self.shape == "three tiers"
        sizes = {
            "pod": self.pods if three else 1,
            self._unit_axis: self.units // self.pods,
            "rail": self.rails,
            "plane": self.spines if three else self.planes,
        }
        axes = {axis: size for axis, size in sizes.items() if size > 1}

        def per(*names: str) -> tuple[str, ...]:
            return tuple(name for name in names if name in axes)

        nics = {ports.slots: FittedNics(part=ports.nic, count=ports.nics)} if ports.nic else {}
        below = per("pod", self._unit_axis)
        leaf_axes = below + per("rail", *(() if three else ("plane",)))
        groups = {
            "node": Group(part=ports.node, per=below, count=self.unit, nics=nics),
            "leaf": Group(part=ports.leaf, per=leaf_axes),
        }
        links = [Link(between=(f"node.{ports.slots}", "leaf"))]
        if self.spines:
            shared = {"rail-only": per("rail"), "planes": per("plane")}.get(self.shape, ())
            groups["spine"] = (
                Group(part=ports.spine, per=per("pod", "plane"))
                if three
                else Group(part=ports.spine, per=shared, count=self.spines)
            )
            links.append(Link(between=("leaf", "spine"), cables=self.bundle))
        if self.cores:
            groups["core"] = Group(part=ports.spine, per=per("plane"), count=self.cores)
            links.append(Link(between=("spine", "core"), cables=self.core_bundle))
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
