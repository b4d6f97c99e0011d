"""The findings in the middle of the screen: each with its figure, its fix and its waiver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toposmith.design.document import Design
from toposmith.design.named_places import places_of
from toposmith.documents.table import Cell, Column, Note, Row, Table, Tone
from toposmith.findings.finding import (
    TONES,
    Finding,
    findings_words,
    head_tone,
    rank,
    severity_words,
)
from toposmith.tui.asking import REVIEW_REFUSAL, Asking, FlowOutcome, Say
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.flows.review_flow import waive
from toposmith.tui.flows.search_results import take_found
from toposmith.tui.views.listing import Key, Listing, On

if TYPE_CHECKING:
    from toposmith.review.sidecar.verdict import Review


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


def _said(
    review: Review, findings: tuple[Finding, ...] | None, design: Design, trouble: str
) -> object | None:
    """The findings, which are computed behind the figures, for the panels too."""
    return None if findings is None else (findings, design)


def _enter(on: On) -> Asking | FlowOutcome:
    """Preview the change that raises the figure of a finding; other findings have a place."""
    if on.of is None or "change" not in on.of.computed_values:
        return on.there
    found = on.here.figures.next
    fix = found.of_finding(on.of) if found is not None else None
    if on.here.bench.read_only:
        return Say(REVIEW_REFUSAL)
    return None if fix is None else take_found(on.here, fix)


FINDINGS = Listing(
    "findings",
    "Findings",
    about="the findings",
    said=_said,
    table=lambda found, asked, glyphs: findings_table(found[0], found[1], glyphs),
    keys=(
        Key("enter", "go there", "Go to the place that the line is about", _enter),
        Key(
            "w", "waive", "Waive the finding, with a reason; on a waived one take that back",
            lambda on: waive(on.here, on.of) if on.of else None,
            changes=True,
        ),
    ),
)  # fmt: skip
