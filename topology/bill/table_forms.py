"""The bill as a table: CSV for a spreadsheet, Markdown for a page."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from topology.bill.bill import Bill, Total
from topology.bill.lines import BillLine
from topology.bill.plain_text import as_cell, as_markdown

_COLUMNS = (
    "kind",
    "part",
    "part_number",
    "vendor",
    "name",
    "description",
    "quantity",
    "length_m",
    "used_by",
    "unit_power_w",
    "power_w",
    "rack_units",
    "weight_kg",
    "unit_price",
    "unverified",
    "notes",
)


def bill_csv(bill: Bill) -> str:
    """The lines of the bill as CSV; an unknown figure is an empty cell, totals are left out."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for line in bill.lines:
        writer.writerow([_cell(getattr(line, column)) for column in _COLUMNS])
    return out.getvalue()


def bill_markdown(bill: Bill) -> str:
    """The bill as a Markdown page: lines, totals, counts, and what it lacks."""
    title = as_markdown(bill.design) or "unnamed design"
    state = "complete" if bill.complete else "INCOMPLETE, see Findings"
    blocks = [
        [f"# Bill of materials: {title}"],
        [
            f"Design sha256 `{bill.design_sha256[:16]}`, Toposmith {as_markdown(bill.program)}, "
            f"catalog of {bill.catalog_parts} parts sha256 `{bill.catalog_sha256[:16]}`; {state}."
        ],
        _table(
            ("Qty", "Part", "Part number", "Description", "Length m", "For", "Power W"),
            (_row(line) for line in bill.lines),
            right=(0, 4, 6),
        ),
        [
            f"- Power: {_total(bill.power_w, 'W')}",
            f"- Height: {_total(bill.rack_units, 'U')}",
            f"- Weight: {_total(bill.weight_kg, 'kg')}",
            "- Price: none; prices are yours",
        ],
        ["## Links"],
        _table(
            ("Link", "Gb/s", "Connections", "Cables or fibres", "Part"),
            (
                (
                    link.link,
                    str(link.speed_gbit),
                    f"{link.connections:,}",
                    "unknown" if link.cables is None else f"{link.cables:,}",
                    link.part or "",
                )
                for link in bill.links
            ),
            right=(1, 2, 3),
        ),
        ["## Cages"],
        _table(
            ("End", "Cages", "Modules"),
            ((end.end, f"{end.cages:,}", f"{end.modules:,}") for end in bill.ends),
            right=(1, 2),
        ),
    ]
    if bill.findings:
        blocks.append(["## Findings"])
        blocks.append(
            [
                f"- {finding.severity}: {as_markdown(finding.where)}: {as_markdown(finding.text)}"
                for finding in bill.findings
            ]
        )
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return as_cell("; ".join(str(item) for item in value))
    if isinstance(value, float):
        return f"{value:.12g}"
    return str(value) if isinstance(value, int) else as_cell(str(value))


def _row(line: BillLine) -> tuple[str, ...]:
    return (
        f"{line.quantity:,}",
        line.name,
        line.part_number or "unknown",
        "; ".join((line.description, *line.notes)),
        "" if line.length_m is None else f"{line.length_m:g}",
        ", ".join(line.used_by),
        "unknown" if line.power_w is None else f"{line.power_w:,.0f}",
    )


def _table(
    head: tuple[str, ...], rows: Iterable[tuple[str, ...]], *, right: tuple[int, ...]
) -> list[str]:
    rule = ["---:" if column in right else "---" for column in range(len(head))]
    shown = [" | ".join(as_markdown(cell) for cell in row) for row in rows]
    return [f"| {' | '.join(head)} |", f"| {' | '.join(rule)} |", *(f"| {row} |" for row in shown)]


def _total(total: Total, unit: str) -> str:
    if total.complete:
        return f"{total.known:,.10g} {unit}"
    without = ", ".join(as_markdown(part) for part in total.lines_without)
    return f"{total.known:,.10g} {unit} known; incomplete, not known for: {without}"
