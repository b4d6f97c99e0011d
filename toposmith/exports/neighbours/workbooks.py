"""Workbooks written row by row, and the point-to-point file of the Cable Validation Tool."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from xml.sax.saxutils import escape

from toposmith.errors import ExportError
from toposmith.exports.cable_schedule.schedule_csv import columns_of, point_to_point_cells
from toposmith.exports.neighbours.device_inventory import DeviceInventory
from toposmith.leaving_text import as_cell

MOST_ROWS = 1_048_575
"""Rows below the head that a sheet holds (Excel specifications and limits)."""

WorkbookCell = str | int | float | None
WorkbookSheet = tuple[str, Sequence[str], Iterable[Sequence[WorkbookCell]]]
"""Its name, its head and its rows."""

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_BATCH = 512
# A zip file has dates; this one is that of the form, not of the clock.
_DATE = (2026, 1, 1, 0, 0, 0)


def workbook(sheets: Sequence[WorkbookSheet]) -> Iterator[bytes]:
    """The pieces of an ``.xlsx`` file; the same sheets give the same bytes."""
    out = _Sink()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as book:
        for name, text in _frame([name for name, _, _ in sheets]):
            book.writestr(_entry(name), text)
        yield out.taken()
        for number, (_, head, rows) in enumerate(sheets, 1):
            with book.open(_entry(f"xl/worksheets/sheet{number}.xml"), "w") as part:
                for text in _sheet(head, rows):
                    part.write(text.encode("utf-8"))
                    yield out.taken()
    yield out.taken()


class _Sink(io.RawIOBase):
    """What the zip file wrote and was not taken yet."""

    def __init__(self) -> None:
        self._held: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, raw: object) -> int:
        piece = bytes(raw)  # type: ignore[call-overload]
        self._held.append(piece)
        return len(piece)

    def taken(self) -> bytes:
        whole = b"".join(self._held)
        self._held.clear()
        return whole


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _frame(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    numbers = range(1, len(names) + 1)
    sheets = "".join(
        f'<sheet name="{escape(name)}" sheetId="{n}" r:id="rId{n}"/>'
        for n, name in zip(numbers, names, strict=True)
    )
    links = "".join(
        f'<Relationship Id="rId{n}" Type="{_RELATIONS}/worksheet" '
        f'Target="worksheets/sheet{n}.xml"/>'
        for n in numbers
    )
    styles = len(names) + 1
    parts = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_KIND}.worksheet+xml"/>'
        for n in numbers
    )
    yield (
        "[Content_Types].xml",
        f'{_XML}<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_KIND}.styles+xml"/>{parts}</Types>',
    )
    yield (
        "_rels/.rels",
        f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    )
    yield (
        "xl/workbook.xml",
        f'{_XML}<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>{sheets}</sheets>'
        "</workbook>",
    )
    yield (
        "xl/_rels/workbook.xml.rels",
        f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">{links}'
        f'<Relationship Id="rId{styles}" Type="{_RELATIONS}/styles" Target="styles.xml"/>'
        "</Relationships>",
    )
    yield (
        "xl/styles.xml",
        f'{_XML}<styleSheet xmlns="{_MAIN}"><fonts count="2"><font><sz val="11"/></font>'
        '<font><b/><sz val="11"/></font></fonts>'
        '<fills count="2"><fill><patternFill patternType="none"/></fill>'
        '<fill><patternFill patternType="gray125"/></fill></fills>'
        '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
        '<cellXfs count="2"><xf/><xf fontId="1" applyFont="1"/></cellXfs><cellStyles count="1">'
        '<cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
    )


def _sheet(head: Sequence[str], rows: Iterable[Sequence[WorkbookCell]]) -> Iterator[str]:
    yield (
        f'{_XML}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
        '<pane ySplit="1" topLeftCell="A2" state="frozen"/></sheetView></sheetViews><sheetData>'
    )
    yield "<row>" + "".join(_text(word, ' s="1"') for word in head) + "</row>"
    held: list[str] = []
    for row in rows:
        held.append(f"<row>{''.join(map(_cell, row))}</row>")
        if len(held) == _BATCH:
            yield "".join(held)
            held.clear()
    yield "".join(held) + "</sheetData></worksheet>"


def _cell(value: WorkbookCell) -> str:
    if value is None or value == "":
        return "<c/>"
    if isinstance(value, str):
        return _text(value)
    return f"<c><v>{value:g}</v></c>" if isinstance(value, float) else f"<c><v>{value}</v></c>"


@lru_cache(maxsize=4_096)  # names, parts and racks repeat from row to row
def _text(text: str, style: str = "") -> str:
    words = escape(as_cell(text))
    return f'<c{style} t="inlineStr"><is><t xml:space="preserve">{words}</t></is></c>'


_NODE_COLUMNS = ("Node", "Type", "Rack", "U", "Part", "Part-Number")


def point_to_point_workbook(cluster: DeviceInventory) -> Iterator[bytes]:
    """Sheets Links and Nodes.

    Raises
    ------
    ExportError
        Where a sheet does not hold as many connections.
    """
    connections = len(cluster.design.schedule)
    if connections > MOST_ROWS:
        raise ExportError(
            f"{connections:,} rows; a sheet holds {MOST_ROWS:,} (cables carries them as CSV)"
        )
    rows = cluster.design.schedule.rows(cluster.progress)
    head = columns_of(cluster.design.schedule)
    links = (point_to_point_cells(row)[: len(head)] for row in rows)
    nodes = (
        (one.name, "Switch" if one.is_switch else "Host", one.rack, one.unit, one.group.spec.part,
         one.part.part_number if one.part else None)
        for one in cluster.devices
    )  # fmt: skip
    return workbook([("Links", head, links), ("Nodes", _NODE_COLUMNS, nodes)])
