"""The figures of an analysis as tables, the same in a command's output and in a report.

Every figure carries its label (:mod:`toposmith.labels`).
"""

from __future__ import annotations

from toposmith.analysis.prediction.path_latency import PathLatency
from toposmith.analysis.result import Analysis
from toposmith.analysis.summary import (
    band_basis,
    band_names,
    band_range,
    band_words,
    how_words,
    scale_words,
    where_words,
)
from toposmith.catalog.pieces import LINKS_NOT_MODELLED
from toposmith.documents.table import Table, table_of_words
from toposmith.labels import Labelled, inverse
from toposmith.text import (
    LIMIT_WORDS,
    UNKNOWN,
    at_line_rate,
    bandwidth,
    counted,
    duration_us,
    percent,
)

MODEL = "model"


def figures_table(analysis: Analysis) -> Table:
    """Every figure of an analysis with what it is; an unknown one says why where that is known."""
    share, bound, other = analysis.share_of_bound, analysis.bound, analysis.other_bound
    busbw = analysis.busbw
    kind, times = busbw.label.words, inverse(busbw.label)
    rows = [
        (_runs(analysis), how_words(analysis) or UNKNOWN, model_words(analysis)),
        ("predicted busbw", per_gpu(busbw), kind),
        ("predicted algbw", Labelled(analysis.algbw_GBps, busbw.label).words, kind),
        ("predicted time", times.marked(duration_us(analysis.time_us)), times.words),
        ("of which latency", duration_us(analysis.latency_us), MODEL),
        ("limited by", limit_words(analysis) or UNKNOWN, model_words(analysis)),
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
    told = ((name, words, "" if words.startswith(UNKNOWN) else kind) for name, words, kind in rows)
    return table_of_words(("figure", "value", "what it is"), told)


def notes_of_figures(analysis: Analysis) -> list[str]:
    """Why a bound may be out of reach, and where published results of such systems fell."""
    bound = analysis.bound
    notes = band_lines(analysis)
    if bound.value is not None and bound.label.kind == "bound" and bound.label.why:
        notes.insert(0, f"the bound is not proven to be within reach: {bound.label.why}")
    if bound.value is not None and bound.label.kind == "assumed":
        notes.insert(0, f"the bound rests on an assumption: {bound.label.why}")
    return notes


def cut_table(analysis: Analysis) -> Table:
    """The links whose capacity is the bound."""
    rows = [
        (cut.link, f"{cut.cables:,}", bandwidth(cut.capacity_GBps)) for cut in analysis.bound_cut
    ]
    return table_of_words(("link", "connections", "capacity"), rows, (1, 2))


def assumed_table(analysis: Analysis) -> Table:
    """Every assumption with the option that changes it."""
    rows = [(one.name, one.words, one.option) for one in analysis.assumed]
    return table_of_words(("assumed", "", "changed by"), rows)


def per_gpu(busbw: Labelled) -> str:
    """A rate of each GPU, with its sign."""
    return UNKNOWN if busbw.value is None else f"{busbw.words} per GPU"


def model_words(analysis: Analysis) -> str:
    """``model``, and what is not modelled where the label says so."""
    label = analysis.busbw_label
    return f"{MODEL}, {label.of}" if label.sign else MODEL


def limit_words(analysis: Analysis) -> str:
    """What limits the figure, with the links where links do."""
    limit = LIMIT_WORDS.get(analysis.limited_by or "", "")
    links = ", ".join(load.words for load in analysis.limiting)
    if analysis.limited_by == "links" and links:
        return f"{limit}: {links}"
    return limit


def band_lines(analysis: Analysis) -> list[str]:
    """How far published results were from such predictions, in words and as figures."""
    band = analysis.band
    if band is None or analysis.busbw_GBps is None:
        return [line for line in (analysis.no_band, analysis.published) if line]
    scale = scale_words(band, analysis.communicator.size)
    return [
        f"{band_words(band)} ({band_range(analysis.busbw_GBps, band)})",
        band_basis(band),
        *([scale] if scale else []),
        band_names(band),
        analysis.published,
    ]


def wire_words(path: PathLatency) -> str:
    """One-way network latency between the farthest nodes, as far as its parts are known."""
    least = "" if path.latency_us is not None else "at least "
    return (
        f"{least}{duration_us(path.at_least_us)} one way between the farthest nodes, "
        f"over {counted(path.hops, 'switch')}"
    )


def _bound_at_line_rate(bound: Labelled) -> str:
    return UNKNOWN if bound.value is None else f"{bandwidth(bound.value)} per GPU at line rate"


def _share_words(analysis: Analysis) -> str:
    """Why there is no share of the bound."""
    why = analysis.share_label.why
    return f"{UNKNOWN}: {why}" if why else UNKNOWN


def _of_others(analysis: Analysis) -> bool:
    """Whether no public source says which collective library runs over the GPUs' links."""
    return analysis.gpu_links in LINKS_NOT_MODELLED


def _runs(analysis: Analysis) -> str:
    """What NCCL runs, or would run where the GPUs run something else."""
    if _of_others(analysis):
        return "runs"
    other = any(finding.code == "rccl-not-modelled" for finding in analysis.findings)
    return "NCCL would run" if other else "NCCL runs"
