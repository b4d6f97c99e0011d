"""Trying what happens when something fails; the design itself stays as it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from toposmith.analysis.network import ComputeNetwork
from toposmith.errors import ToposmithError
from toposmith.foreign_values import whole_number
from toposmith.review.failures.breakable import failure_classes
from toposmith.review.failures.shared_modules import module_failures
from toposmith.review.failures.sweep_in_words import equivalent_words
from toposmith.tui.asking import Act, Asking, FlowOutcome, Here, Say, Show, TextQuestion, ask, pick
from toposmith.tui.questions import Choice

if TYPE_CHECKING:
    from toposmith.review.failures.breakable import Failure

MOST_PAIRS = 10_000


@dataclass(frozen=True)
class Trials:
    """What is asked of the failures: how many pairs (None for all), and what can be taken out."""

    pairs: int | None = 0
    keep: float | None = None


def fail(here: Here) -> Asking:
    """Let one thing of the selected group or link fail, or bring back what fails now."""
    if here.bench.failing:
        return bring_back(here)
    failures = _failures_of_selected(here)
    if not failures:
        return Say("nothing here can fail alone: nothing is wired to it")
    at = "0"
    if len(failures) > 1:
        words = [
            Choice(str(at), f"{one.kind} {', '.join(one.selectors)}, {equivalent_words(one)}")
            for at, one in enumerate(failures)
        ]
        at = yield from pick("what fails?", words)
    return let_fail(here, failures[int(at)].selectors)


def ask_pairs(trials: Trials) -> Asking:
    """Ask which pairs of things are to fail: all, or a sample drawn at random."""
    hint = f"all, one for each class of pairs; or 0 to {MOST_PAIRS:,} drawn at random. "
    hint += "Esc ends early with what is there"
    pairs = yield from ask(
        TextQuestion("pairs of things that fail at once", "all", _read_pairs, hint)
    )
    return Show("failures", replace(trials, pairs=pairs))


def _read_pairs(text: str) -> int | None:
    text = text.strip().lower()
    if text == "all":
        return None
    if text.isascii() and text.isdigit() and whole_number(text) <= MOST_PAIRS:
        return whole_number(text)
    raise ToposmithError(f"write all, or a number up to {MOST_PAIRS:,}")


def ask_share(trials: Trials) -> Asking:
    """Ask how much of the bandwidth is kept while something is taken out; again: list all."""
    if trials.keep is not None:
        return Show("failures", replace(trials, keep=None))
    share = yield from ask(
        TextQuestion(
            "per cent of the bandwidth that is to be kept",
            "90",
            _read_share,
            "of every collective, with what is down already; % lists all failures again",
        )
    )
    return Show("failures", replace(trials, keep=share))


def _read_share(text: str) -> float:
    number = text.strip().removesuffix("%").rstrip()
    if number.isascii() and number.isdigit() and whole_number(number) <= 100:
        return whole_number(number) / 100
    raise ToposmithError("write 0 to 100, such as 80 or 80%")


def let_fail(here: Here, selectors: tuple[str, ...]) -> FlowOutcome:
    """Show all figures without these things; the same again brings them back."""
    if not selectors:
        return Say("what fails there is no device of the design, so it cannot be shown", "done")
    if here.bench.failing == selectors:
        return bring_back(here)
    what = ", ".join(selectors)
    return _failing(selectors, f"all figures are without {what}; D on the fabric brings it back")


def bring_back(here: Here) -> FlowOutcome:
    """Show the figures of the whole design again."""
    back = ", ".join(here.bench.failing)
    return _failing((), f"{back} works again; the figures are of the whole design")


def _failing(selectors: tuple[str, ...], words: str) -> Act:
    def do(designer: Any) -> None:
        designer.measurement.let_fail(selectors)
        designer.messages.say(words)

    return Act(do)


def undo(here: Here) -> FlowOutcome:
    """Take back what was done last: a failure that is tried, else the last change of the design."""
    if here.bench.failing:  # every change restores it, so it came after them
        return bring_back(here)
    return Act(lambda designer: designer.editing.undo())


def _failures_of_selected(here: Here) -> list[Failure]:
    """One of every class of things of the selected group or link."""
    bench = here.bench
    network = ComputeNetwork(bench.plan)
    index, where = here.link, here.group
    if index is not None:
        where = " - ".join(bench.design.links[index].between)
    members = [each.member() for each in failure_classes(network, bench.catalog)]
    members += module_failures(network, bench.catalog).failures
    return [one for one in members if where in (one.what, one.what.partition(".")[0])]
