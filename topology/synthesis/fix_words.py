"""Fixes, and what can be left out, in words and as plain data."""

from __future__ import annotations

from typing import Any

from toposmith.text import bandwidth, change, joined
from toposmith.topology.analysis.summary import asked_as_data, asked_words
from toposmith.topology.collectives import collective_name
from toposmith.topology.labels import Labelled
from toposmith.topology.labels import as_data as label_data
from toposmith.topology.synthesis.left_out import FigurePair, LeftOut, Spares
from toposmith.topology.synthesis.needs import needs_words
from toposmith.topology.synthesis.purchases import purchase_as_data
from toposmith.topology.synthesis.ranked_fixes import Fix, RankedFixes


def now_words(found: RankedFixes) -> str:
    """The figure as it stands, and what holds it back."""
    now, request = found.now, found.of.asked
    name = collective_name(request.collective)
    label = f" ({now.busbw.label.words})" if now.busbw.value is not None else ""
    limit = f", limited by {now.limit}" if now.limit else ""
    return f"{name} {now.busbw.words} per GPU{label}{limit}; {asked_words(request)}"


def gain_words(fix: Fix) -> str:
    """``+12.0 GB/s, x 2.00``."""
    gain, before, after = fix.gain_GBps, fix.before.value, fix.after.value
    if gain is None:
        return "new"
    factor = f", {change(after / before)}" if before and after else ""
    return f"+{bandwidth(gain)}{factor}"


def why_none(found: RankedFixes) -> str:
    """Why there is no fix."""
    now = found.now
    if now.busbw.value is None:
        return "nothing runs: see what `check` says of the design"
    if now.busbw.label.sign:
        kind = now.busbw.label.words
        return f"the figure is no more than a limit ({kind}), so no change is measured by it"
    if now.limited_by == "latency":
        return "latency holds it back: larger messages would lift it, no cable does"
    if now.limited_by == "channels":
        return (
            "the network is not what limits; NCCL's channels are, and those follow from the nodes "
            "and their NICs: no change of the fabric was found that lifts the figure"
        )
    tried = f"{found.tried:,} changes of cables, counts and parts were analysed, none lifts it"
    slots = "; NICs of a node that are part of its board or at the limit of their slots stay"
    return tried + (slots if found.tried else "") + " as they are" * bool(found.tried)


def pair_words(figure: FigurePair) -> str:
    """``all-to-all 48.3 GB/s -> 8.01 GB/s``."""
    name = collective_name(figure.collective)
    return f"{name} {figure.before.words} -> {figure.after.words}"


def suffers_words(left: LeftOut) -> str:
    """Which figures fall."""
    if not left.suffers:
        held = joined(collective_name(figure.collective) for figure in left.figures)
        return f"nothing falls ({held})"
    return "; ".join(map(pair_words, left.suffers))


def spare_words(found: Spares) -> str:
    """In one sentence what could go, the greatest saving: for where the network does not limit."""
    if not found.left_out:
        return ""
    left = found.left_out[0]
    return f"it holds with less: {left.label} ({suffers_words(left)})"


def unmet_words(found: Spares) -> str:
    """Which needs the design does not meet as it stands."""
    return needs_words({name: found.needs[name] for name in found.unmet})


def _figure(of: Labelled) -> dict[str, Any]:
    value = None if of.value is None else round(of.value, 6)
    return {"busbw_GBps": value, **label_data(of.label)}


def fixes_as_data(found: RankedFixes, spares: Spares | None) -> dict[str, Any]:
    """The fixes under stable keys (see ``docs/synthesis.md``)."""
    return {
        "toposmith": 1,
        "design": found.of.design.name,
        "collective": found.of.asked.collective,
        **asked_as_data(found.of.asked),
        "now": {**_figure(found.now.busbw), "limited_by": found.now.limit or None},
        "fixes": [
            {
                "change": fix.label,
                **_figure(fix.after),
                "gain_GBps": None if fix.gain_GBps is None else round(fix.gain_GBps, 6),
                "then_limited_by": fix.limit or None,
                "routing": fix.request.routing.mode,
                **purchase_as_data(fix.purchase),
            }
            for fix in found.fixes
        ],
        "analysed": found.tried,
        "complete": found.complete,
        "why_none": None if found.fixes else why_none(found),
        "spare": spares_as_data(spares)["spare"] if spares is not None else [],
    }


def spares_as_data(found: Spares) -> dict[str, Any]:
    """What can be left out, under stable keys."""
    return {
        "toposmith": 1,
        "design": found.of.design.name,
        **asked_as_data(found.of.asked),
        "needs": dict(found.needs),
        "unmet": list(found.unmet),
        "after_worst_failure": found.after_failure or None,
        "spare": [
            {
                "what": left.what,
                "change": left.label,
                "figures": [
                    {
                        "collective": figure.collective,
                        "before": _figure(figure.before),
                        "after": _figure(figure.after),
                        "needed_GBps": figure.needed_GBps,
                    }
                    for figure in left.figures
                ],
                "after_worst_failure": left.after_failure or None,
                **purchase_as_data(left.purchase),
            }
            for left in found.left_out
        ],
    }
