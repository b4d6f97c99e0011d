"""JSON of links: UFM, lldpctl, EOS' eAPI, NetQ, NetBox, and our own schedule."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from toposmith.as_built.cable_list import (
    AGGREGATION,
    Cabling,
    ListedCable,
    ListedEnd,
    ListedKind,
    UnreadableError,
    host_of,
    is_generic,
    is_management,
    key_of,
    switch_of,
)
from toposmith.as_built.reading.sheets import name_of
from toposmith.as_built.reading.subnet_text import LANE_GBIT
from toposmith.foreign_values import whole_number
from toposmith.plain_text import visible

_EXPECTED = (
    "expected UFM's links, lldpctl -f json, EOS' lldpNeighbors, NetQ's topology graph, NetBox's "
    "cables, or a list of cables with a and z"
)


def read_json(source: str, data: Any) -> Cabling:
    """The cables in JSON of any of these formats; UnreadableError where it is none."""
    if isinstance(data, dict):
        if "lldp" in data:
            return _lldpctl(source, data["lldp"])
        if "lldpNeighbors" in data:
            return _eapi(source, data)
        for key in ("results", "links", "cables", "data", "result"):
            if isinstance(data.get(key), list):
                return read_json(source, data[key])
        raise UnreadableError(
            f"{source}: JSON with the keys {', '.join(map(visible, list(data)[:6]))}; {_EXPECTED}"
        )
    if not isinstance(data, list) or not data:
        raise UnreadableError(f"{source}: JSON that holds no list of links; {_EXPECTED}")
    first = next((one for one in data if isinstance(one, dict)), {})
    if "lldpNeighbors" in first:
        return _eapi(source, first)
    if "source_port" in first or "source_guid" in first:
        return _ufm(source, data)
    if "a_terminations" in first or "termination_a" in first:
        return _netbox(source, data)
    if any(key in first for key in ("links", "compounded_links", "interfaces")):
        return _netq(source, data)
    if "a" in first and "z" in first:
        return _ours(source, data)
    if {"A-Node", "Z-Node"} <= set(first):
        flat = [
            {"a": {"node": one.get("A-Node"), "port": one.get("A-Port")},
             "z": {"node": one.get("Z-Node"), "port": one.get("Z-Port")},
             "speed_gbit": one.get("Speed-Gbps")} for one in data if isinstance(one, dict)
        ]  # fmt: skip
        return _ours(source, flat)
    raise UnreadableError(
        f"{source}: a list of things with {', '.join(map(visible, list(first)[:6]))}; {_EXPECTED}"
    )


def _text(value: Any) -> str:
    return visible(str(value).strip()) if isinstance(value, str | int) else ""


def _ufm(source: str, data: list[Any]) -> Cabling:
    cabling = Cabling(source, "UFM links")
    for number, one in enumerate(data, 1):
        place = f"{source} link {number}"
        if not isinstance(one, dict):
            cabling.ignore("entries that are no links", place)
            continue
        ends: list[tuple[str, str, str, ListedKind, bool]] = []
        for side in ("source", "destination"):
            description = _text(one.get(f"{side}_port_node_description"))
            description = description or _text(one.get(f"{side}_node_description"))
            address = _text(one.get(f"{side}_guid"))
            label = _text(one.get(f"{side}_port_dname")) or _text(one.get(f"{side}_port"))
            ends.append(_ufm_end(description, address, label, _text(one.get(f"{side}_port"))))
        if any(AGGREGATION.search(name) for _, name, *_ in ends):
            cabling.ignore("aggregation nodes inside switches (SHARP)", place)
            continue
        if not all(key for key, *_ in ends):
            cabling.ignore("links without a device at both ends", place)
            continue
        known = [ListedEnd(cabling.device(key, name, kind, unnamed=unnamed), port)
                 for key, name, port, kind, unnamed in ends]  # fmt: skip
        mark = _text(one.get("severity"))
        rate = _ufm_rate(
            _text(one.get("width")), _text(one.get("speed") or one.get("active_speed")), place
        )
        bad = mark if mark.lower() not in ("", "info", "normal") else ""
        cabling.cables.append(ListedCable(known[0], known[1], rate, place, bad))
    return cabling.settle()


def _ufm_end(
    description: str, address: str, label: str, number: str
) -> tuple[str, str, str, ListedKind, bool]:
    """Key, name, port, kind, whether unnamed; ``host:port`` and ``host HCA-1:1`` in one string."""
    text, _, tail = description.rpartition(":")
    managed, chip = switch_of(description)
    if description.startswith("MF0;") or chip:
        return key_of(managed), managed, f"{chip}/{number}" if chip else number, "switch", False
    if text and re.fullmatch(r"[\w/ -]+", tail):
        description, label = text, tail or label
    name, adapter = host_of(description)
    if is_generic(description):
        return address, f"{description or 'unnamed'} ({address})", number, "host", True
    if adapter and not label.isdigit():
        return key_of(name), name, adapter or label, "host", False
    if adapter:
        return key_of(name), name, adapter, "host", False
    kind: ListedKind = "switch" if label.isdigit() and not adapter else "host"
    return key_of(description), description, label or number, kind, False


def _ufm_rate(width: str, speed: str, place: str) -> float | None:
    lanes = re.match(r"(\d+)x?", width, re.I)
    name = re.search(r"[SDQFEHNX]DR(?:10)?", speed)
    return whole_number(lanes[1], place) * LANE_GBIT[name[0]] if lanes and name else None


def _lldpctl(source: str, lldp: Any) -> Cabling:
    """``lldpctl -f json`` and ``json0``: one neighbour or several for each interface."""
    cabling = Cabling(source, "lldpctl")
    own = PurePath(source).name.split(".")[0] or "this-host"
    cabling.notes.append(f"{source} does not say whose neighbours these are: taken as {own}")
    host = key_of(own)
    cabling.observed = {host}
    for number, (port, one) in enumerate(_interfaces(lldp), 1):
        place = f"{source} interface {number}"
        chassis, far = _first(one.get("chassis")), _first(one.get("port"))
        name, chassis = _named(chassis)
        identity = _value(far.get("id"))
        far_port = identity
        if re.match(r"^([0-9a-f]{2}:){5}", far_port, re.I):
            far_port = _value(far.get("descr")) or far_port
        name = name or _value(chassis.get("name")) or _value(chassis.get("id"))
        if is_management(port) or is_management(far_port):
            cabling.ignore("ports of the management network", place)
            continue
        if not (name and far_port):
            cabling.ignore("neighbours that give no name or port", place)
            continue
        a = ListedEnd(
            cabling.device(host, own, "host" if _is_host_port(port) else "switch"), visible(port)
        )
        shown_name = name_of(name)
        z = ListedEnd(cabling.device(key_of(shown_name), shown_name), visible(far_port))
        cabling.cables.append(ListedCable(a, z, None, place))
    return cabling.settle()


def _is_host_port(port: str) -> bool:
    return bool(re.match(r"^(en|eth|ib|mlx)", port)) and not port.startswith("Ethernet")


def _interfaces(lldp: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for block in lldp if isinstance(lldp, list) else [lldp]:
        held = block.get("interface", []) if isinstance(block, dict) else []
        for one in held if isinstance(held, list) else [held]:
            if not isinstance(one, dict):
                continue
            if "name" in one and isinstance(one["name"], str):
                yield one["name"], one
                continue
            for port, inside in one.items():
                for each in inside if isinstance(inside, list) else [inside]:
                    if isinstance(each, dict):
                        yield port, each


def _first(value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        value = next((one for one in value if isinstance(one, dict)), {})
    return value if isinstance(value, dict) else {}


def _named(chassis: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The chassis is named by the key around it, or by its field."""
    if len(chassis) == 1 and not {"id", "name"} & set(chassis):
        name, inside = next(iter(chassis.items()))
        return name, inside if isinstance(inside, dict) else {}
    return "", chassis


