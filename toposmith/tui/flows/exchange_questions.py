"""Asking what N ranks need that exchange M bytes r times a second."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toposmith.errors import ToposmithError
from toposmith.text import message_size
from toposmith.tui.asking import Asks, Here, TextQuestion, ask, pick
from toposmith.tui.questions import Choice
from toposmith.workloads.required_bandwidth import group_of, numbers_of

if TYPE_CHECKING:
    from toposmith.workloads.required_bandwidth import PlainNumbers


def ask_numbers(here: Here, present: PlainNumbers | None) -> Asks[PlainNumbers]:
    """Ranks, size and rate, and where the ranks are."""
    proposed = "8 16MB 1000"
    if present is not None:
        size = message_size(present.message_bytes).replace(" ", "")
        proposed = f"{present.ranks} {size} {present.per_second:g}"
    hint = "what a group exchanges, and how often: 8 16MB 1000"
    numbers = yield from ask(
        TextQuestion("N ranks, M bytes, r a second", proposed, numbers_of, hint)
    )

    def wrong(one_per_node: bool) -> str:
        try:
            group_of(here.plan, numbers.ranks, one_per_node=one_per_node)
        except ToposmithError as why:
            return "; ".join(str(why).splitlines())
        return ""

    apart = "one on each node, every GPU of a node in another group"
    where = yield from pick(
        "where are the ranks of a group?",
        [
            Choice("row", "node after node, as few nodes as they fill", "f", wrong(False)),
            Choice("apart", apart, "o", wrong(True)),
        ],
        at="apart" if present is not None and present.one_per_node else "row",
    )
    return replace(numbers, one_per_node=where == "apart")
