"""Asking what N ranks need that exchange M bytes r times a second."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toposmith.text import message_size
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.prompts import problem_of
from toposmith.tui.questions import Choice, Question
from toposmith.workloads.required_bandwidth import group_of, numbers_of

if TYPE_CHECKING:
    from toposmith.workloads.required_bandwidth import PlainNumbers


async def ask_numbers(designer: Designer, present: PlainNumbers | None) -> PlainNumbers | None:
    """Ranks, size and rate, and where the ranks are."""
    proposed = "8 16MB 1000"
    if present is not None:
        size = message_size(present.message_bytes).replace(" ", "")
        proposed = f"{present.ranks} {size} {present.per_second:g}"
    answer = await designer.questions.ask(
        Question(
            "N ranks, M bytes, r a second",
            proposed,
            "what a group exchanges, and how often: 8 16MB 1000",
            check=lambda text: problem_of(lambda: numbers_of(text)),
        )
    )
    if answer is None:
        return None
    numbers = numbers_of(answer)
    plan = designer.editing.workbench.plan

    def wrong(one_per_node: bool) -> str:
        return problem_of(lambda: group_of(plan, numbers.ranks, one_per_node=one_per_node))

    where = await designer.questions.choose(
        "where are the ranks of a group?",
        [
            Choice("row", "node after node, as few nodes as they fill", "f", wrong(False)),
            Choice(
                "apart", "one on each node, every GPU of a node in another group", "o", wrong(True)
            ),
        ],
        at="apart" if present is not None and present.one_per_node else "row",
    )
    return None if where is None else replace(numbers, one_per_node=where == "apart")
