"""The steps from one design to another, as a table."""

from __future__ import annotations

from toposmith.collectives import collective_name
from toposmith.documents.table import Cell, Column, Note, Row, Table, Tone
from toposmith.labels import Labelled
from toposmith.synthesis.growth_plan import Growth
from toposmith.synthesis.growth_step import GrowthStep
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


def growth_table(found: Growth) -> Table:
    """The steps in order, with the figures after each and, where lower, meanwhile."""
    names = tuple(found.now)
    columns = (
        Column("", right=True),
        Column("step", wide=70, fill=30),
        *(Column(collective_name(name), right=True, rank=2) for name in names),
        Column("meanwhile", right=True, rank=3),
        Column("GPUs", right=True, rank=4),
        Column("moved", right=True, rank=5),
        Column("connected", right=True, rank=6),
        Column("taken out", right=True, rank=7),
    )
    head = [Note(f"{cables_words(found)}; {asked_of(found)}")]
    head.append(Note(f"now: {figures_words(found.now)}"))
    if stopped := stopped_words(found):
        head.append(Note(stopped, Tone.WARNING))
    if floor := floor_words(found):
        head.append(Note(floor, Tone.GOOD if found.holds else Tone.WARNING))
    if together := together_words(found):
        head.append(Note(together, Tone.WARNING))
    head.append(Note(purchase_words(found.purchase), Tone.QUIET))
    missed = {number for number, *_ in (*found.missed, *found.too_few)}
    rows = tuple(
        _row(number, step, names, missed=number in missed)
        for number, step in enumerate(found.steps, 1)
    )
    return Table(columns, rows, tuple(head), _NOTHING)


_NOTHING = "nothing to do: both have the same devices and cables"


def _row(number: int, step: GrowthStep, names: tuple[str, ...], *, missed: bool) -> Row:
    tone = Tone.WARNING if missed else Tone.PLAIN
    cells = (
        Cell(f"{number}", number, tone),
        Cell(step.words, step.words),
        *(_figure(step.after[name]) for name in step.after if name in names),
        _lowest(step),
        _gpus(step),
        *(
            Cell(f"{many:,}" if many else "", many)
            for many in (step.moved, step.connected, step.unplugged)
        ),
    )
    detail = (step.words, f"{counted(step.gpus, 'GPU')}: {step_figures(step)}")
    return Row(str(number - 1), cells, detail, step.groups)


def _gpus(step: GrowthStep) -> Cell:
    """GPUs after a step, and how many run while it is done where those are fewer."""
    fewest = step.fewest_gpus
    words = f"{step.gpus:,}" if fewest == step.gpus else f"{step.gpus:,} ({fewest:,})"
    return Cell(words, step.gpus)


def _figure(of: Labelled) -> Cell:
    return Cell(of.words, of.value)


def _lowest(step: GrowthStep) -> Cell:
    """The figure that falls most while a step is done."""
    low = step.meanwhile
    if low is None:
        return Cell("", None)
    name = min(low, key=lambda one: (low[one].value or 0.0) / (step.after[one].value or 1.0))
    if low[name].words == step.after[name].words:
        return Cell("as after", low[name].value)
    return Cell(f"{collective_name(name)} {low[name].words}", low[name].value)
