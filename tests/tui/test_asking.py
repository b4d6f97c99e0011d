"""Flows as data: run as far as their answers go, and previewed as if the rest were as proposed."""

from __future__ import annotations

import pytest

from toposmith.design.document import Design
from toposmith.design.edits import Edit
from toposmith.errors import EditError, ToposmithError
from toposmith.tui.asking import (
    Asking,
    ChoiceQuestion,
    MadeEdit,
    Say,
    TextQuestion,
    Wait,
    ask,
    number,
    pick,
    run_to,
    would_make,
)
from toposmith.tui.questions import Choice

SWITCHES = [Choice("old", "old", refusal="no longer sold"), Choice("qm9700", "QM9700")]


def leaves() -> Asking:
    """Which switch, then how many: more than 64 are refused."""
    switch = yield from pick("which switch", SWITCHES)
    many = yield from number("how many", 8)
    if many > 64:
        raise EditError("a spine has 64 ports")
    return MadeEdit(Edit(Design(), f"{many} {switch}"))


def test_a_flow_stops_at_the_question_that_is_not_answered_yet() -> None:
    first, second = run_to(leaves, []), run_to(leaves, ["qm9700"])
    assert isinstance(first, ChoiceQuestion) and first.title == "which switch"
    assert isinstance(second, TextQuestion) and second.label == "how many"
    (made,) = run_to(leaves, ["qm9700", 4])  # type: ignore[misc]
    assert isinstance(made, MadeEdit) and made.edit.label == "4 qm9700"


def test_a_preview_takes_what_is_proposed_for_all_later_questions() -> None:
    edit = would_make(leaves, [])
    assert edit is not None and edit.label == "8 qm9700", "the first that can be chosen"
    edit = would_make(leaves, ["qm9700", 16])
    assert edit is not None and edit.label == "16 qm9700"


def test_a_preview_says_why_an_answer_is_refused() -> None:
    with pytest.raises(EditError, match="64 ports"):
        would_make(leaves, ["qm9700", 65])


def test_nothing_is_previewed_beyond_what_only_a_person_or_the_disk_knows() -> None:
    def named() -> Asking:
        yield Wait(lambda _: "a file")
        return Edit(Design(), "")

    def empty() -> Asking:
        def read(text: str) -> str:
            raise ToposmithError("a name is needed")

        yield from ask(TextQuestion("name", "", read))
        return Edit(Design(), "")

    assert would_make(named, []) is None
    assert would_make(empty, []) is None


def test_words_are_no_edit() -> None:
    def refused() -> Asking:
        yield from pick("which", SWITCHES)
        return Say("nothing is wired")

    assert would_make(refused, []) is None


@pytest.mark.parametrize("text", ["", "-1", "x", "0", "65", "9" * 30, "٣x"])
def test_a_number_outside_its_bounds_is_refused(text: str) -> None:
    asked = next(number("cables", 2, highest=64))
    assert isinstance(asked, TextQuestion)
    with pytest.raises(ToposmithError):
        asked.read(text)