def _value(field: Any) -> str:
    if isinstance(field, list):
        field = field[0] if field else ""
    if isinstance(field, dict):
        field = field.get("value", "")
    return _text(field)


def _eapi(source: str, data: dict[str, Any]) -> Cabling:
    cabling = Cabling(source, "EOS LLDP neighbours")
    own = _text(data.get("hostname")) or PurePath(source).name.split(".")[0]
    cabling.observed = {key_of(own)}
    for number, one in enumerate(data["lldpNeighbors"] or [], 1):
        place = f"{source} neighbour {number}"
        local, far = _text(one.get("port")), _text(one.get("neighborPort"))
        name = name_of(_text(one.get("neighborDevice")))
        if is_management(local) or is_management(far):
            cabling.ignore("ports of the management network", place)
        elif local and far and name:
            a = ListedEnd(cabling.device(key_of(own), own, "switch"), local)
            kind: ListedKind = "host" if _is_host_port(far) else "unknown"
            z = ListedEnd(cabling.device(key_of(name), name, kind), far)
            cabling.cables.append(ListedCable(a, z, None, place))
        else:
            cabling.ignore("neighbours that give no name or port", place)
    return cabling.settle()


def _netbox(source: str, data: list[Any]) -> Cabling:
    cabling = Cabling(source, "NetBox cables")
    for number, one in enumerate(data, 1):
        place = f"{source} cable {number}"
        ends = []
        for side in ("a", "b"):
            held = one.get(f"{side}_terminations") or one.get(f"termination_{side}")
            end = _first(held)
            end = _first(end.get("object")) or end
            device = _first(end.get("device"))
            name, port = _text(device.get("name") or device.get("display")), _text(end.get("name"))
            if isinstance(held, list) and len(held) > 1:
                cabling.ignore("further ends of a cable with several", place)
            if name and port:
                ends.append((name, port))
        if len(ends) < 2:
            cabling.ignore("cables that end at no interface", place)
            continue
        known = [ListedEnd(cabling.device(key_of(name), name), port) for name, port in ends]
        cabling.cables.append(ListedCable(known[0], known[1], None, place))
    return cabling.settle()


