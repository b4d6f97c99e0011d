"""Tables of LLDP neighbours as switches print them: SONiC, EOS, NX-OS, Junos.

Such a table does not name its own switch: the prompt before the command does, else the file's name.
"""

from __future__ import annotations

import re
from pathlib import PurePath

from toposmith.as_built.cable_list import (
    Cabling,
    ListedCable,
    ListedEnd,
    ListedKind,
    is_management,
    key_of,
)
from toposmith.as_built.reading.sheets import name_of

_PROMPT = re.compile(
    r"^(?:[^\s@]+@)?([A-Za-z][\w.-]*)(?:\([\w-]+\))?(?::[^\s$#>]*)?\s*[#>$]\s*(?:\S.*)?(show|lldp)\b",
    re.I,
)
_EOS_HEAD = re.compile(r"^\s*Port\s+Neighbor Device ID\s+Neighbor Port ID\s+TTL", re.I)
_NXOS_HEAD = re.compile(r"^\s*Device ID\s+Local Intf\s+Hold-time", re.I)
_SONIC_HEAD = re.compile(r"^\s*LocalPort\s+RemoteDevice\s+RemotePortID", re.I)
_JUNOS_HEAD = re.compile(r"^\s*Local Interface\s+Parent Interface\s+Chassis Id\s+Port info", re.I)
_EOS_DETAIL = re.compile(r"^\s*Interface (\S+) detected (\d+) LLDP neighbors?", re.I)
_NXOS_DETAIL = re.compile(r"^\s*Local Port id:\s*(\S+)", re.I)
_MAC = re.compile(r"^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$|^([0-9a-f]{4}\.){2}[0-9a-f]{4}$", re.I)
_HOST_PORT = re.compile(r"^(en[pso]\w*|eth\d+$|ib\w+|mlx\w+|bond\d)", re.I)
_CAPABILITIES = re.compile(r"[RBTCWPSO,]{1,8}")
_END = re.compile(r"^\s*(Total entries|Capability codes)", re.I)


def is_neighbour_table(lines: list[str]) -> bool:
    """Whether any line is the head of such a table, or begins its details."""
    heads = (_EOS_HEAD, _NXOS_HEAD, _SONIC_HEAD, _JUNOS_HEAD, _EOS_DETAIL, _NXOS_DETAIL)
    return any(head.match(line) for line in lines for head in heads)


class _Table:
    """Neighbours of one switch after another, as their prompts name them."""

    def __init__(self, source: str, form: str) -> None:
        self.cabling = Cabling(source, form)
        stem = PurePath(source).name.split(".")[0]
        self.own = stem if stem and stem != "<stdin>" else "this-switch"
        self.from_prompt = False

    def add(self, local: str, neighbour: str, remote: str, place: str) -> None:
        """One neighbour."""
        cabling = self.cabling
        if is_management(local) or is_management(remote):
            cabling.ignore("ports of the management network", place)
            return
        if not neighbour or not remote:
            cabling.ignore("neighbours that give no name or port", place)
            return
        unnamed = bool(_MAC.match(neighbour)) or neighbour.lower() in ("localhost", "ubuntu")
        kind: ListedKind = "host" if _HOST_PORT.match(remote) or _MAC.match(remote) else "unknown"
        name = name_of(neighbour)
        key = f"unnamed {name} at {self.own} {local}" if unnamed else key_of(name)
        cabling.observed = {*(cabling.observed or ()), key_of(self.own)}
        a = ListedEnd(cabling.device(key_of(self.own), self.own, "switch"), expanded(local))
        z = ListedEnd(cabling.device(key, name, kind, unnamed=unnamed), expanded(remote))
        cabling.cables.append(ListedCable(a, z, None, place))


def expanded(port: str) -> str:
    """Short names of interfaces in full: ``Et49/1`` and ``Eth1/3`` are ``Ethernet...``."""
    found = re.fullmatch(r"(?:Et|Eth)(\d[\d/.]*)", port)
    return f"Ethernet{found.group(1)}" if found else port


