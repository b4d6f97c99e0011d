"""The bill as a table: CSV for a spreadsheet, Markdown for a page."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any

from toposmith.bill.bill import Bill
from toposmith.bill.bill_lines import BillLine
from toposmith.bill.order_words import ended_words, price_total_words, to_pay_words
from toposmith.bill.terms import OPTIONS, SIGNED, options_text, signed_words
from toposmith.bill.totals import PriceTotal, RackCount, Total
from toposmith.bill.unsettled_items import may_count_twice
from toposmith.bill.yaml_form import bill_data
from toposmith.documents.markdown import as_markdown
from toposmith.leaving_text import CellWriter, as_cell
from toposmith.text import UNKNOWN, counted, money, plain_number

COLUMNS = (
    "kind",
    "part",
    "part_number",
    "family",
    "orderable",
    "manufacturer",
    "name",
    "description",
    "length_m",
    "quantity",
    "spares",
    "order",
    "used_by",
    "unit_power_w",
    "power_w",
    "power_includes_modules",
    "in_switch_power",
    "unit_rack_units",
    "rack_units",
    "unit_weight_kg",
    "weight_kg",
    "unit_price",
    "price",
    "currency",
    "price_date",
    "price_source",
    "unverified",
    "notes",
)
"""Of the tables: fields of a line, under the names that they have in YAML."""

SCOPE = "scope"
"""The column of the CSV form that says, in every line, what the bill is of."""

_HEAD = (
    *("Qty", "Spares", "Part", "Part number", "Description"),
    *("Length m", "For", "Power W", "Unit price", "Price"),
)


def bill_csv(bill: Bill) -> str:
    """The lines of the bill as CSV; an unknown figure is an empty cell, totals are left out."""
    out = io.StringIO()
    writer = CellWriter(out, "\r\n")
    signed = (SIGNED, cell_text(signed_words(bill.signed))) if bill.signed else ()
    writer.write_row((*COLUMNS, SCOPE, OPTIONS, *signed[:1]))
    data = bill_data(bill)
    options = options_text(data["policy"])
    for line in csv_lines(data):
        writer.write_row((*line.values(), options, *signed[1:]))
    return out.getvalue()


def csv_lines(data: dict[str, Any]) -> list[dict[str, str]]:
    """The cells of every line, of a bill as plain data; each says what the bill is of."""
    scope = f"{data['scope']['text']}; {data['orderable']['text']}"
    return [
        {column: cell_text(line[column]) for column in COLUMNS} | {SCOPE: cell_text(scope)}
        for line in data["lines"]
    ]


def cell_text(value: object) -> str:
    """A value as a cell of CSV: lists with semicolons, text that no spreadsheet obeys."""
    if value is None:
        return ""
    if isinstance(value, (list, tuple)):
        return as_cell("; ".join(str(item) for item in value))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value) if isinstance(value, int) else as_cell(str(value))


def bill_markdown(bill: Bill, bought: Sequence[str] = ()) -> str:
    """The bill as a Markdown page: lines, totals, counts, and what it lacks.

    ``bought`` says, a line each, what bandwidth it buys and what that costs.
    """
    title = as_markdown(bill.design) or "unnamed design"
    state = "complete" if bill.complete else "INCOMPLETE, see To be settled"
    blocks = [
        [f"# Bill of materials: {title}"],
        [
            f"Design sha256 `{bill.design_sha256[:16]}`, Toposmith {as_markdown(bill.program)}, "
            f"catalog of {bill.catalog_parts} parts sha256 `{bill.catalog_sha256[:16]}`; {state}. "
            f"Cabling: {bill.policy.cabling}, lengths: {bill.lengths}{_stock(bill)}. "
            f"Spares: {as_markdown(bill.spares.words())}. {_signed(bill)}"
        ],
        [f"- Scope: {as_markdown(bill.scope.words)}", f"- {as_markdown(bill.orderable_words)}"],
        _table(
            _HEAD,
            (row for line in bill.lines for row in (_row(line), *_included_rows(line))),
            right=(0, 1, 5, 7, 8, 9),
        ),
        [
            f"- Power: {_total(bill.power_w, 'W', 'power')}{_about_modules(bill)}",
            f"- Racks: {_racks(bill.racks)}",
            f"- Height: {_total(bill.rack_units, 'U', 'height')}",
            f"- Weight: {_total(bill.weight_kg, 'kg', 'weight')}",
            f"- Price: {_price(bill)}",
            f"- Price of spares: {_price_total(bill.spares_price)}",
            *(
                f"- {as_markdown(words)}"
                for words in (to_pay_words(bill), ended_words(bill))
                if words
            ),
            *([f"- Lead time: {as_markdown(wait)}"] if (wait := bill.lead_time_words) else []),
            *(f"- Bandwidth: {words}" for words in bought),
        ],
        ["## Links"],
        _table(
            ("Link", "Gb/s", "Connections", "Cables or fibres", "Part", "Length m"),
            (
                (
                    link.link,
                    str(link.speed_gbit),
                    f"{run.connections:,}",
                    "unknown" if run.cables is None else f"{run.cables:,}",
                    run.part or "",
                    "" if run.length_m is None else plain_number(run.length_m),
                )
                for link in bill.links
                for run in link.runs
            ),
            right=(1, 2, 3, 5),
        ),
        ["## Cages"],
        _table(
            ("End", "Cages", "Modules"),
            ((end.end, f"{end.cages:,}", f"{end.modules:,}") for end in bill.ends),
            right=(1, 2),
        ),
    ]
    if bill.to_settle:
        blocks.append(["## To be settled"])
        blocks.append([f"- {as_markdown(each.words)}" for each in bill.to_settle])
    if bill.findings:
        blocks.append(["## Findings"])
        blocks.append(
            [
                f"- {finding.severity}: {as_markdown(finding.where)}: {as_markdown(finding.text)}"
                for finding in bill.findings
            ]
        )
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _row(line: BillLine) -> tuple[str, ...]:
    price, total = line.price, line.total_price
    return (
        f"{line.quantity:,}",
        f"{line.spares:,}" if line.spares else "",
        line.name,
        line.ordered_as or "unknown",
        "; ".join((line.description, *line.power_notes, *line.notes)),
        "" if line.length_m is None else plain_number(line.length_m),
        ", ".join(line.used_by),
        line.power_cell(),
        UNKNOWN if price is None else money(price.amount, price.currency),
        UNKNOWN if price is None or total is None else money(total, price.currency),
    )


def _included_rows(line: BillLine) -> Iterable[tuple[str, ...]]:
    """What comes with a line, below it and without a quantity of its own."""
    for one in line.includes:
        yield ("", "", "", "", f"included: {one.words}", "", "", "", "", "")


def _table(
    head: tuple[str, ...], rows: Iterable[tuple[str, ...]], *, right: tuple[int, ...]
) -> list[str]:
    rule = ["---:" if column in right else "---" for column in range(len(head))]
    shown = [" | ".join(as_markdown(cell) for cell in row) for row in rows]
    return [f"| {' | '.join(head)} |", f"| {' | '.join(rule)} |", *(f"| {row} |" for row in shown)]


def _racks(racks: RackCount | None) -> str:
    if racks is None:
        return "unknown"
    whole = f", {racks.whole:,} of them sold whole" if racks.whole else ""
    bought = f", {racks.part}" if racks.part else "; no part of theirs is named"
    fed = f", {counted(racks.feeds, 'PDU')} in each" if racks.feeds else ""
    mark = "" if racks.complete else " (assumed)"
    lacks = "" if racks.complete else f"; {racks.state}"
    if racks.unplaced:
        return as_markdown(racks.state)
    return as_markdown(f"{racks.count:,}{mark} of {racks.units} U{whole}{bought}{fed}{lacks}")


def _total(total: Total, unit: str, figure: str) -> str:
    words = total.words(unit, figure)
    return words if total.complete else f"{words} ({_parts(total)})"


def _about_modules(bill: Bill) -> str:
    """That modules are counted beside switches whose power may include them."""
    within = f"; {bill.within_switches_words}" if bill.within_switches_words else ""
    twice = may_count_twice(bill.lines)
    if not twice:
        return within
    return f"{within}; modules may be counted twice ({as_markdown(', '.join(twice))})"


def _price_total(total: PriceTotal) -> str:
    return as_markdown(price_total_words(total))


def _price(bill: Bill) -> str:
    """What it costs; without a price list where prices would come from."""
    if bill.prices_sha256 is None and bill.price.lines:
        return (
            "unknown; no price list was given (`--prices FILE`; `toposmith bom --vendors` writes "
            "requests for quotation that become one)"
        )
    return _price_total(bill.price)


def _parts(total: Total) -> str:
    return ", ".join(as_markdown(part) for part in total.lines_without)


def _signed(bill: Bill) -> str:
    return as_markdown(signed_words(bill.signed))


def _stock(bill: Bill) -> str:
    """``, in stock: 5, 10, 30 m`` where cables are ordered in such lengths."""
    lengths = bill.policy.stock_lengths_m
    return f", in stock: {', '.join(map(plain_number, lengths))} m" if lengths else ""
