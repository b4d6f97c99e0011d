"""What the designer asks: something to be typed, or one of several answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toposmith.search_words import found

if TYPE_CHECKING:
    from toposmith.design.edits import Edit


@dataclass(frozen=True)
class Question:
    """Something to be typed.

    Parameters
    ----------
    label : str
        What is asked.
    value : str
        The answer proposed.
    hint : str
        What to know before answering.
    number : bool
        Whether only digits make sense; up and down then step.
    check : callable, optional
        Says what is wrong with an answer; empty where nothing is.
    edit : callable, optional
        The edit that an answer would make, so that its figure can be shown before it is accepted;
        None where it makes none.
    file : bool
        Whether it is a file that is named: names are completed, and visitors are not asked.
    lowest : int
        The least number, for stepping.
    told : callable, optional
        Words for what an answer gives, such as how many cables; shown in place of the hint.
    """

    label: str
    value: str = ""
    hint: str = ""
    number: bool = False
    check: Callable[[str], str] | None = None
    edit: Callable[[str], Edit | None] | None = None
    file: bool = False
    lowest: int = 1
    told: Callable[[str], str] | None = None

    def words(self, text: str) -> str:
        """What to say below an answer that can be given: what it comes to, else the hint."""
        return self.told(text) if self.told is not None else self.hint


@dataclass(frozen=True)
class Choice:
    """One of several answers: its id, its text, a key that picks it, and why it cannot be.

    ``edit`` is the edit that it would make, whose figures are shown while it is highlighted;
    ``also`` are words that find it besides its text.
    """

    id: str
    text: str
    key: str = ""
    refusal: str = ""
    also: str = field(default="", kw_only=True)
    style: str = field(default="", kw_only=True)
    edit: Callable[[], Edit | None] | None = field(default=None, kw_only=True)


def matching(choices: Sequence[Choice], query: str) -> list[Choice]:
    """The answers that a query finds, the likeliest first."""
    return found(choices, query, lambda one: one.text, lambda one: one.also)
