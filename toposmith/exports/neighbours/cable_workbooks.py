"""The Cable Validation Tool's point-to-point file, a workbook.

Sheets and columns: unified point-to-point file of NVIDIA's Cable Validation Tool 1.7.1.
"""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.errors import ExportError
from toposmith.exports.cable_schedule.schedule_csv import columns_of, point_to_point_cells
from toposmith.exports.neighbours.device_inventory import DeviceInventory
from toposmith.exports.neighbours.streamed_workbook import (
    MOST_ROWS,
    workbook,
)

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
