"""Trying what happens when something fails; the design itself stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.analysis.network import ComputeNetwork
from toposmith.foreign_values import whole_number
from toposmith.review.failures.breakable import failure_classes
from toposmith.review.failures.shared_modules import module_failures
from toposmith.review.failures.sweep_in_words import equivalent_words
from toposmith.tui.designer.designer import Designer
from toposmith.tui.questions import Choice, Question

if TYPE_CHECKING:
    from toposmith.review.failures.breakable import Failure
    from toposmith.tui.views.failures_view import FailuresView

MOST_PAIRS = 10_000


async def fail(designer: Designer) -> None:
    """Let one thing of the selected group or link fail, or bring back what fails now."""
    if designer.editing.workbench.failing:
        bring_back(designer)
        return
    failures = _failures_of_selected(designer)
    if not failures:
        designer.messages.say("nothing here can fail alone: nothing is wired to it", "refused")
        return
    chosen = failures[0]
    if len(failures) > 1:
        words = [
            Choice(str(at), f"{one.kind} {', '.join(one.selectors)}, {equivalent_words(one)}")
            for at, one in enumerate(failures)
        ]
        answer = await designer.questions.choose("what fails?", words)
        if answer is None:
            return
        chosen = failures[int(answer)]
    let_fail(designer, chosen.selectors)


async def ask_pairs(designer: Designer, view: FailuresView) -> None:
    """Ask which pairs of things are to fail: all, or a sample drawn at random."""
    answer = await designer.questions.ask(
        Question(
            "pairs of things that fail at once",
            "all",
            f"all, one for each class of pairs; or 0 to {MOST_PAIRS:,} drawn at random. "
            "Esc ends early with what is there",
            check=_why_no_pairs,
        )
    )
    if answer is not None:
        text = answer.strip().lower()
        view.let_pairs_fail(None if text == "all" else int(text))
        designer.panels.show_view(view.NAME)


def _why_no_pairs(text: str) -> str:
    text = text.strip().lower()
    if text == "all" or (text.isascii() and text.isdigit() and whole_number(text) <= MOST_PAIRS):
        return ""
    return f"write all, or a number up to {MOST_PAIRS:,}"


async def ask_share(designer: Designer, view: FailuresView) -> None:
    """Ask how much of the bandwidth is to be kept while something is taken out."""
    answer = await designer.questions.ask(
        Question(
            "per cent of the bandwidth that is to be kept",
            "90",
            "of every collective, with what is down already; % lists all failures again",
            check=_why_no_share,
        )
    )
    if answer is not None:
        view.keep(int(_per_cent(answer)) / 100)
        designer.panels.show_view(view.NAME)


def _per_cent(text: str) -> str:
    return text.strip().removesuffix("%").rstrip()


def _why_no_share(text: str) -> str:
    number = _per_cent(text)
    if number.isascii() and number.isdigit() and whole_number(number) <= 100:
        return ""
    return "write 0 to 100, such as 80 or 80%"


def let_fail(designer: Designer, selectors: tuple[str, ...]) -> None:
    """Show all figures without these things; the same again brings them back."""
    if not selectors:
        designer.messages.say("what fails there is no device of the design, so it cannot be shown")
        return
    if designer.editing.workbench.failing == selectors:
        bring_back(designer)
        return
    designer.measurement.let_fail(selectors)
    designer.messages.say(
        f"all figures are without {', '.join(selectors)}; D on the fabric brings it back"
    )


def bring_back(designer: Designer) -> None:
    """Show the figures of the whole design again."""
    back = ", ".join(designer.editing.workbench.failing)
    designer.measurement.let_fail(())
    designer.messages.say(f"{back} works again; the figures are of the whole design")


def undo(designer: Designer) -> None:
    """Take back what was done last: a failure that is tried, else the last change of the design."""
    if designer.editing.workbench.failing:  # every change restores it, so it came after them
        bring_back(designer)
    else:
        designer.editing.undo()


def _failures_of_selected(designer: Designer) -> list[Failure]:
    """One of every class of things of the selected group or link."""
    bench = designer.editing.workbench
    network = ComputeNetwork(bench.plan)
    index = designer.selection.link
    where = designer.selection.group
    if index is not None:
        where = " - ".join(bench.design.links[index].between)
    members = [each.member() for each in failure_classes(network, bench.catalog)]
    members += module_failures(network, bench.catalog).failures
    return [one for one in members if where in (one.what, one.what.partition(".")[0])]
