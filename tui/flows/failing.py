"""Trying what happens when something fails; the design itself stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.text import counted
from toposmith.tui.desk import Desk
from toposmith.tui.flows.asking import ask_number
from toposmith.tui.widgets.question_panel import Choice

if TYPE_CHECKING:
    from toposmith.topology.review.failures.breakable import Failure
    from toposmith.tui.views.failures_view import FailuresView

MOST_PAIRS = 10_000


async def fail(desk: Desk) -> None:
    """Let one thing of the selected group or link fail, or bring back what fails now."""
    if desk.workbench.failing:
        back = ", ".join(desk.workbench.failing)
        desk.let_fail(())
        desk.say(f"{back} works again; the figures are of the whole design")
        return
    failures = _failures_of_selected(desk)
    if not failures:
        desk.say("nothing here can fail alone: nothing is wired to it", "refused")
        return
    chosen = failures[0]
    if len(failures) > 1:
        words = [
            Choice(str(at), f"{one.kind} {', '.join(one.selectors)}, {_alike(one)}")
            for at, one in enumerate(failures)
        ]
        answer = await desk.choose("what fails?", words)
        if answer is None:
            return
        chosen = failures[int(answer)]
    let_fail(desk, chosen.selectors)


async def ask_pairs(desk: Desk, view: FailuresView) -> None:
    """Ask how many pairs of things are to fail, drawn at random."""
    many = await ask_number(
        desk,
        "pairs of things that fail at once",
        50,
        hint="drawn at random, each computed in full; Esc ends early with what is there",
        lowest=0,
        highest=MOST_PAIRS,
    )
    if many is not None:
        view.sample_pairs(many)
        desk.show_view(view.NAME)


def let_fail(desk: Desk, selectors: tuple[str, ...]) -> None:
    """Show all figures without these things; the same again brings them back."""
    if desk.workbench.failing == selectors:
        desk.let_fail(())
        desk.say(f"{', '.join(selectors)} works again; the figures are of the whole design")
        return
    desk.let_fail(selectors)
    desk.say(f"all figures are without {', '.join(selectors)}; D on the fabric brings it back")


def _failures_of_selected(desk: Desk) -> list[Failure]:
    """One of every class of things of the selected group or link."""
    from toposmith.topology.analysis.network import Network
    from toposmith.topology.review.failures.breakable import failure_classes

    bench = desk.workbench
    network = Network(bench.plan)
    index = desk.selected_link
    where = desk.selected_group
    if index is not None:
        where = " - ".join(bench.design.links[index].between)
    return [
        each.member()
        for each in failure_classes(network, bench.catalog)
        if where in (each.what, each.what.partition(".")[0])
    ]


def _alike(failure: Failure) -> str:
    return f"one of {counted(failure.members, failure.kind)} alike"
