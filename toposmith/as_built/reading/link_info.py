"""Text of iblinkinfo: every port with its peer, its rate, and whether it could be faster."""

from __future__ import annotations

import re

from toposmith.as_built.cable_list import Cabling
from toposmith.as_built.reading.subnet_text import LANE_GBIT, Nodes
from toposmith.foreign_values import finite_number, whole_number

# Possessive quantifiers, here and in other readers: a line of blanks costs no more than its length.
_HEAD = re.compile(r"^\s*+(CA|Switch|Router):\s*+(0x[0-9a-fA-F]+)?(.*)$")
_LINE = re.compile(
    r'^\s*+(?:(0x[0-9a-fA-F]++)\s++)?(?:"([^"]*+)"\s++)?(\d++)\s++(\d++)\[[^\]]*+\]\s*+==\((.*?)\)==>'
    r'\s*+(?:(0x[0-9a-fA-F]++)\s++)?(\d++)?\s*+(\d++)?\s*+\[[^\]]*+\]\s*+"([^"]*+)"\s*+\((.*)\)\s*+$'
)
# Gb/s of a lane as iblinkinfo prints it, after the code of the line, and its nominal rate.
_LANES = {
    2.5: "SDR", 5.0: "DDR", 10.0: "QDR", 10.3125: "FDR10", 14.0625: "FDR", 25.78125: "EDR",
    53.125: "HDR", 106.25: "NDR", 212.5: "XDR",
}  # fmt: skip
_RATE = re.compile(r"(?<!\d)(\d++)X\s++([\d.]++)\s*+Gbps\s++(\w++)\s*+/\s*+(\w+)")


def is_link_info(lines: list[str]) -> bool:
    """Whether any line has iblinkinfo's arrow."""
    return any("==(" in line and ")==>" in line for line in lines)


def read_link_info(source: str, lines: list[str]) -> Cabling:
    """Text of iblinkinfo, in blocks or with ``-l`` a line for each link.

    Peers are listed by name and LID only, so all devices are identified by both.
    """
    nodes = Nodes(source, "iblinkinfo")
    switch_names: set[str] = set()
    parsed: list[tuple[int, str, str, str, re.Match[str]]] = []
    kind, name, guid = "", "", ""
    for number, line in enumerate(lines, 1):
        place = f"{source}:{number}"
        if "==(" in line:
            found = _LINE.match(line)
            own = (found.group(2) or "").strip() or name if found else ""
            if found and own:
                parsed.append((number, kind, own, guid if own == name else "", found))
            else:
                reason = "ports that are down" if "Down" in line else "lines that were cut"
                nodes.cabling.ignore(reason, place)
        elif head := _HEAD.match(line):
            kind = "H" if head.group(1) == "CA" else "S"
            guid = _device_guid(head) if kind == "S" else ""
            name = head.group(3).strip().removesuffix(":").rstrip()
            if kind == "S":
                switch_names.add(name)
        elif line.strip():
            nodes.cabling.ignore("lines that are not of iblinkinfo", place)
    lids: dict[tuple[str, str], set[str]] = {}
    for number, kind, own, guid, found in parsed:
        _, _, lid, port, state, _, far_lid, far_port, far, mark = found.groups()
        rate = _RATE.search(state)
        if rate is None or far_port is None or far_lid is None or not far:
            nodes.cabling.ignore("ports that are down", f"{source}:{number}")
            continue
        here = "S" if kind == "S" or own in switch_names else "H"
        there = "S" if far in switch_names else _kind_of(far)
        a, z = f"{here}-{lid} {own}", f"{there}-{far_lid} {far}"
        nodes.know(a, here, own, guid=guid)
        nodes.know(z, there, far)
        lids.setdefault((here, own), set()).add(lid)
        place = f"{source}:{number}"
        lanes = whole_number(rate.group(1), place)
        each = finite_number(rate.group(2), place)
        speed = _LANES.get(each)
        gbit = lanes * (LANE_GBIT[speed] if speed else each)
        ports = (whole_number(port, place), whole_number(far_port, place))
        nodes.link((a, ports[0]), (z, ports[1]), gbit, place, mark.strip())
    return nodes.cabling_of()


def _device_guid(head: re.Match[str]) -> str:
    """The GUID in the head of a switch; other lines have those of ports."""
    return f"0x{int(head.group(2), 16):x}" if head.group(2) else ""


def _kind_of(name: str) -> str:
    """What a peer is that has no block of its own: managed switches have it in their names."""
    return "S" if name.startswith("MF0;") or "switch" in name.lower() else "H"
