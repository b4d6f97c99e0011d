"""Differences of two designs as a table: what changed, and what follows, before beside after."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.design.document import Design
from toposmith.findings.finding import Finding
from toposmith.review.differences.changes import Change
from toposmith.review.differences.consequences import Differences, FigureChange, PartChange
from toposmith.review.differences.differences_in_words import (
    NO_COMMON,
    change_words,
    figure_words,
    headline,
)
from toposmith.text import plain_number
from toposmith.tui.tables.findings import places_of
from toposmith.tui.tables.named_places import named_places
from toposmith.tui.views.table import Cell, Column, Row, Table

_WHAT = ("change", "figure", "part", "finding")


def differences_table(found: Differences, design: Design) -> Table:
    """Changes, figures, parts to buy or return, findings gained and resolved.

    Parameters
    ----------
    found : Differences
        From an older design to this one.
    design : Design
        This one, to find places on the canvas.
    """
    old, new = found.old.source, found.new.source
    columns = (
        Column("", rank=2),
        Column("what", fill=18, wraps=True),
        Column("before", fill=12, wraps=True),
        Column("after", fill=12, wraps=True),
        Column("difference", fill=12, wraps=True),
    )
    rows: list[Row] = []
    if found.differ:
        rows += [_change(n, one, design) for n, one in enumerate(found.changes)]
        rows += [_figure(one) for one in found.figures if one.differs]
        rows += [_part(one) for one in found.parts]
        rows += list(_findings(found.gained, "gained", design))
        rows += list(_findings(found.resolved, "resolved", design))
        rows += [_figure(one) for one in found.figures if not one.differs]
    words = (
        f"{old} to {new}: {headline(found)}" if found.differ else f"No differences from the {old}."
    )
    head = [(words, "$text-error" if found.worse else "")]
    if found.nothing_in_common and found.differ:
        head.append((NO_COMMON, "$text-warning"))
    if found.worse:
        head.append((f"worse: {', '.join(found.worse)}", "$text-error"))
    return Table(columns, tuple(rows), tuple(head), "o compares with another design")


def _change(number: int, one: Change, design: Design) -> Row:
    name = f"{one.kind} {one.where}".strip()
    groups, links = named_places(one.where, design)
    cells = (
        _kind("change"),
        Cell(name, name),
        Cell(one.before or "-", one.before),
        Cell(one.after or "-", one.after),
        Cell(one.what, one.what),
    )
    detail = (f"{name} {one.what}", f"before: {one.before or '-'}", f"after: {one.after or '-'}")
    return Row(f"change {number}", cells, detail, groups, links)


def _figure(one: FigureChange) -> Row:
    style = "text-error" if one.worse else "" if one.differs else "text-disabled"
    before, after = figure_words(one, one.before), figure_words(one, one.after, later=True)
    words = change_words(one)
    cells = (
        _kind("figure", style),
        Cell(one.label, one.label, style),
        Cell(before, one.before, style),
        Cell(after, one.after, style),
        Cell(words, one.factor, style),
    )
    return Row(f"figure {one.key}", cells, (f"{one.label}: {before}, then {after}: {words}",))


def _part(one: PartChange) -> Row:
    name = one.name if one.length_m is None else f"{one.name}, {plain_number(one.length_m)} m"
    words = f"{'buy' if one.buy > 0 else 'return'} {abs(one.buy):,}"
    cells = (
        _kind("part"),
        Cell(name, name),
        Cell(f"{one.before:,}", one.before),
        Cell(f"{one.after:,}", one.after),
        Cell(words, one.buy),
    )
    return Row(f"part {one.part} {one.length_m}", cells, (f"{name} ({one.part}): {words}",))


def _findings(findings: tuple[Finding, ...], what: str, design: Design) -> Iterator[Row]:
    for number, one in enumerate(findings):
        name = f"{one.code} at {one.where}"
        waived = ", waived" if one.waived else ""
        counts = what == "gained" and one.severity != "info" and not waived
        style = "text-error" if counts else ""
        here, there = ("-", one.text) if what == "gained" else (one.text, "-")
        cells = (
            _kind("finding", style),
            Cell(name, name, style),
            Cell(here, here, style),
            Cell(there, there, style),
            Cell(f"{what}: {one.severity}{waived}", what, style),
        )
        detail = (f"{one.where}: {one.text}", f"fix: {one.fix}")
        groups, links = places_of(one.place, design)
        yield Row(f"{what} {number}", cells, detail, groups, links)


def _kind(word: str, style: str = "") -> Cell:
    return Cell(word, _WHAT.index(word), style)
