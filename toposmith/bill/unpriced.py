"""The share of a bill without a price, by lines, pieces and power; by value it is unknown."""

from __future__ import annotations

from collections.abc import Sequence

from toposmith.bill.bill import Bill
from toposmith.bill.bill_lines import BillLine
from toposmith.bill.rack_lines import WITHOUT_POWER
from toposmith.text import counted, power


def unpriced(bill: Bill) -> list[BillLine]:
    """Lines with pieces to order but without a price."""
    return [line for line in bill.lines if line.order and line.price is None]


def unpriced_words(bill: Bill) -> str:
    """``2 of 4 lines, 9 of 80 pieces, 4 of 45 kW; their share of the value is unknown``."""
    bare = unpriced(bill)
    pieces, of = sum(line.order for line in bare), sum(line.order for line in bill.lines)
    return (
        f"{len(bare):,} of {counted(len(bill.lines), 'line')}, {pieces:,} of "
        f"{counted(of, 'piece')}{_power_share(bill, bare)}; their share of the value is unknown"
    )


def _power_share(bill: Bill, bare: Sequence[BillLine]) -> str:
    """``, 40.8 kW of 81.6 kW``: what lines draw by themselves, ``at least`` where some lack it."""
    drawing = [line for line in bare if line.kind not in WITHOUT_POWER]
    known = sum(line.added_power_w or line.least_power_w for line in drawing)
    if not known:
        return ""
    least = any(line.added_power_w is None for line in drawing)
    share = f"{'at least ' * least}{power(known)}"
    whole = f"{'at least ' * (not bill.power_w.complete)}{power(bill.power_w.at_least)}"
    return f", {share} of {whole}"
