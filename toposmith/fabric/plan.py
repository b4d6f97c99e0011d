"""A planned design: its groups with their parts and ports, its links with their cables.

Nothing is expanded here: a group of 2,048 nodes is one :class:`GroupPlan`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

from toposmith.catalog import Nic, Node, NvlinkSwitch, Part, Storage, Switch
from toposmith.catalog.parts import Cages, PortMode, Protocol
from toposmith.catalog.pieces import LINKS_NOT_MODELLED, GpuLink
from toposmith.design.document import NO_WANTS, Design, Group, WantedParts
from toposmith.design.selectors import Selection, Selector, axis_size
from toposmith.fabric.name_map import OWN_NAMES, Naming
from toposmith.findings.finding import Finding, Place, at_link
from toposmith.units import line_rate_GBps

MANAGEMENT = "management"
"""The slot name of a device's own management port (BMC, MGMT): RJ45 of 1 Gb/s."""

GPU = "gpu"
"""The name of a node's GPUs in selectors of ``slow:``: ``node[node=3].gpu[5]``."""

NVLINK = "nvlink"
"""The name of a node's NVLinks to NVLink switches in links: ``tray.nvlink``."""

UPLINK = "uplink"
"""The slot name of a switch's cages of another kind, such as the uplinks of a management switch."""


@dataclass(frozen=True)
class PortGroup:
    """Ports of one device that serve one network: a node's fitted slots, or a switch's cages.

    A node's ports are counted NIC by NIC; where ``across`` is true, the first port of every NIC
    comes before the second of any.
    """

    name: str
    ports: int
    nic: Nic | None = None
    nics: int = 0
    slots: int = 0
    across: bool = False

    @property
    def each(self) -> int:
        """Ports of one NIC; 1 where there are no NICs."""
        return self.nic.ports if self.nic is not None else 1

    def nic_of(self, port: int) -> int:
        """The slot of the NIC that has a port."""
        if self.across and port < self.ports:
            return port % self.nics
        return port // self.each

    def place_on_nic(self, port: int) -> int:
        """Which port of its NIC a port is, the first of them 0."""
        if self.across and port < self.ports:
            return port // self.nics
        return port % self.each

    def ports_of_nic(self, slot: int) -> range:
        """The ports of the NIC in a slot, its first port first."""
        if self.across:
            return range(slot, self.ports, self.nics)
        return range(slot * self.each, (slot + 1) * self.each)


@dataclass(frozen=True)
class NvlinkLink:
    """NVLinks of a group of nodes to NVLink switches, which are part of their rack.

    ``shared`` are the axes of both, ``room`` how many GPUs fit at the switches of one place
    on these, ``links_per_gpu`` the NVLinks of a GPU to all of them, ``per_switch`` those
    to each, and ``taken`` the ports of a switch that all GPUs use; ``GBps`` is the rate of one,
    one direction. Where cables join the switches
    of several racks to one domain, ``trunk`` is the index of their link, ``along`` the axis of
    these racks and ``racks`` how many.
    """

    index: int
    nodes: str
    switches: str
    shared: tuple[str, ...]
    room: int
    links_per_gpu: int
    per_switch: int
    taken: int
    GBps: float
    trunk: int | None = None
    along: str = ""
    racks: int = 1

    @property
    def label(self) -> str:
        """``tray.nvlink - nvswitch``: the name of the link everywhere."""
        return f"{self.nodes}.{NVLINK} - {self.switches}"


@dataclass(frozen=True)
class GroupPlan:
    """A device group with its part and its axes; ``part`` is None where the catalog has none.

    ``nvlink`` is the link to NVLink switches that are drawn, and ``nvlink_unsound`` whether there
    is one that cannot be built, so that what joins its nodes is unknown; ``gpu_links`` is the
    kind of links that the GPUs of its nodes have.
    """

    name: str
    spec: Group
    part: Part | None
    axes: tuple[str, ...]
    sizes: tuple[int, ...]
    port_groups: dict[str, PortGroup]
    nvlink: NvlinkLink | None = None
    nvlink_unsound: bool = False
    gpu_links: GpuLink = "nvlink"

    @property
    def instances(self) -> int:
        """Devices of the group before any is marked absent."""
        return prod(self.sizes)

    @property
    def node(self) -> Node | None:
        """The part as a node, or None."""
        return self.part if isinstance(self.part, Node) else None

    @property
    def storage(self) -> Storage | None:
        """The part as storage, or None."""
        return self.part if isinstance(self.part, Storage) else None

    @property
    def host(self) -> Node | Storage | None:
        """The part that NICs are fitted into, a node or storage; None for a switch."""
        return self.part if isinstance(self.part, Node | Storage) else None

    @property
    def switch(self) -> Switch | None:
        """The part as a switch of a network, or None."""
        return self.part if isinstance(self.part, Switch) else None

    @property
    def cages(self) -> Cages | None:
        """The cages of a network or NVLink switch; None for other parts."""
        part = self.part
        return part.cages if isinstance(part, Switch | NvlinkSwitch) else None

    def mode_for(self, speed_gbit: int) -> PortMode | None:
        """The mode of a switch's cages whose ports run at this speed, or None."""
        modes = self.cages.modes if self.cages else ()
        return next((mode for mode in modes if mode.speed_gbit == speed_gbit), None)


