"""What is really cabled, for a person at a terminal: a check list, rack by rack."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING

from toposmith.catalog.plain_text import visible
from toposmith.text import bandwidth
from toposmith.topology.as_built.costs import TOO_MANY, WHY, Costs
from toposmith.topology.collectives import COLLECTIVES

if TYPE_CHECKING:
    from toposmith.topology.as_built.cabling import Cabling
    from toposmith.topology.as_built.comparing import Comparison, Difference

_MOST_HARMLESS = 20
_MOST_NAMES = 12
_WIDTH = 100


def as_built_report(compared: Comparison, costs: Costs | None, why_not: str = "") -> str:
    """How many agree, what to do, what it costs, and what was left out."""
    blocks = [_head(compared), _cost(costs, why_not), _todo(compared, costs), _harmless(compared)]
    blocks += [_devices(compared), _notes(compared)]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def alone_report(dump: Cabling, found: list[str]) -> str:
    """What a dump shows by itself."""
    lines = [f"{visible(dump.source)} ({dump.form}): {len(dump.devices):,} devices, "
             f"{len(dump.cables):,} cables"]  # fmt: skip
    lines += [f"- {visible(one)}" for one in found] or ["nothing in it is irregular"]
    lines += [visible(one) for one in (*dump.ignored_lines(), *dump.notes)]
    return "\n".join(lines) + "\n"


def _head(compared: Comparison) -> list[str]:
    ways = ", ".join(f"{many:,} by {way}" for way, many in compared.match.ways.items())
    lines = [
        f"{visible(compared.plan.source)} - {visible(compared.dump.source)} ({compared.dump.form})",
        f"{compared.agree:,} of {compared.planned:,} planned cables are as planned, port by port; "
        f"the dump has {compared.found:,}",
        f"devices matched: {ways or 'none'}",
    ]
    if compared.same:
        lines.append("nothing differs")
        return lines
    steps = [
        f"{many:,} {words}" for many, words in (
            (compared.moves, "ends to move"), (compared.add, "cables to add"),
            (compared.remove, "cables to take out"),
        ) if many
    ]  # fmt: skip
    lines.append("to do: " + (", ".join(steps) if steps else "nothing that moves a cable"))
    return lines


def _cost(costs: Costs | None, why_not: str) -> list[str]:
    if costs is None:
        return [f"cost: {why_not}"] if why_not and why_not != "not asked for" else []
    lines = []
    for name, designed in costs.designed.items():
        built = costs.as_built[name]
        figures = f"{designed.words} as designed, {built.words} as built ({built.label.words})"
        lines.append(f"{COLLECTIVES[name].name}: {figures}")
    if costs.selectors:
        lines.append(f"as built: {WHY[costs.basis]}")
    if costs.left_out:
        lines.append(f"{costs.left_out} harmful differences have no figure: {WHY['none']}")
    return lines


def _todo(compared: Comparison, costs: Costs | None) -> list[str]:
    lines: list[str] = []
    rack = None
    for place, one in enumerate(compared.differences):
        if not one.harmful:
            continue
        if one.spot != rack:
            rack = one.spot
            lines.append(f"{rack or 'no rack'}:")
        lines += _item(one, _loss(costs, place))
    return ["check list", *lines] if lines else []


def _loss(costs: Costs | None, place: int) -> str:
    """What one difference costs alone, worst collective first."""
    if costs is None or place not in costs.alone:
        return ""
    basis, figures = costs.alone[place]
    if not figures:
        return TOO_MANY
    lost = []
    for name, held in figures.items():
        before = costs.designed[name].value
        if before is not None and held.value is not None:
            less = before - held.value
            shown = f"-{bandwidth(less)}" if less > 1e-6 * before else "no loss"
            lost.append(f"{COLLECTIVES[name].name} {shown}")
    words = ", ".join(lost)
    return f"unplugged: {words}" if basis == "unplugged" and words else words


def _item(one: Difference, loss: str) -> Iterator[str]:
    head = f"  [ ] {one.kind}" + (f" ({one.group})" if one.group.startswith("move ") else "") + ": "
    text = visible(one.instruction) + (f" [{loss}]" if loss else "")
    yield from wrap(head + text, _WIDTH, subsequent_indent="      ", break_long_words=False,
                    initial_indent="  ", break_on_hyphens=False)  # fmt: skip


def _harmless(compared: Comparison) -> list[str]:
    held = [one for one in compared.differences if not one.harmful]
    if not held:
        return []
    lines = ["no harm done"]
    for one in held[:_MOST_HARMLESS]:
        lines += wrap(f"- {visible(one.instruction)}", _WIDTH, subsequent_indent="  ",
                      break_long_words=False, break_on_hyphens=False)  # fmt: skip
    if len(held) > _MOST_HARMLESS:
        lines.append(f"and {len(held) - _MOST_HARMLESS:,} more (--json lists all)")
    return lines


def _devices(compared: Comparison) -> list[str]:
    lines = []
    for what, names, most in (
        ("planned and not seen", compared.missing, _MOST_NAMES),
        ("seen and not planned", compared.extra, _MOST_NAMES),
        ("without a name of their own", compared.unnamed, 2),
    ):
        if names:
            more = f" and {len(names) - most} more" if len(names) > most else ""
            shown = ", ".join(visible(name) for name in names[:most])
            lines += wrap(f"{len(names)} devices {what}: {shown}{more}", _WIDTH,
                          subsequent_indent="  ", break_on_hyphens=False)  # fmt: skip
    return lines


def _notes(compared: Comparison) -> list[str]:
    notes = (*compared.plan.ignored_lines(), *compared.dump.ignored_lines(),
             *compared.plan.notes, *compared.dump.notes, *compared.notes)  # fmt: skip
    return [visible(one) for one in notes]
