"""The planned port of each adapter of a host in a dump.

Drivers and plans name adapters differently (``mlx5_3``, ``OSFP2 P1``). Most hosts are cabled as
planned, so the port at which most hosts of a kind have an adapter is taken as its port.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from toposmith.as_built.cable_list import ListedEnd
from toposmith.as_built.device_matches import Match, Wires
from toposmith.as_built.dump_names import adapter_label
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