@dataclass(frozen=True)
class LinkEnd:
    """One end of a link, as written: the group, and the slot group where it is a node."""

    group: str
    ports: str
    first_port: int = 0
    breakout: int = 1

    @property
    def is_management(self) -> bool:
        """Whether it is the management port of a device, which is none of its fabric ports."""
        return self.ports == MANAGEMENT

    @property
    def label(self) -> str:
        """``node.compute`` for a node, ``leaf`` for a switch, ``leaf.management``."""
        return f"{self.group}.{self.ports}" if self.ports else self.group


@dataclass(frozen=True)
class LinkPlan:
    """A link that can be built: its ends, its number of cables, its speed.

    ``a_only`` are the axes along which one instance of ``b`` meets many of ``a``, and the reverse.
    ``along`` are axes of both with another relation than equal values
    (:mod:`toposmith.fabric.relations`); ``bundle`` is how many cables join two sets of
    switches where these are dealt over the members, 0 where they are not. ``length_m`` is the
    length of its cables in the design, None where it gives none; ``wants`` is what it is to be
    made of.
    """

    index: int
    a: LinkEnd
    b: LinkEnd
    shared: tuple[str, ...]
    a_only: tuple[str, ...]
    b_only: tuple[str, ...]
    peers_of_a: int
    peers_of_b: int
    cables_per_pair: int
    speed_gbit: int
    protocol: Protocol
    length_m: float | None = None
    along: tuple[tuple[str, str], ...] = ()
    bundle: int = 0
    wants: WantedParts = NO_WANTS

    @property
    def is_self(self) -> bool:
        """Whether it joins a group to itself."""
        return self.a.group == self.b.group

    @property
    def ends(self) -> tuple[LinkEnd, ...]:
        """Its ends; the one there is where it joins a group to itself."""
        return (self.a,) if self.is_self else (self.a, self.b)

    @property
    def label(self) -> str:
        """``node.compute - leaf``, ``sw - sw (x next)``: the name of the link everywhere."""
        words = ", ".join(f"{axis} {word}" for axis, word in self.along)
        return f"{self.a.label} - {self.b.label}{f' ({words})' if words else ''}"

    @property
    def place(self) -> Place:
        """Where findings about it are."""
        return at_link(self.index, (self.a.label, self.b.label))

    @property
    def line_GBps(self) -> float:
        """Line rate of one cable, GB/s per direction."""
        return line_rate_GBps(self.speed_gbit)

    def end_of(self, group: str) -> LinkEnd:
        """The end at this group."""
        return self.a if self.a.group == group else self.b

    def cables_at(self, group: str) -> int:
        """Cables at one device of this group; the most of any where these are dealt."""
        peers = self.peers_of_a if self.a.group == group else self.peers_of_b
        return peers * self.cables_per_pair


@dataclass(frozen=True)
class PlannedEnd:
    """One end of a single cable: the device, its slots where it is a node, and its port.

    ``at`` are its values on the axes of its group; the port is None for any free one.
    """

    group: str
    at: tuple[int, ...]
    ports: str
    port: int | None


@dataclass(frozen=True)
class PlannedCable:
    """A single cable: the link that it counts as one of, its ends, its place in the list."""

    link: int
    a: PlannedEnd
    b: PlannedEnd
    entry: int


@dataclass(frozen=True)
class DealtCable:
    """A cable as a link deals it: its devices, and which of the cables between these it is."""

    link: int
    a: tuple[int, ...]
    b: tuple[int, ...]
    turn: int


