"""Lists of parts and templates, and the card of a part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from toposmith.catalog.card import one_line, part_card
from toposmith.catalog.search import CardValue, ComparedRow, compared_rows
from toposmith.documents.aligned_text import columns
from toposmith.plain_text import visible
from toposmith.text import money, wrapped

if TYPE_CHECKING:
    from toposmith.catalog import Catalog, Part
    from toposmith.catalog.prices import PriceList
    from toposmith.templates import Parameter, Template

CELL_COLUMNS = 44
"""Width of a figure's column for two parts side by side, to fit 120 columns."""


def catalog_report(parts: Sequence[Part], catalog: Catalog, prices: PriceList | None = None) -> str:
    """A line for each part: id, kind, name, what it is, and with price lists what it costs."""
    head = ("part", "kind", "name", "is", *(("price",) if prices else ()))
    rows = []
    for part in parts:
        row = (part.id, part.kind, visible(part.name), visible(one_line(part, catalog)))
        rows.append((*row, *((_price(part, prices)[0],) if prices else ())))
    return "\n".join(columns(head, rows)) + "\n"


def parts_report(one: Part, other: Part, catalog: Catalog, prices: PriceList | None = None) -> str:
    """The cards of two parts side by side; rows that differ begin with a star."""
    rows = compared_rows(one, other, catalog)
    if prices:
        rows.append(
            ComparedRow("Price", *(CardValue(*_price(part, prices)) for part in (one, other)))
        )
    told = []
    for row in rows:
        cells = [wrapped(_said(cell), CELL_COLUMNS) for cell in (row.one, row.other)]
        first = ("*" if row.differs else "", row.label)
        for number, pair in enumerate(zip_longest(*cells, fillvalue="")):
            told.append((*(first if number == 0 else ("", "")), *pair))
    return "\n".join(columns(("", "", visible(one.id), visible(other.id)), told)) + "\n"


def _said(cell: CardValue | None) -> str:
    """A figure with its own source behind it."""
    if cell is None:
        return "-"
    return visible(f"{cell.value} ({cell.mark})" if cell.mark else cell.value)


def _price(part: Part, prices: PriceList | None) -> tuple[str, str]:
    """The price of a part, and its source; empty where no list has it."""
    price = prices.price(part.id) if prices else None
    if price is None:
        return "unknown", ""
    return money(price.amount, price.currency), f"{price.stated}, {price.date}"


def part_report(part: Part, catalog: Catalog, prices: PriceList | None = None) -> str:
    """The card of a part: every figure, and where it is from."""
    card = part_card(part, catalog)
    if prices:
        card.append(("Price", *_price(part, prices)))
    wide = max(len(label) for label, _, _ in card)
    lines = [visible(part.id)]
    for label, value, source in card:
        origin = f"  ({visible(source)})" if source else ""
        lines.append(f"  {label:{wide}}  {visible(value)}{origin}")
    return "\n".join(lines) + "\n"


def templates_report(templates: Mapping[str, Template]) -> str:
    """Every template with its settings and their defaults."""
    lines: list[str] = []
    for template in templates.values():
        lines += [f"{template.name}: {template.help}"]
        rows = [
            (
                f"  {parameter.name}",
                _usual(parameter),
                parameter.help,
            )
            for parameter in template.parameters
        ]
        lines += [*columns(("  setting", "default", ""), rows), ""]
    return "\n".join(lines)


def templates_as_data(templates: Mapping[str, Template]) -> list[dict[str, Any]]:
    """The same as data."""
    return [
        {
            "name": template.name,
            "help": template.help,
            "settings": [
                {"name": one.name, "default": _usual(one) or None, "help": one.help}
                for one in template.parameters
            ],
        }
        for template in templates.values()
    ]


def _usual(parameter: Parameter) -> str:
    """The default of a setting; empty where the template computes it."""
    if parameter.follows:
        return f"as {parameter.follows}"
    return "" if parameter.default is None else f"{parameter.default}"
