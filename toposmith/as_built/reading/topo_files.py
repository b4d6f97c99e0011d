"""Topology files of IBDM and UFM (``.topo``): systems by type and name, ports by the front panel.

Syntax: the man page ibdm-topo-file(1) of ibutils.
"""

from __future__ import annotations

import re

from toposmith.as_built.cable_list import Cabling, ListedCable, ListedEnd, ListedKind
from toposmith.as_built.dump_names import key_of
from toposmith.foreign_values import finite_number, whole_number
from toposmith.plain_text import visible

_LINK = re.compile(
    r"^\s+(\S+)\s+(?:-(\d+)x-([\d.]+)G?(?:bps)?-|-)>\s+(\S+)\s+(\S+)\s+(\S+)\s*(?:#.*)?$"
)
_HEAD = re.compile(r"^(\S+)\s+(\S+)(?:\s+CFG:.*)?\s*$")
_HOST = re.compile(r"^(HCA|MT\d{4,}|CX\d|ConnectX)", re.I)
_LONE_CHIP = re.compile(r"^U1/(?=P?\d+$)", re.I)


def is_topo_file(lines: list[str]) -> bool:
    """Whether any line joins a port to a system's port with an arrow."""
    return any(_LINK.match(line) for line in lines)


def read_topo_file(source: str, lines: list[str]) -> Cabling:
    """A topology file; every cable may stand at one of its ends or at both."""
    cabling = Cabling(source, "topology file (.topo)")
    here = ""
    for number, line in enumerate(lines, 1):
        place = f"{source}:{number}"
        if link := _LINK.match(line):
            if not here:
                cabling.ignore("links without the line of their system", place)
                continue
            port, lanes, lane_gbit, kind, name, far_port = link.groups()
            far = cabling.device(key_of(name), visible(name), _kind(kind, far_port))
            # Lanes are called by 2.5, 5, 10, 14, 25, 50, 100 or 200 Gb/s.
            gbit = None
            if lanes:
                gbit = whole_number(lanes, place) * finite_number(lane_gbit, place)
            cabling.cables.append(
                ListedCable(
                    ListedEnd(here, _port(port)), ListedEnd(far, _port(far_port)), gbit, place
                )
            )
        elif head := _HEAD.match(line.split("#")[0]):
            here = cabling.device(
                key_of(head.group(2)), visible(head.group(2)), _kind(head.group(1))
            )
        elif line.strip() and not line.lstrip().startswith("#"):
            cabling.ignore("lines that are not of a topology file", place)
    return cabling.settle()


def _kind(system: str, port: str = "") -> ListedKind:
    return "host" if _HOST.match(system) or port.upper().startswith("HCA") else "switch"


def _port(label: str) -> str:
    """The port without the one chip of a plain switch: ``U1/P5`` is ``P5``."""
    return visible(_LONE_CHIP.sub("", label))
