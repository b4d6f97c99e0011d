"""Several designs in one table: what each delivers, costs and lacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from toposmith.analysis.summary import asked_as_data, asked_words, bound_words
from toposmith.collectives import collective_name
from toposmith.documents.table import Cell, Column, Row, Table, Tone
from toposmith.evaluation import EvaluatedDesign
from toposmith.findings.finding import Finding, counts
from toposmith.review.findings.collecting import finding_json
from toposmith.text import counted, oversubscription, power

SortKey = Literal[
    "name", "gpus", "busbw", "bound", "oversubscription", "cost", "power", "rack_units", "findings"
]


_LEFT_OUT = ("wider-nvlink-domain", "no-nvlink-switches", "above-bound", "rccl-not-modelled")
"""Findings that say which part of a design its figures and its bill lack."""


@dataclass(frozen=True)
class ComparedDesign:
    """A design of a comparison; ``evaluated`` is None where its file cannot be read."""

    source: str
    evaluated: EvaluatedDesign | None
    why: str = ""


def ordered(rows: Sequence[ComparedDesign], key: SortKey | None) -> list[ComparedDesign]:
    """Rows the most telling first: the largest, the quickest, the cheapest, the worst findings.

    What is unknown comes behind what is known, and files that cannot be read come last. Without a
    key the order stays.
    """
    if key is None:
        return list(rows)
    if key == "name":
        return sorted(rows, key=lambda row: row.source)
    more_first = key in ("gpus", "busbw", "bound", "findings")

    def place(row: ComparedDesign) -> tuple[int, str, float]:
        if row.evaluated is None:
            return 2, "", 0.0
        figure = _figure(row.evaluated, key)
        if figure is None:
            return 1, "", 0.0
        # amounts of two currencies cannot be compared by size
        currency = (row.evaluated.currency or "") if key == "cost" else ""
        return 0, currency, -figure if more_first else figure

    return sorted(rows, key=place)


def _figure(evaluated: EvaluatedDesign, key: SortKey) -> float | None:
    """What a design is sorted by."""
    first, bill = evaluated.first, evaluated.bill
    figures: dict[SortKey, float | None] = {
        "gpus": first.gpus,
        "busbw": first.busbw_GBps,
        "bound": first.bound.value,
        "oversubscription": evaluated.worst_oversubscription,
        "cost": evaluated.price,
        "power": bill.power_w.exact,
        "rack_units": bill.rack_units.exact,
        # one error weighs more than any number of warnings, and so on
        "findings": 1e12 * evaluated.findings_of("error")
        + 1e6 * evaluated.findings_of("warning")
        + evaluated.findings_of("info"),
    }
    return figures[key]


def designs_table(rows: Sequence[ComparedDesign]) -> Table:
    """The designs one below the other."""
    names = next((list(row.evaluated.analyses) for row in rows if row.evaluated), [])
    columns = [Column("design", fill=20), Column("GPUs", right=True)]
    for at, name in enumerate(map(collective_name, names)):
        columns += [
            Column("groups", rank=10 + at),
            Column(name, rank=1 + at, right=True),
            Column("bound", rank=4 + at, right=True),
        ]
    priced = any(row.evaluated and row.evaluated.bill.price.known for row in rows)
    shares = ("cost per GPU", "per GB/s of all-to-all") if priced else ()
    columns += [
        *(Column("worst ratio", rank=5, right=True), Column("cost", rank=6, right=True)),
        *(Column(title, rank=9, right=True) for title in shares),
        *(Column("power", rank=7, right=True), Column("rack units", rank=8, right=True)),
        Column("findings", rank=3, right=True),
    ]
    return Table(tuple(columns), tuple(_row(row, len(columns), priced) for row in rows))


def _row(row: ComparedDesign, columns: int, priced: bool) -> Row:
    evaluated = row.evaluated
    if evaluated is None:
        name = Cell(f"{row.source}: cannot be read", row.source, Tone.BAD)
        return Row(row.source, (name, *[Cell("")] * (columns - 1)), (row.why,))
    first, bill = evaluated.first, evaluated.bill
    worst = evaluated.worst_oversubscription
    cells = [Cell(row.source, row.source), Cell(f"{first.gpus:,}", first.gpus)]
    for analysis in evaluated.analyses.values():
        whose = analysis.communicator.words
        cells += [Cell(whose, whose), Cell(analysis.busbw.words, analysis.busbw_GBps)]
        cells.append(Cell(bound_words(analysis), analysis.bound.value))
    cells += [
        Cell(oversubscription(worst), worst),
        Cell(evaluated.cost_words, evaluated.price),
        *(_cost_shares(evaluated) if priced else ()),
        Cell(bill.power_w.said(power), bill.power_w.exact),
        Cell(bill.rack_units.amount("U"), bill.rack_units.exact),
        _findings(evaluated),
    ]
    return Row(row.source, tuple(cells), (evaluated.design.name or "unnamed design",))


def _cost_shares(evaluated: EvaluatedDesign) -> Iterator[Cell]:
    """What each GPU and each GB/s of an all-to-all cost, where every line has a price."""
    price, exchanged = evaluated.bill.price, evaluated.exchanged
    costs = zip(exchanged.share_words(price), exchanged.share_amounts(price), strict=True)
    return (Cell(words, cost) for words, cost in costs)


def _findings(evaluated: EvaluatedDesign) -> Cell:
    errors, warnings = evaluated.findings_of("error"), evaluated.findings_of("warning")
    many = [counted(errors, "error")] if errors else []
    many += [counted(warnings, "warning")] if warnings else []
    many += [f"{evaluated.waived} waived"] if evaluated.waived else []
    tone = Tone.BAD if errors else Tone.WARNING if warnings else Tone.PLAIN
    return Cell(", ".join(many) or "none", 1e6 * errors + warnings, tone)


def asked_of(rows: Sequence[ComparedDesign]) -> list[str]:
    """Of what the figures of a table are: size, NCCL's release, routing, rate."""
    there = [row.evaluated for row in rows if row.evaluated is not None]
    nccl = any(one.plan.nccl for one in there)
    asked = (asked_words(one.asked, nccl=nccl) for one in there)
    told = [f"busbw: model, per GPU ({words})" for words in dict.fromkeys(asked)]
    return [*told, "bound: at line rate"] if told else []


