"""Cables of a dump in words of the plan: which planned device and port each end is."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from toposmith.as_built.cable_list import ListedCable, ListedEnd, adapter_label
from toposmith.as_built.device_matches import Match, Wires
from toposmith.text import natural

Adapters = dict[tuple[str, str], str]
"""Found host and label to planned port."""

Votes = Counter[tuple[str, str]]
"""How many hosts have an adapter, by its label, where a port is planned."""

_ORDER = 1 << 20
"""More than the ports of a host, so that order decides among equal votes only."""


def adapter_ports(
    match: Match, wires: Wires, switch_port: Callable[[ListedEnd], str | None]
) -> Adapters:
    """The planned port of every adapter of a matched host, where it can be inferred."""
    known: Adapters = {}
    hosts = {
        found: planned for found, planned in match.pairs.items()
        if wires.plan.devices[planned].kind == "host"
    }  # fmt: skip
    open_: list[str] = []
    for found, planned in hosts.items():
        same = _same_labels(wires, found, planned)
        if 2 * len(same) >= len(wires.found_at.get(found, {})) > 0:
            known.update({(found, label): port for label, port in same.items()})
        else:
            open_.append(found)
    votes: dict[object, Votes] = defaultdict(Counter)
    for found in open_:
        planned = hosts[found]
        at = wires.planned_at.get(planned, {})
        for label, far in wires.found_at.get(found, {}).items():
            switch = match.pairs.get(far.device)
            if switch is None:
                continue
            towards = [port for port, end in at.items() if end.device == switch]
            if len(towards) > 1:
                meant = switch_port(far)
                towards = [port for port in towards if at[port].port == meant]
            if len(towards) == 1:
                votes[_kind(wires, planned)][label, towards[0]] += 1
    elected: dict[object, dict[str, str]] = {}
    for found in open_:
        labels = tuple(sorted(wires.found_at.get(found, {}), key=natural))
        at = wires.planned_at.get(hosts[found], {})
        ports = tuple(sorted(at, key=lambda port: (natural(at[port].device), natural(port))))
        kind = _kind(wires, hosts[found])
        if (kind, labels, ports) not in elected:
            elected[kind, labels, ports] = _elected(votes[kind], labels, ports)
        for label, port in elected[kind, labels, ports].items():
            known[found, label] = port
    return known


def _kind(wires: Wires, planned: str) -> object:
    """Hosts whose adapters are called alike: a group of a design, or hosts with the same ports."""
    device = wires.plan.devices[planned]
    return device.group or frozenset(wires.planned_at.get(planned, {}))


def _same_labels(wires: Wires, found: str, planned: str) -> dict[str, str]:
    name = wires.plan.devices[planned].name
    ports = {
        adapter_label(name, port).casefold(): port for port in wires.planned_at.get(planned, {})
    }
    own = wires.found.devices[found].name
    same: dict[str, str] = {}
    for label in wires.found_at.get(found, {}):
        text = adapter_label(own, label).casefold()
        port = ports.get(text) or ports.get(text.removesuffix("/1"))
        if port is not None and port not in same.values():
            same[label] = port
    return same


def _elected(votes: Votes, labels: Sequence[str], ports: Sequence[str]) -> dict[str, str]:
    """Each label a port of its own, so that the most votes agree; else in the order of rails.

    A label that no host of the kind has where a port is planned stays without one.
    """
    if not labels or not ports:
        return {}
    cells = [
        [votes[label, port] * _ORDER + (_ORDER - abs(at - place) if votes[label, port] else 0)
         for place, port in enumerate(ports)]
        for at, label in enumerate(labels)
    ]  # fmt: skip
    chosen = linear_sum_assignment(np.array(cells), maximize=True)
    return {
        labels[at]: ports[place]
        for at, place in zip(*chosen, strict=True)
        if votes[labels[at], ports[place]]
    }


Vertex = tuple[str, ...]
"""A switch, or one port of a host: what decides how a fabric works.

