"""Fixes, and what could be left out, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toposmith.analysis.summary import asked_words
from toposmith.design.document import Design
from toposmith.documents.table import Cell, Column, Note, Row, Table, Tone
from toposmith.synthesis.left_out import LeftOut, Spares
from toposmith.synthesis.needs import needs_words
from toposmith.synthesis.next_change import (
    NOT_ALL_SPARES,
    SPARES_ORDER,
    cost_cell,
    cost_lines,
    gained,
    now_words,
    order_words,
    spare_words,
    suffers_words,
    then_words,
    unmet_words,
    why_none,
)
from toposmith.synthesis.purchases import Purchase, price_words, purchase_words
from toposmith.synthesis.ranked_fixes import Fix, RankedFixes
from toposmith.synthesis.side_effects import mend_first_words
from toposmith.text import counted, joined, money, power

PartNames = tuple[tuple[str, str], ...]
"""Kinds of parts, each with the heading of its column."""

_PARTS: PartNames = (
    ("switch", "switches"),
    ("nic", "NICs"),
    ("cable", "cables"),
    ("transceiver", "modules"),
)


def fixes_table(found: RankedFixes, spares: Spares | None) -> Table:
    """The fixes, the smallest purchase first."""
    priced = any(not fix.purchase.unpriced for fix in found.fixes)
    minded = any(map(cost_cell, found.fixes))
    parts = _parts_of([fix.purchase for fix in found.fixes], 1)
    columns = (
        Column("change", wide=100, fill=26, wraps=True),
        Column("after", right=True),
        Column("gain", rank=2, right=True),
        *((Column("but", rank=2, wide=34, fill=16, wraps=True),) if minded else ()),
        *((Column("price", rank=3, right=True),) if priced else ()),
        *(Column(title, rank=4 + at, right=True) for at, (_, title) in enumerate(parts)),
        Column("power", rank=8, right=True),
        Column("racks", rank=9, right=True),
    )
    head = [Note(now_words(found))]
    if order := order_words(found):
        head.append(Note(order, Tone.QUIET))
    if not found.complete:
        tried = counted(found.tried, "change")
        head.append(Note(f"stopped after {tried}; there may be others", Tone.WARNING))
    if found.mend_first:
        head.append(Note(mend_first_words(found.mend_first), Tone.QUIET))
    if spares is not None and not found.fixes and not spares.complete:
        head.append(Note(NOT_ALL_SPARES, Tone.WARNING))
    less = spare_words(spares) if spares is not None else ""
    empty = ". ".join(filter(None, (why_none(found), less[:1].upper() + less[1:])))
    rows = tuple(
        _fix_row(at, fix, found, parts, priced=priced, minded=minded)
        for at, fix in enumerate(found.fixes)
    )
    return Table(columns if rows else (), rows, tuple(head), empty)


def _fix_row(
    at: int, fix: Fix, found: RankedFixes, parts: PartNames, *, priced: bool, minded: bool
) -> Row:
    after = fix.after
    cells = (
        Cell(fix.label, fix.label),
        Cell(after.words, after.value),
        Cell(gained(fix), fix.gain),
        *((_cost_cell(fix),) if minded else ()),
        *((_price_cell(fix.purchase),) if priced else ()),
        *_part_cells(fix.purchase, parts, 1),
        _power_cell(fix.purchase),
        _racks_cell(fix.purchase),
    )
    detail = (
        fix.label,
        *cost_lines(fix),
        then_words(found, fix),
        purchase_words(fix.purchase),
    )
    groups, links = _touched(found.of.design, fix.design)
    return Row(str(at), cells, detail, groups, links, fix)


def spares_table(found: Spares) -> Table:
    """What could be left out, the greatest saving first."""
    priced = any(not left.purchase.unpriced for left in found.left_out)
    parts = _parts_of([left.purchase for left in found.left_out], -1)
    columns = (
        Column("left out", wide=60, fill=26, wraps=True),
        Column("but", wide=44, rank=2, fill=16, wraps=True),
        *((Column("price saved", rank=3, right=True),) if priced else ()),
        *(Column(title, rank=4 + at, right=True) for at, (_, title) in enumerate(parts)),
        Column("power", rank=8, right=True),
        Column("racks", rank=9, right=True),
    )
    if not found.needs:
        return Table(columns, empty="nothing runs, so nothing can be held")
    if found.unmet:
        return Table(columns, empty=f"does not meet what is needed today: {unmet_words(found)}")
    asked = asked_words(found.of.asked, nccl=found.of.plan.nccl)
    head = [Note(f"held: {needs_words(found.needs)} (model; {asked})")]
    if found.after_failure:
        head.append(Note(f"worst single failure today: {found.after_failure}"))
    if not found.complete:
        head.append(Note(NOT_ALL_SPARES, Tone.WARNING))
    if found.mend_first:
        head.append(Note(mend_first_words(found.mend_first), Tone.QUIET))
    if len(found.left_out) > 1:
        head.append(Note(SPARES_ORDER, Tone.QUIET))
    before = found.of.design
    rows = tuple(
        _spare_row(at, left, before, parts, priced) for at, left in enumerate(found.left_out)
    )
    empty = "nothing can be left out: with less of anything the figure falls"
    return Table(columns, rows, tuple(head), empty)


def _spare_row(at: int, left: LeftOut, before: Design, parts: PartNames, priced: bool) -> Row:
    cells = (
        Cell(left.label, left.label),
        _cost_cell(left),
        *((_price_cell(left.purchase, saved=True),) if priced else ()),
        *_part_cells(left.purchase, parts, -1),
        _power_cell(left.purchase),
        _racks_cell(left.purchase),
    )
    detail = [left.label, purchase_words(left.purchase), suffers_words(left), *cost_lines(left)]
    if left.after_failure:
        detail.append(f"worst single failure without it: {left.after_failure}")
    groups, links = _touched(before, left.design)
    return Row(str(at), cells, tuple(detail), groups, links, left)


def _cost_cell(change: Fix | LeftOut) -> Cell:
    return Cell(cost_cell(change), len(change.added), Tone.WARNING)


def _price_cell(of: Purchase, *, saved: bool = False) -> Cell:
    amounts = of.saved if saved else of.spent
    if of.unpriced:
        known = joined(money(amount, currency) for currency, amount in amounts.items())
        return Cell(f"at least {known}" if known else "unknown", None)
    words = price_words(of).removeprefix("costs ").removeprefix("saves ")
    return Cell(words or "0", float(sum(amounts.values())))


def _parts_of(purchases: Sequence[Purchase], sign: int) -> PartNames:
    """The kinds of parts that any line buys, or gives back."""
    return tuple(part for part in _PARTS if any(_many(of, part[0], sign) for of in purchases))


def _many(of: Purchase, kind: str, sign: int) -> int:
    return of.bought(kind) if sign > 0 else of.returned(kind)


def _part_cells(of: Purchase, parts: PartNames, sign: int) -> Iterator[Cell]:
    for kind, _ in parts:
        many = _many(of, kind, sign)
        yield Cell(f"{many:,}" if many else "", many)


def _power_cell(of: Purchase) -> Cell:
    if of.power_w is None:
        return Cell("unknown", None)
    sign = "-" if of.power_w < 0 else "+"
    return Cell(f"{sign}{power(abs(of.power_w))}" if round(of.power_w) else "", of.power_w)


def _racks_cell(of: Purchase) -> Cell:
    if of.racks is None:
        return Cell("unknown", None)
    return Cell(f"{of.racks:+,}" if of.racks else "", of.racks)


def _touched(before: Design, after: Design) -> tuple[frozenset[str], frozenset[int]]:
    """The groups and links that another design has otherwise."""
    groups = {name for name, group in before.groups.items() if after.groups.get(name) != group}
    links = {
        at
        for at, link in enumerate(before.links)
        if at >= len(after.links) or after.links[at] != link
    }
    return frozenset(groups), frozenset(links)