def left_out(rows: Sequence[ComparedDesign]) -> list[tuple[str, Finding]]:
    """What the figures of a table leave out, with the design: they are no match for others."""
    return [
        (row.source, finding)
        for row in rows
        if row.evaluated is not None
        for finding in _left_out(row.evaluated)
    ]


def _left_out(evaluated: EvaluatedDesign) -> list[Finding]:
    return [finding for finding in evaluated.findings if finding.code in _LEFT_OUT]


def comparison_as_data(rows: Sequence[ComparedDesign]) -> dict[str, Any]:
    """The table under stable keys (see ``docs/diff.md``)."""
    return {"toposmith": 1, "designs": [_as_data(row) for row in rows]}


def _as_data(row: ComparedDesign) -> dict[str, Any]:
    evaluated = row.evaluated
    if evaluated is None:
        return {"source": row.source, "unreadable": row.why}
    first, bill = evaluated.first, evaluated.bill
    return {
        "source": row.source,
        "design": evaluated.design.name,
        "design_sha256": evaluated.digest,
        "gpus": first.gpus,
        "nodes": first.nodes,
        **asked_as_data(evaluated.asked, nccl=evaluated.plan.nccl),
        "figures": [
            {
                "collective": collective,
                "group": analysis.communicator.kind,
                "groups": analysis.communicator.concurrent,
                "ranks": analysis.communicator.size,
                "busbw_GBps": analysis.busbw_GBps,
                "bound_busbw_GBps": analysis.bound_busbw_GBps,
                "bound_of_what_runs_GBps": analysis.bound.value,
                "bound_is": analysis.bound_is,
                "busbw_is": analysis.busbw_label.kind,
                "bound_of": analysis.bound_label.of or None,
            }
            for collective, analysis in evaluated.analyses.items()
        ],
        "oversubscription": evaluated.oversubscription,
        **evaluated.costs_as_data,
        "power_w": bill.power_w.exact,
        "power_at_least_w": bill.power_w.floor,
        "rack_units": bill.rack_units.exact,
        "rack_units_at_least": bill.rack_units.floor,
        "findings": {**counts(evaluated.findings), "waived": evaluated.waived},
        "left_out": [finding_json(finding) for finding in _left_out(evaluated)],
    }
