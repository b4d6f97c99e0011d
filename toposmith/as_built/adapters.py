"""The planned port of each adapter of a host in a dump.

Drivers and plans name adapters differently (``mlx5_3``, ``OSFP2 P1``). Most hosts are cabled as
planned, so the port at which most hosts of a kind have an adapter is taken as its port.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable

from toposmith.as_built.cable_list import ListedEnd
from toposmith.as_built.device_matches import Match, Wires
from toposmith.as_built.dump_names import adapter_label

Adapters = dict[tuple[str, str], str]
"""Found host and label to planned port."""


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
    votes: dict[object, Counter[tuple[str, str]]] = defaultdict(Counter)
    for found in open_:
        planned = hosts[found]
        kind = _kind(wires, planned)
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
                votes[kind][label, towards[0]] += 1
    learnt = {kind: _elected(counted) for kind, counted in votes.items()}
    for found in open_:
        elected = learnt.get(_kind(wires, hosts[found]), {})
        for label in wires.found_at.get(found, {}):
            if label in elected:
                known[found, label] = elected[label]
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


def _elected(counted: Counter[tuple[str, str]]) -> dict[str, str]:
    """Each label the port of most votes, no port twice; a tie elects none."""
    elected: dict[str, str] = {}
    taken: set[str] = set()
    ranked = sorted(counted.items(), key=lambda one: (-one[1], one[0]))
    for (label, port), many in ranked:
        if label in elected or port in taken:
            continue
        rival = max((n for (other, p), n in counted.items() if other == label and p != port
                     and p not in taken), default=0)  # fmt: skip
        if rival == many:
            continue
        elected[label] = port
        taken.add(port)
    return elected
