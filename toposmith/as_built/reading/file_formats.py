"""The format of a file by its content; name and suffix are ignored."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from toposmith.as_built.cable_list import Cabling, UnreadableError, merged
from toposmith.as_built.machines import Machine, is_machine, read_machines
from toposmith.as_built.reading import json_forms, neighbour_tables, sheets, subnet_text
from toposmith.design.loader import shown
from toposmith.entry_points import refuse_twice
from toposmith.foreign_values import JsonError, read_json_at

MAX_BYTES = 400_000_000
FORMS = (
    "ibnetdiscover, iblinkinfo, ibsim net files, UFM links (JSON), UFM NDT, topology files, "
    "point-to-point and NetBox sheets (CSV, XLSX), lldpctl -f json, LLDP neighbours of SONiC, EOS, "
    "NX-OS or Junos, NetQ (JSON), NetBox cables (JSON)"
)
_JSON = re.compile(r"\A\s*[\[{]|^[\[{](?=\s*(?:$|[\"\[{]))", re.MULTILINE)
_CONTROL = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")

Reader = Callable[[str, list[str]], Cabling]


@dataclass(frozen=True)
class DumpReader:
    """Reads one form of text that says what is cabled.

    Parameters
    ----------
    name : str
        The form, as messages name it.
    recognises : callable
        Whether the lines of a file are of this form.
    read : callable
        The cabling that the file of a name with such lines says.
    """

    name: str
    recognises: Callable[[list[str]], bool]
    read: Reader


READERS = {
    reader.name: reader
    for reader in (
        DumpReader("iblinkinfo", subnet_text.is_link_info, subnet_text.read_link_info),
        DumpReader("ibnetdiscover", subnet_text.is_ibnetdiscover, subnet_text.read_ibnetdiscover),
        DumpReader("ibsim net files", subnet_text.is_ibsim, subnet_text.read_ibsim),
        DumpReader("ibnetdiscover -p", subnet_text.is_port_list, subnet_text.read_port_list),
        DumpReader("point-to-point and NetBox sheets", sheets.is_sheet, sheets.read_sheet),
        DumpReader("topology files", subnet_text.is_topo_file, subnet_text.read_topo_file),
        DumpReader(
            "LLDP neighbours",
            neighbour_tables.is_neighbour_table,
            neighbour_tables.read_neighbour_table,
        ),
    )
}
"""Forms of text by name, in the order in which they are tried."""


def read_files(files: list[tuple[str, bytes]]) -> Cabling:
    """Several files as one cabling.

    Raises
    ------
    UnreadableError
        Where one of them cannot be read, or holds no cable.
    """
    return merged([read_bytes(source, raw) for source, raw in files])


def read_path(path: Path) -> tuple[str, bytes]:
    """The bytes of a file with its name; raises UnreadableError where it cannot be read."""
    try:
        with path.open("rb") as opened:  # a pipe is read, too; a device might never end
            raw = opened.read(MAX_BYTES + 1)
    except OSError as failed:
        raise UnreadableError(f"{path}: cannot be read: {failed.strerror or failed}") from None
    return str(path), raw


def read_bytes(source: str, raw: bytes) -> Cabling:
    """One file as cables, recognised by its content; UnreadableError where it is none."""
    if sheets.is_workbook(raw):
        cabling = sheets.read_workbook(source, raw)
        _require_cables(source, cabling, 1)
        return cabling
    text = _without_margin(decoded(source, raw))
    if not text.strip():
        raise UnreadableError(f"{source}: is empty; expected {_forms()}")
    # a port of ibnetdiscover and a prompt begin with a bracket, too
    begins = _JSON.search(text)
    if begins is not None and _reader_of(text.splitlines()) is None:
        cabling = _read_json(source, text, begins.end() - 1)
    else:
        cabling = _read_text(source, text)
    _require_cables(source, cabling, text.rstrip().count("\n") + 1)
    return cabling


def _require_cables(source: str, cabling: Cabling, last: int) -> None:
    if not cabling.cables:
        out = "; ".join(cabling.ignored_lines())
        raise UnreadableError(
            f"{source}:{last}: the file ({cabling.form}) ends here without a single cable: "
            f"was it cut?{' ' + out if out else ''}"
        )


def machines_of(source: str, raw: bytes) -> list[Machine]:
    """Tables of the inside of machines in a file; none where it is of another form.

    Raises
    ------
    UnreadableError
        Where a table is cut or damaged.
    """
    if b"GPU0" not in raw and b"GPU 0" not in raw:
        return []  # large dumps of cables are not taken apart twice
    lines = _without_margin(decoded(source, raw)).splitlines()
    return read_machines(source, lines) if is_machine(lines) else []


def _read_text(source: str, text: str) -> Cabling:
    lines = text.splitlines()
    read = _reader_of(lines)
    if read is not None:
        return read(source, lines)
    if is_machine(lines):
        raise UnreadableError(
            f"{source}: says what a machine has inside, and no cables between devices; "
            "`toposmith asbuilt DESIGN FILE` compares it with its part"
        )
    for number, line in enumerate(lines[:40], 1):
        lacking = sheets.looks_like_sheet(line)
        if lacking:
            raise UnreadableError(
                f"{source}:{number}: {lacking}; needs device and port of both ends"
            )
    first = next((at for at, line in enumerate(lines, 1) if line.strip()), 1)
    raise UnreadableError(
        f"{source}:{first}: found {shown(lines[first - 1].strip())}, which is of no known form; "
        f"expected {_forms()}"
    )


def _reader_of(lines: list[str]) -> Reader | None:
    return next((one.read for one in READERS.values() if one.recognises(lines)), None)


def _read_json(source: str, text: str, start: int) -> Cabling:
    """JSON, with what a terminal's log has around it counted as left out."""
    try:
        data, end = read_json_at(text, start)
    except JsonError as failed:
        why = "the JSON ends too early: was it cut?" if failed.is_cut else f"no JSON: {failed}"
        raise UnreadableError(f"{source}:{failed.line}:{failed.column}: {why}") from None
    cabling = json_forms.read_json(source, data)
    before, after = text.count("\n", 0, start), text.count("\n", 0, end)
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and (number <= before or number > after + 1):
            if line[0] in "[{":
                raise UnreadableError(
                    f"{source}:{number}: a second JSON text begins here: give each a file"
                )
            cabling.ignore("lines around the JSON", f"{source}:{number}")
    return cabling


