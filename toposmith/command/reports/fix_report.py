"""Fixes, and what could be left out, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.plain_text import visible
from toposmith.synthesis.fix_words import (
    NOT_ALL_SPARES,
    cost_lines,
    now_words,
    order_words,
    spare_words,
    suffers_words,
    then_words,
    unmet_words,
    why_none,
)
from toposmith.synthesis.kept_faults import mend_first_words
from toposmith.synthesis.needs import needs_words
from toposmith.synthesis.purchases import purchase_words
from toposmith.text import counted

if TYPE_CHECKING:
    from toposmith.synthesis.left_out import Spares
    from toposmith.synthesis.ranked_fixes import RankedFixes


def fixes_report(found: RankedFixes, spares: Spares | None) -> str:
    """The fixes, each with its figure, its purchases and the next limit."""
    lines = [visible(found.of.design.name or found.of.source), visible(now_words(found))]
    lines += [*filter(None, [order_words(found)]), ""]
    for number, fix in enumerate(found.fixes, 1):
        lines += [
            f"{number:>2}  {visible(fix.label)}",
            f"    {visible(then_words(found, fix))}",
            f"    {visible(purchase_words(fix.purchase))}",
            *(f"    {visible(line)}" for line in cost_lines(fix)),
        ]
    if not found.fixes:
        lines.append(why_none(found))
        if spares is not None and (words := spare_words(spares)):
            lines.append(visible(words))
            lines.append("--spare lists what could be left out, with what each keeps")
        if spares is not None and not spares.complete:
            lines.append(f"{NOT_ALL_SPARES} (--seconds)")
    lines += filter(None, [visible(mend_first_words(found.mend_first))])
    if not found.complete:
        tried = counted(found.tried, "change")
        lines += ["", f"stopped after {tried}; there may be others (--seconds)"]
    return "".join(f"{line}\n" for line in lines)


def spares_report(found: Spares) -> str:
    """What could be left out, each with its saving, the lost figure and what a failure leaves."""
    lines = [visible(found.of.design.name or found.of.source)]
    if not found.needs:
        lines.append("nothing runs, so nothing can be held: see what `check` says of the design")
    elif found.unmet:
        lines.append(f"does not meet what is needed today: {unmet_words(found)}")
    else:
        lines.append(f"held: {needs_words(found.needs)} (model)")
        if found.after_failure:
            lines.append(f"today: {visible(found.after_failure)}")
        lines.append("")
        if not found.left_out and found.complete:
            lines.append("nothing can be left out: with less of anything, something needed falls")
    for number, left in enumerate(found.left_out, 1):
        lines += [
            f"{number:>2}  {visible(left.label)}",
            f"    {visible(purchase_words(left.purchase))}",
            f"    {visible(suffers_words(left))}",
            *(f"    {visible(line)}" for line in cost_lines(left)),
        ]
        if left.after_failure:
            lines.append(f"    {visible(left.after_failure)}")
    lines += filter(None, [visible(mend_first_words(found.mend_first))])
    if not found.complete:
        lines += ["", f"{NOT_ALL_SPARES} (--seconds)"]
    return "".join(f"{line}\n" for line in lines)
