"""Sheets of cables: our schedule, point-to-point sheets, UFM's NDT, NetBox's tables.

Every sheet has a header and rows. Columns are found by their names; others are ignored.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import NamedTuple

from toposmith.as_built.cable_list import (
    Cabling,
    ListedCable,
    ListedDevice,
    ListedEnd,
    ListedKind,
    UnreadableError,
    adapter_label,
    is_management,
    key_of,
    short_name,
)
from toposmith.as_built.reading import sheets
from toposmith.catalog.workbook_text import WorkbookError, is_workbook, sheets_of
from toposmith.design.loader import shown
from toposmith.foreign_values import finite_number
from toposmith.leaving_text import of_cell
from toposmith.plain_text import visible


class _Sheet(NamedTuple):
    """A kind of sheet: what it is called, and the columns of both ends."""

    form: str
    a: str
    a_port: str
    z: str
    z_port: str


# Columns as they stand, in lower case without blanks, hyphens and underlines.
_SHEETS = (
    _Sheet("point-to-point sheet", "anode", "aport", "znode", "zport"),
    _Sheet(
        "point-to-point sheet", "sourcenode", "sourceport", "destinationnode", "destinationport"
    ),
    _Sheet(
        "point-to-point sheet", "sourcename", "sourceport", "destinationname", "destinationport"
    ),
    _Sheet("UFM NDT", "startdevice", "startport", "enddevice", "endport"),
    _Sheet("NetBox cables", "sideadevice", "sideaname", "sidebdevice", "sidebname"),
    _Sheet(
        "NetBox cables", "terminationadevice", "terminationa", "terminationbdevice", "terminationb"
    ),
    _Sheet("NetBox cables", "deviceaname", "aname", "devicebname", "bname"),
    _Sheet("NetBox cables", "devicea", "terminationa", "deviceb", "terminationb"),
    _Sheet("cable list", "adevice", "aport", "zdevice", "zport"),
    _Sheet("cable list", "adevice", "aport", "bdevice", "bport"),
    _Sheet("cable list", "device1", "port1", "device2", "port2"),
    _Sheet("cable list", "localdevice", "localport", "remotedevice", "remoteport"),
)
_SPEEDS = ("speedgbps", "speedgbit")
_LABELS = ("label", "cablelabel", "cableid")
_DATA = ("", "data")
_FACTS = {"serial": "serial", "serialnumber": "serial", "sn": "serial", "guid": "guid"}
"""What a column of a device is called behind its end, and the fact that it says."""


def _word(cell: str) -> str:
    return re.sub(r"[^a-z0-9]", "", cell.lower().replace("#fields:", ""))


def sheet_of(line: str) -> tuple[_Sheet, list[str]] | None:
    """The sheet whose head this line is, with the words of its columns; None for other lines."""
    for cells in _splits(line):
        words = [_word(cell) for cell in cells]
        for sheet in _SHEETS:
            if {sheet.a, sheet.a_port, sheet.z, sheet.z_port} <= set(words):
                return sheet, words
    return None


def looks_like_sheet(line: str) -> str | None:
    """What a head of a known sheet lacks; None unless it lacks one column only."""
    for cells in _splits(line):
        words = {_word(cell) for cell in cells}
        for sheet in _SHEETS:
            wanted = {sheet.a, sheet.a_port, sheet.z, sheet.z_port}
            if len(wanted & words) == 3:
                lacking = next(iter(wanted - words))
                return f"a {sheet.form} without the column {lacking!r}"
    return None


def _splits(line: str) -> list[list[str]]:
    try:
        return [next(csv.reader([line], delimiter=sign), []) for sign in ",;\t" if sign in line]
    except csv.Error:
        return []


def is_sheet(lines: list[str]) -> bool:
    """Whether one of the first lines is the head of a sheet."""
    return any(sheet_of(line) for line in lines[:40])


def read_sheet(source: str, lines: list[str]) -> Cabling:
    """A sheet as cables; UnreadableError where it has no header or is damaged."""
    at = next((at for at, line in enumerate(lines[:40]) if sheet_of(line)), 0)
    line = lines[at]
    known = sheet_of(line)
    if known is None:
        raise UnreadableError(f"{source}: no head of a sheet of cables")
    sheet, words = known
    delimiter = next(
        sign
        for sign in ",;\t"
        if sign in line and len(next(csv.reader([line], delimiter=sign))) >= 4
    )
    cabling = Cabling(source, sheet.form)
    column = {word: place for place, word in reversed(list(enumerate(words)))}
    rows = csv.reader(lines[at + 1 :], delimiter=delimiter, skipinitialspace=True)
    fibre = column.get("ampoconnector")
    try:
        for cells in rows:
            place = f"{source}:{at + 1 + rows.line_num}"
            if not any(cell.strip() for cell in cells):
                continue
            if sheet_of(delimiter.join(cells)):
                continue
            _row(cabling, sheet, column, [of_cell(cell) for cell in cells], place, fibre)
    except csv.Error as failed:
        raise UnreadableError(f"{source}:{at + 1 + rows.line_num}: {failed}") from None
    return cabling.settle()


def _row(
    cabling: Cabling,
    sheet: _Sheet,
    column: dict[str, int],
    cells: Sequence[str],
    place: str,
    fibre: int | None,
) -> None:
    def cell(name: str) -> str:
        at = column.get(name)
        return visible(cells[at].strip()) if at is not None and at < len(cells) else ""

    a, port_a = cell(sheet.a), cell(sheet.a_port)
    z, port_z = cell(sheet.z), cell(sheet.z_port)
    if not (a and z):
        if a.startswith("#") or not (a or z):
            return
        cabling.ignore("rows without a device at both ends", place)
        return
    if a.startswith("#"):
        return
    if not (port_a and port_z):
        cabling.ignore("rows without a port at both ends", place)
        return
    if cell("linktype").lower() not in _DATA:
        cabling.ignore("rows of links that carry no data", place)
        return
    if fibre is not None and cell("ampoconnector") not in ("", "1"):
        return  # the second fibre of the same ports
    if is_management(port_a) or is_management(port_z):
        cabling.ignore("ports of the management network", place)
        return
    stated = [cell(name) for name in _SPEEDS if _is_number(cell(name))]
    speed = finite_number(stated[0], place) if stated else None
    if speed is None and sheet.form == "UFM NDT" and _is_number(cell("speed")):
        speed = finite_number(cell("speed"), place) / 1000  # Mb/s
    ends = []
    sides = (("a", a, port_a, sheet.a), ("z", z, port_z, sheet.z))
    for side, name, port, column_of in sides:
        kind = _kind(cell(f"{side}type"), name, port)
        if not re.search(r"\d|[a-z]{2}", port.lower()) or port.lower() == name.lower():
            cabling.ignore("rows whose port says nothing", place)
            return
        if sheet.form == "UFM NDT" and kind == "unknown" and not re.search(r"\d", port):
            cabling.ignore(f"ports that no device has, such as {shown(port)}", place)
            return
        label = adapter_label(name, port) or port if kind == "host" else port
        if sheet.form == "NetBox cables":
            label = _from_one(label)
        ends.append(ListedEnd(cabling.device(key_of(name), name, kind), label))
        for word, fact in _FACTS.items():
            for end in {column_of, re.sub("(node|device|name)$", "", column_of)} - {""}:
                if known := cell(end + word):
                    cabling.devices[ends[-1].device].know(fact, known)
    label = next((known for name in _LABELS if (known := cell(name))), "")
    cabling.cables.append(ListedCable(ends[0], ends[1], speed, place, label=label))


def _from_one(port: str) -> str:
    """A port of NetBox's QM9700, ``P4.1``, whose cages and ports count from 0, as ``5/2``."""
    found = re.fullmatch(r"P(\d{1,3})\.(\d)", port)
    return f"{int(found.group(1)) + 1}/{int(found.group(2)) + 1}" if found else port


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"\d+(\.\d+)?", text))


