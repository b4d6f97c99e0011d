"""The cabling as found, as plain text: a check list, rack by rack."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

from toposmith.as_built.check_list import CheckItem, check_list_lines
from toposmith.as_built.costs import FOUND, TOO_MANY, Costs
from toposmith.collectives import COLLECTIVES
from toposmith.plain_text import visible
from toposmith.text import counted

if TYPE_CHECKING:
    from toposmith.as_built.cable_list import Cabling
    from toposmith.as_built.cabling_comparison import CablingComparison
    from toposmith.as_built.survey import RecablingProgress

_MOST_HARMLESS = 20
_MOST_NAMES = 12
_WIDTH = 100


def as_built_report(
    compared: CablingComparison,
    costs: Costs | None,
    items: list[CheckItem],
    why_not: str = "",
    since: RecablingProgress | None = None,
) -> str:
    """Agreement, tasks, their cost in bandwidth, progress since an earlier dump, omissions."""
    blocks = [_head(compared), _cost(compared, costs, why_not), _since(since)]
    blocks += [["check list", *check_list_lines(items, costs)]] if items else []
    blocks += [_harmless(compared), _devices(compared), _notes(compared)]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def alone_report(dump: Cabling, found: list[str]) -> str:
    """What a dump shows by itself."""
    lines = [f"{visible(dump.source)} ({dump.form}): {counted(len(dump.devices), 'device')}, "
             f"{counted(len(dump.cables), 'cable')}"]  # fmt: skip
    lines += [f"- {visible(one)}" for one in found] or ["nothing in it is irregular"]
    lines += [visible(one) for one in (*dump.ignored_lines(), *dump.notes)]
    return "\n".join(lines) + "\n"


def machines_report(machines: list[dict[str, Any]]) -> str:
    """What each machine has inside otherwise than its part; empty where none was read."""
    lines = []
    for one in machines:
        nics = "" if one["nics"] is None else f", {counted(one['nics'], 'NIC')}"
        words = f"{one['machine']} ({one['place']}): {counted(one['gpus'], 'GPU')}{nics}"
        same = "" if one["differences"] else ": inside as planned"
        lines.append(visible(f"{words}, {one['part']}{same}"))
        lines += [visible(f"- {each}") for each in one["differences"]]
    return "".join(f"{line}\n" for line in lines)


def _head(compared: CablingComparison) -> list[str]:
    ways = ", ".join(f"{many:,} by {way}" for way, many in compared.match.ways.items())
    lines = [
        f"{visible(compared.plan.source)} - {visible(compared.dump.source)} ({compared.dump.form})",
        f"{compared.agree:,} of {compared.planned:,} planned cables are as planned, port by port; "
        f"the dump has {compared.found:,}",
        f"devices matched: {ways or 'none'}",
        *map(visible, compared.dump.notes),  # a truncated dump explains many differences
    ]
    if not any(one.kind != "outside" for one in compared.differences):
        return [*lines, "nothing differs"]
    if compared.same:
        return [*lines, "to do: nothing: what differs works as planned"]
    steps = [
        f"{counted(many, noun)} to {verb}"
        for many, noun, verb in (
            (compared.moves, "end", "move"),
            (compared.add, "cable", "lay"),
            (compared.remove, "cable", "take out"),
        )
        if many
    ]
    lines.append("to do: " + (", ".join(steps) if steps else "nothing that moves a cable"))
    return lines


def _cost(compared: CablingComparison, costs: Costs | None, why_not: str) -> list[str]:
    if costs is None:
        return [f"cost: {why_not}"] if why_not and why_not != "not requested" else []
    lines = []
    for name, designed in costs.designed.items():
        built = costs.as_built[name]
        figures = f"{designed.words} as designed, {built.words} as built ({built.label.words})"
        lines.append(f"{COLLECTIVES[name].name}: {figures}")
    if costs.alone:
        lines.append(f"as built: {FOUND}")
    singly = sum(not figures for figures in costs.alone.values())
    if singly:
        lines.append(f"{singly} differences: {TOO_MANY}")
    for why in dict.fromkeys(costs.left_out.values()):
        places = [place for place, reason in costs.left_out.items() if reason == why]
        first = compared.differences[places[0]]
        lines += wrap(
            f"not in the figures: where {counted(len(places), 'cable', 'go')} ({why}); the first: "
            f"{visible(first.instruction)}", _WIDTH, subsequent_indent="  ",
            break_on_hyphens=False,
        )  # fmt: skip
    return lines


def _since(since: RecablingProgress | None) -> list[str]:
    if since is None:
        return []
    lines = [
        f"since the earlier dump: {len(since.done)} put right, {len(since.still)} open, "
        f"{len(since.new)} new"
    ]
    for one in since.done:
        lines += wrap(f"  [x] {one.kind}: {visible(one.instruction)}", _WIDTH,
                      subsequent_indent="      ", break_on_hyphens=False)  # fmt: skip
    return lines


def _harmless(compared: CablingComparison) -> list[str]:
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


def _devices(compared: CablingComparison) -> list[str]:
    lines = []
    for what, names, most in (
        ("planned and not seen", compared.missing, _MOST_NAMES),
        ("seen and not planned", compared.extra, _MOST_NAMES),
        ("without a name of their own", compared.unnamed, 2),
    ):
        if names:
            more = f" and {len(names) - most} more" if len(names) > most else ""
            shown = ", ".join(visible(name) for name in names[:most])
            lines += wrap(f"{counted(len(names), 'device')} {what}: {shown}{more}", _WIDTH,
                          subsequent_indent="  ", break_on_hyphens=False)  # fmt: skip
    return lines


def _notes(compared: CablingComparison) -> list[str]:
    notes = (*compared.plan.ignored_lines(), *compared.dump.ignored_lines(),
             *compared.plan.notes, *compared.notes)  # fmt: skip
    return [visible(one) for one in notes]
