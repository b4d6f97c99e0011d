"""The one loop that follows a flow: asks, previews, goes back, and does what comes out."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from dataclasses import replace
from functools import partial
from inspect import isawaitable
from typing import Any

from toposmith.design.edits import Edit
from toposmith.errors import SaveError, ToposmithError
from toposmith.tui.asking import (
    Act,
    AnyQuestion,
    Asking,
    ChoiceQuestion,
    Do,
    FlowOutcome,
    Go,
    MadeEdit,
    Say,
    Show,
    Target,
    TextQuestion,
    Wait,
    Write,
    run_to,
    would_make,
)
from toposmith.tui.designer.designer import Designer
from toposmith.tui.keeping.session import new_session
from toposmith.tui.questions import Choice, Question

Previewed = Callable[[object], "Edit | None"]
Answer = tuple[object, str]
"""A value, and how it was typed or chosen, to be proposed when the question comes back."""


def begin(
    designer: Designer, do: Do | Act, *, previews: bool
) -> Coroutine[Any, Any, object] | None:
    """Do at once what asks nothing; a flow that asks is returned, to be run."""
    if isinstance(do, Act):
        done = do.do(designer)
    else:
        here = designer.here
        first = do(here)
        if isinstance(first, Generator):
            return follow(designer, partial(_restart, do, here), previews=previews)
        done = perform(designer, first)
    return done if isinstance(done, Coroutine) else None


def _restart(do: Do, here: Any) -> Asking:
    flow = do(here)
    assert isinstance(flow, Generator)
    return flow


async def follow(designer: Designer, start: Callable[[], Asking], *, previews: bool) -> bool:
    """Ask what a flow asks; Escape goes one question back, and from the first one gives up."""
    answers: list[Answer] = []
    before: dict[int, tuple[str, str]] = {}  # by place: the question, and its last answer
    while True:
        given = [value for value, _ in answers]
        try:
            asked = run_to(start, given)
        except ToposmithError as refused:
            asked = (Say(str(refused)),)
        if isinstance(asked, tuple):
            done = perform(designer, asked[0])
            if isawaitable(done):
                done = await done
            if done is not False or not _went_back(answers):
                return done is not False
            continue  # the last question says why it is refused
        label, last = before.get(len(answers), ("", ""))
        proposed = last if label == _label(asked) else ""

        def preview(value: object, given: list[object] = given) -> Edit | None:
            return would_make(start, [*given, value])

        answer = await _ask(designer, asked, proposed, preview if previews else None)
        if answer is not None:
            said = _label(asked), answer[1]
            if before.get(len(answers), said) != said:  # what was said after it went with it
                before = {at: one for at, one in before.items() if at < len(answers)}
            before[len(answers)] = said
            answers.append(answer)
            continue
        if not _went_back(answers):
            return False


def _went_back(answers: list[Answer]) -> bool:
    """Take the last answer away, with those that nobody is asked for twice; False if none is."""
    while answers and answers[-1][1] == "":
        answers.pop()
    if answers:
        answers.pop()
        return True
    return False


def perform(designer: Designer, outcome: FlowOutcome) -> object:
    """Do what a flow comes to; False where it was refused, a coroutine where it takes a while."""
    match outcome:
        case Edit():
            return designer.editing.make(outcome)
        case MadeEdit(edit=edit):
            return _make(designer, outcome, edit)
        case Say(words=words, tone=tone):
            designer.messages.say(words, tone)
        case Show(view=name, asked=asked):
            designer.panels.ask_view(name, asked)
        case Go(groups=groups) if groups:
            designer.selection.select_group(min(groups))
        case Go(links=links) if links:
            designer.selection.select_link(min(links))
        case Write(do=write):
            return _write(designer, write)
        case Act(do=do):
            return do(designer)
    return True


def _make(designer: Designer, made: MadeEdit, edit: Edit) -> bool:
    """Make an edit, on an empty canvas where that is meant; select and say what follows."""
    if made.anew:
        designer.files.show(new_session())
    before = designer.editing.design.groups
    if not designer.editing.make(edit):
        return False
    if made.added:
        added = tuple(name for name in edit.design.groups if name not in before)
        designer.selection.select_group(added[0])
        designer.selection.mark_groups(added if len(added) > 1 else ())
    if made.group is not None:
        designer.selection.select_group(made.group)
    if made.link is not None:
        designer.selection.select_link(made.link)
    if made.say is not None:
        designer.messages.say(made.say(designer.editing.workbench))
    return True


def _write(designer: Designer, write: Callable[[], str]) -> bool:
    try:
        words = write()
    except (SaveError, OSError, ValueError) as failed:
        designer.messages.say(str(failed), "failed")
        return False
    designer.messages.say(words)
    return True


async def _ask(
    designer: Designer, asked: AnyQuestion, proposed: str, preview: Previewed | None
) -> Answer | None:
    panel = designer.questions
    match asked:
        case TextQuestion():
            text = await panel.ask(_question(asked, proposed or asked.proposed, preview))
            return None if text is None else (asked.read(text), text or " ")
        case ChoiceQuestion():
            choices = list(asked.choices())
            if preview is not None and not asked.leads:
                choices = [_previewed(one, preview) for one in choices]
            at = proposed or asked.at
            if asked.typed:  # what is proposed stands first of many
                choices.sort(key=lambda one: one.id != at)
                chosen = await panel.find(asked.title, choices, hint=asked.hint, at=at)
            else:
                chosen = await panel.choose(asked.title, choices, look=asked.look, at=at)
        case Target():
            chosen = await designer.selection.pick_target(asked.source, asked.likely)
            if chosen is not None:
                designer.messages.say(f"wire {asked.source} to {chosen}", "hint")
        case Wait(do=do, once=once):
            found = do(designer)
            if isawaitable(found):
                found = await found
            return None if found is None or found is False else (found, "" if once else " ")
    return None if chosen is None else (chosen, chosen or " ")


def _previewed(choice: Choice, preview: Previewed) -> Choice:
    return choice if choice.refusal else replace(choice, edit=partial(preview, choice.id))


def _question(asked: TextQuestion[Any], value: str, preview: Previewed | None) -> Question:
    def problem(text: str) -> str:
        try:
            asked.read(text)
        except ToposmithError as wrong:
            return "; ".join(str(wrong).splitlines())
        return ""

    def told(text: str) -> str:
        try:
            return asked.hint if asked.told is None else asked.told(asked.read(text))
        except ToposmithError:
            return asked.hint  # what is wrong is said elsewhere

    return Question(
        asked.label,
        value.strip() if value == " " else value,
        asked.hint,
        number=asked.number,
        check=problem,
        edit=None if preview is None else lambda text: preview(asked.read(text)),
        file=asked.file,
        lowest=asked.lowest,
        told=told,
    )


def _label(asked: AnyQuestion) -> str:
    match asked:
        case Wait():
            return ""
        case TextQuestion(label=words) | ChoiceQuestion(title=words) | Target(source=words):
            return words
