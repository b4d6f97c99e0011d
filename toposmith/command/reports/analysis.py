"""What a design delivers and what limits it, as plain text.

Every figure carries its label (:mod:`toposmith.labels`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toposmith.analysis.load_tables import LINKS_IN_WORDS, links_table, tiers_table
from toposmith.analysis.summary import (
    assumptions,
    band_basis,
    band_names,
    band_range,
    band_words,
    how_words,
    scale_words,
    where_words,
)
from toposmith.catalog.part_text import domain_noun
from toposmith.catalog.pieces import LINKS_NOT_MODELLED
from toposmith.collectives import collective_name
from toposmith.documents.aligned_text import columns, table_lines
from toposmith.findings.severity import worst_first
from toposmith.labels import Labelled, inverse
from toposmith.plain_text import visible
from toposmith.text import (
    LIMIT_WORDS,
    UNKNOWN,
    at_line_rate,
    bandwidth,
    counted,
    duration_us,
    message_size,
    percent,
)

if TYPE_CHECKING:
    from toposmith.analysis.prediction.path_latency import PathLatency
    from toposmith.analysis.request import Request
    from toposmith.analysis.result import Analysis, Communicator
    from toposmith.findings.finding import Finding
    from toposmith.synthesis.next_change import NextChange

MODEL = "model"
EXACT = "exact"


def analysis_report(analysis: Analysis, request: Request, more: str = "") -> str:
    """The figures of a design for a request, what limits them, and ``more`` below."""
    blocks = [
        [visible(analysis.design) or "unnamed design", ranks_line(analysis)],
        _figures(analysis, request),
        _assumed(analysis),
        _links(analysis),
        _bound(analysis),
        _tiers(analysis),
        [*findings_lines(analysis.findings), *([more] if more else [])],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


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
    return f"{counted(many, 'remark')} more: toposmith check {visible(file)}" if many else ""


def ranks_line(analysis: Analysis) -> str:
    """The number of GPUs, and how they take part."""
    ranks = analysis.communicator
    layout = "" if ranks.layout == ranks.kind else f" of {ranks.layout}"
    racks = (
        counted(analysis.nvlink_domains, domain_noun(analysis.gpu_links))
        if analysis.nvlink_domains
        else ""
    )
    return (
        f"{counted(analysis.gpus, 'GPU')} in {counted(analysis.nodes, 'node')}"
        f"{racks and f' of {racks}'}, communicator "
        f"{ranks.kind}{layout}: {groups_words(ranks)}, {ranks.placement}"
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


def _per_gpu(busbw: Labelled) -> str:
    return UNKNOWN if busbw.value is None else f"{busbw.words} per GPU"


def model_words(analysis: Analysis) -> str:
    """``model``, and what is not modelled where the label says so."""
    label = analysis.busbw_label
    return f"{MODEL}, {label.of}" if label.sign else MODEL


def limit_words(analysis: Analysis) -> str:
    """What limits the figure, with the links where links do."""
    limit = LIMIT_WORDS.get(analysis.limited_by or "", "")
    links = ", ".join(visible(load.words) for load in analysis.limiting)
    if analysis.limited_by == "links" and links:
        return f"{limit}: {links}"
    return limit


def band_lines(analysis: Analysis) -> list[str]:
    """How far published results were from such predictions, in words and as figures."""
    band = analysis.band
    if band is None or analysis.busbw_GBps is None:
        return [analysis.no_band] if analysis.no_band else []
    scale = scale_words(band, analysis.communicator.size)
    return [
        f"{band_words(band)} ({band_range(analysis.busbw_GBps, band)})",
        band_basis(band),
        *([scale] if scale else []),
        band_names(band),
    ]


def wire_words(path: PathLatency) -> str:
    """One-way network latency between the farthest nodes, as far as its parts are known."""
    least = "" if path.latency_us is not None else "at least "
    return (
        f"{least}{duration_us(path.at_least_us)} one way between the farthest nodes, "
        f"over {counted(path.hops, 'switch')}"
    )


def _figures(analysis: Analysis, request: Request) -> list[str]:
    share, bound, other = analysis.share_of_bound, analysis.bound, analysis.other_bound
    busbw = analysis.busbw
    kind, times = busbw.label.words, inverse(busbw.label)
    rows = [
        (_runs(analysis), how_words(analysis) or "unknown", model_words(analysis)),
        ("predicted busbw", _per_gpu(busbw), kind),
        ("predicted algbw", Labelled(analysis.algbw_GBps, busbw.label).words, kind),
        ("predicted time", times.marked(duration_us(analysis.time_us)), times.words),
        ("of which latency", duration_us(analysis.latency_us), MODEL),
        ("limited by", limit_words(analysis) or "unknown", model_words(analysis)),
    ]
    if bound.value is None and bound.label.why:
        rows.append(("bound on busbw", f"unknown: {bound.label.why}", ""))
    else:
        where = f", {where_words(analysis, runs=True)}" if other is not None else ""
        rows.append(("bound on busbw", _bound_at_line_rate(bound) + where, bound.label.words))
        words = _share_words(analysis) if share is None else percent(share)
        rows.append(("share of the bound", words, analysis.share_label.words))
    if other is not None:
        name = "bound without reduction" if analysis.reduces else "bound with reduction"
        where = where_words(analysis, runs=False)
        rows.append((name, f"{_bound_at_line_rate(other)}, {where}", other.label.words))
    halves = at_line_rate(analysis.bisection_GBps)
    rows.append(("bisection", halves, analysis.bisection_label.words))
    if analysis.path is not None:
        rows.append(("one-way network latency", wire_words(analysis.path), MODEL))
    elif any(finding.code == "unreachable" for finding in analysis.findings):
        rows.append(("one-way network latency", "unknown: some GPU cannot be reached", ""))
    lines = [asked_words(request, nccl=not _of_others(analysis)), *_labelled(rows)]
    kind, why = bound.label.kind, bound.label.why
    if bound.value is not None and kind == "bound" and why:
        lines.append(f"  the bound is not proven to be within reach: {why}")
    if bound.value is not None and kind == "assumed":
        lines.append(f"  the bound rests on an assumption: {why}")
    return [*lines, *(f"  {line}" for line in band_lines(analysis))]


def _bound_at_line_rate(bound: Labelled) -> str:
    return UNKNOWN if bound.value is None else f"{bandwidth(bound.value)} per GPU at line rate"


def _share_words(analysis: Analysis) -> str:
    """Why there is no share of the bound."""
    why = analysis.share_label.why
    return f"{UNKNOWN}: {why}" if why else UNKNOWN


def _assumed(analysis: Analysis) -> list[str]:
    """Every assumption with the option that changes it."""
    if not analysis.assumed:
        return []
    rows = [(f"  {one.name}", visible(one.words), one.option) for one in analysis.assumed]
    head = ("  assumed", "", "changed by")
    return list(columns(head, rows))


def _of_others(analysis: Analysis) -> bool:
    """Whether no public source says which collective library runs over the GPUs' links."""
    return analysis.gpu_links in LINKS_NOT_MODELLED


