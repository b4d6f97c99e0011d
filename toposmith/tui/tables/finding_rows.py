"""Findings as a table: the worst first, waived ones last."""

from __future__ import annotations

from collections.abc import Sequence

from toposmith.design.document import Design
from toposmith.design.named_places import places_of
from toposmith.documents.table import Cell, Column, Note, Row, Table, Tone
from toposmith.findings.finding import Finding, counts, findings_words, rank, severity_words
from toposmith.findings.findings_table import TONES
from toposmith.tui.drawing.glyphs import Glyphs

COLUMNS = (
    Column(""),
    Column("where", wide=26, fill=12),
    Column("reason", fill=24, wraps=True),
    Column("figure", rank=3, wide=20),
    Column("code", rank=2),
)


def findings_table(findings: Sequence[Finding], design: Design, glyphs: Glyphs) -> Table:
    """Every finding with its place, and below it the figure, the fix and the waiver."""
    rows = tuple(_row(number, one, design, glyphs) for number, one in enumerate(findings))
    head = (Note(findings_words(findings), head_tone(findings)),)
    return Table(COLUMNS, rows, head, "nothing is wrong that the program knows of")


def head_tone(findings: Sequence[Finding]) -> Tone:
    """The tone of the worst that counts."""
    found = counts(findings)
    return Tone.BAD if found["error"] else Tone.WARNING if found["warning"] else Tone.PLAIN


def _row(number: int, one: Finding, design: Design, glyphs: Glyphs) -> Row:
    waived = one.waived
    tone = Tone.DIM if waived else TONES[one.severity]
    rest = Tone.DIM if waived else Tone.PLAIN
    sign = f"{glyphs.mark(one.severity)} {'waived' if waived else one.severity}"
    cells = (
        Cell(sign, rank(one), tone),
        Cell(one.where, one.where, rest),
        Cell(one.text, one.text, rest),
        Cell(one.figure or "", one.figure, rest),
        Cell(one.code, one.code, rest),
    )
    detail = [f"{one.where}: {one.text}"]
    detail += [f"figure: {one.figure}"] if one.figure else []
    shown = " (Enter previews it, Enter again makes it)" if "change" in one.computed_values else ""
    detail.append(f"fix: {one.fix}{shown}")
    if waived:
        detail.append(severity_words(one))
    groups, links = places_of(one.place, design)
    return Row(f"{number} {one.code} {one.where}", cells, tuple(detail), groups, links, one)
