"""The fabrics that meet requirements, as a table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from toposmith.analysis.summary import asked_as_data, asked_words
from toposmith.collectives import collective_name
from toposmith.documents.table import Cell, Column, Note, Row, Table, Tone
from toposmith.labels import as_data as label_data
from toposmith.review.failures.sweep import COLLECTIVES
from toposmith.synthesis.analysed_fabrics import Proposal
from toposmith.synthesis.fabric_search import Search
from toposmith.synthesis.fabrics import Fabric
from toposmith.synthesis.needs import needs_words
from toposmith.text import counted, money, percent, power


def asked_for(found: Search) -> str:
    """What was asked for, in a line."""
    asked = found.asked
    words = [f"{counted(asked.nodes, 'node')} of {asked.node}"]
    if asked.needs:
        words.append(f"needs {needs_words(asked.needs)} per GPU")
    if asked.survive:
        words.append(f"survives any one {' or '.join(sorted(asked.survive))}")
    if asked.budget is not None:
        words.append(f"at most {money(*asked.budget)}")
    if asked.kw_per_rack is not None:
        words.append(f"{asked.kw_per_rack:g} kW a rack")
    if asked.longest_m is not None:
        words.append(f"cables up to {asked.longest_m:g} m")
    if asked.later is not None:
        words.append(f"{counted(asked.later, 'node')} later")
    groups = asked.request.job
    if groups.layout.sizes:
        words.append(f"groups of {groups.layout}")
    return "; ".join((*words, asked_words(asked.request)))


def looked_words(found: Search) -> str:
    """How many fabrics were looked at, and whether any was left."""
    words = f"{counted(found.looked_at, 'fabric')} counted, {found.analysed:,} analysed"
    if found.complete and 0 < found.analysed < found.looked_at:
        words += "; all others miss a need, or cost no less than a line and give no more"
    if found.more:
        words += f"; {found.more:,} more on the front are not shown"
    if not found.complete:
        words += "; stopped there, others may be better: name parts or shapes to look at fewer"
    return words


def ranked_by(found: Search) -> str:
    """By what the rows are ranked."""
    if any(one.price is not None for one in found.proposals):
        return "the cheapest first, those without a complete price last"
    return "prices unknown: ranked by switches, then NICs, cables, modules and power"


def cost_words(one: Proposal) -> str:
    """The price, or that it is unknown."""
    return money(*one.price) if one.price is not None else "unknown"


def fabric_words(one: Proposal) -> str:
    """The fabric; where switches do not join its rails, or its bill lacks cables, that."""
    apart = "" if one.fabric.joined else "; rails not joined"
    unlisted = "" if one.listed else " (its bill lacks something)"
    return f"{one.fabric.words}{apart}{unlisted}"


def fabric_names(proposals: Sequence[Proposal]) -> list[str]:
    """The fabrics in words; those that would be called alike by the parts that differ, too."""
    alike: dict[str, list[Proposal]] = {}
    for one in proposals:
        alike.setdefault(one.fabric.words, []).append(one)
    return [f"{_unlike(one, alike[one.fabric.words])}{fabric_words(one)}" for one in proposals]


def _unlike(one: Proposal, others: Sequence[Proposal]) -> str:
    """``qm9790, 1 x connectx-6-hdr: ``, the parts that not all of some fabrics have."""
    fittings = [_fitting(each) for each in others]
    mine = _fitting(one)
    differing = [
        words for at, words in enumerate(mine) if len({each[at] for each in fittings}) > 1 and words
    ]
    return f"{', '.join(differing)}: " if differing else ""


def _fitting(one: Proposal) -> tuple[str, ...]:
    """Its switches and its NICs."""
    ports, spines = one.fabric.ports, one.fabric.spines
    nics = f"{ports.nics} x {ports.nic}" if ports.nic else ""
    return ports.leaf, ports.spine if spines and ports.spine != ports.leaf else "", nics


def power_words(one: Proposal) -> str:
    """Power, at least so much where that of a part is unknown."""
    drawn = one.cost.power_w
    return drawn.label.marked(power(drawn.floor))


def after_failure_words(one: Proposal) -> str:
    """What the worst single failure of a cable or switch leaves."""
    if one.after_failure is None:
        return ""
    cut = f", {counted(one.gpus_cut_off, 'GPU')} cut off" if one.gpus_cut_off else ""
    return f"{percent(one.after_failure)}{cut}"


def search_as_data(found: Search) -> dict[str, Any]:
    """The search under stable keys (see ``docs/synthesis.md``)."""
    asked = found.asked
    return {
        "toposmith": 1,
        "nodes": asked.nodes,
        "node": asked.node,
        "needs": dict(asked.needs),
        **asked_as_data(asked.request),
        "fabrics": found.looked_at,
        "analysed": found.analysed,
        "complete": found.complete,
        "more": found.more,
        "proposals": [_proposal(one) for one in found.proposals],
        "why": [{"requirement": each.key, "words": each.words} for each in found.reasons],
        "switches_left_out": [{"switch": each.key, "words": each.words} for each in found.left_out],
    }


def _proposal(one: Proposal) -> dict[str, Any]:
    fabric = one.fabric
    drawn = one.cost.power_w.floor
    return {
        "fabric": fabric.words,
        "cables_listed": one.listed,
        "shape": fabric.shape,
        "nic": fabric.ports.nic,
        "nics_per_node": fabric.ports.nics or None,
        "leaf": fabric.ports.leaf,
        "spine": fabric.ports.spine if fabric.spines else None,
        "leaves": fabric.leaves,
        "spines": fabric.spine_switches,
        "cores": fabric.core_switches,
        "oversubscription": round(float(fabric.oversubscription), 4),
        "rails_joined": fabric.joined,
        "figures": {
            name: {
                "busbw_GBps": None if figure.value is None else round(figure.value, 6),
                **label_data(figure.label),
            }
            for name, figure in one.figures.items()
        },
        "counts": dict(one.counts),
        "price": None if one.price is None else float(one.price[0]),
        "currency": None if one.price is None else one.price[1],
        "power_w": None if drawn is None else round(drawn, 1),
        "power_is": one.cost.power_w.label.kind,
        "racks": one.racks,
        "longest_cable_m": one.longest_m,
        "free_ports": one.free_ports,
        "share_after_worst_failure": one.after_failure,
        "cables_replugged_at_growth": one.replugged,
    }


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
