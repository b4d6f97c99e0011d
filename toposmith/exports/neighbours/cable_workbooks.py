"""Workbooks for those who cable: the Cable Validation Tool's point-to-point file, and labels.

Sheets and columns: unified point-to-point file of NVIDIA's Cable Validation Tool 1.7.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from toposmith.errors import ExportError
from toposmith.exports.cable_schedule.schedule_csv import columns_of, point_to_point_cells
from toposmith.exports.cable_schedule.schedule_rows import CableRow, ScheduledEnd
from toposmith.exports.neighbours.device_inventory import DeviceInventory
from toposmith.exports.neighbours.streamed_workbook import (
    MOST_ROWS,
    WorkbookCell,
    workbook,
)

_NODE_COLUMNS = ("Node", "Type", "Rack", "U", "Part", "Part-Number")
_LABEL_COLUMNS = ("Label", "This-Node", "This-Port", "This-Rack", "This-U", "Far-Node", "Far-Port",
                  "Far-Rack", "Far-U", "Text")  # fmt: skip


def point_to_point_workbook(cluster: DeviceInventory) -> Iterator[bytes]:
    """Sheets Links and Nodes."""
    _require_room(cluster, len(cluster.design.schedule))
    rows = cluster.design.schedule.rows(cluster.progress)
    head = columns_of(cluster.design.schedule)
    links = (point_to_point_cells(row)[: len(head)] for row in rows)
    nodes = (
        (one.name, "Switch" if one.is_switch else "Host", one.rack, one.unit, one.group.spec.part,
         one.part.part_number if one.part else None)
        for one in cluster.devices
    )  # fmt: skip
    return workbook([("Links", head, links), ("Nodes", _NODE_COLUMNS, nodes)])


def cable_labels(cluster: DeviceInventory) -> Iterator[bytes]:
    """One sheet with two labels for each cable, one for each end."""
    _require_room(cluster, 2 * len(cluster.design.schedule))
    rows = cluster.design.schedule.rows(cluster.progress)
    return workbook([("Labels", _LABEL_COLUMNS, _labels(rows))])


def _labels(rows: Iterable[CableRow]) -> Iterator[Sequence[WorkbookCell]]:
    for row in rows:
        for near, far in ((row.a, row.z), (row.z, row.a)):
            text = f"{row.label}  {_words(near)}  >  {_words(far)}"
            ends = (*_cells(near), *_cells(far))
            yield (row.label, *ends, text)


def _cells(end: ScheduledEnd) -> tuple[WorkbookCell, ...]:
    return end.node, end.port, end.rack, end.unit


def _words(end: ScheduledEnd) -> str:
    place = f"{end.rack} U{end.unit} " if end.rack is not None else ""
    return f"{place}{end.node} {end.port}"


def _require_room(cluster: DeviceInventory, rows: int) -> None:
    if rows > MOST_ROWS:
        raise ExportError(
            f"{rows:,} rows; a sheet holds {MOST_ROWS:,} (cables carries them as CSV)"
        )
