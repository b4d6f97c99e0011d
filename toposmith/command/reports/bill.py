"""The bill of materials as a person at a terminal reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.bill.bill_table import bill_table
from toposmith.documents.aligned_text import table_lines
from toposmith.plain_text import visible

if TYPE_CHECKING:
    from toposmith.bill.bill import Bill
    from toposmith.design.document import Design

SHOWN = ("pieces", "part", "part number", "length m", "price")


def bill_report(bill: Bill, design: Design) -> str:
    """The lines of the bill, then its totals and what it lacks, in a line each."""
    table = bill_table(bill, design)
    wanted = (*SHOWN, "spares") if bill.spares.stated() else SHOWN
    shown = [at for at, title in enumerate(table.titles) if title in wanted]
    lacking = ", ".join(dict.fromkeys(f"{one.topic} {one.label}" for one in bill.to_settle))
    lines = [
        visible(bill.design) or "unnamed design",
        "",
        *table_lines(table.of_columns(shown)),
        "",
        f"{bill.orderable_words}; power {bill.power_w.words('W', 'power')}; "
        f"rack units {bill.rack_units.words('U', 'height')}",
        f"{bill.scope.words}{f'; not complete: {lacking}' if lacking else ''}",
        "-o FILE or --format writes all of it: yaml, csv, md, json, xlsx, cyclonedx",
    ]
    return "".join(f"{visible(line)}\n" for line in lines)
