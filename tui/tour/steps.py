"""The steps of the tour: what each asks for, and how one sees that it was done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from toposmith.topology.design.document import Design
from toposmith.tui.actions import action


@dataclass(frozen=True)
class Seen:
    """What there is to see of the designer: enough to tell whether a step was done.

    Parameters
    ----------
    selected : str or None
        The group that is selected.
    design : Design
        The design as it stands.
    collective : str
        What is measured.
    view : str or None
        What stands in the place of the fabric.
    asking : bool
        Whether a question is open.
    elsewhere : bool
        Whether another screen, as help or the palette, lies over the designer.
    """

    selected: str | None
    design: Design
    collective: str
    view: str | None = None
    asking: bool = False
    elsewhere: bool = False


@dataclass(frozen=True)
class TourStep:
    """One step: its words, with ``{id}`` for the key of an action, and when it is done.

    ``done`` compares what is seen with what was seen when the step began.
    """

    words: str
    done: Callable[[Seen, Seen], bool]

    @property
    def text(self) -> str:
        """The words with the keys as they are set now."""
        return self.words.format_map(_Keys())


class _Keys(dict[str, str]):
    """The key of an action, by its id."""

    def __missing__(self, action_id: str) -> str:
        return action(action_id).first_key


STEPS = (
    TourStep(
        "This is one scalable unit of a DGX H100 SuperPOD. On the right is what every GPU gets, "
        "and below it what limits that. Walk with the arrows until the spine is selected.",
        lambda began, now: now.selected == "spine",
    ),
    TourStep(
        "Press {fewer}: one spine switch fewer. Watch the figures on the right and the line at "
        "the bottom.",
        lambda began, now: now.design != began.design,
    ),
    TourStep(
        "Press {undo}: every step can be taken back, without end; {redo} makes it again.",
        lambda began, now: now.design != began.design,
    ),
    TourStep(
        "Press {count} to type a count. What it would give is shown while you type.",
        lambda began, now: now.asking,
    ),
    TourStep(
        "Type another number and read its effect; then Esc goes back without changing anything.",
        lambda began, now: not now.asking,
    ),
    TourStep(
        "Press {collective}: the same fabric under the next collective.",
        lambda began, now: now.collective != began.collective,
    ),
    TourStep(
        "Press {curve}: bandwidth against message size, with the sizes where NCCL switches.",
        lambda began, now: now.view is not None,
    ),
    TourStep(
        "Esc, or {curve} again, brings the fabric back.",
        lambda began, now: now.view is None,
    ),
    TourStep(
        "Press Enter: it goes into what is selected, here the spine switches and their ports.",
        lambda began, now: now.view is not None,
    ),
    TourStep(
        "Enter goes deeper, down to the inside of a node. Esc comes out again, to the fabric.",
        lambda began, now: now.view is None,
    ),
    TourStep(
        "Press {bill}: everything to buy, with what is unknown named. {failures} shows what every "
        "failure leaves, {findings} what is wrong or worth knowing, {workload} a model's step.",
        lambda began, now: now.view is not None,
    ),
    TourStep(
        "Esc, or the same key again, brings the fabric back.",
        lambda began, now: now.view is None,
    ),
    TourStep(
        "Press {help}: the keys of the place where you are. Esc closes it; {palette} finds any "
        "action by its name.",
        lambda began, now: now.elsewhere,
    ),
    TourStep(
        "That is all you need. {add} adds parts, {wire} wires, {save} saves a copy of your own. "
        "{tour} ends the tour.",
        lambda began, now: False,
    ),
)


def step_after(at: int, began: Seen, now: Seen) -> int:
    """The step that follows from what is seen now; the same where it is not done yet."""
    return at + 1 if at + 1 < len(STEPS) and STEPS[at].done(began, now) else at
