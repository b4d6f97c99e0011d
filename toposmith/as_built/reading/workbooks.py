"""Workbooks (.xlsx): the sheet whose head names both ends of cables."""

from __future__ import annotations

import csv
import io

from toposmith.as_built.cable_list import Cabling, UnreadableError
from toposmith.as_built.reading import sheets
from toposmith.catalog.workbook_text import WorkbookError, is_workbook, sheets_of
from toposmith.design.safe_text import shown

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
