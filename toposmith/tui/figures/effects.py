"""What a change does to the figures, in words: before it is made, and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toposmith.analysis.result import Analysis, Prediction
from toposmith.collectives import collective_name
from toposmith.labels import Labelled
from toposmith.text import oversubscription
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.figures.live_workload import WorkloadFigure


@dataclass(frozen=True)
class FigureSet:
    """The figures of a design: of what is measured, of what stands beside it, of its workload.

    Of an edit that is tried ``price`` says what it costs and saves; empty where no list has prices.
    """

    analysis: Analysis | Prediction
    beside: Analysis | Prediction | None = None
    workload: WorkloadFigure | None = None
    price: str = ""


def effect(before: FigureSet | None, after: FigureSet, glyphs: Glyphs) -> list[str]:
    """What is different after a change, the ratios first; what stays as it was is named last.

    Parameters
    ----------
    before : FigureSet or None
        The figures of before; None where there were none.
    after : FigureSet
        The figures that the change gives.
    glyphs : Glyphs
        The signs to write with.

    Returns
    -------
    list of str
        Such as ``leaf oversubscription 1:1 -> 2:1``, ``all-to-all 44.0 -> 22.0 GB/s`` and
        ``all-reduce unchanged``; then what an edit that is tried costs.
    """
    priced = [after.price] if after.price else []
    then = before if before is not None and before.analysis.gpus else None
    if not after.analysis.gpus:
        return ["no GPUs", *priced] if then is not None else priced
    words = _ratios(then, after, glyphs)
    changed, same = _figures(then, after, glyphs)
    kept = [f"{' and '.join(same)} unchanged"] if same and not _all_unknown(after) else []
    workload = _workload(then, after, glyphs)
    return words + changed + workload + kept + _sizes(then, after, glyphs) + priced


def falls(before: FigureSet | None, after: FigureSet) -> bool:
    """Whether a change takes bandwidth away, or what its workload needs to run."""
    if before is None:
        return False
    if after.workload is not None and not after.workload.runs and before.workload != after.workload:
        return True
    pairs = ((before.analysis, after.analysis), (before.beside, after.beside))
    return any(
        old is not None
        and new is not None
        and old.collective == new.collective
        and _shown(old.busbw) != _shown(new.busbw)
        and (old.busbw_GBps or 0.0) > (new.busbw_GBps or 0.0)
        for old, new in pairs
    )


def joined(pieces: Sequence[str], width: int) -> str:
    """The pieces on one line; where it is short, in fewer words, and the least of them left out.

    Figures that changed stay longest, then ratios, then sizes; what is unchanged goes first.
    """
    left = list(pieces)
    if len(", ".join(left)) > width:
        left = [piece.replace(" oversubscription ", " ") for piece in left]
    while len(left) > 1 and len(", ".join(left)) > width:
        least = min(enumerate(left), key=lambda one: (_weight(pieces, one[1]), -one[0]))
        del left[least[0]]
    return ", ".join(left)


def _weight(pieces: Sequence[str], piece: str) -> int:
    """The rank of a piece: which are left out first."""
    if piece.endswith(" unchanged"):
        return 0
    if piece.startswith("GPUs "):
        return 1
    return 2 if piece not in pieces or " oversubscription " in piece else 3


def _sizes(before: FigureSet | None, after: FigureSet, glyphs: Glyphs) -> list[str]:
    if before is None or before.analysis.gpus == after.analysis.gpus:
        return []
    return [f"GPUs {before.analysis.gpus:,} {glyphs.arrow} {after.analysis.gpus:,}"]


def _workload(before: FigureSet | None, after: FigureSet, glyphs: Glyphs) -> list[str]:
    """The figure of the workload, where it differs."""
    was, now = before.workload if before else None, after.workload
    if now is None or was == now:
        return []
    chosen = f" with {now.layout}" if now.layout else ""
    if was is None or was.name != now.name:
        return [f"{now.name} {now.words}{chosen}"]
    return [f"{now.name} {was.words} {glyphs.arrow} {now.words}{chosen}"]


def _all_unknown(outcome: FigureSet) -> bool:
    """Whether there is no figure at all: that none of them changes says nothing."""
    found = (outcome.analysis, outcome.beside)
    return all(one is None or one.busbw_GBps is None for one in found)


def _ratios(before: FigureSet | None, after: FigureSet, glyphs: Glyphs) -> list[str]:
    """Oversubscription by tier, where it differs."""
    old = {tier.name: tier.oversubscription for tier in before.analysis.tiers} if before else {}
    words = []
    for tier in after.analysis.tiers:
        was, now = old.get(tier.name, old.get(tier.tier)), tier.oversubscription
        if now is None or (was is not None and _ratio(was) == _ratio(now)):
            continue
        change = _ratio(now) if was is None else f"{_ratio(was)} {glyphs.arrow} {_ratio(now)}"
        words.append(f"{tier.name} oversubscription {change}")
    return words


def _figures(
    before: FigureSet | None, after: FigureSet, glyphs: Glyphs
) -> tuple[list[str], list[str]]:
    """The figures that differ, and the names of those that do not."""
    changed, same = [], []
    olds = (before.analysis, before.beside) if before else (None, None)
    for old, new in zip(olds, (after.analysis, after.beside), strict=True):
        if new is None:
            continue
        name, now = collective_name(new.collective), new.busbw
        if old is None or old.collective != new.collective:
            changed.append(f"{name} {glyphs.shown(now.words)}")
        elif _shown(old.busbw) == _shown(now):
            same.append(name)
        else:
            changed.append(f"{name} {_change(old.busbw, now, glyphs)}")
    return changed, same


def _change(was: Labelled, now: Labelled, glyphs: Glyphs) -> str:
    old, new = glyphs.shown(was.words), glyphs.shown(now.words)
    number, _, unit = old.rpartition(" ")
    if number and new.endswith(f" {unit}"):
        old = number
    return f"{old} {glyphs.arrow} {new}"


def _ratio(value: float) -> str:
    """As it is written everywhere: ``1:1``, ``1.13:1``."""
    return oversubscription(value)


def _shown(busbw: Labelled) -> str:
    return busbw.words