def read_neighbour_table(source: str, lines: list[str]) -> Cabling:
    """Tables of one or several switches, each after the prompt that asked for it."""
    table = _Table(source, "LLDP neighbours")
    mode, waiting = "", ""
    detail: dict[str, str] = {}

    def flush(place: str) -> None:
        if detail.get("local"):
            name = detail.get("name") or detail.get("chassis", "")
            port = detail.get("port", "")
            if _MAC.match(port) or not port:
                port = detail.get("description") or port
            table.add(detail["local"], name, port, place)
        detail.clear()

    for number, line in enumerate(lines, 1):
        place, text = f"{source}:{number}", line.strip()
        if prompt := _PROMPT.match(text):
            flush(place)
            table.own, table.from_prompt, mode = prompt.group(1), True, ""
        elif _EOS_HEAD.match(line):
            mode, table.cabling.form = "eos", "EOS LLDP neighbours"
        elif _NXOS_HEAD.match(line):
            mode, waiting, table.cabling.form = "nxos", "", "NX-OS LLDP neighbours"
        elif _SONIC_HEAD.match(line):
            mode, table.cabling.form = "sonic", "SONiC LLDP table"
        elif _JUNOS_HEAD.match(line):
            mode, table.cabling.form = "junos", "Junos LLDP neighbours"
        elif found := _EOS_DETAIL.match(line):
            flush(place)
            mode, table.cabling.form = "eos-detail", "EOS LLDP neighbours"
            local = found.group(1)
        elif mode == "eos-detail":
            if re.match(r"^Neighbor \S+", text):
                flush(place)
                detail["local"] = local
            _detail(detail, text, _EOS_FIELDS)
        elif text.startswith("Chassis id:") and mode != "sonic":
            flush(place)
            mode, table.cabling.form = "nxos-detail", "NX-OS LLDP neighbours"
            _detail(detail, text, _NXOS_FIELDS)
        elif mode == "nxos-detail":
            _detail(detail, text, _NXOS_FIELDS)
        elif not text or _END.match(line) or set(text) <= set("-= +"):
            continue
        elif mode == "eos":
            cells = text.split()
            # what stands above a second table counts changes: "Number of table inserts  : 2"
            if len(cells) >= 4 and cells[-1].isdigit() and ":" not in cells:
                table.add(cells[0], cells[1], cells[-2], place)
            else:
                table.cabling.ignore("lines that are no neighbours", place)
        elif mode == "nxos":
            row = _nxos_row(f"{waiting} {text}".split())
            if row is not None:
                table.add(*row, place)
                waiting = ""
            elif len(text.split()) == 1:
                waiting = text
            else:
                table.cabling.ignore("lines that are no neighbours", place)
                waiting = ""
        elif mode == "sonic":
            _sonic(table, text, place)
        elif mode == "junos":
            cells = [cell.strip() for cell in re.split(r"\s{2,}", text)]
            if len(cells) >= 5:
                table.add(cells[0], cells[4], cells[3], place)
            else:
                table.cabling.ignore("lines that are no neighbours", place)
        else:
            table.cabling.ignore("lines that are no neighbours", place)
    flush(f"{source}:{len(lines)}")
    if not table.from_prompt:
        table.cabling.notes.append(
            f"{source} does not say whose neighbours these are: taken as {table.own}"
        )
    return table.cabling.settle()


_EOS_FIELDS = {"name": r'- System Name: "?([^"]+)', "port": r'Port ID\s*: "([^"]+)"',
               "chassis": r"Chassis ID\s*: (\S+)",
               "description": r'- Port Description: "([^"]+)'}  # fmt: skip
_NXOS_FIELDS = {"local": r"Local Port id:\s*(\S+)", "port": r"Port id:\s*(\S+)",
                "chassis": r"Chassis id:\s*(\S+)", "name": r"System Name:\s*(\S+)",
                "description": r"Port Description:\s*(.+)"}  # fmt: skip


def _detail(detail: dict[str, str], text: str, fields: dict[str, str]) -> None:
    for field, pattern in fields.items():
        found = re.match(pattern, text)
        if found and field not in detail and found.group(1) != "not advertised":
            detail[field] = found.group(1).strip()


def _nxos_row(cells: list[str]) -> tuple[str, str, str] | None:
    """The port, the neighbour and its port of a row; names may have blanks in them."""
    hold = len(cells) - (3 if len(cells) > 4 and _CAPABILITIES.fullmatch(cells[-2]) else 2)
    if hold < 2 or not cells[hold].isdecimal():
        return None
    return cells[hold - 1], " ".join(cells[: hold - 1]), cells[-1]


def _sonic(table: _Table, text: str, place: str) -> None:
    """``Ethernet0  host  0c:42:..  R  Interface 8 as enp5s0f0``: a MAC gives way to its words."""
    cells = text.split()
    if len(cells) < 3 or not re.match(r"^(Ethernet|eth|PortChannel)\d", cells[0]):
        if not text.lower().startswith("total"):
            table.cabling.ignore("lines that are no neighbours", place)
        return
    local, neighbour, remote = cells[:3]
    words = cells[3:]
    if words and re.fullmatch(r"[A-Z]{1,4}", words[0]):
        words = words[1:]
    if _MAC.match(remote) and words:
        named = re.search(r"\bas (\S+)$", " ".join(words))
        remote = named.group(1) if named else words[-1]
    table.add(local, neighbour, remote, place)
