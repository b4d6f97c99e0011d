"""The report of a design as one HTML file: figures, drawings, bill, racks, schedule, findings."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from toposmith.analysis.figures_table import figures_table, notes_of_figures
from toposmith.analysis.load_tables import LINKS_IN_WORDS, links_table, tiers_table
from toposmith.analysis.result import Analysis
from toposmith.analysis.summary import how_words
from toposmith.bill.bill import Bill
from toposmith.bill.bill_lines import BillLine
from toposmith.bill.order_words import order_lines
from toposmith.bill.terms import signed_words
from toposmith.bill.totals import PriceTotal
from toposmith.catalog.kinds import KINDS
from toposmith.collectives import collective_name
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.cable_schedule.schedule_csv import point_to_point_csv
from toposmith.exports.cable_schedule.schedule_rows import CableRow, Schedule, ScheduledEnd
from toposmith.exports.drawing.fabric import fabric_sheet
from toposmith.exports.drawing.rack_fronts import elevations_sheet
from toposmith.exports.drawing.svg import svg_text
from toposmith.exports.report.markup import (
    as_html,
    cards,
    document,
    paragraph,
    safe,
    section,
    table,
)
from toposmith.findings.finding import findings_table, findings_words, worst_first
from toposmith.racks.placement import occupied_racks
from toposmith.racks.rack_loads import NOT_LOOKED_AT, count_words
from toposmith.text import UNKNOWN, counted, message_size, money, plain_number, power


class _Column(NamedTuple):
    """A column of the bill: its title, its cell of a line, its total; figures stand right."""

    title: str
    cell: Callable[[BillLine], str]
    total: Callable[[Bill], str] = lambda bill: ""
    right: bool = False


_COLUMNS = (
    _Column("Qty", lambda line: f"{line.quantity:,}", right=True),
    _Column("Part number",
            lambda line: line.ordered_as or f"{line.name} (part number not in this catalog)"),
    _Column("Description", lambda line: "; ".join((line.description, *line.power_notes)),
            lambda bill: f"Total of {counted(len(bill.lines), 'line')}"),
    _Column("Length m", lambda line: "" if line.length_m is None else plain_number(line.length_m),
            right=True),
    _Column("For", lambda line: ", ".join(line.used_by)),
    _Column("Power W", BillLine.power_cell, lambda bill: bill.power_w.amount(), right=True),
    # Cables and modules take no rack units of their own; of devices a height may be unknown.
    _Column("Rack U",
            lambda line: plain_number(line.rack_units) if KINDS[line.kind].racked else "",
            lambda bill: bill.rack_units.amount(), right=True),
    _Column("Weight kg", lambda line: plain_number(line.weight_kg),
            lambda bill: bill.weight_kg.amount(), right=True),
)  # fmt: skip


def _unit_price(line: BillLine) -> str:
    return money(line.price.amount, line.price.currency) if line.price else UNKNOWN


def _line_price(line: BillLine) -> str:
    if line.price is None or line.total_price is None:
        return UNKNOWN
    return money(line.total_price, line.price.currency)


_PRICES = (
    _Column("Unit price", _unit_price, right=True),
    _Column("Price", _line_price, lambda bill: price_words(bill.price), right=True),
    _Column("Of, and terms",
            lambda line: f"{line.price.date}, {line.price.stated}" if line.price else ""),
)  # fmt: skip
_SPARES = _Column("Spares", lambda line: f"{line.spares:,}" if line.spares else "", right=True)


def bill_section(bill: Bill, bought: Sequence[str]) -> str:
    """The bill as a table, after a line for each thing that it lacks."""
    columns = [*_COLUMNS, *(_PRICES if bill.price.known else ())]
    if any(line.spares for line in bill.lines):
        columns.append(_SPARES)
    told = table(
        [column.title for column in columns],
        ([column.cell(line) for column in columns] for line in bill.lines),
        right=[at for at, column in enumerate(columns) if column.right],
        foot=[column.total(bill) for column in columns],
    )
    return "".join((*_bill_notes(bill, bought), told, *_to_settle(bill)))


def _bill_notes(bill: Bill, bought: Sequence[str]) -> Iterator[str]:
    scope = f"{bill.scope.words}; {bill.orderable_words}. {signed_words(bill.signed)}"
    yield paragraph(f"Scope: {scope}")
    states = (bill.power_w.state("power"), bill.rack_units.state("height"),
              bill.weight_kg.state("weight"))  # fmt: skip
    if lacking := [state for state in states if state != "complete"]:
        yield paragraph("; ".join(lacking), "incomplete")
    if bill.within_switches_words:
        yield paragraph(f"{bill.within_switches_words}.", "muted")
    if not bill.listed:
        missing = bill.scope.without_cable_words
        words = f"not on it are {missing}; " if missing else ""
        yield paragraph(f"The bill is incomplete: {words}see the findings.", "incomplete")
    unpriced = ("No price list was given, so there are no prices",)
    for words in bought if bill.price.known else unpriced:
        yield paragraph(f"{words}.", "muted")
    for words in order_lines(bill):
        yield paragraph(f"{words}.")
    if bill.racks and bill.racks.part is None:
        assumed = "" if bill.racks.complete else ", assumed"
        racks = f"Racks ({bill.racks.count:,} of {bill.racks.units} U{assumed}) are counted, but "
        racks += "not listed: "
        yield paragraph(f"{racks}the design names no part for them.", "muted")


def _to_settle(bill: Bill) -> list[str]:
    """Open items before the bill can be ordered."""
    if not bill.to_settle:
        return []
    rows = (
        (each.label, each.text.removeprefix(f"{each.label}: "), ", ".join(each.parts))
        for each in bill.to_settle
    )
    return [table(("", "What", "Parts"), rows, caption="To be settled")]


def price_words(total: PriceTotal) -> str:
    """The prices known, by currency."""
    return ", ".join(money(amount, currency) for currency, amount in total.known.items())


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
        ("bill", "Bill of materials", lambda of: bill_section(of.bill, of.bought)),
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
