"""The figures shown at the trunks, read off an analysis."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from toposmith.analysis.result import Analysis, LinkLoad
from toposmith.fabric.plan import Plan
from toposmith.text import oversubscription, percent, rates
from toposmith.tui.canvas.canvas_glyphs import Ink

BUSY_FROM = 0.6
FULL_FROM = 0.9


@dataclass(frozen=True)
class TrunkFigure:
    """The load of a link's worst cable, in words, and how it is drawn.

    ``missed`` is the dimension of the workload that needs more of it; empty where none does.
    ``GBps`` is the load as a number. ``of_usable`` says that the load is compared with what headers
    and protocols leave of the line rate, not beside the line rate.
    """

    ink: Ink
    percent: str
    load: str
    limits: bool
    missed: str = ""
    GBps: float | None = None
    of_usable: bool = False


@dataclass(frozen=True)
class Ratio:
    """Capacity down over capacity up of a tier, in words."""

    text: str
    over: bool


@dataclass(frozen=True)
class Figures:
    """Everything an analysis says at trunks: per link, and per lower group of an uplink."""

    trunks: Mapping[int, TrunkFigure] = field(default_factory=dict)
    ratios: Mapping[str, Ratio] = field(default_factory=dict)


def read_figures(
    plan: Plan, analysis: Analysis | None, missed: Mapping[str, str] | None = None
) -> Figures:
    """The figures of an analysis, by link index and by group; none without an analysis.

    ``missed`` are the labels of links that the workload needs more of, with what waits there.
    """
    if analysis is None:
        return Figures()
    labels = {link.index: link.label for link in plan.links}
    inside = {f"{link.nodes} NVLink": link.index for link in plan.nvlinks}
    labels |= {index: label for label, index in inside.items()}
    worst: dict[int, LinkLoad] = {}
    for load in analysis.limits:
        index = inside.get(load.link) if load.index is None else load.index
        if index is None or labels.get(index) != load.link:
            continue  # inside a node, or of a design that has since changed
        if index not in worst or load.utilization > worst[index].utilization:
            worst[index] = load
    limiting = {load.index for load in analysis.limiting}
    return Figures(
        {
            index: replace(
                trunk_figure(load, limits=index in limiting),
                missed=(missed or {}).get(labels[index], ""),
            )
            for index, load in worst.items()
        },
        {
            group: _ratio(tier.oversubscription)
            for tier in analysis.tiers
            if tier.oversubscription
            for group in tier.groups
        },
    )


def expected_ratios(plan: Plan, tier: Mapping[str, int]) -> dict[str, Ratio]:
    """Capacity down over capacity up of every group with both, from its links alone."""
    down: dict[str, int] = defaultdict(int)
    up: dict[str, int] = defaultdict(int)
    for link in plan.links:
        low, high = sorted((link.a.group, link.b.group), key=tier.__getitem__)
        if tier[low] < tier[high]:
            up[low] += link.cables_at(low) * link.speed_gbit
            down[high] += link.cables_at(high) * link.speed_gbit
    return {group: _ratio(down[group] / up[group]) for group in up if down[group]}


def trunk_figure(load: LinkLoad, *, limits: bool) -> TrunkFigure:
    """The load of one class of links in words, of what it carries of such traffic."""
    usable = load.capacity_GBps if load.usable_GBps is None else load.usable_GBps
    figure = figure_of(load.load_GBps, usable, load.utilization, limits=limits)
    return replace(figure, of_usable=usable != load.capacity_GBps)


def figure_of(
    load_GBps: float, capacity_GBps: float, used: float, *, limits: bool = False
) -> TrunkFigure:
    """A load in words, of a capacity, of which a share is used."""
    if limits:
        ink = Ink.LIMIT
    elif used >= FULL_FROM:
        ink = Ink.FULL
    elif used >= BUSY_FROM:
        ink = Ink.BUSY
    else:
        ink = Ink.CALM if used > 0 else Ink.IDLE
    of = rates(load_GBps, capacity_GBps, "of")
    return TrunkFigure(ink, percent(used), of, limits, GBps=load_GBps)


def _ratio(ratio: float) -> Ratio:
    text = oversubscription(ratio)
    over = ratio >= 1.005
    return Ratio(f"{text} oversubscribed" if over else text, over)
