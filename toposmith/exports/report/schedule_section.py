"""The cable schedule in a report: its first rows, and all of them to save."""

from __future__ import annotations

import base64
from itertools import islice

from toposmith.exports.cable_schedule.schedule_csv import point_to_point_csv
from toposmith.exports.cable_schedule.schedule_rows import CableRow, Schedule, ScheduledEnd
from toposmith.exports.report.markup import paragraph, table
from toposmith.text import UNKNOWN, counted, plain_number

ROWS_SHOWN = 200
"""Rows of the schedule that stand in the report itself."""

MOST_ROWS_EMBEDDED = 20_000
"""Schedules up to this size travel in the report as CSV; larger ones are written by a command."""


def schedule_section(schedule: Schedule) -> str:
    """The first rows as a table, and the whole as CSV or how to write it."""
    total = len(schedule)
    rows = (_cable(row) for row in islice(schedule, ROWS_SHOWN))
    words = f"{counted(schedule.cables, 'cable')} in {counted(total, 'row')}"
    if total > ROWS_SHOWN:
        words += f", the first {ROWS_SHOWN} here"
    head = ("Label", "A rack", "A device", "A port", "Z rack", "Z device", "Z port", "Cable", "m")
    return "".join(
        (
            paragraph(f"{words}.", "muted"),
            _whole_schedule(schedule, total),
            table(head, rows, right=(8,)),
        )
    )


def _whole_schedule(schedule: Schedule, total: int) -> str:
    """All rows to take along as CSV; of a huge design, how to write them."""
    if total > MOST_ROWS_EMBEDDED:
        command = "toposmith export DESIGN --to cables -o cables.csv"
        return paragraph(f"The whole schedule is too long for this page; {command} writes it.")
    data = base64.b64encode("".join(point_to_point_csv(schedule)).encode()).decode("ascii")
    link = f'<a download="cables.csv" href="data:text/csv;base64,{data}">Save all rows as CSV</a>'
    return f'<p class="screen">{link}</p>'


def _cable(row: CableRow) -> list[str]:
    def place(end: ScheduledEnd) -> str:
        return f"{end.rack} U{end.unit}" if end.rack else UNKNOWN

    length = UNKNOWN if row.length_m is None else plain_number(row.length_m)
    part = row.part_number or row.part or UNKNOWN
    return [
        row.label,
        place(row.a),
        row.a.node,
        row.a.port,
        place(row.z),
        row.z.node,
        row.z.port,
        part,
        length,
    ]
