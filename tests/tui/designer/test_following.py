"""The loop that asks for every flow: back at Escape, again where it was refused."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

from toposmith.tui.asking import Act, Asking, Say, TextQuestion, Wait, ask, needed, pick
from toposmith.tui.designer.designer import Designer
from toposmith.tui.designer.following import follow
from toposmith.tui.questions import Choice, Question

NODES = [Choice("a100", "DGX A100"), Choice("h100", "DGX H100")]


class Asked:
    """Somebody who answers one question after the other: None is Escape."""

    def __init__(self, *answers: str | None) -> None:
        self.answers = list(answers)
        self.seen: list[tuple[str, str]] = []
        self.said: list[str] = []

    async def ask(self, question: Question) -> str | None:
        self.seen.append((question.label, question.value))
        return self.answers.pop(0)

    async def choose(self, title: str, choices: Sequence[Choice], **more: Any) -> str | None:
        self.seen.append((title, more["at"]))
        return self.answers.pop(0)

    def say(self, words: str, tone: str = "done") -> None:
        self.said.append(words)

    @property
    def designer(self) -> Designer:
        return cast(Designer, SimpleNamespace(questions=self, messages=self))


def nodes() -> Asking:
    part = yield from pick("which", NODES)
    name = yield from ask(TextQuestion("name", "pod", needed("a name is needed")))
    place = yield from ask(TextQuestion("place", "hall", str))
    return Say(f"{name} of {part} in {place}", "done")


async def test_escape_goes_one_question_back_with_what_was_answered_there() -> None:
    user = Asked("h100", "east", None, "west", "room")
    assert await follow(user.designer, nodes, previews=False)
    assert user.seen == [
        ("which", ""),
        ("name", "pod"),
        ("place", "hall"),
        ("name", "east"),
        ("place", "hall"),
    ]
    assert user.said == ["west of h100 in room"]


async def test_escape_at_the_first_question_gives_up() -> None:
    user = Asked("h100", None, None)
    assert not await follow(user.designer, nodes, previews=False)
    assert user.seen[-1] == ("which", "h100")
    assert not user.said


async def test_what_was_answered_after_another_answer_is_proposed_anew() -> None:
    user = Asked("h100", "east", None, None, "a100", "north", "room")
    assert await follow(user.designer, nodes, previews=False)
    assert user.seen[4:6] == [("which", "h100"), ("name", "pod")], "the name was of the other part"


async def test_a_text_that_could_not_be_kept_is_asked_for_again_and_nothing_else() -> None:
    disk = [False, True]

    def comment() -> Asking:
        yield from ask(TextQuestion("comment", "", needed("text is required")))
        yield Wait(lambda _: "Ada", once=True)  # found out by itself: it must not turn in a circle
        return Act(lambda designer: disk.pop(0))

    user = Asked("which firmware?", "which firmware?")
    await follow(user.designer, comment, previews=False)
    assert user.seen == [("comment", ""), ("comment", "which firmware?")]
    assert not disk


async def test_a_refusal_on_the_way_is_said_and_ends_the_flow() -> None:
    def refused() -> Asking:
        yield from pick("which", NODES)
        needed("nothing is wired")("")
        return None

    user = Asked("h100")
    assert await follow(user.designer, refused, previews=False)
    assert user.said == ["nothing is wired"]