def _netq(source: str, data: list[Any]) -> Cabling:
    """Links at any depth: objects with two ``interfaces`` with a node and an interface."""
    cabling = Cabling(source, "NetQ topology")
    pending: list[Any] = [data]
    number = 0
    while pending:
        one = pending.pop()
        if isinstance(one, list):
            pending += reversed(one)
            continue
        if not isinstance(one, dict):
            continue
        ends = one.get("interfaces")
        deeper = one.get("compounded_links")
        if deeper:
            pending.append(deeper)
        elif isinstance(ends, list) and len(ends) == 2 and all(isinstance(e, dict) for e in ends):
            number += 1
            place = f"{source} link {number}"
            known = [(_text(end.get("node")), _text(end.get("interface"))) for end in ends]
            if not all(name and port for name, port in known):
                cabling.ignore("links without a node and port at both ends", place)
            elif any(is_management(port) for _, port in known):
                cabling.ignore("ports of the management network", place)
            else:
                a, z = (ListedEnd(_netq_device(cabling, name, port), port) for name, port in known)
                cabling.cables.append(ListedCable(a, z, None, place))
        else:
            pending += [value for key, value in one.items() if isinstance(value, list | dict)]
    return cabling.settle()


def _netq_device(cabling: Cabling, name: str, port: str) -> str:
    return cabling.device(key_of(name), name, "switch" if port.startswith("swp") else "host")


def _ours(source: str, data: list[Any]) -> Cabling:
    cabling = Cabling(source, "cable schedule, JSON")
    for number, one in enumerate(data, 1):
        place = f"{source} cable {number}"
        ends = []
        for side in ("a", "z"):
            end = _first(one.get(side)) if isinstance(one, dict) else {}
            name, port = _text(end.get("node") or end.get("device")), _text(end.get("port"))
            if name and port:
                kind = _text(end.get("kind")).lower()
                known: ListedKind = (
                    "host" if kind == "host" else "switch" if kind == "switch" else "unknown"
                )
                ends.append(ListedEnd(cabling.device(key_of(name), name, known), port))
        if len(ends) < 2:
            cabling.ignore("entries without both ends", place)
            continue
        speed = one.get("speed_gbit")
        gbit = float(speed) if isinstance(speed, int | float) else None
        cabling.cables.append(ListedCable(ends[0], ends[1], gbit, place))
    return cabling.settle()
