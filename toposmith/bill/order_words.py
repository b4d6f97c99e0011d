"""Sentences about an order: its spares, its price, and the terms of its offers."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.bill.bill import Bill
from toposmith.bill.totals import PriceTotal
from toposmith.text import counted, money


def order_lines(bill: Bill) -> Iterator[str]:
    """Spares, the sum to pay, delivery times and expired offers.

    Empty where the order is just what the design needs and no offer has terms.
    """
    if bill.spares.stated():
        yield f"Spares: {bill.spares.words()}"
        if bill.spares_price.lines:
            yield f"Price of spares: {price_total_words(bill.spares_price)}"
    if paid := to_pay_words(bill):
        yield paid
    if wait := bill.lead_time_words:
        yield f"Lead time: {wait}"
    if ended := ended_words(bill):
        yield ended


def to_pay_words(bill: Bill) -> str:
    """What the order costs, where that is more than the design needs."""
    if not bill.order_price.known or bill.order_price.known == bill.price.known:
        return ""
    words = price_total_words(bill.order_price)
    return f"To pay, with spares and what is sold in no smaller lots: {words}"


def ended_words(bill: Bill) -> str:
    """Sources of offers that had expired when their list was read; their prices are still used."""
    over = [
        (line.part, line.price.valid_until)
        for line in bill.lines
        if line.price and line.price.ended
    ]
    if not over:
        return ""
    each = ", ".join(dict.fromkeys(f"{part} on {day}" for part, day in over if day))
    lines = counted(len(bill.lines), "line")
    return f"Offers that ended, of {len(over):,} of {lines}: {each}"


def price_total_words(total: PriceTotal) -> str:
    """A price by currency, with the lines that have none."""
    known = " and ".join(money(amount, currency) for currency, amount in total.known.items())
    if not total.lines:
        return "none"
    if total.complete:
        return known
    return f"{known or 'none'} known; {total.state} ({', '.join(total.lines_without)})"
