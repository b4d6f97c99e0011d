"""Questions that several flows ask, and what is wrong with an answer."""

from __future__ import annotations

from collections.abc import Callable

from toposmith.design.edits import Edit
from toposmith.errors import EditError, ToposmithError
from toposmith.tui.designer.designer import Designer
from toposmith.tui.questions import Question

MAX_NUMBER = 1_000_000
MOST_DIGITS = 20
"""Longer texts are no sensible number, and Python refuses to read some of them."""


async def ask_number(
    designer: Designer,
    label: str,
    proposed: int,
    *,
    hint: str = "",
    lowest: int = 1,
    highest: int = MAX_NUMBER,
    edit: Callable[[int], Edit] | None = None,
    told: Callable[[int], str] | None = None,
) -> int | None:
    """Ask for a whole number; the figure that it gives is shown while it is typed."""

    def check(text: str) -> str:
        if not text.strip().isdecimal() or len(text) > MOST_DIGITS:
            return f"a whole number from {lowest:,} to {highest:,} is needed"
        if not lowest <= int(text) <= highest:
            return f"{int(text):,} is not between {lowest:,} and {highest:,}"
        return ""

    def words(text: str) -> str:
        return hint if told is None or check(text) else told(int(text))

    preview = None if edit is None else lambda text: edit(int(text))
    answer = await designer.questions.ask(
        Question(
            label,
            str(proposed),
            hint,
            number=True,
            check=check,
            edit=preview,
            lowest=lowest,
            told=words,
        )
    )
    return None if answer is None else int(answer)


def problem_of(read: Callable[[], object]) -> str:
    """What is wrong with an answer, on one line; empty where nothing is."""
    try:
        read()
    except ToposmithError as wrong:
        return "; ".join(str(wrong).splitlines())
    return ""


def refusal_of(change: Callable[[str], Edit]) -> Callable[[str], str]:
    """A check that says what the document would refuse."""

    def check(text: str) -> str:
        try:
            change(text.strip())
        except EditError as refused:
            return str(refused)
        return ""

    return check
