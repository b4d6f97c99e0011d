"""The chart of a place: a matrix for a unit, the inside of a node, the ports of a switch."""

from __future__ import annotations

from toposmith.catalog import Catalog
from toposmith.fabric.plan import Plan
from toposmith.tui.depths.chart import DepthChart
from toposmith.tui.depths.faceplate import Faceplate
from toposmith.tui.depths.matrix import Matrix
from toposmith.tui.depths.node_chart import NodeChart
from toposmith.tui.depths.node_inside import read_inside
from toposmith.tui.depths.notice import Notice
from toposmith.tui.depths.place_loads import Loads
from toposmith.tui.depths.places import DepthPlace, DeviceInstance


def chart_of(
    plan: Plan,
    catalog: Catalog,
    place: DepthPlace,
    loads: Loads,
    room: int,
    layer: str | None = None,
    *,
    rows: int = 0,
    ascii_only: bool = False,
) -> DepthChart:
    """What there is to see at a place, from the design and its figures alone.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    catalog : Catalog
        For the GPUs inside nodes.
    place : DepthPlace
        Where one is.
    loads : Loads
        What is known of loads.
    room : int
        Columns of the view; what does not fit is scrolled to.
    layer : str, optional
        The one slot group of nodes that is shown.
    rows : int
        Rows of the view: what can stand farther apart does where there are many.
    ascii_only : bool
        Draw with ASCII signs.
    """
    if place.device is None:
        return Matrix(plan, place, loads, room, layer)
    device = DeviceInstance(place.group, place.device)
    group = plan.groups[place.group]
    if group.switch is not None:
        return Faceplate(plan, device, loads, room)
    if group.node is not None and read_inside(group, catalog) is not None:
        return NodeChart(
            plan, catalog, device, loads, room, layer, rows=rows, ascii_only=ascii_only
        )
    return Notice(place.group, group.spec.part, room, known=group.part is not None)
