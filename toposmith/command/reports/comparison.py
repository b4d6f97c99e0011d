"""Two designs side by side, figure by figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.analysis.summary import how_words
from toposmith.catalog.pieces import LINKS_NOT_MODELLED
from toposmith.command.reports.analysis import (
    EXACT,
    MODEL,
    asked_words,
    findings_lines,
    groups_words,
    limit_words,
)
from toposmith.documents.aligned_text import columns
from toposmith.labels import MODEL as A_MODEL
from toposmith.labels import Labelled, inverse
from toposmith.plain_text import visible
from toposmith.text import change, duration_us, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toposmith.analysis.request import Request
    from toposmith.analysis.result import Analysis

ComparisonRow = tuple[str, str, str, str, str]
"""Name, label, the two figures, and how the second differs."""


def comparison_report(
    one: Analysis, other: Analysis, request: Request, more: Sequence[str] = ("", "")
) -> str:
    """The figures of two designs side by side, and how the second differs.

    Parameters
    ----------
    one, other : Analysis
        Their figures.
    request : Request
        The request for both; their participants may differ.
    more : sequence of str
        A line below the findings of each, on where to read more.
    """
    nccl = any(each.gpu_links not in LINKS_NOT_MODELLED for each in (one, other))
    rows: list[ComparisonRow] = [
        _count("GPUs", one.gpus, other.gpus),
        _count("nodes", one.nodes, other.nodes),
        ("communicator", "", _ranks(one), _ranks(other), ""),
        ("NCCL runs" if nccl else "runs", MODEL, how_words(one), how_words(other), ""),
        _labelled("predicted busbw", one.busbw, other.busbw),
        _labelled("predicted algbw", *(_algbw(each) for each in (one, other))),
        _time("predicted time", *(_taken(each) for each in (one, other))),
        _time("of which latency", *(Labelled(each.latency_us, A_MODEL) for each in (one, other))),
        ("limited by", MODEL, limit_words(one), limit_words(other), ""),
        _labelled("bound on busbw", one.bound, other.bound),
        ("share of the bound", MODEL, _share(one), _share(other), ""),
        _labelled("bound without reduction", *(_unreduced(each) for each in (one, other))),
        _labelled("bound with reduction", *(_reduced(each) for each in (one, other))),
        _labelled("bisection", *(_bisection(each) for each in (one, other))),
    ]
    title = (
        f"{asked_words(request, nccl=nccl)}; busbw is per GPU and payload, bounds and bisection at "
        "line rate"
    )
    names = [visible(each.design) or "unnamed design" for each in (one, other)]
    head = ("", "is", *names, "difference")
    lines = [title, "", *columns(head, rows, right=(4,))]
    for name, each, rest in zip(names, (one, other), more, strict=True):
        said = [*findings_lines(each.findings), *([rest] if rest else [])]
        if said:
            lines += ["", name, *(f"  {line}" for line in said)]
    return "\n".join(lines) + "\n"


def _count(label: str, one: int, other: int) -> ComparisonRow:
    return label, EXACT, f"{one:,}", f"{other:,}", _difference(one, other)


def _labelled(label: str, one: Labelled, other: Labelled) -> ComparisonRow:
    difference = _difference(one.value, other.value) if _alike(one, other) else ""
    return label, _kinds(one, other), one.words, other.words, difference


def _time(label: str, one: Labelled, other: Labelled) -> ComparisonRow:
    first, second = (each.label.marked(duration_us(each.value)) for each in (one, other))
    difference = _difference(one.value, other.value) if _alike(one, other) else ""
    return label, _kinds(one, other), first, second, difference


def _alike(one: Labelled, other: Labelled) -> bool:
    """Whether the labels are of one kind: two lower bounds do not measure a change."""
    return one.label.kind == other.label.kind and not one.label.sign


def _kinds(one: Labelled, other: Labelled) -> str:
    """The label of both figures; where they differ, both in order."""
    known = [each.label.kind for each in (one, other) if each.value is not None]
    return ", ".join(dict.fromkeys(known))


def _algbw(analysis: Analysis) -> Labelled:
    return Labelled(analysis.algbw_GBps, analysis.busbw_label)


def _taken(analysis: Analysis) -> Labelled:
    return Labelled(analysis.time_us, inverse(analysis.busbw_label))


def _bisection(analysis: Analysis) -> Labelled:
    return Labelled(analysis.bisection_GBps, analysis.bisection_label)


def _unreduced(analysis: Analysis) -> Labelled:
    return Labelled(analysis.bound_busbw_GBps, analysis.bound_label)


def _reduced(analysis: Analysis) -> Labelled:
    return Labelled(analysis.bound_with_reduction_GBps, analysis.reduced_label)


def _difference(one: float | None, other: float | None) -> str:
    if not one or other is None or one == other:
        return ""
    return change(other / one)


def _ranks(analysis: Analysis) -> str:
    return f"{analysis.communicator.kind}: {groups_words(analysis.communicator)}"


def _share(analysis: Analysis) -> str:
    share = analysis.share_of_bound
    return "unknown" if share is None else percent(share)
