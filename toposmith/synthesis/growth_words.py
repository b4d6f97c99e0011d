"""Growth in words and as plain data."""

from __future__ import annotations

from typing import Any

from toposmith.analysis.summary import asked_as_data, asked_words
from toposmith.collectives import collective_name
from toposmith.labels import Labelled
from toposmith.labels import as_data as label_data
from toposmith.synthesis.figures_at_hand import FigureAtHand
from toposmith.synthesis.growth_plan import Growth
from toposmith.synthesis.growth_step import GrowthFigures, GrowthStep
from toposmith.synthesis.needs import needs_words
from toposmith.synthesis.purchases import purchase_as_data
from toposmith.text import bandwidth, counted, joined


def figures_words(figures: GrowthFigures) -> str:
    """``all-reduce 360 GB/s, all-to-all 48.3 GB/s``."""
    return ", ".join(f"{collective_name(name)} {one.words}" for name, one in figures.items())


def step_figures(step: GrowthStep) -> str:
    """The figures after a step, and those while it is done where they are lower."""
    words = []
    for name, after in step.after.items():
        low = "" if step.meanwhile is None else step.meanwhile[name].words
        meanwhile = f" (meanwhile {low})" if low and low != after.words else ""
        words.append(f"{collective_name(name)} {after.words}{meanwhile}")
    return ", ".join(words)


def cables_words(found: Growth) -> str:
    """``512 connections moved, 1,536 made, 0 taken out``: port to port, not cables of the bill."""
    connected = sum(step.connected for step in found.steps)
    out = sum(step.unplugged for step in found.steps)
    words = f"{counted(found.moved, 'connection')} moved, {connected:,} made, {out:,} taken out"
    return words if found.complete else f"{words} until then"


def floor_words(found: Growth) -> str:
    """Whether the floor holds; else the step with the lowest figure, and by how much it misses."""
    if not found.floor and not found.least_gpus:
        return ""
    if not found.complete and found.holds:
        return "whether the floor holds throughout was not worked out"
    if found.holds:
        held = [f"{needs_words(found.floor)} per GPU"] if found.floor else []
        held += [f"{found.least_gpus:,} GPUs running"] if found.least_gpus else []
        return f"the floor holds throughout: {joined(held)}"
    words = [_too_few_words(found)] if found.too_few else []
    for name, least in found.floor.items():
        below = [(number, low) for number, one, low in found.missed if one == name]
        if not below:
            continue
        now, last = found.now[name], found.steps[-1].after[name]
        number, lowest = min(below, key=lambda one: one[1].value or 0.0)
        told = f"{collective_name(name)} falls to {lowest.words} in step {number}"
        if lowest.value is None:
            told = f"no {collective_name(name)} can be predicted in step {number}"
            told += f", whose floor is {bandwidth(least)}"
        else:
            told += f", {bandwidth(least - lowest.value)} below the floor of {bandwidth(least)}"
        if not FigureAtHand(now).holds(least):
            told += f" (it is {now.words} today)"
        elif found.complete and not FigureAtHand(last).holds(least):
            told += f" (the later design itself gives {last.words})"
        words.append(told)
    return joined(words)


def _too_few_words(found: Growth) -> str:
    """In which step the fewest GPUs run, and how many are missed."""
    number, gpus = min(found.too_few, key=lambda one: one[1])
    return (
        f"{gpus:,} GPUs run in step {number}, {found.least_gpus - gpus:,} fewer than the "
        f"{found.least_gpus:,} that are to"
    )


def together_words(found: Growth) -> str:
    """Why what is there cannot be changed bit by bit; empty where it can."""
    if not found.together:
        return ""
    return f"not planned in steps: {'; '.join(found.together)}"


def stopped_words(found: Growth) -> str:
    """That the later design is not reached; empty where it is."""
    if found.complete:
        return ""
    when = f"after {counted(len(found.steps), 'step')}" if found.steps else "before the first step"
    return f"stopped {when}: the further ones were not worked out, and another order may be better"


def asked_of(found: Growth) -> str:
    """What the figures are of."""
    return f"busbw per GPU, model; {asked_words(found.old.asked, nccl=_nccl(found))}"


def _nccl(found: Growth) -> bool:
    return found.old.plan.nccl or found.new.plan.nccl


def growth_as_data(found: Growth) -> dict[str, Any]:
    """The plan under stable keys (see ``docs/synthesis.md``)."""
    return {
        "toposmith": 1,
        "from": found.old.design.name,
        "to": found.new.design.name,
        **asked_as_data(found.old.asked, nccl=_nccl(found)),
        "floor": dict(found.floor),
        "gpus_at_least": found.least_gpus,
        "floor_holds": found.holds if found.complete or not found.holds else None,
        "complete": found.complete,
        "now": _figures(found.now),
        "not_in_steps": list(found.together),
        "cables_moved": found.moved,
        "steps": [
            {
                "step": number,
                "what": step.words,
                "gpus": step.gpus,
                "gpus_meanwhile": step.fewest_gpus,
                "cables_moved": step.moved,
                "cables_connected": step.connected,
                "cables_taken_out": step.unplugged,
                "after": _figures(step.after),
                "meanwhile": None if step.meanwhile is None else _figures(step.meanwhile),
            }
            for number, step in enumerate(found.steps, 1)
        ],
        **purchase_as_data(found.purchase),
    }


def _figures(of: GrowthFigures) -> dict[str, dict[str, Any]]:
    return {name: _figure(one) for name, one in of.items()}


def _figure(of: Labelled) -> dict[str, Any]:
    value = None if of.value is None else round(of.value, 6)
    return {"busbw_GBps": value, **label_data(of.label)}
