"""Findings as a table: the worst first, waived ones last."""

from __future__ import annotations

import re
from collections.abc import Sequence

from topology.design.document import Design
from topology.fabric.plan import Finding
from tui.drawing.glyphs import Glyphs
from tui.views.table import Cell, Column, Row, Table
from tui.wording import counted

COLUMNS = (
    Column(""),
    Column("where", wide=26, fill=12),
    Column("reason", fill=24),
    Column("figure", rank=3, wide=28),
    Column("code", rank=2),
)
STYLES = {"error": "text-error", "warning": "text-warning", "info": ""}
_ORDER = {"error": 0, "warning": 1, "info": 2}
_LINK = re.compile(r"^links\[(\d+)\]")


def findings_table(findings: Sequence[Finding], design: Design, glyphs: Glyphs) -> Table:
    """Every finding with its place, and below it the figure, the way out and the waiver."""
    rows = tuple(_row(number, one, design, glyphs) for number, one in enumerate(findings))
    head = ((findings_words(findings), head_style(findings)),)
    return Table(COLUMNS, rows, head, "nothing is wrong that the program knows of")


def findings_words(findings: Sequence[Finding]) -> str:
    """``1 error, 2 warnings, 3 remarks, 1 waived``."""
    counts = [
        (sum(one.severity == severity and one.waived is None for one in findings), noun)
        for severity, noun in (("error", "error"), ("warning", "warning"), ("info", "remark"))
    ]
    said = [counted(many, noun) for many, noun in counts if many]
    waived = sum(one.waived is not None for one in findings)
    return ", ".join([*said, *([f"{waived} waived"] if waived else [])]) or "no findings"


def head_style(findings: Sequence[Finding]) -> str:
    """The colour of the worst that counts."""
    counts = {one.severity for one in findings if one.waived is None}
    return "$text-error" if "error" in counts else "$text-warning" if "warning" in counts else ""


def finding_of(row: Row, findings: Sequence[Finding]) -> Finding | None:
    """The finding that a row shows."""
    number = int(row.key.partition(" ")[0])
    return findings[number] if number < len(findings) else None


def places_of(where: str, design: Design) -> tuple[frozenset[str], frozenset[int]]:
    """The groups and links that a finding's place names."""
    if (link := _LINK.match(where)) is not None:
        index = int(link[1])
        return frozenset(), frozenset({index} if index < len(design.links) else ())
    links = {i for i, link in enumerate(design.links) if where == " - ".join(link.between)}
    if links:
        return frozenset(), frozenset(links)
    names = re.split(r" \+ |, ", where)
    groups = {re.split(r"[.\[ ]", name, maxsplit=1)[0] for name in names}
    return frozenset(groups & set(design.groups)), frozenset()


def _row(number: int, one: Finding, design: Design, glyphs: Glyphs) -> Row:
    waived = one.waived
    style = "text-disabled" if waived else STYLES[one.severity]
    rest = "text-disabled" if waived else ""
    sign = f"{glyphs.mark(one.severity)} {'waived' if waived else one.severity}"
    order = _ORDER[one.severity] + (3 if waived else 0)
    cells = (
        Cell(sign, order, style),
        Cell(one.where, one.where, rest),
        Cell(one.text, one.text, rest),
        Cell(one.figure or "", one.figure, rest),
        Cell(one.code, one.code, rest),
    )
    detail = [f"{one.where}: {one.text}"]
    detail += [f"figure: {one.figure}"] if one.figure else []
    detail += [f"way out: {one.remedy}"] if one.remedy else []
    if waived:
        until = f", until {waived.until}" if waived.until else ""
        detail.append(f"{one.severity}, waived {waived.date}{until}: {waived.reason}")
    groups, links = places_of(one.where, design)
    return Row(f"{number} {one.code} {one.where}", cells, tuple(detail), groups, links)
