"""LLDP neighbours of a design's switches as each system prints them, with its names of ports.

Ports are named here from the number of the cage and the part, by the rules of each system, and by
none of the program's code.
"""

from __future__ import annotations

import re
from collections import defaultdict

from toposmith.as_built.cable_list import Cabling, ListedEnd

MIXED = """\
toposmith: 1
axes: {rail: 4}
groups:
  node: {part: hgx-h100-8, count: 12, nics: {compute: {part: connectx-7-400-qsfp112, count: 8}}}
  leaf: {part: SWITCH, per: [rail]}
  spine: {part: SWITCH, count: 2}
links:
  - {between: [node.compute, leaf], speed: DOWN}
  - {between: [leaf, spine], cables: 6, speed: UP}
"""
"""Ports of another speed up than down: whole there, or split in fewer parts."""

SYSTEMS = ("sonic", "alias", "alias alone", "eos", "nxos", "junos")


def mixed(switch: str, down: int, up: int) -> str:
    """The fabric with these switches and speeds, Gb/s."""
    return MIXED.replace("SWITCH", switch).replace("DOWN", str(down)).replace("UP", str(up))


def place_of(label: str) -> tuple[int, int | None]:
    """Cage from 1 and part from 0 of a label of the schedule; None for a whole port."""
    found = re.fullmatch(r"swp(\d+)(?:s(\d+))?|(\d+)(?:/(\d+))?", label)
    assert found, label
    if found[1]:
        return int(found[1]), None if found[2] is None else int(found[2])
    return int(found[3]), None if found[4] is None else int(found[4]) - 1


def port_name(system: str, label: str, parts: int, lanes: int = 8) -> str:
    """A port of a schedule, one of so many parts of its cage, as a system names it."""
    cage, part = place_of(label)
    lane = 0 if part is None else part * lanes // parts
    letter = "" if part is None else "abcdefgh"[part]
    return {
        "sonic": f"Ethernet{(cage - 1) * lanes + lane}",
        "alias": f"etp{cage}{letter}",
        "eos": f"Ethernet{cage}/{1 + lane}",
        "nxos": f"Ethernet1/{cage}" + ("" if part is None else f"/{part + 1}"),
        "junos": f"et-0/0/{cage - 1}" + ("" if part is None else f":{part}"),
    }[system]


class Tables:
    """The neighbours of every switch of a plan, in a file for each.

    Parameters
    ----------
    plan : Cabling
        What is cabled.
    system : str
        One of :data:`SYSTEMS`.
    parts : mapping
        In how many parts a cage is split, by the speed of its ports in Gb/s.
    lanes : int
        Lanes of a cage.
    """

    def __init__(self, plan: Cabling, system: str, parts: dict[int, int], lanes: int = 8) -> None:
        self._plan, self._system, self._parts, self._lanes = plan, system, parts, lanes
        self._numbers: dict[str, list[str]] = defaultdict(list)
        for cable in plan.cables:
            for end in (cable.a, cable.z):
                self._numbers[end.device].append(end.port)

    def files(self, cables: list[tuple[ListedEnd, ListedEnd]]) -> list[tuple[str, bytes]]:
        """The tables where these cables are found, each by its ends of the plan."""
        rows: dict[str, list[str]] = defaultdict(list)
        for a, z in cables:
            for own, far in ((a, z), (z, a)):
                if self._plan.devices[own.device].kind != "host":
                    rows[own.device].append(self._row(own, far))
        return [
            (f"{name}.txt", f"{_HEADS[self._style]}\n{chr(10).join(held)}\n".encode())
            for name, held in rows.items()
        ]

    @property
    def _style(self) -> str:
        return "sonic" if self._system.startswith("alias") else self._system

    def _name(self, system: str, end: ListedEnd) -> str:
        speeds = {
            each: one.speed_gbit for one in self._plan.cables for each in (one.a, one.z)
        }  # fmt: skip
        return port_name(system, end.port, self._parts[int(speeds[end] or 0)], self._lanes)

    def _row(self, own: ListedEnd, far: ListedEnd) -> str:
        local, name = self._name(self._style, own), self._plan.devices[far.device].name
        if self._plan.devices[far.device].kind == "host":
            remote = words = f"enp{self._numbers[far.device].index(far.port) + 10}s0np0"
        else:
            remote = words = self._name(self._system.split()[0], far)
            if self._system == "alias":
                words = self._name("sonic", far)
        return {
            "sonic": f"{local}   {name}   {remote}   BR   {words}",
            "eos": f"{local.replace('Ethernet', 'Et')}   {name}   {remote}   120",
            "nxos": f"{name}   {local.replace('Ethernet', 'Eth')}   120   BR   {remote}",
            "junos": f"{local}    -    0c:42:a1:00:00:01    {remote}    {name}",
        }[self._style]


_HEADS = {
    "sonic": "LocalPort    RemoteDevice    RemotePortID    Capability    RemotePortDescr",
    "eos": "Port          Neighbor Device ID       Neighbor Port ID    TTL",
    "nxos": "Device ID            Local Intf      Hold-time  Capability  Port ID",
    "junos": "Local Interface    Parent Interface    Chassis Id    Port info    System Name",
}
