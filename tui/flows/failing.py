"""Trying what happens when something fails; the design itself stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.desk import Desk
from tui.widgets.question_panel import Choice
from tui.wording import counted

if TYPE_CHECKING:
    from topology.review.failures.breakable import Failure


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
    from topology.analysis.network import Network
    from topology.review.failures.breakable import failure_classes

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
    return f"one of {counted(failure.members, 'thing')} alike"
