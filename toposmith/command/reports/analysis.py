"""What a design delivers and what limits it, as plain text.

Every figure carries its label (:mod:`toposmith.labels`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toposmith.analysis.figures_table import (
    assumed_table,
    cut_table,
    figures_table,
    limit_words,
    model_words,
    notes_of_figures,
    per_gpu,
)
from toposmith.analysis.load_tables import LINKS_IN_WORDS, links_table, tiers_table
from toposmith.analysis.prediction.error_band import ESTIMATE
from toposmith.analysis.prediction.figure_labels import exchange_label
from toposmith.analysis.summary import assumptions, band_range, how_words, where_words
from toposmith.catalog.part_text import domain_noun
from toposmith.catalog.pieces import LINKS_NOT_MODELLED
from toposmith.collectives import collective_name
from toposmith.documents.aligned_text import columns, table_lines
from toposmith.findings.finding import findings_words, worst_first
from toposmith.labels import Labelled, inverse
from toposmith.plain_text import visible
from toposmith.text import (
    algorithm_name,
    bandwidth,
    counted,
    duration_us,
    message_size,
    percent,
    protocol_name,
)

if TYPE_CHECKING:
    from toposmith.analysis.prediction.size_curve import Curve, CurvePoint
    from toposmith.analysis.request import Request
    from toposmith.analysis.result import Analysis, Communicator, Prediction
    from toposmith.documents.table import Table
    from toposmith.findings.finding import Finding
    from toposmith.synthesis.next_change import NextChange


MOST_FINDINGS = 3
"""Errors and warnings that a first look lists; `check` lists all."""


def analysis_report(
    analysis: Analysis,
    request: Request,
    more: str = "",
    *,
    why: bool = True,
    other: Prediction | None = None,
) -> str:
    """The figures of a design for a request, what limits them, and ``more`` below.

    With ``why`` all figures with their labels, what they rest on, the bound's cut and the tiers;
    else the figure of an ``other`` collective, too.
    """
    name = visible(analysis.design) or "unnamed design"
    if why:
        asked = asked_words(request, nccl=analysis.gpu_links not in LINKS_NOT_MODELLED)
        figures = [
            *_rows(figures_table(analysis)),
            *(f"  {visible(line)}" for line in notes_of_figures(analysis)),
        ]
        blocks = [[name, ranks_line(analysis)], [asked, *figures]]
        blocks += [_table(assumed_table(analysis)), _links(analysis), _bound(analysis)]
        blocks += [_table(tiers_table(analysis), "Tiers (exact)")]
        blocks += [[*findings_lines(analysis.findings), *([more] if more else [])]]
    else:
        open_ = [one for one in worst_first(analysis.findings) if one.counts]
        told = findings_lines(open_[:MOST_FINDINGS])
        found = [one for one in analysis.findings if one.severity != "info" or one.waived]
        counts = findings_words(found) if found else "no warnings"
        blocks = [
            [f"{name}: {_cluster(analysis)}"],
            _first(analysis, request, other),
            _links(analysis, 5),
        ]
        blocks += [[*told, counts + (f", {more}" if more else "")]]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _first(analysis: Analysis, request: Request, other: Prediction | None) -> list[str]:
    """The figure, what such systems reached, the bound, the limit, the other: a line each."""
    busbw, bound, band = analysis.busbw, analysis.bound, analysis.band
    asked = f"{collective_name(request.collective)}, {message_size(request.message_bytes)}"
    ranks = analysis.communicator
    world = ranks.kind == ranks.layout and ranks.placement == "packed"
    groups = f"{ranks.kind} of {ranks.layout}: {groups_words(ranks)}, {ranks.placement}"
    if any(one.code == "communicator-does-not-fit" for one in analysis.findings):
        groups = f"none: {ranks.layout} does not fit the {counted(analysis.gpus, 'GPU')}"
    nccl = analysis.gpu_links not in LINKS_NOT_MODELLED
    how = assumptions(request, nccl=nccl)
    if request.routing.mode == "ideal":
        how.remove("ideal routing")
    rows = [
        (asked, per_gpu(busbw) + (f" ({busbw.label.words})" if busbw.value else "")),
        *(() if world else (("ranks", groups),)),
        ("runs", ", ".join(filter(None, (how_words(analysis), *how)))),
    ]
    if band is not None and analysis.busbw_GBps is not None:
        most = f", of up to {band.most_gpus:,} GPUs" if band.most_gpus else ""
        systems = counted(band.systems, "such system")
        rows.append(("measured", f"{band_range(analysis.busbw_GBps, band)}: {systems}{most}"))
    if bound.value is not None:
        share = analysis.share_of_bound
        reached = "" if share is None else f", {percent(share)} reached"
        where = f", {where_words(analysis, runs=True)}" if analysis.other_bound is not None else ""
        kind = f" ({bound.label.kind})"
        rows.append(("bound", f"{bandwidth(bound.value)} at line rate{where}{kind}{reached}"))
    if analysis.limited_by:
        rows.append(("limited by", limit_words(analysis)))
    if other is not None and other.busbw_GBps is not None:
        estimate = f" ({ESTIMATE})" if other.busbw.label == exchange_label() else ""
        rows.append((collective_name(other.collective), f"{other.busbw.words}{estimate}"))
    wide = max(len(name) for name, _ in rows)
    return [f"{name:{wide}}  {visible(words)}" for name, words in rows]


def _rows(table: Table) -> list[str]:
    """A line for each figure, with its label behind it."""
    wide = max(len(row.words[0]) for row in table.rows)
    return [
        f"  {name:{wide}}  {visible(value)}" + (f" ({visible(kind)})" if kind else "")
        for name, value, kind in (row.words for row in table.rows)
    ]


def _table(table: Table, title: str = "") -> list[str]:
    """A table below its title; nothing where it has no rows."""
    return [*([title] if title else []), *table_lines(table)] if table.rows else []


def findings_lines(findings: Iterable[Finding], *, source: str = "") -> list[str]:
    """One line for each finding, errors first; ``source`` names the file at its beginning."""
    start = f"{visible(source)}: " if source else ""
    return [
        f"{start}{'' if finding.waived is None else 'waived '}{finding.severity}: "
        f"{visible(finding.where)}: {visible(finding.text)} [{finding.code}]"
        for finding in worst_first(findings)
    ]


def more_remarks(many: int, file: str) -> str:
    """The command that lists the remarks left out here; empty where there are none."""
    return f"{counted(many, 'remark')}: check {visible(file)} --remarks" if many else ""


def ranks_line(analysis: Analysis) -> str:
    """The number of GPUs, and how they take part."""
    ranks = analysis.communicator
    layout = "" if ranks.layout == ranks.kind else f" of {ranks.layout}"
    return (
        f"{_cluster(analysis)}, communicator "
        f"{ranks.kind}{layout}: {groups_words(ranks)}, {ranks.placement}"
    )


def _cluster(analysis: Analysis) -> str:
    """How many GPUs in how many nodes and domains."""
    racks = (
        counted(analysis.nvlink_domains, domain_noun(analysis.gpu_links))
        if analysis.nvlink_domains
        else ""
    )
    return (
        f"{counted(analysis.gpus, 'GPU')} in {counted(analysis.nodes, 'node')}"
        f"{racks and f' of {racks}'}"
    )


def groups_words(ranks: Communicator) -> str:
    """How many groups of how many ranks take part, ``8 groups of 16 ranks``."""
    if not ranks.size:
        return "no ranks"
    groups = f"{ranks.concurrent:,} groups of " if ranks.concurrent > 1 else ""
    return f"{groups}{counted(ranks.size, 'rank')}"


def asked_words(request: Request, *, nccl: bool = True) -> str:
    """The request, with its assumptions."""
    name, size = collective_name(request.collective), message_size(request.message_bytes)
    return f"{name}, {size} ({', '.join(assumptions(request, nccl=nccl))})"


def _links(analysis: Analysis, most: int | None = None) -> list[str]:
    """The links, most loaded first; all of them with every column without ``most``."""
    loads = sorted(analysis.limits, key=lambda load: -load.utilization)
    if most is None:
        title = f"Links, most loaded first (load: {model_words(analysis)})"
        told = _table(links_table(loads, analysis), title)
        return [*told, f"  {LINKS_IN_WORDS}"] if told else []
    table = links_table(loads[:most], analysis)
    shown = [at for at, column in enumerate(table.columns) if column.rank == 1]
    left = len(loads) - most
    more = [f"  {counted(left, 'link')} more with less"] if left > 0 else []
    return [*_table(table.of_columns(shown)), *more]


def _bound(analysis: Analysis) -> list[str]:
    of = f", {where_words(analysis, runs=False)}" if analysis.reduces else ""
    title = f"The bound's cut{of}, capacity at line rate ({visible(analysis.bound_label.words)})"
    return _table(cut_table(analysis), title)


def next_lines(found: NextChange) -> list[str]:
    """What to do next: the smallest change that raises the figure, or what could be left out."""
    words = found.words if found.fix is not None else found.none_words
    return [f"{'Next:' if not at else '     '} {visible(line)}" for at, line in enumerate(words)]


SWITCHES = "<- switches"
FLOOR_WORDS = (
    "floor: no schedule takes less, by the bound of what runs and the one-way network latency"
)


def asked_line(curve: Curve, request: Request, ranks: Communicator) -> str:
    """The request of the curve, with its assumptions."""
    return (
        f"{visible(curve.design) or 'unnamed design'}: {collective_name(curve.collective)}, "
        f"{ranks.kind}, {groups_words(ranks)}, {ranks.placement} "
        f"({', '.join(assumptions(request))}; {curve_kinds(curve)})"
    )


def curve_kinds(curve: Curve) -> str:
    """What kinds of figures a curve has: ``model``, or ``at least: ...`` and why."""
    return "; ".join(dict.fromkeys(point.label.words for point in curve.points))


def curve_table(curve: Curve) -> list[str]:
    """A line for each message size; where NCCL changes algorithm or protocol it is marked."""
    first = {point.message_bytes for point in curve.switches}
    rows = [
        (
            message_size(point.message_bytes),
            *_cells(point),
            Labelled(point.algbw_GBps, point.label).words,
            "" if point.floor_us is None else duration_us(point.floor_us),
            SWITCHES if point.message_bytes in first else "",
        )
        for point in curve.points
    ]
    known = any(point.floor_us is not None for point in curve.points)
    head = ("size", "algorithm", "protocol", "time", "busbw", "algbw", "floor" * known, "")
    lines = list(columns(head, rows, right=(0, 3, 4, 5, 6)))
    return [*lines, "", FLOOR_WORDS] if known else lines


def _cells(point: CurvePoint) -> tuple[str, str, str, str]:
    return (
        algorithm_name(point.algorithm),
        protocol_name(point.protocol),
        inverse(point.label).marked(duration_us(point.time_us)),
        Labelled(point.busbw_GBps, point.label).words,
    )