``(host, "?", label)`` is an adapter that the plan does not know, ``("?", device, port)`` an end at
a device that the plan does not hold.
"""

UNKNOWN = "?"


@dataclass(eq=False)
class PlacedEnd:
    """One end of a found cable.

    Parameters
    ----------
    found : ListedEnd
        As the dump calls it.
    vertex : tuple of str
        The planned switch, or planned port of a host.
    port : str or None
        The planned port; None where the dump's label says nothing.
    """

    found: ListedEnd
    vertex: Vertex
    port: str | None

    @property
    def outside(self) -> bool:
        """Whether the plan does not hold the device."""
        return self.vertex[0] == UNKNOWN

    @property
    def end(self) -> ListedEnd:
        """The end in words of the plan, as far as they are known."""
        return self.found if self.outside else ListedEnd(self.vertex[0], self.port or self.found[1])


@dataclass(eq=False)
class PlacedCable:
    """A found cable with both ends placed."""

    cable: ListedCable
    a: PlacedEnd
    z: PlacedEnd

    @property
    def ends(self) -> tuple[PlacedEnd, PlacedEnd]:
        """Both, in the order of the dump."""
        return self.a, self.z

    @property
    def outside(self) -> bool:
        """Whether an end is at a device that the plan does not hold."""
        return self.a.outside or self.z.outside


class CablePlacement:
    """The planned port of every found end, by a match of devices."""

    def __init__(self, match: Match, wires: Wires) -> None:
        self._match, self._wires = match, wires
        self._ports: dict[str, Mapping[str, str]] = {}

    def cables(self) -> list[PlacedCable]:
        """Every found cable; adapters without a name by the port that they are on."""
        self._adapters = adapter_ports(self._match, self._wires, self._switch_port)
        placed = [
            PlacedCable(cable, self._place(cable.a), self._place(cable.z))
            for cable in self._wires.found.cables
        ]
        claimed = Counter(end.vertex for one in placed for end in one.ends)
        devices, pairs = self._wires.found.devices, self._match.pairs
        for one in placed:
            for end, far in ((one.a, one.z), (one.z, one.a)):
                if devices[end.found.device].unnamed and end.found.device not in pairs:
                    self._place_unnamed(end, far, claimed)
        return placed

    def vertex(self, end: ListedEnd) -> Vertex:
        """The vertex of a planned end."""
        is_host = self._wires.plan.devices[end.device].kind == "host"
        return (end.device, end.port) if is_host else (end.device,)

    def _place(self, end: ListedEnd) -> PlacedEnd:
        planned = self._match.pairs.get(end.device)
        if planned is None:
            return PlacedEnd(end, (UNKNOWN, end.device, end.port), None)
        if self._wires.plan.devices[planned].kind == "host":
            port = self._adapters.get((end.device, end.port))
            return PlacedEnd(end, (planned, port) if port else (planned, UNKNOWN, end.port), port)
        return PlacedEnd(end, (planned,), self._switch_port(end))

    def _switch_port(self, end: ListedEnd) -> str | None:
        """The planned port that the port of a found switch is; its own label where it is none.

        None where most labels of the switch say nothing.
        """
        if end.device not in self._ports:
            planned = self._match.pairs[end.device]
            known = self._wires.ports(end.device, planned)
            labels = self._wires.found_at.get(end.device, {})
            if 2 * len(known) > len(labels):
                used = set(known.values()) | self._wires.planned_at.get(planned, {}).keys()
                known = {**{label: label for label in labels if label not in used}, **known}
            self._ports[end.device] = known
        return self._ports[end.device].get(end.port)

    def _place_unnamed(self, end: PlacedEnd, far: PlacedEnd, claimed: Counter[Vertex]) -> None:
        """An adapter without a name is the one that is planned at the port that it is on."""
        if len(far.vertex) != 1 or far.port is None:
            return
        expected = self._wires.planned_at.get(far.vertex[0], {}).get(far.port)
        if expected is None or self._wires.plan.devices[expected.device].kind != "host":
            return
        meant = self.vertex(expected)
        if not claimed[meant]:
            claimed[meant] += 1
            end.vertex, end.port = meant, expected.port
            self._match.ways["position"] += 1


def circles_of(better: Mapping[str, str]) -> list[dict[str, str]]:
    """The closed circles of a mapping, no device in two of them."""
    circles: list[dict[str, str]] = []
    for start in better:
        circle: dict[str, str] = {}
        key = start
        while key in better and key not in circle:
            circle[key] = better[key]
            key = better[key]
        if key == start and not any(start in known for known in circles):
            circles.append(circle)
    return circles
