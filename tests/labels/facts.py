"""What is true of a design, read from its file and the part files alone.

Nothing here asks the program: the rules hold its words to these facts. Numbers of devices and ports
follow docs/file-format.md, what a part is follows catalog/parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache, cached_property
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import yaml

from tests.oracle.parts import Part, parts

RATES_OF_A_CARD_GBPS = {"intel-e810-cqda2": 12.5}
"""Cards that carry less than their ports: E810-CQDA2, 100 Gb/s of both (servethehome.com)."""


def texts_of(part: Part) -> str:
    """Everything that a part's file says in words: note and sources."""
    said = [part.get("note", ""), part.get("source", ""), *part.get("sources", {}).values()]
    return "\n".join([*said, *map(str, part.get("conflicts", {}).values())])


@cache
def sources() -> tuple[str, ...]:
    """Every source that a part names, the longest first."""
    found = {part["source"] for part in parts().values()}
    found |= {source for part in parts().values() for source in part.get("sources", {}).values()}
    return tuple(sorted(found, key=len, reverse=True))


def is_tray(part: Part) -> bool:
    """Whether its NVSwitches join more GPUs than it has."""
    domain = (part.get("nvlink") or {}).get("domain_gpus")
    return domain is not None and domain > part["gpus"]


def can_be_ordered(part: Part, length_m: float | None) -> bool:
    """Whether its file vouches for a whole part number, of that length where it has several."""
    doubtful = set(part.get("unverified", ()))
    if any(length_m in part.get(n, {}) for n in {"part_numbers", "ordering_numbers"} - doubtful):
        return True
    if part.get("ordering_number") and "ordering_number" not in doubtful:
        return True
    if {"part_number", "part_numbers", "family"} & doubtful:
        return False
    number = part.get("part_number") or "xxx"
    made = re.search("x{3,}", number) and length_m in part.get("lengths_m", ())
    return bool(made) or not re.search("x{2,}", number)


def most_power_w(part: Part) -> float | None:
    """What it draws at most: as published, else by its power supplies less the spare ones."""
    if part.get("power_w") is not None:
        return float(part["power_w"])
    supplies = part.get("power_supplies")
    if supplies is None or "rating_w" not in supplies:
        return None
    return float((supplies["count"] - supplies.get("spare", 0)) * supplies["rating_w"])


def least_power_w(part: Part) -> float:
    """What it draws at least under load: the power of its GPUs."""
    if part.get("power_w") is not None:
        return float(part["power_w"])
    gpu = parts().get(part.get("gpu", ""), {})
    return float(part.get("gpus", 0) * gpu.get("power_w", 0))


_NO_CAGE = "virtual"
"""Ports that nobody but a provider can cable."""


@dataclass(frozen=True)
class Group:
    """A group of a design: its part (nothing where the catalog has none) and how many there are."""

    name: str
    said: dict[str, Any]
    part: Part
    axes: dict[str, int]
    absent: int

    @property
    def kind(self) -> str:
        return str(self.part.get("kind", "unknown"))

    @property
    def places(self) -> int:
        return prod(self.axes.values())

    @property
    def bought(self) -> int:
        """Devices that are there: what has failed was bought, what is absent was not."""
        return self.places - self.absent

    @property
    def gpus(self) -> int:
        return int(self.part.get("gpus", 0))

    @cached_property
    def nics(self) -> dict[str, tuple[str, int]]:
        """The NICs of one device by slots: their part, and how many."""
        found = {}
        for name, slots in self.part.get("slots", {}).items():
            fitted = self.said.get("nics", {}).get(name)
            nic = fitted["part"] if fitted else slots.get("nic")
            count = fitted["count"] if fitted else slots.get("fitted", slots["count"] if nic else 0)
            if nic in parts() and count:
                found[name] = (nic, count)
        return found

    @cached_property
    def ports(self) -> dict[str, int]:
        """Ports of its NICs by slots, of one device."""
        return {name: n * parts()[nic].get("ports", 1) for name, (nic, n) in self.nics.items()}


