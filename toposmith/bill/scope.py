"""The scope of a bill: the fabric as drawn, and what of a cluster is not on it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod

from toposmith.bill.cable_lots import DeviceClass
from toposmith.catalog import Node, NvlinkSwitch, Storage, Switch
from toposmith.fabric.counts import device_counts, slow_at
from toposmith.fabric.management_ports import is_provided
from toposmith.fabric.nvlink_domains import is_joined, outside, wider_domains
from toposmith.fabric.plan import MANAGEMENT as MANAGEMENT_SLOTS
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.findings.codes.code import Fact
from toposmith.findings.finding import Finding, at_group, found
from toposmith.racks.placement import Placement
from toposmith.racks.whole_racks import SoldWhole
from toposmith.text import counted


def domains_of(group: GroupPlan, devices: int, domain_gpus: int) -> int:
    """The number of NVLink domains of this number of nodes."""
    if is_joined(group):
        return -(-devices // prod(group.sizes[outside(group) :]))
    return -(-devices * (group.node.gpus if group.node else 0) // domain_gpus)


def unlisted_switches(plan: Plan, sold: Mapping[str, SoldWhole]) -> Iterator[Finding]:
    """Findings that the bill lacks the switches of NVLink domains wider than a node.

    Those of racks that are sold whole come with their rack.
    """
    wide = [
        (group, domain)
        for group, domain in wider_domains(plan.groups.values())
        if group.nvlink is None and not group.nvlink_unsound
    ]
    devices = device_counts(plan) if wide else {}
    for group, domain in wide:
        trays = sold.get(group.name)
        lacking = trays.trays_left if trays else devices[group.name]
        many = domains_of(group, lacking, domain) if lacking else 0
        many = len(trays.begun) if trays and not trays.apart else many
        if many:
            place = at_group(group.name)
            nvlink = group.node.nvlink if group.node else None
            each = nvlink.switch_trays if nvlink else None
            yield found(
                "no-nvlink-switches",
                place,
                domains=many,
                domain_gpus=domain,
                gpu_links=group.gpu_links,
                switch_trays=each and each * many,
            )


def racks_not_whole(plan: Plan, sold: Mapping[str, SoldWhole]) -> Iterator[Finding]:
    """Findings on racks that differ from those sold, whose further contents are on no line."""
    for name, trays in sold.items():
        if not trays.begun:
            continue
        switches = plan.groups[name].nvlink
        part = plan.groups[switches.switches].part if switches else None
        besides = [
            f"{one.count} x {one.name}"
            for one in trays.system.contents
            if part is None or one.part != part.id
        ]
        held = (*besides, *trays.system.also)
        values: dict[str, Fact] = {"racks": len(trays.begun), "of": trays.system.name, "held": held}
        yield found("rack-not-whole", at_group(name), **values)


STORAGE, MANAGEMENT = "storage", "management"

# How the network of hosts' own ports and of switches' consoles is called, in a group or slot.
_MANAGEMENT = re.compile(r"manag|mgmt|bmc|in-?band|oob|out-?of-?band", re.IGNORECASE)


@dataclass(frozen=True)
class Uncabled:
    """Ports of one slot group of a group's devices that no link reaches, all devices together."""

    end: str
    ports: int


@dataclass(frozen=True)
class Scope:
    """The scope of a bill.

    Parameters
    ----------
    fabrics : tuple of str
        The networks that are drawn: ``compute``, ``storage``, ``management``, or the name of the
        slots that they cable.
    cabled : bool
        Whether the design has a link at all.
    uncabled : tuple of Uncabled
        Ports of nodes and storage that nothing is plugged into.
    lacking : tuple of str
        Things that a cluster has and this bill lacks.
    slow : int
        Cables marked slow: the bill lists them, their modules and ports at full speed.
    without_cable : tuple of (str, int)
        Links whose cables the catalog lacks, with the connections of each.
    """

    fabrics: tuple[str, ...]
    cabled: bool
    uncabled: tuple[Uncabled, ...]
    lacking: tuple[str, ...]
    slow: int = 0
    without_cable: tuple[tuple[str, int], ...] = ()

    @property
    def covers(self) -> str:
        """``compute fabric as drawn``."""
        if not self.cabled:
            return "devices alone, no link is drawn"
        names = [name for name in self.fabrics if name]
        if not names:
            return "fabric as drawn"
        *first, last = names
        listed = f"{', '.join(first)} and {last} fabrics" if first else f"{last} fabric"
        return f"{listed} as drawn"

    @property
    def not_on_it(self) -> tuple[str, ...]:
        """What is not on the bill: cables of what is drawn, uncabled ports, then the rest."""
        missing = (self.without_cable_words,) if self.without_cable else ()
        ports = sum(each.ports for each in self.uncabled)
        if not ports:
            return (*missing, *self.lacking)
        several = len(self.uncabled) > 1
        named = (f"{one.end} {one.ports:,}" if several else one.end for one in self.uncabled)
        words = f"{counted(ports, 'uncabled port')} ({', '.join(named)})"
        return (*missing, words, *self.lacking)

    @property
    def without_cable_words(self) -> str:
        """``cables of 47,508 connections (switch - switch)``; empty where none is missing."""
        if not self.without_cable:
            return ""
        several = len(self.without_cable) > 1
        named = (f"{link} {many:,}" if several else link for link, many in self.without_cable)
        many = sum(many for _, many in self.without_cable)
        return f"cables of {counted(many, 'connection')} ({', '.join(named)})"

    @property
    def words(self) -> str:
        """``compute fabric as drawn; not on it: 124 uncabled ports (node.storage), storage``."""
        without = self.not_on_it
        parts = [self.covers]
        if self.slow:
            parts.append(f"{counted(self.slow, 'slow cable')} listed at full speed")
        if without:
            parts.append(f"not on it: {', '.join(without)}")
        return "; ".join(parts)


