"""The page of all parts: numbers, and which figures the catalog lacks or doubts."""

from __future__ import annotations

from collections.abc import Iterator

from docs.reference.tables import MADE, table
from toposmith.catalog import load_catalog
from toposmith.catalog.parts import Part

LACKING = ("power_w", "rack_units", "weight_kg")
"""Figures that racks and bills add up."""

SIZED = ("node", "switch", "nvlink-switch", "storage", "rack-system")
"""Kinds that stand in racks by themselves, so that height and weight count."""


def _number(part: Part) -> str:
    number = part.part_number or getattr(part, "family", None)
    doubted = " (unverified)" if "part_number" in part.unverified else ""
    return f"{number}{doubted}" if number else "-"


def _unknown(part: Part) -> str:
    fields = LACKING if part.kind in SIZED else LACKING[:1] if part.kind == "nic" else ()
    return ", ".join(each for each in fields if getattr(part, each, None) is None) or "-"


def _rows(parts: list[Part]) -> Iterator[tuple[str, ...]]:
    for part in parts:
        doubted = ", ".join(each for each in part.unverified if each != "part_number")
        yield f"`{part.id}`", part.name, _number(part), _unknown(part), doubted or "-"


def parts_page() -> str:
    """Every part by kind."""
    catalog = load_catalog()
    parts = sorted((*catalog, *catalog.facility), key=lambda each: each.id)
    lines = [MADE, "", "# Every part", ""]
    lines += [
        "Each figure with its source: `toposmith catalog show PART`. What was looked for and not",
        "found: [parts](catalog.md#what-the-catalog-lacks).",
        "",
    ]
    for kind in dict.fromkeys(sorted(part.kind for part in parts)):
        lines += [f"## {kind}", ""]
        head = ("id", "name", "number", "unknown", "unverified")
        lines += table(head, _rows([part for part in parts if part.kind == kind]))
    return "\n".join(lines)
