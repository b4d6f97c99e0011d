"""What a design keeps after each single failure, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from toposmith.analysis.request import Collective
from toposmith.collectives import collective_name
from toposmith.design.document import Design
from toposmith.review.failures.sweep import Sweep
from toposmith.review.failures.sweep_in_words import (
    AFTER_RESTART,
    before_line,
    beside_lines,
    survival_by_share,
)
from toposmith.review.failures.without import DegradedDesign, KeptBandwidth
from toposmith.text import bandwidth, counted, percent
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.tables.bill import places
from toposmith.tui.views.table import Cell, Column, Row, Table

_BAR = 10
"""Cells of the bar of what is kept."""
_HURTS = 0.9
"""Below this share kept a failure is marked: more than a tenth of the bandwidth is gone."""


def failure_table(sweep: Sweep, design: Design, glyphs: Glyphs) -> Table:
    """The failures of a sweep, worst first, with what each leaves as a bar."""
    columns = [
        Column("fails", fill=8),
        Column("where", wide=48, fill=8, wraps=True),
        Column("alike", rank=4, right=True),
    ]
    known = _known(sweep)
    least = f"{' and '.join(map(collective_name, known))} kept" if known else "least kept"
    columns += [Column(least, right=True), Column("", rank=2)]
    columns += [Column("cut off", right=True)]
    for at, collective in enumerate(sweep.before):
        name = collective_name(collective)
        columns.append(Column(name, rank=5 + at, right=True))
        columns.append(Column(f"{name} kept", rank=4 + 2 * at, right=True))
    columns += [
        Column("partitions", rank=8, right=True),
    ]
    # a small screen shows the first lines only: what may stop a job, and what nobody
    # looked at, comes before all figures
    beside = [(line, _beside_style(line)) for line in beside_lines(sweep)]
    ended = [] if sweep.complete else [(_until_now(sweep), "$text-warning")]
    head = ended + [(line, style) for line, style in beside if style]
    head += [(f"not looked at: {line}", "$text-warning") for line in sweep.other_networks]
    head += [(line, _sentence_style(line)) for line in survival_by_share(sweep)]
    head.append((before_line(sweep), ""))
    head += [(line, style) for line, style in beside if not style]
    head += [(f"not looked at: {line}", "$text-muted") for line in sweep.unseen]
    if sweep.singles:
        head.append((AFTER_RESTART, "$text-muted"))
    if sweep.doubles:
        head.append((f"pairs, worst first: {sweep.doubles_words}", "$text-muted"))
    rows = tuple(_row(outcome, design, glyphs, known) for outcome in sweep.worst_first)
    empty = "nothing here can fail yet" if sweep.complete else "none was looked at until then"
    return Table(tuple(columns), rows, tuple(head), empty)


def _until_now(sweep: Sweep) -> str:
    """That others may be worse than what is listed."""
    if sweep.to_come:
        return f"{counted(sweep.to_come, 'failure', 'are')} still to be looked at; Escape ends that"
    return "ended early: not all failures were looked at"


def _known(sweep: Sweep) -> tuple[Collective, ...]:
    """The collectives of which it is known what is kept, where of others it never is."""
    every = [kept for outcome in sweep.singles for kept in outcome.kept]
    unknown = {kept.collective for kept in every if kept.kept is None}
    never = unknown - {kept.collective for kept in every if kept.kept is not None}
    return tuple(c for c in sweep.before if c not in unknown) if never else ()


def selectors_of(row: Row) -> tuple[str, ...]:
    """What is down in a line of the table."""
    return tuple(row.key.split("\n")[1:])


def _row(
    outcome: DegradedDesign, design: Design, glyphs: Glyphs, known: tuple[Collective, ...]
) -> Row:
    failures = outcome.failures
    kinds = " and ".join(one.kind for one in failures)
    named = {one.what: None for one in failures if one.what != one.kind}
    whats = " and ".join(named) or (failures[0].what if len(failures) == 1 else "")
    groups, links = places([one.what for one in failures], design)
    members = outcome.pairs or prod(one.members for one in failures)
    alike = f"{members:,}" if outcome.pairs else " x ".join(f"{one.members:,}" for one in failures)
    cells = [
        Cell(kinds, kinds),
        Cell(whats, whats),
        Cell(alike, members),
    ]
    worst = _worst([kept for kept in outcome.kept if kept.collective in known] or outcome.kept)
    share, left = _share(worst), worst.kept
    bar = "" if left is None else glyphs.bar(left, _BAR)
    cells += [
        share,
        Cell(bar, left, share.style),
        Cell(f"{outcome.gpus_cut_off:,}", outcome.gpus_cut_off, _hurt(outcome.gpus_cut_off > 0)),
    ]
    for kept in outcome.kept:
        cells += [_after(kept), _share(kept)]
    cells += [
        Cell(f"{outcome.parts:,}", outcome.parts, _hurt(outcome.parts > 1)),
    ]
    reasons = [
        f"no {collective_name(kept.collective)}: {kept.why}" for kept in outcome.kept if kept.why
    ]
    selectors = tuple(text for one in failures for text in one.selectors)
    several = " and of ".join(counted(one.members, one.kind) for one in failures)
    if outcome.pairs:
        several = counted(outcome.pairs, "pair")
    detail = (
        f"{', '.join(selectors) or 'no device of the design'}, one of {several} alike",
        *reasons,
    )
    return Row("\n".join((f"{kinds} {whats}", *selectors)), tuple(cells), detail, groups, links)


def _after(kept: KeptBandwidth) -> Cell:
    if kept.after_GBps is None and kept.label.kind == "at least":
        return Cell("unknown", None)
    if kept.after_GBps is None:
        return Cell("none", 0.0, "text-error")
    return Cell(kept.label.marked(bandwidth(kept.after_GBps)), kept.after_GBps)


def _worst(of: Sequence[KeptBandwidth]) -> KeptBandwidth:
    """The collective that keeps the least; one of which that is not known before all others."""
    return min(of, key=lambda kept: -1.0 if kept.kept is None else kept.kept)


def _share(kept: KeptBandwidth) -> Cell:
    if kept.kept is None:
        return Cell("unknown", None)
    style = "text-error" if not kept.kept else _hurt(kept.kept < _HURTS)
    return Cell(percent(kept.kept), kept.kept, style)


def _hurt(hurts: bool) -> str:
    return "text-warning" if hurts else ""


def _beside_style(line: str) -> str:
    return "$text-error" if " cuts off " in line else ""


def _sentence_style(line: str) -> str:
    return "$text-error" if line.startswith("does not") else ""