def scope_of(
    plan: Plan,
    device_classes: Mapping[str, list[DeviceClass]],
    placement: Placement | None,
    without_cable: tuple[tuple[str, int], ...] = (),
    sold: Mapping[str, SoldWhole] | None = None,
) -> Scope:
    """Read from a design what its bill covers.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    device_classes : mapping of str to list of DeviceClass
        The devices that are there with their connections, by group.
    placement : Placement or None
        Its racks; they and their PDUs are on the bill where the design names their parts.
    without_cable : tuple of (str, int)
        Links whose cables the catalog lacks, with the connections of each.
    sold : mapping of str to SoldWhole, optional
        Groups of trays that are sold in whole racks.
    """
    drawn = tuple(dict.fromkeys(_fabrics(plan)))
    uncabled = [*_uncabled(plan, device_classes)]
    unmanaged, known = _unmanaged(plan, device_classes, sold or {})
    managed = (one.management for one in (sold or {}).values() for _ in one.firsts)
    brought = sum(ports.switches for ports in managed if ports)
    block = plan.design.placement
    lacking = [] if STORAGE in drawn else [STORAGE]
    if MANAGEMENT in drawn:
        uncabled += unmanaged
        if brought:
            lacking.append(f"uplinks of {counted(brought, 'management switch')} within racks")
    else:
        ports = sum(each.ports for each in unmanaged)
        least = "" if known else "at least "
        said = [f"{least}{counted(ports, 'port')}"] if ports else []
        if brought:
            said.append(f"uplinks of {counted(brought, 'switch')} within racks")
        lacking.append(f"{MANAGEMENT} ({', '.join(said)})" if said else MANAGEMENT)
    if not (block and block.rack and placement and placement.floor.part):
        lacking.append("racks")
    if not (block and block.feeds):
        lacking.append("PDUs")
    if any(True for _ in unlisted_switches(plan, sold or {})):
        lacking.append("NVLink switch trays")
    cabled = bool(plan.every_link)
    return Scope(drawn, cabled, tuple(uncabled), tuple(lacking), slow_at(plan), without_cable)


def _fabrics(plan: Plan) -> Iterator[str]:
    """The networks of a design's links, those of nodes by the slots that they cable."""
    for link in plan.every_link:
        ends = [(plan.groups[end.group], end.ports) for end in (link.a, link.b)]
        if any(
            _MANAGEMENT.search(word) for group, slots in ends for word in (group.name, slots)
        ) or any(group.switch and group.switch.cages.cage == "rj45" for group, _ in ends):
            yield MANAGEMENT
        elif any(group.storage or slots == STORAGE for group, slots in ends):
            yield STORAGE
        else:
            yield from (slots for group, slots in ends if group.node)


def _unmanaged(
    plan: Plan, device_classes: Mapping[str, Iterable[DeviceClass]], sold: Mapping[str, SoldWhole]
) -> tuple[list[Uncabled], bool]:
    """Management ports that no link reaches, and whether the catalog knows how many all have.

    A device with an unknown number counts as one port. Devices in racks that are sold with
    management switches are cabled to these.
    """
    found, known = [], True
    for name, group in plan.groups.items():
        part = group.part
        if not isinstance(part, Node | NvlinkSwitch | Storage | Switch) or is_provided(group):
            continue
        devices = sum(device_class.devices for device_class in device_classes[name])
        devices -= _within_racks(group, sold)
        is_own = isinstance(part, Switch) and part.cages.cage == "rj45"
        if not devices or is_own or MANAGEMENT_SLOTS in group.port_groups:
            continue
        known = known and part.management_ports is not None
        found.append(Uncabled(f"{name}.{MANAGEMENT_SLOTS}", devices * (part.management_ports or 1)))
    return found, known


def _within_racks(group: GroupPlan, sold: Mapping[str, SoldWhole]) -> int:
    """Devices of a group that are on the management switches of the racks that they come in."""
    managed = {name: one for name, one in sold.items() if one.management}
    trays = managed.get(group.name)
    own = trays.racks * trays.system.nodes if trays else 0
    return own + sum(len(o.switches_within) for o in managed.values() if o.switches is group)


def _uncabled(
    plan: Plan, device_classes: Mapping[str, Iterable[DeviceClass]]
) -> Iterator[Uncabled]:
    linked: dict[tuple[str, str], list[int]] = defaultdict(list)
    for link in plan.every_link:
        for end in {(link.a.group, link.a.ports), (link.b.group, link.b.ports)}:
            linked[end].append(link.index)
    for name, group in plan.groups.items():
        for slots, ports in group.port_groups.items():
            if group.host is None or ports.nic is None or ports.nic.cage == "virtual":
                continue  # ports of a cloud provider's machine are not cabled by the user
            links = linked.get((name, slots), ())
            free = sum(
                device_class.devices
                * max(
                    ports.ports - sum(device_class.connections.get(index, 0) for index in links), 0
                )
                for device_class in device_classes[name]
            )
            if free:
                yield Uncabled(f"{name}.{slots}", free)
