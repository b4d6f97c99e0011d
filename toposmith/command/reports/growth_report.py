"""The steps from one design to another, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.plain_text import visible
from toposmith.synthesis.growth_words import (
    asked_of,
    cables_words,
    figures_words,
    floor_words,
    step_figures,
    stopped_words,
    together_words,
)
from toposmith.synthesis.purchases import purchase_words
from toposmith.text import counted

if TYPE_CHECKING:
    from toposmith.synthesis.growth_plan import Growth


def growth_report(found: Growth) -> str:
    """The steps in order, then their totals and whether the floor holds."""
    names = [one.design.name or one.source for one in (found.old, found.new)]
    lines = [visible(" -> ".join(names)), asked_of(found), f"now: {figures_words(found.now)}", ""]
    for number, step in enumerate(found.steps, 1):
        lines += [
            f"{number:>2}  {visible(step.words)}",
            f"    {counted(step.gpus, 'GPU')}: {step_figures(step)}",
        ]
    if not found.steps and found.complete:
        lines.append("nothing to do: both have the same devices and cables")
    lines += ["", cables_words(found), visible(purchase_words(found.purchase))]
    lines += [
        visible(words)
        for words in (together_words(found), floor_words(found), stopped_words(found))
        if words
    ]
    return "".join(f"{line}\n" for line in lines)
