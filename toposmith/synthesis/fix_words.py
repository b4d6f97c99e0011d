"""Fixes, and what can be left out, in words and as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toposmith.analysis.summary import asked_as_data, asked_words
from toposmith.collectives import collective_name
from toposmith.findings.finding import Finding
from toposmith.labels import Labelled
from toposmith.labels import as_data as label_data
from toposmith.synthesis.aims import WORKLOAD, Margin
from toposmith.synthesis.left_out import LeftOut, Spares
from toposmith.synthesis.purchases import purchase_as_data
from toposmith.synthesis.ranked_fixes import Fix, RankedFixes
from toposmith.synthesis.side_effects import FigurePair, Worsened
from toposmith.text import bandwidth, change, counted, joined, percent

SPARES_ORDER = (
    "the greatest saving first: by price where all is priced, then switches, NICs, cables"
)
"""By what is ranked what could be left out."""


def now_words(found: RankedFixes) -> str:
    """The figure as it stands, and what holds it back."""
    now, request, aim = found.now, found.of.asked, found.aim
    label = f" ({now.amount.label.words})" if now.amount.value is not None else ""
    limit = f", {aim.held_by} {now.limit}" if now.limit else ""
    if not aim.of_collective:
        return f"{aim.words(request)} {now.amount.words}{label}{limit}"
    what = f"{aim.words(request)} {now.amount.words} per GPU"
    return f"{what}{label}{limit}; {asked_words(request, nccl=found.of.plan.nccl)}"


def order_words(found: RankedFixes) -> str:
    """By what the fixes are ranked; empty where there are not several."""
    if len(found.fixes) < 2:
        return ""
    parts = "by switches to buy, then NICs, then cables and fibres, then modules"
    if not all(fix.purchase.known for fix in found.fixes):
        return "the smallest first: by switches to buy, then NICs, then cables"
    if all(fix.purchase.price for fix in found.fixes if fix.purchase.parts):
        return "the cheapest first"
    if any(fix.purchase.price for fix in found.fixes):
        return f"the cheapest first, then what has no price: {parts}"
    return f"the smallest first: {parts}"


def then_words(found: RankedFixes, fix: Fix) -> str:
    """The figure after a fix with its kind, what is won, and what holds it back then."""
    then = f"; then {found.aim.held_by} {fix.limit}" if fix.limit else ""
    return f"{fix.after.words} ({fix.after.label.words}), {gain_words(fix)}{then}"


def gain_words(fix: Fix) -> str:
    """``+12.0 GB/s, x 2.00``."""
    before, after = fix.before.value, fix.after.value
    of_what = " of required" if isinstance(fix.after, Margin) and fix.gain is not None else ""
    factor = f", {change(after / before)}" if before and after else ""
    return f"{gained(fix)}{of_what}{factor}"


def gained(fix: Fix) -> str:
    """``+12.0 GB/s``: what a fix wins; ``new`` where nothing ran before."""
    if fix.gain is None:
        return "new"
    return f"+{percent(fix.gain) if isinstance(fix.after, Margin) else bandwidth(fix.gain)}"


def none_words(found: RankedFixes) -> str:
    """That there is no fix, in few words."""
    return _reasons(found)[0]


def why_none(found: RankedFixes) -> str:
    """Why there is no fix."""
    return "; ".join(_reasons(found))


def _reasons(found: RankedFixes) -> tuple[str, ...]:
    """Why there is no fix, and what was not tried for it."""
    now = found.now
    if now.limited_by == "time":
        return ("the figure as it stands was not worked out in that time",)
    if now.amount.value is None and found.aim is WORKLOAD:
        return (
            "the design has no training workload with traffic between nodes that runs on it: "
            "`toposmith workload` says what is missing",
        )
    if now.amount.value is None:
        return ("no collective can run; see `toposmith check`",)
    if now.amount.label.sign:
        kind = now.amount.label.words
        return (f"only a limit ({kind}): fixes cannot be ranked by it",)
    if now.limited_by == "latency":
        return ("limited by latency: larger messages would lift it, no cable does",)
    if now.limited_by == "channels":
        return ("no change of the fabric was found that lifts NCCL's channels",)
    if not found.tried and not found.complete:
        return (f"{now.limit} limits it",)
    if not found.tried:
        return (
            f"no change of {now.limit} was found that lifts it without an error",
            "NICs of a node that are part of its board stay as they are",
        )
    return (
        f"no change was found that lifts it: {counted(found.tried, 'change')} of cables, counts "
        "and parts analysed",
        "NICs of a node that are part of its board or at the limit of their slots stay as they are",
    )


NO_PATH = "no path"
"""What is left of a collective that could not run any more."""


def pair_words(figure: FigurePair) -> str:
    """``all-to-all 48.3 GB/s -> 8.01 GB/s``."""
    return f"{_figure_name(figure)} {figure.before.words} -> {_after_words(figure)}"


def _figure_name(figure: FigurePair) -> str:
    name = collective_name(figure.collective)
    return name if figure.pxn else f"{name} without PXN"


def _after_words(figure: FigurePair) -> str:
    """What is left; PXN alone joins what has no figure without it."""
    lost = figure.after.value is None and not figure.pxn
    return NO_PATH if lost else figure.after.words


def _falls_words(figure: FigurePair) -> str:
    after = _after_words(figure)
    return f"has {after}" if after == NO_PATH else f"falls to {after}"


def suffers_words(left: LeftOut) -> str:
    """Which figures fall."""
    if not left.suffers:
        held = joined(_figure_name(figure) for figure in left.figures)
        return f"{held} stay as they are" if len(left.figures) > 1 else f"{held} stays as it is"
    return "; ".join(map(pair_words, left.suffers))


def cost_lines(change: Fix | LeftOut) -> list[str]:
    """What else a change does: figures that fall, findings that it adds or makes worse."""
    lines = []
    if isinstance(change, Fix) and change.falls:
        lines.append(f"with nothing failed: {'; '.join(map(pair_words, change.falls))}")
    if isinstance(change, Fix) and not change.reviewed:
        lines.append("which figures fall was not worked out")
    lines += [f"adds {one.severity} {one.where}: {one.text}" for one in change.added]
    lines += [
        f"worsens {one.after.severity} {one.after.where}, {one.words}: {one.after.text}"
        for one in change.worsened
    ]
    return lines


def cost_cell(change: Fix | LeftOut) -> str:
    """The same, short: ``all-to-all falls to 4.00 GB/s, warns of leaves joined by one switch``."""
    pairs = change.falls if isinstance(change, Fix) else change.suffers
    falls = [f"{_figure_name(pair)} {_falls_words(pair)}" for pair in pairs]
    warned = [one.record.title for one in change.added]
    warned += [
        f"{one.after.record.title} {one.after.value.words}"
        for one in change.worsened
        if one.after.value is not None
    ]
    warns = [f"warns of {joined(dict.fromkeys(warned))}"] if warned else []
    return ", ".join([*falls, *warns])


def spare_words(found: Spares) -> str:
    """In one sentence what could go, the greatest saving: for where the network does not limit.

    What leaves something without a path is never said so shortly.
    """
    left = next((one for one in found.left_out if not one.splits), None)
    if left is None:
        return ""
    cost = cost_cell(left)
    words = f"it holds with less: {left.label}"
    return f"{words}, but {cost}" if cost else f"{words}; {suffers_words(left)}"


NOT_ALL_SPARES = "stopped before all was tried; more could perhaps be left out"
"""What is said where a limit of time ended the search for what could go."""


def unmet_words(found: Spares) -> str:
    """Which needs the design does not meet as it stands: ``all-reduce 356 GB/s of 400 GB/s``."""
    return ", ".join(
        f"{collective_name(name)} {has.words} of {bandwidth(found.needs[name])}"
        for name, has in found.unmet.items()
    )


def _figure(of: Labelled) -> dict[str, Any]:
    value = None if of.value is None else round(of.value, 6)
    return {"busbw_GBps": value, **label_data(of.label)}


def _findings(found: Iterable[Finding]) -> list[dict[str, Any]]:
    return [
        {"code": one.code, "severity": one.severity, "where": one.where, "text": one.text}
        for one in found
    ]


def _worsened(found: Iterable[Worsened]) -> list[dict[str, Any]]:
    return [
        {
            **said,
            "before": one.before.value.amount if one.before.value else None,
            "after": one.after.value.amount if one.after.value else None,
            "unit": one.after.value.unit if one.after.value else None,
        }
        for one in found
        for said in _findings([one.after])
    ]


def _pairs(figures: Iterable[FigurePair]) -> list[dict[str, Any]]:
    return [
        {
            "collective": pair.collective,
            "before": _figure(pair.before),
            "after": _figure(pair.after),
        }
        for pair in figures
    ]


def _lifted(found: RankedFixes, amount: Labelled) -> dict[str, Any]:
    value = None if amount.value is None else round(amount.value, 6)
    return {found.aim.key: value, **label_data(amount.label)}


def _gain_key(found: RankedFixes) -> str:
    return "gain_GBps" if found.aim.of_collective else "gain_share"


def fixes_as_data(found: RankedFixes, spares: Spares | None) -> dict[str, Any]:
    """The fixes under stable keys (see ``docs/synthesis.md``)."""
    return {
        "toposmith": 1,
        "design": found.of.design.name,
        "collective": found.of.asked.collective,
        **asked_as_data(found.of.asked, nccl=found.of.plan.nccl),
        "lift": found.aim.name,
        "now": {**_lifted(found, found.now.amount), "limited_by": found.now.limit or None},
        "fixes": [
            {
                "change": fix.label,
                **_lifted(found, fix.after),
                _gain_key(found): None if fix.gain is None else round(fix.gain, 6),
                "then_limited_by": fix.limit or None,
                "routing": fix.request.routing.mode,
                "falls": _pairs(pair for pair in fix.falls if pair.pxn),
                "falls_without_pxn": _pairs(pair for pair in fix.falls if not pair.pxn),
                "adds": _findings(fix.added),
                "worsens": _worsened(fix.worsened),
                **purchase_as_data(fix.purchase),
            }
            for fix in found.fixes
        ],
        "analysed": found.tried,
        "complete": found.complete,
        "why_none": None if found.fixes else why_none(found),
        "mend_first": list(found.mend_first),
        "spare": spares_as_data(spares)["spare"] if spares is not None else [],
    }


def spares_as_data(found: Spares) -> dict[str, Any]:
    """What can be left out, under stable keys."""
    return {
        "toposmith": 1,
        "design": found.of.design.name,
        **asked_as_data(found.of.asked, nccl=found.of.plan.nccl),
        "needs": dict(found.needs),
        "unmet": list(found.unmet),
        "after_worst_failure": found.after_failure or None,
        "complete": found.complete,
        "mend_first": list(found.mend_first),
        "spare": [
            {
                "what": left.what,
                "change": left.label,
                "figures": [
                    {**said, "needed_GBps": figure.needed_GBps}
                    for figure in left.figures
                    if figure.pxn
                    for said in _pairs([figure])
                ],
                "falls_without_pxn": _pairs(pair for pair in left.suffers if not pair.pxn),
                "after_worst_failure": left.after_failure or None,
                "adds": _findings(left.added),
                "worsens": _worsened(left.worsened),
                **purchase_as_data(left.purchase),
            }
            for left in found.left_out
        ],
    }
