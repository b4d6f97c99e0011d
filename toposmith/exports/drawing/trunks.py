"""The trunks of a drawn fabric: which groups each joins, and the words that stand at it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toposmith.analysis.result import Analysis, LinkLoad
from toposmith.exports.drawing.drawing_sheet import DrawingInk, text_width
from toposmith.fabric.counts import cable_counts, many_cables_words, nvlinks_words
from toposmith.fabric.plan import LinkPlan, NvlinkLink, Plan
from toposmith.text import oversubscription, percent, rates

STUB = 14.0
"""Room that a trunk keeps to the next, and to the corners of its box."""


@dataclass(frozen=True)
class DrawnTrunk:
    """A link between two rows; ``lower`` is the group whose box it leaves upwards."""

    link: LinkPlan | NvlinkLink
    lower: str
    upper: str
    label: tuple[tuple[str, DrawingInk, bool], ...]
    ink: DrawingInk
    limits: bool

    @property
    def width(self) -> float:
        """Room for the trunk and its label on the lower box."""
        return max(text_width(text, bold=bold) for text, _, bold in self.label) + 2 * STUB


def trunks_of(
    plan: Plan, rows: Sequence[Sequence[str]], analysis: Analysis | None
) -> list[DrawnTrunk]:
    """Every link as a trunk, with its cables, its load, and the oversubscription at its foot."""
    level = {name: number for number, row in enumerate(rows) for name in row}
    cables = cable_counts(plan)
    loads = _worst_loads(analysis)
    limiting = _limiting(analysis)
    ratios = _ratios(analysis)
    first: set[str] = set()
    trunks: list[DrawnTrunk] = []
    for link in plan.every_link:
        lower, upper = sorted((link.a.group, link.b.group), key=level.__getitem__)
        load = loads.get(link.index)
        limits = link.index in limiting
        ink = _ink(load, limits=limits)
        label: list[tuple[str, DrawingInk, bool]] = [
            (many_cables_words(plan, link, cables[link.index]), "text", False)
        ]
        if load is not None:
            usable = load.capacity_GBps if load.usable_GBps is None else load.usable_GBps
            of = f"{rates(load.load_GBps, usable, 'of')} usable"
            full = f"{percent(load.utilization)} full, {of}"
            label.append((full + (" - limits" if limits else ""), ink, limits))
        if lower in ratios and lower not in first and level[upper] > level[lower]:
            first.add(lower)
            label.append((ratios[lower], "muted", False))
        trunks.append(DrawnTrunk(link, lower, upper, tuple(label), ink, limits))
    for nvlink in plan.nvlinks:
        words: tuple[str, DrawingInk, bool] = (nvlinks_words(plan, nvlink), "text", False)
        trunks.append(DrawnTrunk(nvlink, nvlink.nodes, nvlink.switches, (words,), "idle", False))
    return trunks


def _worst_loads(analysis: Analysis | None) -> dict[int | None, LinkLoad]:
    """The fullest class of every link."""
    rising = sorted(analysis.limits, key=lambda load: load.utilization) if analysis else []
    return {load.index: load for load in rising}


def _limiting(analysis: Analysis | None) -> set[int | None]:
    """The links that limit."""
    return set() if analysis is None else {load.index for load in analysis.limiting}


def _ink(load: LinkLoad | None, *, limits: bool) -> DrawingInk:
    if limits:
        return "hot"
    return "busy" if load is not None and load.utilization >= 0.5 else "idle"


def _ratios(analysis: Analysis | None) -> dict[str, str]:
    """What stands at the uplinks of a tier: its oversubscription."""
    return {
        name: f"{oversubscription(tier.oversubscription)} oversubscription"
        for tier in (analysis.tiers if analysis else ())
        if tier.oversubscription is not None
        for name in tier.groups
    }
