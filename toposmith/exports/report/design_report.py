"""The report of a design as one HTML file: figures, drawings, bill, racks, schedule, findings."""

from __future__ import annotations

from collections.abc import Callable

from toposmith.analysis.figures_table import figures_table, notes_of_figures
from toposmith.analysis.load_tables import LINKS_IN_WORDS, links_table, tiers_table
from toposmith.analysis.result import Analysis
from toposmith.analysis.summary import how_words
from toposmith.bill.bill import Bill
from toposmith.collectives import collective_name
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.drawing.fabric import fabric_sheet
from toposmith.exports.drawing.rack_fronts import elevations_sheet
from toposmith.exports.drawing.svg import svg_text
from toposmith.exports.report.bill_section import bill_section, price_words
from toposmith.exports.report.markup import (
    as_html,
    cards,
    document,
    paragraph,
    safe,
    section,
    table,
)
from toposmith.exports.report.schedule_section import schedule_section
from toposmith.findings.findings_table import findings_table
from toposmith.findings.severity import findings_words, worst_first
from toposmith.racks.placement import occupied_racks
from toposmith.racks.rack_assumptions import NOT_LOOKED_AT
from toposmith.racks.racks_in_words import count_words
from toposmith.text import (
    UNKNOWN,
    counted,
    message_size,
    power,
)

KINDS_DRAWN = 40
"""Kinds of racks that are drawn; a cluster has a handful."""


def report_html(design: EvaluatedDesign) -> str:
    """Write the report.

    It holds no script and fetches nothing; the same design gives the same bytes.
    """
    name = design.design.name or "unnamed design"
    sections: list[tuple[str, str, Callable[[EvaluatedDesign], str]]] = [
        ("drawing", "Drawing", _drawing),
        ("figures", "Figures", _figures),
        ("bill", "Bill of materials", lambda of: bill_section(of.bill, of.delivered)),
        ("racks", "Racks and power", _racks),
        ("schedule", "Cable schedule", lambda of: schedule_section(of.schedule)),
        ("findings", "Findings", _findings),
    ]
    links = "".join(f'<a href="#{anchor}">{safe(title)}</a>' for anchor, title, _ in sections)
    body = "".join(section(anchor, title, make(design)) for anchor, title, make in sections)
    note = design.design.note
    head = f"<header><h1>{safe(name)}</h1>{paragraph(note, 'muted') if note else ''}"
    return document(
        name,
        f"{head}<nav>{links}</nav></header>{cards(first_figures(design))}{body}"
        f"{_provenance(design.bill)}",
    )


def first_figures(design: EvaluatedDesign) -> list[tuple[str, str]]:
    """What a reader asks first: size, busbw, power, racks, cables, cost; each with what it is."""
    analysis, bill = design.analysis, design.bill
    collective = collective_name(analysis.collective)
    racks = len(occupied_racks(design.placement))
    of = "rack of" if racks == 1 else "racks of"
    rows = [
        (f"{analysis.gpus:,}", f"GPUs in {counted(analysis.nodes, 'node')}"),
        (
            analysis.busbw.words,
            f"per GPU, {collective} busbw of {analysis.communicator.words}, "
            f"{_predicted_words(analysis)}",
        ),
        (bill.power_w.said(power), f"power, {bill.power_w.state('power')}"),
        (
            f"{racks:,}",
            f"{of} {design.placement.floor.units} U; {_rack_state(bill)}",
        ),
        (f"{design.schedule.cables:,}", f"cables and fibres, {bill.scope.covers}"),
        (
            f"{bill.orderable:,} of {len(bill.lines):,}",
            "lines of the bill orderable: a whole part number, verified",
        ),
    ]
    if bill.price.known:
        rows.append((price_words(bill.price), f"price, {bill.price.state}"))
        if bill.order_price.known != bill.price.known:
            order = price_words(bill.order_price)
            rows.append((order, f"to pay, with spares and smallest lots, {bill.order_price.state}"))
        cost = design.delivered.cost(bill.price)
        if cost is not None:
            cost_words = design.delivered.cost_words(cost)
            rows.append((cost_words, f"per GB/s of {collective} busbw of all GPUs together"))
    return rows


def _rack_state(bill: Bill) -> str:
    return bill.racks.state if bill.racks else UNKNOWN


def _drawing(design: EvaluatedDesign) -> str:
    drawn = svg_text(fabric_sheet(design.plan, design.analysis), follows_page=True)
    return f'<div class="drawing">{drawn}</div>'


def _figures(design: EvaluatedDesign) -> str:
    analysis = design.analysis
    collective = collective_name(analysis.collective)
    what = f"{collective} of {message_size(analysis.message_bytes)} in "
    what += f"{analysis.communicator.words}, {how_words(analysis)}, "
    what += f"NCCL {analysis.nccl}, " if design.plan.nccl else ""
    what += f"{analysis.routing} routing"
    return "".join(
        (
            paragraph(what, "muted"),
            as_html(figures_table(analysis)),
            *(paragraph(f"{note}.", "muted") for note in notes_of_figures(analysis)),
            as_html(
                links_table(analysis.limits, analysis),
                caption=f"Links under this collective, per direction; {LINKS_IN_WORDS}",
            ),
            as_html(tiers_table(analysis), caption="Tiers"),
        )
    )


def _predicted_words(analysis: Analysis) -> str:
    """That it is predicted, and what the prediction lacks."""
    label = analysis.busbw_label
    return f"predicted ({label.words})" if label.of else "predicted"


def _racks(design: EvaluatedDesign) -> str:
    drawn, words = design.elevations[:KINDS_DRAWN], design.rack_words[:KINDS_DRAWN]
    rows = (
        (
            f"{len(one.alike):,}",
            ", ".join(one.alike[:8]) + (" ..." if len(one.alike) > 8 else ""),
            f"{one.load.units} of {one.height}",
            power,
            feeds,
        )
        for one, (power, feeds) in zip(design.elevations, design.rack_words, strict=True)
    )
    told = table(("Racks", "Which", "U taken", "Power and heat", "Feeds"), rows, right=(0, 2))
    if not drawn:
        return paragraph("No device of this design is placed in a rack.")
    sheet = elevations_sheet(design.design.name, design.placement, drawn, words)
    picture = f'<div class="drawing">{svg_text(sheet, follows_page=True)}</div>'
    racks = sum(len(one.alike) for one in design.elevations)
    said = f"{count_words(design.placement, racks)}. Power is the most that devices draw by the "
    said += "catalog; modules and cables are not counted. Not looked at: "
    return paragraph(f"{said}{NOT_LOOKED_AT}.", "muted") + told + picture


def _findings(design: EvaluatedDesign) -> str:
    found = worst_first(design.all_findings)
    said = paragraph(f"{findings_words(found)}.")
    if not found:
        return said
    return said + as_html(findings_table(found))


def _provenance(bill: Bill) -> str:
    words = (
        f"Written by Toposmith {bill.program}. Design {bill.design_sha256}; catalog of "
        f"{bill.catalog_parts} parts, {bill.catalog_sha256}. Bandwidth in GB/s of 10^9 bytes, per "
        "direction. A prediction is a model's; the design, its catalog and its findings say what "
        "is not known."
    )
    return f"<footer>{safe(words)}</footer>"
