"""The check list for recabling: rack by rack, the largest gain first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import TYPE_CHECKING

from toposmith.as_built.cable_list import ListedEnd
from toposmith.as_built.cabling_comparison import CablingComparison
from toposmith.as_built.cabling_difference import CablingDifference
from toposmith.as_built.costs import Costs, Gating, Jobs, shares_figures
from toposmith.collectives import COLLECTIVES
from toposmith.exports.neighbours.workbooks import workbook
from toposmith.exports.report.markup import document, paragraph, safe, section, table
from toposmith.leaving_text import csv_pieces
from toposmith.plain_text import visible
from toposmith.text import bandwidth, natural

if TYPE_CHECKING:
    from toposmith.analysis.request import Collective

NO_RACK = "no rack"
COLUMNS = (
    "Done", "Rack", "U", "Kind", "Device", "Port", "To-Device", "To-Port", "Far-Device", "Far-Port",
    "Label", "Instruction", "Group", "Moves", "Cables-To-Add", "Cables-To-Remove",
)  # fmt: skip
_AFTER = ("GBps-Per-Step", "Figures", "State")
_WIDTH = 100
_NOTHING = 1e-6


@dataclass(frozen=True)
class CheckItem:
    """One line of the list.

    Parameters
    ----------
    place : int
        In the differences of the comparison.
    rack, unit : str
        Where to go first; empty for a device without a rack.
    at, to, far : tuple of str
        Device and port: where the end is, where it belongs, and the other end of the cable.
    label : str
        The planned cable's, as the schedule has it.
    gates : str
        The rings that a slow cable limits, in words.
    lost_GBps : dict of str to float
        Bandwidth lost, GB/s, by collective; with those of its group, where it has one.
    per_step_GBps : float or None
        The largest gain per end moved or cable added, over the group, GB/s.
    shared : bool
        Whether the figures are those of several differences corrected together.
    state : str
        open or new, where an earlier dump was given.
    under : str
        The rack that it is listed under: that of the first of its group.
    """

    place: int
    difference: CablingDifference
    rack: str
    unit: str
    at: tuple[str, str]
    to: tuple[str, str]
    far: tuple[str, str]
    label: str
    gates: str
    lost_GBps: dict[Collective, float]
    per_step_GBps: float | None
    shared: bool
    state: str = ""
    under: str = ""


def check_list(
    compared: CablingComparison,
    costs: Costs | None,
    new: frozenset[int] | None = None,
    jobs: Jobs | None = None,
) -> list[CheckItem]:
    """The tasks rack by rack; within a rack the largest gain per step comes first.

    Tasks that depend on each other stay together, in their order, in the rack of the first.

    Parameters
    ----------
    compared : CablingComparison
        The differences.
    costs : Costs or None
        Their cost in bandwidth, where it is known.
    new : frozenset of int, optional
        Indices of differences that an earlier dump does not have.
    jobs : mapping of str to frozenset of str, optional
        The nodes of each job, to name those that a slow cable delays.
    """
    gating = Gating(compared, jobs)
    blocks: dict[str, list[CheckItem]] = {}
    for place, one in enumerate(compared.differences):
        if one.harmful:
            state = "" if new is None else "new" if place in new else "open"
            blocks.setdefault(one.group or f"#{place}", []).append(
                _item(compared, costs, place, state, gating.words(one))
            )
    ordered = sorted(
        blocks.values(),
        key=lambda block: (
            not block[0].rack, natural(block[0].rack), -(block[0].per_step_GBps or 0.0),
            block[0].place,
        ),
    )  # fmt: skip
    return [replace(item, under=block[0].rack) for block in ordered for item in block]


def _item(
    compared: CablingComparison, costs: Costs | None, place: int, state: str, gates: str
) -> CheckItem:
    one = compared.differences[place]
    rack, marked, unit = one.spot.rpartition(" U")
    if not marked:
        rack, unit = one.spot, ""
    lost = costs.lost_GBps(place) if costs is not None else {}
    group = [each for each in compared.differences if one.group and each.group == one.group]
    steps = sum(each.steps for each in group) if group else one.steps
    per_step = max(lost.values()) / max(1, steps) if lost else None
    at, to = one.a, one.z if one.kind == "missing" else None
    if one.move is not None:
        at, to = one.move.leaves, one.move.goes
    far = None
    if not (one.kind == "missing" and one.device):
        far = next((end for end in (one.a, one.z) if end not in (at, to)), None)
    if one.device:
        at, to = ListedEnd(one.device, ""), None
    return CheckItem(
        place=place,
        difference=one,
        rack=rack,
        unit=unit,
        at=_names(compared, at),
        to=_names(compared, to),
        far=_names(compared, far),
        label=next((cable.place for cable in one.planned), "") if one.cables == 1 else "",
        gates=gates,
        lost_GBps=lost,
        per_step_GBps=per_step,
        shared=costs is not None and shares_figures(compared.differences, one),
        state=state,
    )


def _names(compared: CablingComparison, end: ListedEnd | None) -> tuple[str, str]:
    if end is None:
        return "", ""
    held = compared.plan.devices.get(end.device) or compared.dump.devices[end.device]
    return held.name, end.port


def loss_words(item: CheckItem, costs: Costs | None) -> str:
    """The cost of a difference in bandwidth, in words; empty where unknown."""
    if costs is None:
        return ""
    words = []
    for name, less in item.lost_GBps.items():
        before = costs.designed[name].value or 0.0
        shown = f"-{bandwidth(less)}" if less > _NOTHING * before else "no loss"
        words.append(f"{COLLECTIVES[name].name} {shown}")
    return ", ".join(words) + (" with its group" if words and item.shared else "")


def check_list_lines(items: Sequence[CheckItem], costs: Costs | None) -> Iterator[str]:
    """The list as text, a box before each line."""
    rack = None
    for item in items:
        one = item.difference
        if item.under != rack:
            rack = item.under
            yield f"{rack or NO_RACK}:"
        loss = loss_words(item, costs)
        group = f" ({one.group})" if one.group.startswith("move ") else ""
        elsewhere = f" [in {item.rack or NO_RACK}]" if item.rack != rack else ""
        label = f" {item.label}" if item.label else ""
        state = " new" if item.state == "new" else ""
        gates = f"; {item.gates}" if item.gates else ""
        head = (
            f"  [ ]{state} {one.kind}{group}{label}{elsewhere}: {visible(one.instruction)}{gates}"
        )
        yield from wrap(
            head + (f" [{loss}]" if loss else ""), _WIDTH, initial_indent="  ",
            subsequent_indent="      ", break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip


def head_of(costs: Costs | None) -> tuple[str, ...]:
    """The columns of the list as a table."""
    names = costs.designed if costs is not None else ()
    return (*COLUMNS, *(f"{COLLECTIVES[name].name}-Lost-GBps" for name in names), *_AFTER)


def cells_of(
    items: Sequence[CheckItem], costs: Costs | None
) -> Iterator[list[str | int | float | None]]:
    """The rows of the list as a table."""
    names = list(costs.designed) if costs is not None else []
    for item in items:
        one = item.difference
        lost = [item.lost_GBps.get(name) for name in names]
        why = ""
        if costs is not None:
            why = costs.left_out.get(item.place, "with its group" if item.shared else "")
        instruction = visible("; ".join(filter(None, (one.instruction, item.gates))))
        yield [
            "", item.rack, item.unit, one.kind, *item.at, *item.to, *item.far, item.label,
            instruction, one.group, one.moves, one.add, one.remove,
            *(None if each is None else round(each, 3) for each in lost),
            None if item.per_step_GBps is None else round(item.per_step_GBps, 3), why, item.state,
        ]  # fmt: skip


def _text(items: Sequence[CheckItem], costs: Costs | None, title: str) -> bytes:
    lines = [title, "", *(check_list_lines(items, costs) if items else ("nothing to do",))]
    return ("\n".join(lines) + "\n").encode()


def _csv(items: Sequence[CheckItem], costs: Costs | None, title: str) -> bytes:
    return "".join(csv_pieces(head_of(costs), cells_of(items, costs))).encode()


def _xlsx(items: Sequence[CheckItem], costs: Costs | None, title: str) -> bytes:
    return b"".join(workbook([("Check list", head_of(costs), cells_of(items, costs))]))


def _html(items: Sequence[CheckItem], costs: Costs | None, title: str) -> bytes:
    head = ("Done", "Cable", "Where", "What to do", "Group", "What it costs")
    parts = []
    for number, rack in enumerate(dict.fromkeys(item.under for item in items)):
        rows = [
            ("\u2610", item.label, _where(item), item.difference.instruction,
             item.difference.group, loss_words(item, costs))
            for item in items if item.under == rack
        ]  # fmt: skip
        parts.append(section(f"rack-{number}", rack or NO_RACK, table(head, rows)))
    body = parts or [paragraph("Nothing to do.")]
    return document(title, f"<h1>{safe(title)}</h1>", *body).encode()


def _where(item: CheckItem) -> str:
    elsewhere = [] if item.rack == item.under else [f"in {item.rack or NO_RACK}"]
    return " ".join((*item.at, *elsewhere, f"(U{item.unit})" if item.unit else "")).strip()


FORMS = {"txt": _text, "csv": _csv, "xlsx": _xlsx, "html": _html}
"""By the ending of the file."""


def written(
    form: str, items: Sequence[CheckItem], costs: Costs | None, title: str = "Check list"
) -> bytes:
    """The list as a file of one of :data:`FORMS`."""
    return FORMS[form](items, costs, title)
