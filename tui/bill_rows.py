"""The bill of materials as a table."""

from __future__ import annotations

from topology.bill.bill import Bill, Total
from topology.bill.lines import KINDS, BillLine
from topology.design.document import Design
from tui.views.table import Cell, Column, Row, Table
from tui.wording import UNKNOWN, counted

_COLUMNS = (
    Column("quantity", right=True),
    Column("part", wide=34),
    Column("kind", rank=4),
    Column("length m", rank=3, right=True),
    Column("power W", rank=2, right=True),
    Column("RU", rank=3, right=True),
    Column("weight kg", rank=6, right=True),
    Column("part number", rank=5, wide=24),
    Column("for", rank=7, wide=40),
)


def bill_table(bill: Bill, design: Design) -> Table:
    """Lines of the bill with their figures; what is not known says so.

    Parameters
    ----------
    bill : Bill
        What is to be bought.
    design : Design
        The design that it is for, to find the places on the canvas.
    """
    head = [
        (f"power {_total(bill.power_w, 'W')}", ""),
        (f"rack units {_total(bill.rack_units, 'RU')}", ""),
    ]
    if not bill.complete:
        head.append(
            ("incomplete: something of the design is not on it (f says what)", "$text-warning")
        )
    rows = tuple(_row(line, number, design) for number, line in enumerate(bill.lines))
    return Table(_COLUMNS, rows, tuple(head), "nothing to buy yet")


def places(used_by: tuple[str, ...], design: Design) -> tuple[frozenset[str], frozenset[int]]:
    """The groups and links that the ends and labels of a bill's line name."""
    links = {
        index for index, link in enumerate(design.links) if " - ".join(link.between) in used_by
    }
    groups = {name.partition(".")[0] for name in used_by if " - " not in name}
    return frozenset(groups & set(design.groups)), frozenset(links)


def _row(line: BillLine, number: int, design: Design) -> Row:
    groups, links = places(line.used_by, design)
    cells = (
        Cell(f"{line.quantity:,}", line.quantity),
        Cell(line.name, line.name),
        Cell(line.kind, KINDS.index(line.kind)),
        _figure(line.length_m),
        _figure(line.power_w) if line.unit_power_w != 0 else Cell("0", 0),
        _figure(line.rack_units),
        _figure(line.weight_kg),
        Cell(line.part_number or UNKNOWN, line.part_number),
        Cell(", ".join(line.used_by), ", ".join(line.used_by)),
    )
    detail = (
        f"{line.vendor} {line.name}, {line.part_number or 'part number unknown'}",
        line.description,
        f"for {', '.join(line.used_by)}",
        *line.notes,
    )
    return Row(f"{line.part} {line.length_m} {number}", cells, detail, groups, links)


def _figure(value: float | None) -> Cell:
    return Cell("-", None) if value is None else Cell(f"{value:,.10g}", value)


def _total(total: Total, unit: str) -> str:
    known = f"{total.known:,.10g} {unit}"
    if total.complete:
        return known
    lines = counted(len(total.lines_without), "part")
    return f"{known} and more: {lines} of unknown figure"