@dataclass(frozen=True)
class Slow:
    """Cables that run below the speed of their link: which, and at Gb/s or a share of it."""

    selector: Selector
    speed_gbit: float | None
    share: float | None = None

    def gbit_of(self, link: LinkPlan) -> float:
        """The rate of such a cable of a link, Gb/s."""
        if self.speed_gbit is not None:
            return self.speed_gbit
        return link.speed_gbit * (1.0 if self.share is None else self.share)


@dataclass(frozen=True)
class SlowGpus:
    """GPUs whose kernels take longer than they do at full rate: which, and at which share of it."""

    selection: Selection
    share: float
    text: str = ""


@dataclass(frozen=True)
class Plan:
    """A planned design: its groups, its valid links, absent and failed things, and findings.

    ``slow`` are cables; ``slow_gpus`` compute slowly, without effect on the fabric.
    ``single_cables`` are those of ``cables:``, ``replaced`` the dealt ones that they replace;
    ``own_links`` are implied by single cables that belong to no link of the design. ``naming`` has
    the names of devices and ports for exports.
    """

    design: Design
    groups: dict[str, GroupPlan]
    links: tuple[LinkPlan, ...]
    absent: tuple[Selector, ...]
    down: tuple[Selector, ...]
    findings: tuple[Finding, ...]
    slow: tuple[Slow, ...] = ()
    slow_gpus: tuple[SlowGpus, ...] = ()
    sets: Mapping[str, tuple[Selector, ...]] = field(default_factory=dict)
    single_cables: tuple[PlannedCable, ...] = ()
    replaced: frozenset[DealtCable] = frozenset()
    own_links: tuple[LinkPlan, ...] = ()
    naming: Naming = OWN_NAMES

    @property
    def nccl(self) -> bool:
        """Whether NCCL runs; for scale-up links of other makers no library model is public."""
        return not any(group.gpu_links in LINKS_NOT_MODELLED for group in self.groups.values())

    @property
    def nvlinks(self) -> tuple[NvlinkLink, ...]:
        """The links to NVLink switches; they are not part of the fabric and have no cables."""
        return tuple(group.nvlink for group in self.groups.values() if group.nvlink is not None)

    @cached_property
    def nvlink_trunks(self) -> frozenset[int]:
        """Indices of links between NVLink switches of several racks: traffic inside a domain."""
        return frozenset(
            link.index
            for link in self.links
            if all(isinstance(self.groups[end.group].part, NvlinkSwitch) for end in link.ends)
        )

    @cached_property
    def fabric_links(self) -> tuple[LinkPlan, ...]:
        """The sound links but for those between NVLink switches."""
        return tuple(link for link in self.links if link.index not in self.nvlink_trunks)

    @property
    def every_link(self) -> tuple[LinkPlan, ...]:
        """The valid links of the design, and those implied by single cables of none of them."""
        return (*self.links, *self.own_links)

    def link(self, index: int) -> LinkPlan:
        """The link of this index."""
        return self._by_index[index]

    @cached_property
    def _by_index(self) -> dict[int, LinkPlan]:
        return {link.index: link for link in self.every_link}

    @cached_property
    def dealt_GBps(self) -> dict[str, dict[str, float]]:
        """By two groups, GB/s of all cables that links deal between two of their devices.

        Links along axes join only some pairs, so they are left out.
        """
        dealt: dict[str, dict[str, float]] = {name: {} for name in self.groups}
        for link in self.links:
            if link.along:
                continue
            for one, other in ((link.a.group, link.b.group), (link.b.group, link.a.group)):
                cables = link.cables_per_pair * link.line_GBps
                dealt[one][other] = dealt[one].get(other, 0.0) + cables
        return dealt

    @cached_property
    def result_cache(self) -> dict[object, Any]:
        """Results computed so far; see :mod:`toposmith.fabric.once`."""
        return {}

    def size(self, axis: str) -> int:
        """The number of values of an axis."""
        return axis_size(self.design, axis)

    def links_of(self, group: str) -> list[LinkPlan]:
        """The sound links that end at a group."""
        return self._links_of.get(group, [])

    @cached_property
    def _links_of(self) -> dict[str, list[LinkPlan]]:
        found: dict[str, list[LinkPlan]] = {}
        for link in self.links:
            for group in {link.a.group: None, link.b.group: None}:
                found.setdefault(group, []).append(link)
        return found
