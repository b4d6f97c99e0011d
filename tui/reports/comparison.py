"""Two designs side by side, figure by figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog.plain_text import visible
from tui.reports.analysis import (
    BOUND,
    EXACT,
    MODEL,
    asked_words,
    findings_lines,
    groups_words,
    limit_words,
)
from tui.reports.table import columns, duration, figure
from tui.wording import how_words, percent, signed_percent

if TYPE_CHECKING:
    from topology.analysis.request import Request
    from topology.analysis.result import Analysis

Row = tuple[str, str, str, str, str]
"""Label, kind of statement, the two figures, and how the second differs."""


def comparison_report(one: Analysis, other: Analysis, request: Request) -> str:
    """The figures of two designs beside each other, and how the second differs.

    Parameters
    ----------
    one, other : Analysis
        Their figures.
    request : Request
        What was asked of both; who takes part may differ.
    """
    rows: list[Row] = [
        _count("GPUs", one.gpus, other.gpus),
        _count("nodes", one.nodes, other.nodes),
        ("communicator", "", _ranks(one), _ranks(other), ""),
        ("NCCL runs", MODEL, how_words(one), how_words(other), ""),
        _rate("predicted busbw", MODEL, one.busbw_GBps, other.busbw_GBps),
        _rate("predicted algbw", MODEL, one.algbw_GBps, other.algbw_GBps),
        _time("predicted time", one.time_us, other.time_us),
        _time("of which latency", one.latency_us, other.latency_us),
        ("limited by", MODEL, limit_words(one), limit_words(other), ""),
        _rate(
            "bound on busbw",
            one.bound_is if one.bound_is == other.bound_is else BOUND,
            one.bound_busbw_GBps,
            other.bound_busbw_GBps,
        ),
        ("share of the bound", MODEL, _share(one), _share(other), ""),
        _rate(
            "bound with reduction",
            BOUND,
            one.bound_with_reduction_GBps,
            other.bound_with_reduction_GBps,
        ),
        _rate("bisection", BOUND, one.bisection_GBps, other.bisection_GBps),
    ]
    title = f"{asked_words(request)}; busbw is per GPU"
    names = [visible(each.design) or "unnamed design" for each in (one, other)]
    head = ("", "is", *names, "difference")
    lines = [title, "", *columns(head, rows, right=(4,))]
    for name, each in zip(names, (one, other), strict=True):
        if each.findings:
            lines += ["", name, *(f"  {line}" for line in findings_lines(each.findings))]
    return "\n".join(lines) + "\n"


def _count(label: str, one: int, other: int) -> Row:
    return label, EXACT, f"{one:,}", f"{other:,}", _difference(one, other)


def _rate(label: str, kind: str, one: float | None, other: float | None) -> Row:
    return label, kind, figure(one, "GB/s"), figure(other, "GB/s"), _difference(one, other)


def _time(label: str, one: float | None, other: float | None) -> Row:
    return label, MODEL, duration(one), duration(other), _difference(one, other)


def _difference(one: float | None, other: float | None) -> str:
    if not one or other is None or one == other:
        return ""
    factor = other / one
    return f"x {factor:.3g}" if factor >= 10 else signed_percent(factor - 1)


def _ranks(analysis: Analysis) -> str:
    return f"{analysis.communicator.kind}: {groups_words(analysis.communicator)}"


def _share(analysis: Analysis) -> str:
    share = analysis.share_of_bound
    return "unknown" if share is None else percent(share)
