"""Evaluated designs that show themselves in a notebook, and their rows in other libraries."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import networkx as nx

from toposmith.errors import ToposmithError
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.drawing.fabric import fabric_sheet
from toposmith.exports.drawing.svg import svg_text
from toposmith.exports.neighbours.device_inventory import DeviceInventory
from toposmith.exports.report.design_report import first_figures
from toposmith.exports.report.markup import safe


class ShownDesign(EvaluatedDesign):
    """An evaluated design that notebooks show as figures above the drawing of its fabric."""

    def _repr_svg_(self) -> str:
        return svg_text(fabric_sheet(self.plan, self.analysis))

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:right'>{safe(figure)}</th>"
            f"<td style='text-align:left'>{safe(words)}</td></tr>"
            for figure, words in first_figures(self)
        )
        title = safe(self.design.name or "design")
        return f"<h4>{title}</h4><table>{rows}</table><div>{self._repr_svg_()}</div>"


def to_networkx(cluster: EvaluatedDesign) -> nx.MultiGraph:
    """The devices and cables of a design as a graph of networkx.

    Nodes are devices by name, with ``group``, ``kind``, ``part``, ``rack`` and ``unit``; edges are
    cables by label, with ``a`` (which end is first), ``a_port``, ``z_port``, ``speed_gbit``,
    ``protocol`` and ``length_m`` (m). What is absent is in neither.

    Raises
    ------
    ToposmithError
        For so many devices that single ones are not worked out.
    """
    inventory = DeviceInventory(cluster)
    graph = nx.MultiGraph(name=cluster.design.name)
    for one in inventory.devices:
        part = one.part.id if one.part else None
        place = {"rack": one.rack, "unit": one.unit}
        graph.add_node(one.name, group=one.group.name, kind=one.kind, part=part, **place)
    for row in inventory.connections():
        ports = {"a": row.a.node, "a_port": row.a.port, "z_port": row.z.port}
        kind = {"speed_gbit": row.speed_gbit, "protocol": row.protocol}
        graph.add_edge(
            row.a.node, row.z.node, key=row.label, length_m=row.length_m, **ports, **kind
        )
    return graph


def frame_of(library: str, rows: list[dict[str, Any]], **settings: Any) -> Any:
    """Rows as the ``DataFrame`` of a library that is imported by name.

    Raises
    ------
    ToposmithError
        Where the library is not installed.
    """
    try:
        frames = import_module(library)
    except ImportError:
        raise ToposmithError(f"{library} is not installed; pip install {library}") from None
    return frames.DataFrame(rows, **settings)
