"""Differences of two designs as a table: what changed, and what follows, before and after."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toposmith.analysis.summary import asked_as_data, asked_words
from toposmith.design.document import Design
from toposmith.design.named_places import named_places, places_of
from toposmith.documents.table import Cell, Column, Note, Row, Table, Tone
from toposmith.findings.finding import Finding
from toposmith.review.differences.changes import Change
from toposmith.review.differences.consequences import NOISE, Differences, FigureChange, PartChange
from toposmith.review.findings.collecting import finding_json
from toposmith.text import bandwidth, change, counted, oversubscription, plain_number

NO_COMMON = "The two designs have no group in common; they are compared all the same."
NO_DIFFERENCES = "No differences."


def figure_words(figure: FigureChange, value: float | None, *, later: bool = False) -> str:
    """One of a change's two figures with its unit."""
    unit = (figure.unit_after if later else "") or figure.unit
    if value is None:
        least = figure.least_after if later else figure.least_before
        return "unknown" if least is None else f"at least {plain_number(least, unit)}"
    if figure.unit == "GB/s":
        label = figure.label_after if later else figure.label_before
        exact = " exact" if label.kind == "exact" else ""
        return f"{label.marked(bandwidth(value))}{exact}"
    if figure.unit == ":1":
        return oversubscription(value)
    return plain_number(value, unit)


def change_words(figure: FigureChange) -> str:
    """By how much a figure differs, and whether that is for the worse."""
    if not figure.differs:
        return "same"
    if not figure.of_one_kind and figure.before is not None and figure.after is not None:
        return f"{figure.label_before.kind} -> {figure.label_after.kind}"
    if figure.of_one_kind and not figure.comparable:
        return "another currency"
    worse = " (worse)" if figure.worse else ""
    if figure.factor is None:
        return f"changed{worse}"
    assert figure.before is not None and figure.after is not None
    if not figure.unit and abs(figure.factor - 1) < NOISE:
        return f"{figure.after - figure.before:+,.0f}{worse}"
    return f"{change(figure.factor)}{worse}"


def headline(found: Differences) -> str:
    """The differences in one sentence."""
    if not found.differ:
        return NO_DIFFERENCES
    # the same document may fare otherwise, such as with other parts
    said = [counted(len(found.changes), "change") if found.changes else "the same document"]
    said += [
        f"{figure.label} {figure_words(figure, figure.before)} -> "
        f"{figure_words(figure, figure.after, later=True)}"
        for figure in found.figures
        if figure.key.startswith("busbw_") and figure.differs
    ]
    if found.gained or found.resolved or found.changed:
        changed = f", {len(found.changed)} changed" if found.changed else ""
        said.append(
            f"{counted(len(found.gained), 'finding')} gained, {len(found.resolved)} resolved"
            f"{changed}"
        )
    return "; ".join(said) + "."


def differences_as_data(found: Differences) -> dict[str, Any]:
    """The differences under stable keys (see ``docs/diff.md``)."""
    return {
        "toposmith": 1,
        "old": {"source": found.old.source, "design_sha256": found.old.digest},
        "new": {"source": found.new.source, "design_sha256": found.new.digest},
        **asked_as_data(found.new.asked, nccl=found.old.plan.nccl or found.new.plan.nccl),
        "differ": found.differ,
        "worse": list(found.worse),
        "nothing_in_common": found.nothing_in_common,
        "changes": [
            {
                "what": change.what,
                "kind": change.kind,
                "where": change.where,
                "before": change.before,
                "after": change.after,
            }
            for change in found.changes
        ],
        "figures": [
            {
                "figure": figure.key,
                "unit": figure.unit,
                "unit_after": figure.unit_after or figure.unit,
                "before": figure.before,
                "after": figure.after,
                "differs": figure.differs,
                "worse": figure.worse,
                "before_is": figure.label_before.kind,
                "after_is": figure.label_after.kind,
                **(
                    {
                        "before_at_least": figure.least_before,
                        "after_at_least": figure.least_after,
                    }
                    if figure.key in ("power", "rack_units")
                    else {}
                ),
            }
            for figure in found.figures
        ],
        "parts": [
            {
                "part": part.part,
                "name": part.name,
                "length_m": part.length_m,
                "before": part.before,
                "after": part.after,
                "buy": part.buy,
            }
            for part in found.parts
        ],
        "findings_gained": [finding_json(finding) for finding in found.gained],
        "findings_resolved": [finding_json(finding) for finding in found.resolved],
        "findings_changed": [
            {"before": finding_json(was), "after": finding_json(now)} for was, now in found.changed
        ],
    }


_WHAT = ("change", "figure", "part", "finding")