@dataclass(frozen=True)
class End:
    """One end of a link: a group, and the slots of it where it is a node."""

    group: str
    slots: str


class Facts:
    """What is true of a design.

    Parameters
    ----------
    design : dict
        The design's file, as YAML reads it.
    """

    def __init__(self, design: dict[str, Any]) -> None:
        self.design = design
        self.axes: dict[str, int] = design.get("axes") or {}
        self.faults = [*(design.get("absent") or ()), *(design.get("down") or ())]
        self.groups = {
            name: self._group(name, said) for name, said in (design.get("groups") or {}).items()
        }
        self.links = [
            (self._end(link["between"][0]), self._end(link["between"][1]), link)
            for link in design.get("links") or ()
        ]

    @classmethod
    def of(cls, path: Path) -> Facts:
        return cls(yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader))

    # what there is

    def _group(self, name: str, said: dict[str, Any]) -> Group:
        axes = {axis: self.axes[axis] for axis in said.get("per", ())} | {
            name: said.get("count", 1)
        }
        absent: set[tuple[int, ...]] = set()
        for selector in self.design.get("absent") or ():
            absent |= set(_selected(selector, name, axes))
        return Group(name, said, parts().get(said["part"], {}), axes, len(absent))

    def _end(self, written: str) -> End:
        group, _, slots = written.partition(".")
        named = self.groups[group].ports
        return End(group, slots or (next(iter(named)) if len(named) == 1 else ""))

    @property
    def nodes(self) -> list[Group]:
        return [group for group in self.groups.values() if group.kind == "node"]

    @property
    def placed(self) -> list[Group]:
        """What stands in racks."""
        kinds = ("node", "switch", "storage")
        return [group for group in self.groups.values() if group.kind in kinds and group.bought]

    @property
    def gpus(self) -> int:
        return sum(group.bought * group.gpus for group in self.nodes)

    @property
    def can_be_built(self) -> bool:
        """Whether all of its parts are in the catalog."""
        return all(group.part for group in self.groups.values())

    # what the network is

    def _peers(self, here: End, there: End) -> int:
        other, own = self.groups[there.group], self.groups[here.group]
        return prod(size for axis, size in other.axes.items() if axis not in own.axes)

    def cabled_ports(self, group: Group, slots: str) -> int:
        """Ports of one device's slots that have a cable, absent ones among them."""
        ports, used = group.ports[slots], 0
        for one, other, link in self.links:
            for here, there in ((one, other), (other, one)):
                if (here.group, here.slots) == (group.name, slots):
                    peers = self._peers(here, there)
                    used += link.get("cables", ports // peers) * peers
        return min(used, ports)

    @property
    def uncabled_ports(self) -> set[int]:
        """Ports of NICs that no cable of the design reaches: of nodes, and with storage boxes.

        Where management is drawn, management ports without a cable are among them.
        """
        of_nodes = self._uncabled("node")
        found = {of_nodes, of_nodes + self._uncabled("storage")}
        return found | {many + self._unmanaged for many in found if many}

    @property
    def _unmanaged(self) -> int:
        """Management ports of devices of which none is cabled; one where no number is known."""
        cabled = {end.group for *ends, _ in self.links for end in ends if end.slots == "management"}
        return sum(
            group.bought * group.part.get("management_ports", 1)
            for group in self.placed
            if group.name not in cabled and group.part.get("cages", {}).get("cage") != "rj45"
        )

    def _uncabled(self, kind: str) -> int:
        return sum(
            group.bought * (ports - self.cabled_ports(group, slots))
            for group in self.groups.values()
            if group.kind == kind
            for slots, ports in group.ports.items()
            if parts()[group.nics[slots][0]]["cage"] != _NO_CAGE
        )

    @cached_property
    def networks(self) -> list[set[str]]:
        """Sets of switch groups and ends that hang together; a node joins none of its own slots."""
        found: list[set[str]] = []
        for one, other, _ in self.links:
            names = {self._vertex(one), self._vertex(other)}
            touched = [network for network in found if network & names]
            found = [network for network in found if not network & names]
            found.append(names.union(*touched))
        alone = {
            group.name for group in self.groups.values() if group.kind == "switch"
        } - set().union(*found, set())
        return [*found, *({name} for name in sorted(alone))]

    def _vertex(self, end: End) -> str:
        return f"{end.group}.{end.slots}" if self.groups[end.group].ports else end.group

    @property
    def collectives_slots(self) -> str:
        """The slots of nodes whose network the collectives run on."""
        wired = {
            end.slots
            for one, other, _ in self.links
            for end in (one, other)
            if self.groups[end.group].kind == "node"
        }
        return "compute" if "compute" in wired or not wired else min(wired)

    @cached_property
    def other_switches(self) -> list[str]:
        """Switch groups with cables that no collective goes over: storage, management."""
        if not self.can_be_built:
            return []  # what carries collectives is not known either; the part is an error
        own = {f"{group.name}.{self.collectives_slots}" for group in self.nodes}
        return sorted(
            name
            for network in self.networks
            if len(network) > 1 and not network & own
            for name in network
            if name in self.groups and self.groups[name].kind == "switch"
        )

    @cached_property
    def tier_of(self) -> dict[str, int]:
        """How far above the nodes each switch group of the collectives is; 0 is a leaf."""
        own = {f"{group.name}.{self.collectives_slots}" for group in self.nodes}
        found: dict[str, int] = {}
        reached, height = own, 0
        while reached:
            beside = set()
            for one, other, _ in self.links:
                names = (self._vertex(one), self._vertex(other))
                for here, there in (names, names[::-1]):
                    is_switch = there in self.groups and self.groups[there].kind == "switch"
                    if here in reached and is_switch and there not in found:
                        beside.add(there)
            found |= dict.fromkeys(beside, height)
            reached, height = beside, height + 1
        return found

    @property
    def most_switches_of_tiers(self) -> int:
        return sum(self.groups[name].bought for name in self.tier_of)

    # which words hold

    @property
    def keeps_its_gpus(self) -> bool:
        """Whether it has faults, and none of them is a whole node."""
        lost = (_selected(said, g.name, g.axes) for said in self.faults for g in self.nodes)
        return bool(self.faults) and not any(map(list, lost))

    @cached_property
    def is_regular(self) -> bool:
        """Whether one node stands for all: nothing failed, like nodes, like cables, dealt evenly.

        The axis rule then lets any node change places with any other, so that the worst cut seen
        from the GPUs of one node is the worst of all. Nodes that were never there leave it so where
        every unit lacks as many.
        """
        kinds = {
            (
                group.said["part"],
                str(group.said.get("nics")),
                tuple(group.said.get("per", ())),
                tuple(self._cables_of(group)),
            )
            for group in self.nodes
        }
        return self._is_whole and len(kinds) == 1 and all(map(self._deals_evenly, self.nodes))

    def _cables_of(self, group: Group) -> Iterator[tuple[object, ...]]:
        """What each link gives a node, in the order of the file, which deals its ports."""
        for here, there, link in self._links_of(group):
            shared = tuple(a for a in group.axes if a in self.groups[there.group].axes)
            yield (here.slots, there.group, shared, link.get("cables"), link.get("speed"))

    def _links_of(self, group: Group) -> Iterator[tuple[End, End, dict[str, Any]]]:
        for one, other, link in self.links:
            for here, there in ((one, other), (other, one)):
                if (here.group, here.slots) == (group.name, self.collectives_slots):
                    yield here, there, link

    def _deals_evenly(self, group: Group) -> bool:
        return all(
            "cables" in link or not group.ports.get(here.slots, 0) % self._peers(here, there)
            for here, there, link in self._links_of(group)
        )

    @property
    def _is_whole(self) -> bool:
        """Whether nothing has failed, and what was never there are as many nodes of every unit."""
        absent = list(self.design.get("absent") or ())
        left: dict[tuple[str, tuple[int, ...]], int] = {}
        for group in self.nodes:
            gone = {at for said in absent for at in _selected(said, group.name, group.axes)}
            for at in _selected(group.name, group.name, group.axes):
                cell = (group.name, at[:-1])
                left[cell] = left.get(cell, 0) + (at not in gone)
            absent = [
                said for said in absent if said.partition("[")[0] != group.name or "." in said
            ]
        by_group: dict[str, set[int]] = {}
        for (name, _), number in left.items():
            by_group.setdefault(name, set()).add(number)
        alike = all(len(numbers) == 1 for numbers in by_group.values())
        return alike and not absent and not self.design.get("down")

    @property
    def has_trays(self) -> bool:
        return any(is_tray(group.part) for group in self.nodes)

    @property
    def has_loose_trays(self) -> bool:
        """Whether trays are drawn otherwise than as the count of a group for every rack."""
        drawn = [
            is_tray(group.part)
            and group.said.get("count", 1) * group.part["gpus"]
            <= group.part["nvlink"]["domain_gpus"]
            and (group.said.get("count", 1) > 1 or not group.said.get("per"))
            for group in self.nodes
        ]
        return self.has_trays and not all(drawn)

    @property
    def is_amd(self) -> bool:
        gpus = [parts().get(group.part.get("gpu", ""), {}) for group in self.nodes]
        return any(gpu.get("vendor") == "AMD" for gpu in gpus)

    @property
    def has_nvswitch(self) -> bool:
        return all((g.part.get("nvlink") or {}).get("shape") == "nvswitch" for g in self.nodes)

    @property
    def unknown_power(self) -> list[str]:
        """Parts whose power the catalog has not."""
        return [g.part["id"] for g in self.placed if g.part.get("power_w") is None]

    @property
    def unlimited_power(self) -> list[str]:
        """Parts that may draw any power: neither it nor their supplies are in the catalog."""
        return [g.part["id"] for g in self.placed if most_power_w(g.part) is None]

    @property
    def unknown_height(self) -> list[str]:
        """Parts whose height neither the catalog nor the design says."""
        said = (self.design.get("placement") or {}).get("heights", {})
        return [
            group.part["id"]
            for group in self.placed
            if group.part.get("rack_units") is None and group.name not in said
        ]

    @property
    def waivers_in_force(self) -> list[dict[str, Any]]:
        today = date.today().isoformat()
        return [
            waiver
            for waiver in self.design.get("waivers") or ()
            if waiver["date"] <= today <= waiver.get("until", today)
        ]

    @property
    def rack_limit_w(self) -> float | None:
        """What a person allows one rack to draw."""
        placement = self.design.get("placement") or {}
        return placement.get("max_power_w")

    @property
    def card_limit_GBps(self) -> float | None:
        """What the cards of one node carry together, where a card carries less than its ports."""
        found = [
            fitted["count"] * RATES_OF_A_CARD_GBPS[fitted["part"]]
            for group in self.nodes
            for fitted in group.said.get("nics", {}).values()
            if fitted["part"] in RATES_OF_A_CARD_GBPS
        ]
        return min(found, default=None)


def _selected(selector: str, group: str, axes: dict[str, int]) -> Iterator[tuple[int, ...]]:
    """The devices of a group that a selector takes; ports and cables are none."""
    matched = re.fullmatch(r"([\w-]+)(?:\[([^\]]*)\])?", selector)
    if matched is None or matched[1] != group:
        return
    ranges = {axis: range(size) for axis, size in axes.items()}
    for said in filter(None, (matched[2] or "").split(",")):
        axis, _, values = said.strip().partition("=")
        first, _, last = values.partition("..")
        ranges[axis] = range(int(first), int(last or first) + 1)
    yield from product(*ranges.values())
