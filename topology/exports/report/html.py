"""The report of a design as one HTML file: figures, drawings, bill, racks, schedule, findings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from toposmith.text import oversubscription
from toposmith.topology.analysis.result import HALVES, Analysis
from toposmith.topology.bill.bill import Bill
from toposmith.topology.bill.cost import Delivered
from toposmith.topology.exports.cable_schedule.rows import Schedule
from toposmith.topology.exports.drawing.fabric import fabric_sheet
from toposmith.topology.exports.drawing.racks import elevations_sheet
from toposmith.topology.exports.drawing.svg import DARK, LIGHT, palette_css, svg_text
from toposmith.topology.exports.report.bill_section import bill_section, price_words
from toposmith.topology.exports.report.markup import (
    UNKNOWN,
    cards,
    figure,
    paragraph,
    safe,
    section,
    share,
    table,
)
from toposmith.topology.exports.report.schedule_section import schedule_section
from toposmith.topology.fabric.plan import Finding, Plan
from toposmith.topology.fabric.severity import findings_words, severity_words, worst_first
from toposmith.topology.labels import Labelled
from toposmith.topology.racks.assumptions import NOT_LOOKED_AT
from toposmith.topology.racks.elevations import Elevation
from toposmith.topology.racks.placement import Placement, occupied_racks
from toposmith.topology.racks.wording import count_words
from toposmith.topology.units import rate_words

KINDS_DRAWN = 40
"""Kinds of racks that are drawn; a cluster has a handful."""


@dataclass(frozen=True)
class Contents:
    """Everything that a report is made from.

    ``analysis`` is of the job that the design names, ``delivered`` of all GPUs; ``rack_words`` are,
    for each elevation, what is said of its power and of its feeds; ``findings`` all that any part
    of the engine found.
    """

    plan: Plan
    analysis: Analysis
    bill: Bill
    delivered: Delivered
    placement: Placement
    elevations: Sequence[Elevation]
    rack_words: Sequence[tuple[str, str]]
    schedule: Schedule
    findings: Sequence[Finding]


def report_html(contents: Contents) -> str:
    """Write the report.

    It holds no script and fetches nothing; the same design gives the same bytes.
    """
    name = contents.plan.design.name or "unnamed design"
    sections: list[tuple[str, str, Callable[[Contents], str]]] = [
        ("drawing", "Drawing", _drawing),
        ("figures", "Figures", _figures),
        ("bill", "Bill of materials", lambda of: bill_section(of.bill, of.delivered)),
        ("racks", "Racks and power", _racks),
        ("schedule", "Cable schedule", lambda of: schedule_section(of.schedule)),
        ("findings", "Findings", _findings),
    ]
    links = "".join(f'<a href="#{anchor}">{safe(title)}</a>' for anchor, title, _ in sections)
    body = "".join(section(anchor, title, make(contents)) for anchor, title, make in sections)
    note = contents.plan.design.note
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{safe(name)}</title><style>{_css()}</style></head>\n<body><main>"
        f"<header><h1>{safe(name)}</h1>{paragraph(note, 'muted') if note else ''}"
        f"<nav>{links}</nav></header>{cards(_first_figures(contents))}{body}"
        f"{_provenance(contents.bill)}</main></body></html>\n"
    )


def _css() -> str:
    page = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    dark = f"@media(prefers-color-scheme:dark){{:root{{{palette_css(DARK)}}}}}"
    light = f"@media print{{:root{{{palette_css(LIGHT)}}}}}"
    return f":root{{color-scheme:light dark;{palette_css(LIGHT)}}}{dark}{light}{page}"


def _first_figures(contents: Contents) -> list[tuple[str, str]]:
    analysis, bill = contents.analysis, contents.bill
    at_least = "" if bill.power_w.complete else "at least "
    power = f"{at_least}{figure(bill.power_w.at_least / 1000, 'kW', 1)}"
    power = power if bill.power_w.at_least else UNKNOWN
    collective = analysis.collective.replace("_", "-")
    rows = [
        (f"{analysis.gpus:,}", f"GPUs in {analysis.nodes:,} nodes"),
        (
            _rate(analysis.busbw),
            f"per GPU, {collective} busbw of {analysis.communicator.words}, "
            f"{_predicted_words(analysis)}",
        ),
        (power, f"power, {bill.power_w.state('power')}"),
        (
            f"{len(occupied_racks(contents.placement)):,}",
            f"racks of {contents.placement.floor.units} U; {_rack_state(bill)}",
        ),
        (f"{contents.schedule.cables:,}", f"cables and fibres, {bill.scope.covers}"),
        (
            f"{bill.orderable:,} of {len(bill.lines):,}",
            "lines of the bill orderable: a whole part number, verified",
        ),
    ]
    if bill.price.known:
        rows.append((price_words(bill.price), f"price, {bill.price.state}"))
        cost = contents.delivered.cost(bill.price)
        if cost is not None:
            cost_words = contents.delivered.cost_words(cost)
            rows.append((cost_words, f"per GB/s of {collective} busbw of all GPUs together"))
    return rows


def _rack_state(bill: Bill) -> str:
    return bill.racks.state if bill.racks else UNKNOWN


def _drawing(contents: Contents) -> str:
    drawn = svg_text(fabric_sheet(contents.plan, contents.analysis), follows_page=True)
    return f'<div class="drawing">{drawn}</div>'


def _figures(contents: Contents) -> str:
    analysis = contents.analysis
    step = analysis.next_step
    rows = [
        ("Predicted busbw", _per_gpu(analysis.busbw), _reached_words(analysis)),
        ("Published results", *_published_words(analysis)),
        ("Bound", _per_gpu(_bound(analysis)), _bound_words(analysis)),
        ("Bisection", rate_words(analysis.bisection_GBps), HALVES.words),
        ("Limited by", *_limit_words(analysis)),
        (
            "If that is doubled",
            f"{rate_words(step.busbw_GBps)} per GPU" if step else UNKNOWN,
            f"then limited by {step.then}" if step else "",
        ),
    ]
    loads = (
        (
            load.link,
            f"{load.cables:,}",
            figure(load.capacity_GBps),
            figure(load.load_GBps, "", 2),
            share(load.utilization),
        )
        for load in analysis.limits
    )
    tiers = (
        (
            tier.tier,
            f"{tier.devices:,}",
            f"{tier.ports_down:,}",
            f"{tier.ports_up:,}",
            "topmost" if tier.oversubscription is None else oversubscription(tier.oversubscription),
        )
        for tier in analysis.tiers
    )
    what = f"{analysis.collective.replace('_', '-')} of {analysis.message_bytes:,} bytes in "
    what += f"{analysis.communicator.words}, "
    what += f"{analysis.algorithm} {analysis.protocol}, NCCL {analysis.nccl}, "
    what += f"{analysis.routing} routing".strip()
    return "".join(
        (
            paragraph(what, "muted"),
            table(("Figure", "Value", "What it is"), rows),
            table(
                ("Link", "Cables", "Capacity GB/s", "Load GB/s", "Full"),
                loads,
                right=(1, 2, 3, 4),
                caption="Links under this collective, per direction",
            ),
            table(
                ("Tier", "Switches", "Ports down", "Ports up", "Oversubscription"),
                tiers,
                right=(1, 2, 3, 4),
                caption="Tiers",
            ),
        )
    )


def _limit_words(analysis: Analysis) -> tuple[str, str]:
    """What limits the collective, and where."""
    if analysis.limited_by == "channels":
        return "NCCL's channels", "in the node; no link is full"
    if analysis.limited_by == "latency":
        return "latency", "at this message size"
    return ", ".join(load.link for load in analysis.limiting) or UNKNOWN, "the fullest links"


def _rate(rate: Labelled) -> str:
    return UNKNOWN if rate.value is None else rate.label.marked(rate_words(rate.value))


def _per_gpu(rate: Labelled) -> str:
    return UNKNOWN if rate.value is None else f"{_rate(rate)} per GPU"


def _bound(analysis: Analysis) -> Labelled:
    return Labelled(analysis.bound_busbw_GBps, analysis.bound_label)


def _predicted_words(analysis: Analysis) -> str:
    """That it is predicted, and what the prediction lacks."""
    label = analysis.busbw_label
    return f"predicted ({label.words})" if label.of else "predicted"


def _reached_words(analysis: Analysis) -> str:
    label = analysis.busbw_label
    return label.words if label.of else "what NCCL would reach"


def _published_words(analysis: Analysis) -> tuple[str, str]:
    """Where published results lay, as figures and in words; else why there is nothing to say."""
    band, busbw = analysis.band, analysis.busbw_GBps
    if band is None or busbw is None:
        return UNKNOWN, analysis.no_band
    low, high = (rate_words(busbw * (1 + end)) for end in (band.low, band.high))
    eight = "all " if band.is_span else "8 of 10 " if band.supports_8_of_10 else ""
    words = (
        f"{eight}published results of such systems: {band.low:+.0%} to {band.high:+.0%} of this "
        f"prediction ({band.systems} systems: {', '.join(band.names)}; {band.where})"
    )
    return f"{low} to {high}", words


def _bound_words(analysis: Analysis) -> str:
    label = analysis.bound_label
    if analysis.bound_busbw_GBps is None:
        return label.why
    if label.kind == "exact":
        return "exact optimum of any schedule on this wiring"
    return f"upper bound of any schedule on this wiring: {label.of}; {label.why}"


def _racks(contents: Contents) -> str:
    drawn, words = contents.elevations[:KINDS_DRAWN], contents.rack_words[:KINDS_DRAWN]
    rows = (
        (
            f"{len(one.alike):,}",
            ", ".join(one.alike[:8]) + (" ..." if len(one.alike) > 8 else ""),
            f"{one.load.units} of {one.height}",
            power,
            feeds,
        )
        for one, (power, feeds) in zip(contents.elevations, contents.rack_words, strict=True)
    )
    told = table(("Racks", "Which", "U taken", "Power and heat", "Feeds"), rows, right=(0, 2))
    if not drawn:
        return paragraph("No device of this design stands in a rack.")
    sheet = elevations_sheet(contents.plan.design.name, contents.placement, drawn, words)
    picture = f'<div class="drawing">{svg_text(sheet, follows_page=True)}</div>'
    racks = sum(len(one.alike) for one in contents.elevations)
    said = f"{count_words(contents.placement, racks)}. Power is the most that devices draw by the "
    said += "catalog; modules and cables are not counted. Not looked at: "
    return paragraph(f"{said}{NOT_LOOKED_AT}.", "muted") + told + picture


def _findings(contents: Contents) -> str:
    found = worst_first(contents.findings)
    said = paragraph(f"{findings_words(found)}.")
    if not found:
        return said
    rows = "".join(
        f'<tr><td class="{"info" if one.waived else one.severity}">{safe(severity_words(one))}'
        f"</td><td>{safe(one.where)}</td>"
        f"<td>{safe(one.text)}</td></tr>"
        for one in found
    )
    head = "<thead><tr><th>Severity</th><th>Where</th><th>What</th></tr></thead>"
    return f'{said}<div class="scroll"><table>{head}<tbody>{rows}</tbody></table></div>'


def _provenance(bill: Bill) -> str:
    words = (
        f"Written by Toposmith {bill.program}. Design {bill.design_sha256}; catalog of "
        f"{bill.catalog_parts} parts, {bill.catalog_sha256}. Bandwidth in GB/s of 10^9 bytes, per "
        "direction. A prediction is a model's; the design, its catalog and its findings say what "
        "is not known."
    )
    return f"<footer>{safe(words)}</footer>"