_STAMP = re.compile(r"\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]? ?")
_QUOTED = re.compile(r"> ?")


def _without_margin(text: str) -> str:
    """Without what a log or a mail puts before every line: the time, a sign, blanks."""
    lines = text.split("\n")
    for margin in (_STAMP, _QUOTED):
        if all(margin.match(line) for line in lines if line.strip()):
            lines = [margin.sub("", line, count=1) for line in lines]
    return dedent("\n".join(lines))


def decoded(source: str, raw: bytes) -> str:
    """Text of UTF-8 or UTF-16 (PowerShell), without terminal escapes; UnreadableError if binary."""
    if len(raw) > MAX_BYTES:
        raise UnreadableError(f"{source}: {len(raw):,} bytes, more than {MAX_BYTES:,}")
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            text = raw.decode("utf-16")
        except UnicodeDecodeError:
            raise UnreadableError(f"{source}: begins as UTF-16, and is not") from None
    else:
        at = raw.find(b"\0")
        if at >= 0:
            raise UnreadableError(f"{source}: is no text: a zero byte at offset {at:,}")
        text = raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace")
        if text.count("�") > max(20, len(text) // 100):
            raise UnreadableError(f"{source}: is no text: most of it is not UTF-8")
    return _CONTROL.sub("", text).replace("\r\n", "\n").replace("\r", "\n")


def _forms() -> str:
    """Every form that is read, those of plug-ins at the end."""
    return ", ".join((FORMS, *list(READERS)[_BUILT_IN:]))


_BUILT_IN = len(READERS)


def add_reader(reader: DumpReader) -> None:
    """Add a form of dumps, such as one of a plug-in; it is tried after those of the program.

    Raises
    ------
    ValueError
        Where there is one of its name.
    """
    refuse_twice(READERS, reader.name)
    READERS[reader.name] = reader
