"""The fabric device by device as a graph: GraphML and DOT, with the ports at both ends."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from toposmith.exports.cable_schedule.schedule_rows import CableRow, Progress, Schedule
from toposmith.fabric.plan import Plan
from toposmith.plain_text import visible
from toposmith.racks.device_names import device_names
from toposmith.racks.instances import absent_instances

_NODE_KEYS = (("group", "string"), ("part", "string"), ("kind", "string"))
_EDGE_KEYS = (
    ("a_port", "string"),
    ("z_port", "string"),
    ("gbit", "int"),
    ("GBps", "double"),
    ("label", "string"),
)


def graphml(plan: Plan, schedule: Schedule, progress: Progress | None = None) -> Iterator[str]:
    """Lines of GraphML: every device a node, every connection an edge (graphml.graphdrawing.org).

    Edges have ids, since readers otherwise drop those that run between the same two devices.
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for where, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for name, kind in keys:
            yield f'<key id="{name}" for="{where}" attr.name="{name}" attr.type="{kind}"/>\n'
    yield '<graph edgedefault="undirected">\n'
    for name, group, part, kind in _devices(plan):
        data = _data((("group", group), ("part", part), ("kind", kind)))
        yield f"<node id={quoteattr(name)}>{data}</node>\n"
    for number, row in enumerate(_connections(schedule, progress)):
        data = _data(
            (
                ("a_port", row.a.port),
                ("z_port", row.z.port),
                ("gbit", str(row.speed_gbit)),
                ("GBps", f"{row.speed_gbit / 8:g}"),
                ("label", row.label),
            )
        )
        ends = f"source={quoteattr(row.a.node)} target={quoteattr(row.z.node)}"
        yield f'<edge id="{number}" {ends}>{data}</edge>\n'
    yield "</graph>\n</graphml>\n"


def dot(plan: Plan, schedule: Schedule, progress: Progress | None = None) -> Iterator[str]:
    """Lines of DOT for Graphviz, the ports as text at both ends of each connection."""
    yield f"graph {quoted(plan.design.name or 'design')} {{\n"
    for name, group, _, _ in _devices(plan):
        yield f"  {quoted(name)} [group={quoted(group)}]\n"
    for row in _connections(schedule, progress):
        yield (
            f"  {quoted(row.a.node)} -- {quoted(row.z.node)} [label={quoted(row.label)} "
            f"taillabel={quoted(row.a.port)} headlabel={quoted(row.z.port)}]\n"
        )
    yield "}\n"


def _devices(plan: Plan) -> Iterator[tuple[str, str, str, str]]:
    """Name, group, part and kind of every device that is not absent."""
    absent = absent_instances(plan)
    for name, group in plan.groups.items():
        named = device_names(plan, name)
        kind = group.part.kind if group.part else "unknown"
        for number in range(group.instances):
            if number not in absent[name]:
                yield named(number), name, group.spec.part, kind


def _connections(schedule: Schedule, progress: Progress | None) -> Iterator[CableRow]:
    """Rows of the schedule, those of a second fibre of the same ports left out."""
    return (row for row in schedule.rows(progress) if row.fibre in (None, 1))


def _data(pairs: tuple[tuple[str, str], ...]) -> str:
    return "".join(f'<data key="{key}">{escape(visible(text))}</data>' for key, text in pairs)


def quoted(text: str) -> str:
    """A text in quotes, as DOT reads it."""
    shown = visible(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{shown}"'
