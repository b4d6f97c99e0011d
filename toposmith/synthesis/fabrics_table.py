"""The fabrics that meet requirements, as a table."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from toposmith.collectives import collective_name
from toposmith.documents.table import Cell, Column, Note, Row, Table, Tone
from toposmith.review.failures.sweep import COLLECTIVES
from toposmith.synthesis.fabric_search import Search
from toposmith.synthesis.fabrics import Fabric
from toposmith.synthesis.proposals import Proposal
from toposmith.synthesis.search_words import (
    after_failure_words,
    asked_for,
    cost_words,
    fabric_names,
    looked_words,
    power_words,
    ranked_by,
)
from toposmith.text import counted

DIM = Tone.DIM


def fabrics_table(
    found: Search,
    *,
    waiting: Sequence[Fabric] = (),
    here: Collection[int] = (),
    searching: bool = False,
) -> Table:
    """The front, the cheapest first.

    Parameters
    ----------
    found : Search
        What was found, or what is known so far.
    waiting : sequence of Fabric
        Fabrics that are not analysed yet: counts alone, dimmed.
    here : collection of int
        The proposals that the design is already.
    searching : bool
        Whether the search is still running.
    """
    first = found.proposals[0] if found.proposals else None
    names = tuple(first.figures) if first else COLLECTIVES if waiting else ()
    priced = any(one.price is not None for one in found.proposals)
    grows = found.asked.later is not None
    apart = any(not one.fabric.joined for one in found.proposals)
    columns = (
        Column("fabric", wide=90, fill=18, wraps=True),
        *((Column("rails"),) if apart else ()),
        *(Column(collective_name(name), right=True) for name in names),
        Column("switches", rank=2, right=True),
        *((Column("price", rank=2, right=True),) if priced else ()),
        Column("N-1", rank=3, right=True),
        Column("modules", rank=4, right=True),
        Column("cables", rank=5, right=True),
        Column("power", rank=6, right=True),
        Column("parts", rank=7),
        Column("free ports", rank=8, right=True),
        *((Column("re-plugged", rank=9, right=True),) if grows else ()),
    )
    head = [Note(asked_for(found))]
    if searching:
        head.append(Note("searching: Esc stops with what is there", Tone.ACCENT))
    else:
        head.append(Note(looked_words(found), Tone.QUIET))
        head += [Note(f"not cheaper: {each.words}") for each in found.reasons if first]
    if first:
        words = f"{ranked_by(found)}; Enter previews a fabric, Enter again takes it"
        head.append(Note(words, Tone.QUIET))
        head += [Note(f"in none: {each.words}", Tone.QUIET) for each in found.left_out]
    why = "; ".join(each.words for each in found.reasons)
    empty = "searching ..." if searching else f"nothing meets all of that. {why}"
    titles = fabric_names(found.proposals)
    rows = [
        _row(
            number, one, titles[number], apart=apart, priced=priced, grows=grows,
            here=number in here,
        )
        for number, one in enumerate(found.proposals)
    ]  # fmt: skip
    rows += [
        _waiting_row(at, one, len(columns), len(names) + apart) for at, one in enumerate(waiting)
    ]
    return Table(columns, tuple(rows), tuple(head), empty)


def _waiting_row(number: int, one: Fabric, columns: int, figures: int) -> Row:
    """A fabric by its numbers: its counts of switches, and nothing that takes an analysis."""
    words = f"{one.part_words}: {one.words}"
    cells = [
        Cell(words, words, DIM),
        *(Cell("", None) for _ in range(figures)),
        Cell(f"{one.switches:,}", one.switches, DIM),
    ]
    cells += [Cell("", None)] * (columns - len(cells))
    return Row(f"waiting {number}", tuple(cells), (f"{words}; not analysed yet",))


def _joined(one: Proposal) -> Cell:
    """Whether switches join its rails."""
    joined = one.fabric.joined
    return Cell("joined" if joined else "apart", joined, Tone.PLAIN if joined else Tone.WARNING)


def _row(
    number: int, one: Proposal, title: str, *, apart: bool, priced: bool, grows: bool, here: bool
) -> Row:
    fabric = one.fabric
    title = f"{number + 1} {title}{' (the current design)' if here else ''}"
    price = None if one.price is None else float(one.price[0])
    cells = (
        Cell(title, number, DIM if here else Tone.PLAIN),
        *((_joined(one),) if apart else ()),
        *(Cell(figure.words, figure.value) for figure in one.figures.values()),
        Cell(f"{one.counts['switch']:,}", one.counts["switch"]),
        *((Cell(cost_words(one), price),) if priced else ()),
        Cell(after_failure_words(one), one.after_failure),
        Cell(f"{one.counts['transceiver']:,}", one.counts["transceiver"]),
        Cell(f"{one.counts['cable']:,}", one.counts["cable"]),
        Cell(power_words(one), one.cost.power_w.exact),
        Cell(fabric.part_words, fabric.part_words),
        Cell(f"{one.free_ports:,}", one.free_ports),
        *(
            (Cell("" if one.replugged is None else f"{one.replugged:,}", one.replugged),)
            if grows
            else ()
        ),
    )
    detail = [f"{fabric.words}; {fabric.part_words}"]
    if one.racks is not None:
        longest = f", the longest cable {one.longest_m:g} m" if one.longest_m else ""
        detail.append(f"{counted(one.racks, 'rack')}{longest}; price {cost_words(one)}")
    return Row(str(number), cells, tuple(detail), of=one)