def _kind(said: str, name: str, port: str) -> ListedKind:
    """Host or switch: as the sheet says, else by how the port is called."""
    if said.lower() in ("host", "server", "node"):
        return "host"
    if said.lower() == "switch":
        return "switch"
    if re.match(r"^(port|blade)[ _]?\d", port, re.I):
        return "switch"
    if port.lower().startswith(name.lower()) and len(port) > len(name):
        return "host"
    if re.match(r"^(mlx\d|ib[ps]\d|ens|enp|eno|hca)", port, re.I):
        return "host"
    return "unknown"


def name_of(text: str) -> str:
    """A device's name out of a neighbour table, without domain or serial number."""
    return visible(short_name(text))


__all__ = ["is_workbook", "read_workbook"]


def read_workbook(source: str, raw: bytes) -> Cabling:
    """The first sheet of a workbook that lists cables.

    Raises
    ------
    UnreadableError
        If it is no workbook, is damaged, or no sheet has the columns of one.
    """
    heads = []
    try:
        for sheet in sheets_of(raw):
            lines = [_line(cells) for cells in sheet.rows]
            if sheets.is_sheet(lines):
                cabling = sheets.read_sheet(source, lines)
                cabling.form += " (XLSX)"
                return cabling
            heads.append(next((line for line in lines if line.strip(",")), "nothing"))
    except WorkbookError as failed:
        raise UnreadableError(f"{source}: {failed}") from None
    raise UnreadableError(
        f"{source}: no sheet of this workbook lists cables: a head with device and port of both "
        f"ends is needed, found {'; '.join(shown(head) for head in heads[:4])}"
    )


def _line(cells: list[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(
        [" ".join(cell.split()) if "\n" in cell or "\r" in cell else cell for cell in cells]
    )
    return out.getvalue()


def know_neighbour(device: ListedDevice, told: str, chassis: str) -> None:
    """Keep a serial number in brackets behind a neighbour's name, and an address of its chassis."""
    serial = re.search(r"\(([A-Za-z0-9]{6,32})\)$", told.strip())
    if serial:
        device.know("serial", serial.group(1))
    digits = re.sub(r"[.:-]", "", chassis.lower())
    if re.fullmatch(r"[0-9a-f]{12}", digits):
        device.know("mac", ":".join(digits[at : at + 2] for at in range(0, 12, 2)))
