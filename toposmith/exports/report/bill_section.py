"""The bill of materials in a report: every line, its totals, and missing figures."""

from __future__ import annotations

from toposmith.bill.bill import Bill
from toposmith.bill.bill_lines import BillLine
from toposmith.bill.cost import Delivered
from toposmith.bill.order_words import order_lines
from toposmith.bill.signature import signed_words
from toposmith.bill.totals import PriceTotal
from toposmith.catalog.kinds import KINDS
from toposmith.exports.report.markup import paragraph, table
from toposmith.text import UNKNOWN, counted, money, plain_number


def bill_section(bill: Bill, delivered: Delivered) -> str:
    """The bill as a table, after a line for each thing that it lacks."""
    priced = bool(bill.price.known)
    head = [
        "Qty",
        "Part number",
        "Description",
        "Length m",
        "For",
        "Power W",
        "Rack U",
        "Weight kg",
    ]
    foot = [
        "",
        "",
        f"Total of {counted(len(bill.lines), 'line')}",
        "",
        "",
        bill.power_w.amount(),
        bill.rack_units.amount(),
        bill.weight_kg.amount(),
    ]
    right = [0, 3, 5, 6, 7]
    if priced:
        head += ["Unit price", "Price", "Of, and terms"]
        foot += ["", price_words(bill.price), ""]
        right += [8, 9]
    spared = any(line.spares for line in bill.lines)
    if spared:
        head.append("Spares")
        foot.append("")
        right.append(len(head) - 1)
    states = [
        bill.power_w.state("power"),
        bill.rack_units.state("height"),
        bill.weight_kg.state("weight"),
    ]
    lacking = [state for state in states if state != "complete"]
    scope = f"{bill.scope.words}; {bill.orderable_words}. {signed_words(bill.signed)}"
    lines = [paragraph(f"Scope: {scope}")]
    if lacking:
        lines.append(paragraph("; ".join(lacking), "incomplete"))
    if bill.within_switches_words:
        lines.append(paragraph(f"{bill.within_switches_words}.", "muted"))
    if not bill.listed:
        missing = bill.scope.without_cable_words
        words = f"not on it are {missing}; " if missing else ""
        lines.append(paragraph(f"The bill is incomplete: {words}see the findings.", "incomplete"))
    if not priced:
        lines.append(paragraph("No price list was given, so there are no prices.", "muted"))
    else:
        lines.append(paragraph(f"{delivered.words(bill.price)}.", "muted"))
    lines += [paragraph(f"{words}.") for words in order_lines(bill)]
    if bill.racks and bill.racks.part is None:
        assumed = "" if bill.racks.complete else ", assumed"
        racks = f"Racks ({bill.racks.count:,} of {bill.racks.units} U{assumed}) are counted, but "
        racks += "not listed: "
        lines.append(paragraph(f"{racks}the design names no part for them.", "muted"))
    rows = (_bill_row(line, priced=priced, spared=spared) for line in bill.lines)
    return "".join((*lines, table(head, rows, right=right, foot=foot), *_to_settle(bill)))


def _to_settle(bill: Bill) -> list[str]:
    """Open items before the bill can be ordered."""
    if not bill.to_settle:
        return []
    rows = (
        (each.label, each.text.removeprefix(f"{each.label}: "), ", ".join(each.parts))
        for each in bill.to_settle
    )
    return [table(("", "What", "Parts"), rows, caption="To be settled")]


def _bill_row(line: BillLine, *, priced: bool, spared: bool) -> list[str]:
    # Cables and modules take no rack units of their own; of devices a height may be unknown.
    height = plain_number(line.rack_units) if KINDS[line.kind].racked else ""
    row = [
        f"{line.quantity:,}",
        line.ordered_as or f"{line.name} (part number not in this catalog)",
        "; ".join((line.description, *line.power_notes)),
        "" if line.length_m is None else plain_number(line.length_m),
        ", ".join(line.used_by),
        line.power_cell(),
        height,
        plain_number(line.weight_kg),
    ]
    if priced:
        price = line.price
        row.append(money(price.amount, price.currency) if price else UNKNOWN)
        row.append(
            money(line.total_price, price.currency)
            if price and line.total_price is not None
            else UNKNOWN
        )
        row.append(f"{price.date}, {price.stated}" if price else "")
    if spared:
        row.append(f"{line.spares:,}" if line.spares else "")
    return row


def price_words(total: PriceTotal) -> str:
    """The prices known, by currency."""
    return ", ".join(money(amount, currency) for currency, amount in total.known.items())