def differences_table(found: Differences) -> Table:
    """Changes, figures, parts to buy or return, findings gained, resolved and changed.

    Figures that are the same come last.
    """
    columns = (
        Column("", rank=2),
        Column("what", fill=18, wraps=True),
        Column("before", fill=12, wraps=True),
        Column("after", fill=12, wraps=True),
        Column("difference", fill=12, wraps=True),
    )
    rows: list[Row] = []
    if found.differ:
        rows += [_change(n, one, found.new.design) for n, one in enumerate(found.changes)]
        rows += [figure_row(one) for one in found.figures if one.differs]
        rows += [_part(one) for one in sorted(found.parts, key=lambda part: part.buy < 0)]
        rows += list(_findings(found.gained, "gained", found.new.design))
        rows += list(_findings(found.resolved, "resolved", found.new.design))
        rows += [_changed(*pair, found) for pair in enumerate(found.changed)]
        rows += [figure_row(one) for one in found.figures if not one.differs]
    return Table(columns, tuple(rows), tuple(_head(found)), "o compares with another design")


def _head(found: Differences) -> Iterator[Note]:
    old, new = found.old.source, found.new.source
    words = f"{old} -> {new}: {headline(found)}" if found.differ else f"No differences from {old}."
    yield Note(words, Tone.BAD if found.worse else Tone.PLAIN)
    if found.nothing_in_common:
        yield Note(NO_COMMON, Tone.WARNING)
    if found.worse:
        yield Note(f"worse: {', '.join(found.worse)}", Tone.BAD)
    if found.differ:
        asked = asked_words(found.new.asked, nccl=found.old.plan.nccl or found.new.plan.nccl)
        yield Note(f"busbw: model, per GPU; {asked}", Tone.QUIET)


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


def figure_row(one: FigureChange) -> Row:
    """A figure of both designs."""
    tone = Tone.BAD if one.worse else Tone.PLAIN if one.differs else Tone.DIM
    before, after = figure_words(one, one.before), figure_words(one, one.after, later=True)
    words = change_words(one)
    cells = (
        _kind("figure", tone),
        Cell(one.label, one.label, tone),
        Cell(before, one.before, tone),
        Cell(after, one.after, tone),
        Cell(words, one.factor, tone),
    )
    return Row(f"figure {one.key}", cells, (f"{one.label}: {before}, then {after}: {words}",))


def _part(one: PartChange) -> Row:
    length = "" if one.length_m is None else f", {plain_number(one.length_m)} m"
    name = f"{one.name} ({one.part}){length}"
    words = f"{'buy' if one.buy > 0 else 'return'} {abs(one.buy):,}"
    cells = (
        _kind("part"),
        Cell(name, name),
        Cell(f"{one.before:,}", one.before),
        Cell(f"{one.after:,}", one.after),
        Cell(words, one.buy),
    )
    return Row(f"part {one.part} {one.length_m}", cells, (f"{name}: {words}",))


def _findings(findings: tuple[Finding, ...], what: str, design: Design) -> Iterator[Row]:
    for number, one in enumerate(findings):
        name = f"{one.code} at {one.where}"
        waived = ", waived" if one.waived else ""
        counts = what == "gained" and one.severity != "info" and not waived
        tone = Tone.BAD if counts else Tone.PLAIN
        here, there = ("-", one.text) if what == "gained" else (one.text, "-")
        cells = (
            _kind("finding", tone),
            Cell(name, name, tone),
            Cell(here, here, tone),
            Cell(there, there, tone),
            Cell(f"{what}: {one.severity}{waived}", what, tone),
        )
        detail = (f"{one.where}: {one.text}", f"fix: {one.fix}")
        groups, links = places_of(one.place, design)
        yield Row(f"{what} {number}", cells, detail, groups, links)


def _changed(number: int, pair: tuple[Finding, Finding], found: Differences) -> Row:
    """A finding of both designs whose severity or waiver is another."""
    now = pair[1]
    name = f"{now.code} at {now.where}"
    tone = Tone.BAD if name in found.worse else Tone.PLAIN
    before, after = (
        f"{one.severity}{', waived' if one.waived else ''}: {one.text}" for one in pair
    )
    cells = (
        _kind("finding", tone),
        *(Cell(text, text, tone) for text in (name, before, after)),
        Cell("changed", "changed", tone),
    )
    detail = (f"{now.where}: {now.text}", f"fix: {now.fix}")
    groups, links = places_of(now.place, found.new.design)
    return Row(f"changed {number}", cells, detail, groups, links)


def _kind(word: str, tone: Tone = Tone.PLAIN) -> Cell:
    return Cell(word, _WHAT.index(word), tone)
