"""Lists of parts and templates, and the card of a part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from topology.bill.plain_text import visible
from tui.reports.table import columns

if TYPE_CHECKING:
    from catalog import AnyPart, Catalog
    from topology.templates import Template


def catalog_report(parts: Sequence[AnyPart], catalog: Catalog) -> str:
    """A line for each part: id, kind, name, and what it is."""
    from catalog.card import one_line

    rows = [
        (part.id, part.kind, visible(part.name), visible(one_line(part, catalog))) for part in parts
    ]
    return "\n".join(columns(("part", "kind", "name", "is"), rows)) + "\n"


def part_report(part: AnyPart, catalog: Catalog) -> str:
    """The card of a part: every figure, and where it is from."""
    from catalog.card import part_card

    card = part_card(part, catalog)
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
                "" if parameter.default is None else f"{parameter.default}",
                parameter.help,
            )
            for parameter in template.parameters
        ]
        lines += [*columns(("  setting", "default", ""), rows), ""]
    return "\n".join(lines)
