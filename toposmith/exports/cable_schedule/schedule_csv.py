"""The schedule as CSV: the unified point-to-point sheet, and the labels of its cables."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from toposmith.exports.cable_schedule.schedule_rows import CableRow, Schedule, ScheduledEnd
from toposmith.leaving_text import csv_pieces

# Required columns of the "Links" sheet of the unified PTP file (NVIDIA Cable Validation Tool 1.7.1)
# first, then its optional ones, then those of its older point-to-point sheet, then ours.
COLUMNS = (
    "A-Node",
    "A-Port",
    "Z-Node",
    "Z-Port",
    "Protocol",
    "A-Module-PN",
    "Z-Module-PN",
    "A-MPO-Connector",
    "Z-MPO-Connector",
    "A-Rack",
    "A-U",
    "A-Type",
    "Z-Rack",
    "Z-U",
    "Z-Type",
    "Label",
    "Cable",
    "Cable-PN",
    "Length-m",
    "Speed-Gbps",
    "Rail",
)
RUNS = "Runs-Gbps"
"""The last column where cables are marked as slow: what each runs at, empty where it is down."""

_LABEL_COLUMNS = ("Label", "This-Node", "This-Port", "This-Rack", "This-U", "Far-Node", "Far-Port",
                  "Far-Rack", "Far-U", "Text")  # fmt: skip
_PROTOCOLS = {"infiniband": "ib", "ethernet": "ethernet", "nvlink": "nvlink"}


def point_to_point_csv(schedule: Schedule, rows: Iterable[CableRow] | None = None) -> Iterator[str]:
    """The point-to-point sheet in pieces, its head first; unknown cells are empty."""
    head = columns_of(schedule)
    each = schedule if rows is None else rows
    return csv_pieces(head, (point_to_point_cells(row)[: len(head)] for row in each))


def cable_labels_csv(rows: Iterable[CableRow]) -> Iterator[str]:
    """Two labels for each cable, one for each end, in pieces, their head first."""
    return csv_pieces(_LABEL_COLUMNS, _labels(rows))


def _labels(rows: Iterable[CableRow]) -> Iterator[Sequence[Hashable]]:
    for row in rows:
        for near, far in ((row.a, row.z), (row.z, row.a)):
            cells = [
                cell for end in (near, far) for cell in (end.node, end.port, end.rack, end.unit)
            ]
            yield (row.label, *cells, f"{row.label}  {_words(near)}  >  {_words(far)}")


def _words(end: ScheduledEnd) -> str:
    place = f"{end.rack} U{end.unit} " if end.rack is not None else ""
    return f"{place}{end.node} {end.port}"


def columns_of(schedule: Schedule) -> tuple[str, ...]:
    """The columns of a schedule: :data:`RUNS` is there where something is slow."""
    return (*COLUMNS, RUNS) if schedule.says_speeds else COLUMNS


def point_to_point_cells(row: CableRow) -> Sequence[str | int | float | None]:
    """The cells of one row, as :data:`COLUMNS` has them, and :data:`RUNS` behind."""
    a, z = row.a, row.z
    return (
        a.node,
        a.port,
        z.node,
        z.port,
        _PROTOCOLS[row.protocol],
        a.module,
        z.module,
        row.fibre,
        row.fibre,
        a.rack,
        a.unit,
        a.kind,
        z.rack,
        z.unit,
        z.kind,
        row.label,
        row.part,
        row.part_number,
        _length(row),
        row.speed_gbit,
        row.rail,
        _whole(row.runs_gbit),
    )


def _whole(gbit: float | None) -> float | None:
    return int(gbit) if gbit is not None and gbit == int(gbit) else gbit


def _length(row: CableRow) -> str:
    return "" if row.length_m is None else f"{row.length_m:g}"