def _runs(analysis: Analysis) -> str:
    """What NCCL runs, or would run where the GPUs run something else."""
    if _of_others(analysis):
        return "runs"
    other = any(finding.code == "rccl-not-modelled" for finding in analysis.findings)
    return "NCCL would run" if other else "NCCL runs"


def _labelled(rows: list[tuple[str, str, str]]) -> list[str]:
    """A line for each figure, with its label unless the figure is unknown."""
    wide = max(len(label) for label, _, _ in rows)
    return [
        f"  {label:{wide}}  {value}" + ("" if value.startswith("unknown") else f" ({kind})")
        for label, value, kind in rows
    ]


def _links(analysis: Analysis) -> list[str]:
    if not analysis.limits:
        return []
    loads = sorted(analysis.limits, key=lambda load: -load.utilization)
    return [
        f"Links, the fullest first (load: {model_words(analysis)})",
        *table_lines(links_table(loads, analysis)),
        f"  {LINKS_IN_WORDS}",
    ]


def _bound(analysis: Analysis) -> list[str]:
    if not analysis.bound_cut:
        return []
    rows = [
        (f"  {visible(cut.link)}", f"{cut.cables:,}", bandwidth(cut.capacity_GBps))
        for cut in analysis.bound_cut
    ]
    head = ("  link", "connections", "capacity")
    of = f", {where_words(analysis, runs=False)}" if analysis.reduces else ""
    title = f"The bound's cut{of}, capacity at line rate ({analysis.bound_label.words})"
    return [title, *columns(head, rows, right=(1, 2))]


def _tiers(analysis: Analysis) -> list[str]:
    if not analysis.tiers:
        return []
    return [f"Tiers ({EXACT})", *table_lines(tiers_table(analysis))]


def next_lines(found: NextChange) -> list[str]:
    """What to do next: the smallest change that raises the figure, or what could be left out."""
    first, *more = map(visible, found.words)
    if found.fix is None:
        return [f"Next: {line}" if line is first else f"      {line}" for line in (first, *more)]
    return [
        f"Next: {first}",
        *(f"      {line}" for line in more),
        "`toposmith fix` lists all that lifts the figure, and what could be left out",
    ]
