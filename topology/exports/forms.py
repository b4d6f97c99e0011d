"""The forms that a design is exported in, by name; the command and the app write the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toposmith.topology.evaluation import EvaluatedDesign
    from toposmith.topology.exports.drawing.sheet import Sheet
    from toposmith.topology.findings.finding import Finding

Progress = Callable[[int, int], None]
"""Told how many rows of a schedule are written, of how many; what it raises ends the export."""


@dataclass(frozen=True)
class Made:
    """An export: its bytes piece by piece, and what it lacks, known at the latest at the end."""

    pieces: Iterable[bytes]
    findings: Iterable[Finding] = ()

    def lacking(self) -> list[Finding]:
        """What it lacks, once all of it is made: what is wrong, and what its racks assume."""
        from toposmith.topology.racks.devices import ASSUMED

        unique = dict.fromkeys(self.findings)
        return [one for one in unique if one.severity != "info" or one.code in ASSUMED]


@dataclass(frozen=True)
class Form:
    """One form.

    Parameters
    ----------
    name : str
        As ``export --to`` has it.
    title : str
        What it is, in a few words.
    ending : str
        How its files end.
    make : callable
        Makes it of a design; told the group of nodes, for what shows one node.
    is_text : bool
        Whether a terminal can show it.
    """

    name: str
    title: str
    ending: str
    make: Callable[[EvaluatedDesign, Progress | None, str | None], Made]
    is_text: bool = True


def _html(design: EvaluatedDesign, _progress: Progress | None, _group: str | None) -> Made:
    from toposmith.topology.exports.report.html import report_html

    return Made(_encoded([report_html(design)]))


def _fabric_svg(design: EvaluatedDesign, _progress: Progress | None, _group: str | None) -> Made:
    from toposmith.topology.exports.drawing.fabric import fabric_sheet

    sheet = fabric_sheet(design.plan, design.analysis)
    return Made(_svg(sheet), design.plan.findings)


def _fabric_png(design: EvaluatedDesign, _progress: Progress | None, _group: str | None) -> Made:
    from toposmith.topology.exports.drawing.fabric import fabric_sheet

    sheet = fabric_sheet(design.plan, design.analysis)
    return Made(_png(sheet), design.plan.findings)


def _cables(design: EvaluatedDesign, progress: Progress | None, _group: str | None) -> Made:
    from toposmith.topology.exports.cable_schedule.tables import point_to_point_csv

    rows = design.schedule.rows(progress)
    return Made(_encoded(point_to_point_csv(rows)), design.schedule_findings)


def _netbox_cables(design: EvaluatedDesign, progress: Progress | None, _group: str | None) -> Made:
    from toposmith.topology.exports.cable_schedule.tables import netbox_csv

    rows = design.schedule.rows(progress)
    return Made(_encoded(netbox_csv(rows)), design.schedule_findings)


def _elevations(design: EvaluatedDesign, _progress: Progress | None, _group: str | None) -> Made:
    from toposmith.topology.exports.elevation_text import elevation_lines

    lines = elevation_lines(design.placement, design.elevations, design.feeds)
    return Made(_encoded(f"{line}\n" for line in lines), design.rack_findings)


def _racks_svg(design: EvaluatedDesign, _progress: Progress | None, _group: str | None) -> Made:
    return Made(_svg(_racks_sheet(design)), design.rack_findings)


def _racks_png(design: EvaluatedDesign, _progress: Progress | None, _group: str | None) -> Made:
    return Made(_png(_racks_sheet(design)), design.rack_findings)


def _graphml(design: EvaluatedDesign, _progress: Progress | None, _group: str | None) -> Made:
    from toposmith.topology.exports.graph_forms import graphml

    return Made(_encoded(graphml(design.plan, design.schedule)), design.schedule_findings)


def _dot(design: EvaluatedDesign, _progress: Progress | None, _group: str | None) -> Made:
    from toposmith.topology.exports.graph_forms import dot

    return Made(_encoded(dot(design.plan, design.schedule)), design.schedule_findings)


def _nccl_xml(design: EvaluatedDesign, _progress: Progress | None, group: str | None) -> Made:
    from toposmith.topology.exports.nccl_xml import design_xml

    return Made(_encoded([design_xml(design.plan, design.catalog, group)]))


def _ibsim(design: EvaluatedDesign, _progress: Progress | None, _group: str | None) -> Made:
    from toposmith.topology.exports.subnet_text import Subnet, ibsim_lines

    subnet = Subnet(design.plan, design.schedule)
    return Made(_encoded(ibsim_lines(subnet)), design.schedule_findings)


def _ibnetdiscover(design: EvaluatedDesign, _progress: Progress | None, _group: str | None) -> Made:
    from toposmith.topology.exports.subnet_text import Subnet, ibnetdiscover_lines

    subnet = Subnet(design.plan, design.schedule)
    return Made(_encoded(ibnetdiscover_lines(subnet)), design.schedule_findings)


def _racks_sheet(design: EvaluatedDesign) -> Sheet:
    from toposmith.topology.exports.drawing.racks import elevations_sheet

    return elevations_sheet(
        design.design.name, design.placement, design.elevations, design.rack_words
    )


def _svg(sheet: Sheet) -> Iterable[bytes]:
    from toposmith.topology.exports.drawing.svg import svg_text

    return _encoded([svg_text(sheet)])


def _png(sheet: Sheet) -> Iterable[bytes]:
    from toposmith.topology.exports.drawing.png import png_bytes

    return [png_bytes(sheet)]


def _encoded(lines: Iterable[str]) -> Iterable[bytes]:
    return (line.encode("utf-8") for line in lines)


_FORMS = (
    Form("html", "report, HTML: figures, drawing, bill, racks, findings", ".html", _html),
    Form("svg", "drawing of the fabric", ".svg", _fabric_svg),
    Form("png", "drawing of the fabric, PNG", ".png", _fabric_png, is_text=False),
    Form("cables", "cable schedule, point to point", ".cables.csv", _cables),
    Form("netbox-cables", "cables as NetBox imports them", ".netbox.csv", _netbox_cables),
    Form("elevations", "rack elevations, text", ".racks.txt", _elevations),
    Form("elevations-svg", "rack elevations, drawing", ".racks.svg", _racks_svg),
    Form("elevations-png", "rack elevations, PNG", ".racks.png", _racks_png, is_text=False),
    Form("graphml", "graph of all devices, GraphML", ".graphml", _graphml),
    Form("dot", "graph of all devices, Graphviz", ".dot", _dot),
    Form("ibsim", "InfiniBand fabric for the simulator ibsim", ".net", _ibsim),
    Form("ibnetdiscover", "InfiniBand fabric as ibnetdiscover says it", ".topo", _ibnetdiscover),
    Form("nccl-xml", "inside of a node, NCCL topology file", ".nccl.xml", _nccl_xml),
)
FORMS = {form.name: form for form in _FORMS}
"""Every form by its name, in the order in which they are offered."""
