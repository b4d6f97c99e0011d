"""A change in words: as a table of steps, as CSV of acts, as a page to print, as plain data."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from toposmith.analysis.summary import asked_as_data, asked_words
from toposmith.catalog.prices import Price
from toposmith.collectives import collective_name
from toposmith.documents.markdown import Block, Heading, Page, Sentences
from toposmith.documents.table import Cell, Column, Note, Row, Table, Tone, table_of_words
from toposmith.labels import Labelled
from toposmith.labels import as_data as label_data
from toposmith.leaving_text import csv_pieces
from toposmith.lock.change_order import ChangeAct
from toposmith.lock.change_plan import ChangePlan, ChangeStep, FiguresOfMoment
from toposmith.lock.lock_file import LockedCable
from toposmith.synthesis.needs import FigureAtHand, needs_words
from toposmith.text import bandwidth, counted, joined

MOST_ACTS = 200
"""Acts of a step that its row lists; CSV and JSON have all."""

_VERBS = {
    "add": ("device", "to add"),
    "replace": ("device", "to replace"),
    "shift": ("device", "to shift"),
    "note": ("device", "to note"),
    "lay": ("connection", "to lay"),
    "move": ("connection", "to move by one end"),
    "pull": ("connection", "to pull"),
    "take out": ("device", "to take out"),
}
ACT_COLUMNS = ("Step", "Act", "Label", "From", "To", "Part", "Length-m", "Stays")


def change_table(plan: ChangePlan) -> Table:
    """The steps in order, with the figures after each and, where lower, meanwhile."""
    names = tuple(plan.now)
    columns = (
        Column("", right=True),
        Column("step", wide=70, fill=30),
        *(Column(collective_name(name), right=True, rank=2) for name in names),
        Column("meanwhile", right=True, rank=3),
        Column("GPUs", right=True, rank=4),
    )
    asked = asked_words(plan.new.asked, nccl=plan.new.plan.nccl)
    head = [
        Note(f"{act_counts(plan.acts) or 'nothing to do'}; busbw per GPU, model; {asked}"),
        Note(f"now: {figures_words(plan.now)}"),
        Note(pieces_words(plan), Tone.QUIET),
    ]
    head += [Note(fault, Tone.BAD) for fault in plan.faults]
    if plan.unknown:
        head.append(Note(f"not worked out: {'; '.join(plan.unknown)}", Tone.WARNING))
    if not plan.complete:
        head.append(Note("stopped: the further figures were not worked out", Tone.WARNING))
    if floor := floor_words(plan):
        head.append(Note(floor, Tone.GOOD if plan.holds else Tone.WARNING))
    missed = {number for number, *_ in (*plan.missed, *plan.too_few)}
    rows = tuple(
        _row(number, step, missed=number in missed) for number, step in enumerate(plan.steps, 1)
    )
    return Table(columns, rows, tuple(head), "nothing to do: what lies there is what is drawn")


def _row(number: int, step: ChangeStep, *, missed: bool) -> Row:
    words = act_counts(step.acts)
    acts = [act.words for act in step.acts[:MOST_ACTS]]
    if len(step.acts) > MOST_ACTS:
        acts.append(f"and {len(step.acts) - MOST_ACTS:,} more; CSV has all")
    cells = (
        Cell(f"{number}", number, Tone.WARNING if missed else Tone.PLAIN),
        Cell(words, words),
        *(Cell(figure.words, figure.value) for figure in step.after.values()),
        _lowest(step),
        _gpus(step),
    )
    detail = (f"{words}: {_gpus(step).text} GPUs, {step_figures(step)}", *acts)
    return Row(str(number - 1), cells, detail)


def act_counts(acts: Sequence[ChangeAct]) -> str:
    """``2 devices to add, 16 connections to lay``."""
    counts = Counter[str](act.verb for act in acts)
    return ", ".join(
        f"{counted(counts[verb], noun)} {words}"
        for verb, (noun, words) in _VERBS.items()
        if verb in counts
    )


def figures_words(figures: FiguresOfMoment) -> str:
    """``all-reduce 360 GB/s, all-to-all 48.3 GB/s``."""
    return ", ".join(f"{collective_name(name)} {one.words}" for name, one in figures.items())


def step_figures(step: ChangeStep) -> str:
    """The figures after a step, and those while it is done where they are lower."""
    words = []
    for name, after in step.after.items():
        low = "" if step.meanwhile is None else step.meanwhile[name].words
        meanwhile = f" (meanwhile {low})" if low and low != after.words else ""
        words.append(f"{collective_name(name)} {after.words}{meanwhile}")
    return ", ".join(words)


def _gpus(step: ChangeStep) -> Cell:
    """GPUs after a step, and how many are cabled while it is done where those are fewer."""
    if step.gpus is None:
        return Cell("unknown", None)
    fewest = step.fewest_gpus
    if fewest is None or fewest == step.gpus:
        return Cell(f"{step.gpus:,}", step.gpus)
    return Cell(f"{step.gpus:,} ({fewest:,})", step.gpus)


def _lowest(step: ChangeStep) -> Cell:
    """The figure that falls most while a step is done."""
    low = step.meanwhile
    if low is None:
        return Cell("", None)
    name = min(low, key=lambda one: (low[one].value or 0.0) / (step.after[one].value or 1.0))
    if low[name].words == step.after[name].words:
        return Cell("as after", low[name].value)
    return Cell(f"{collective_name(name)} {low[name].words}", low[name].value)


def floor_words(plan: ChangePlan) -> str:
    """Whether the floor holds; else the step with the lowest figure, and by how much it misses."""
    if not plan.floor and not plan.least_gpus:
        return ""
    if not plan.complete:
        return "whether the floor holds throughout was not worked out"
    if plan.holds:
        held = [f"{needs_words(plan.floor)} per GPU"] if plan.floor else []
        held += [f"{plan.least_gpus:,} GPUs running"] if plan.least_gpus else []
        return f"the floor holds throughout: {joined(held)}"
    words = [_too_few_words(plan)] if plan.too_few else []
    for name, least in plan.floor.items():
        below = [(number, low) for number, one, low in plan.missed if one == name]
        if below:
            number, lowest = min(below, key=lambda one: one[1].value or 0.0)
            words.append(_missed_words(name, number, lowest, least))
            if not FigureAtHand(plan.now[name]).holds(least):
                words[-1] += f" (it is {plan.now[name].words} today)"
    return joined(words)


def _missed_words(name: str, number: int, lowest: Labelled, least: float) -> str:
    if lowest.value is None:
        return (
            f"{collective_name(name)} is unknown in step {number}, "
            f"whose floor is {bandwidth(least)}"
        )
    short = bandwidth(least - lowest.value)
    return (
        f"{collective_name(name)} falls to {lowest.words} in step {number}, "
        f"{short} below the floor of {bandwidth(least)}"
    )


def _too_few_words(plan: ChangePlan) -> str:
    number, gpus = min(plan.too_few, key=lambda one: one[1] or 0)
    many = "unknown how many" if gpus is None else f"{gpus:,}"
    return f"{many} GPUs run in step {number}, where {plan.least_gpus:,} are to"


def pieces_words(plan: ChangePlan) -> str:
    """``to buy 8 x qm9700, 21 x mfp7e10 7 m; left over ...``."""
    words = []
    for what, counts in (("to buy", plan.bought), ("left over", plan.left_over)):
        if counts:
            words.append(f"{what} {listed_pieces(counts)}")
    said = "; ".join(words) or "nothing to buy"
    said += f"; {plan.kept.total():,} pieces stay{_cost_words(plan)}"
    return said if plan.knows_modules else f"{said}; transceivers are not counted"


def listed_pieces(counts: Counter[tuple[str, str]]) -> str:
    """``8 x qm9700, 21 x mfp7e10 7 m``."""
    return ", ".join(
        f"{count:,} x {part}{f' {metres} m' if metres else ''}"
        for (part, metres), count in sorted(counts.items())
    )


def _cost_words(plan: ChangePlan) -> str:
    """``; 24,000.00 EUR for 2 of 3 parts to buy``; empty without price lists."""
    if plan.new.terms.prices is None or not plan.bought:
        return ""
    sums: dict[str, Decimal] = defaultdict(Decimal)
    priced = 0
    for (part, metres), count in plan.bought.items():
        if (price := plan.price(part, metres)) is not None:
            sums[price.currency] += price.amount * max(count, price.minimum_order or 0)
            priced += 1
    amounts = joined([f"{amount:,.2f} {currency}" for currency, amount in sorted(sums.items())])
    return f"; {amounts or 'no price'} for {priced} of {counted(len(plan.bought), 'part')} to buy"


def change_page(plan: ChangePlan) -> Page:
    """The order to print."""
    title = f"Change order of {plan.new.design.name}"
    return Page(title, (Heading(title, 1), *change_blocks(plan, 2)))


def change_blocks(plan: ChangePlan, level: int = 3) -> Iterator[Block]:
    """What is bought, left over and kept, the figures, and every act of a step with a box.

    ``level`` is that of the headings of steps.
    """
    table, parts = change_table(plan), (plan.bought, plan.left_over, plan.kept)
    yield Sentences(tuple(note.text for note in table.head))
    yield table
    kinds = sorted(set().union(*parts))
    counts = ((*kind, *(f"{count[kind]:,}" for count in parts)) for kind in kinds)
    yield table_of_words(("Part", "Length-m", "Buy", "Left over", "Keep"), counts, (1, 2, 3, 4))
    for number, step in enumerate(plan.steps, 1):
        yield Heading(f"{number}. {act_counts(step.acts)}", level)
        acts = (("☐", *_act_cells(act)) for act in step.acts)
        yield table_of_words(("Done", *ACT_COLUMNS[1:]), acts)


def change_csv(plan: ChangePlan) -> str:
    """Every act in order, a line each: to hand to who does it."""
    acts = ((number, act) for number, step in enumerate(plan.steps, 1) for act in step.acts)
    rows = ((number, *_act_cells(act)) for number, act in acts)
    return "".join(csv_pieces(ACT_COLUMNS, rows))


def _act_cells(act: ChangeAct) -> tuple[str, ...]:
    """Verb, label or device, both ends, part, length, and what stays.

    Of a move it is the other end, of half a twin cable an end of the half for which it stays.
    """
    before, after = act.cables
    subject, (first, second) = act.subject, act.ends
    if not isinstance(subject, LockedCable):
        return act.verb, subject.name, first, second, subject.part, "", ""
    stays = " ".join(act.shares.ends[0]) if act.shares is not None else ""
    if before is not None and after is not None:
        kept = before.ends[0] if before.ends[0] == after.ends[0] else before.ends[1]
        stays = " ".join(kept)
    return act.verb, subject.label, first, second, subject.part, subject.metres, stays


def change_as_data(plan: ChangePlan) -> dict[str, Any]:
    """The plan under stable keys (see ``docs/lock.md``)."""
    keys = ("act", "name", "from", "to", "part", "length_m", "stays")
    return {
        "toposmith": 1,
        "design": plan.new.design.name,
        **asked_as_data(plan.new.asked, nccl=plan.new.plan.nccl),
        "floor": dict(plan.floor),
        "gpus_at_least": plan.least_gpus,
        "floor_holds": plan.holds if plan.complete else None,
        "complete": plan.complete,
        "not_worked_out": list(plan.unknown),
        "now": _figures(plan.now),
        "steps": [
            {
                "step": number,
                "after": _figures(step.after),
                "meanwhile": None if step.meanwhile is None else _figures(step.meanwhile),
                "gpus": step.gpus,
                "gpus_meanwhile": step.fewest_gpus,
                "acts": [dict(zip(keys, _act_cells(act), strict=True)) for act in step.acts],
            }
            for number, step in enumerate(plan.steps, 1)
        ],
        "buy": [
            one | _price_data(plan.price(*key))
            for key, one in zip(sorted(plan.bought), _pieces(plan.bought), strict=True)
        ],
        "keep": _pieces(plan.kept),
        "left_over": _pieces(plan.left_over),
        "transceivers_counted": plan.knows_modules,
    }


def _pieces(counts: Counter[tuple[str, str]]) -> list[dict[str, Any]]:
    return [
        {"part": part, "length_m": float(metres) if metres else None, "quantity": count}
        for (part, metres), count in sorted(counts.items())
    ]


def _price_data(price: Price | None) -> dict[str, Any]:
    return {
        "unit_price": None if price is None else float(price.amount),
        "currency": None if price is None else price.currency,
    }


def _figures(of: FiguresOfMoment) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "busbw_GBps": None if one.value is None else round(one.value, 6),
            **label_data(one.label),
        }
        for name, one in of.items()
    }
