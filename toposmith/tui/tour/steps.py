"""The steps of the tour: what each asks for, and how one sees that it was done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from toposmith.design.document import Design
from toposmith.tui.actions.every_action import action


@dataclass(frozen=True)
class Seen:
    """What there is to see of the designer: enough to see whether a step was done.

    Parameters
    ----------
    design : Design
        The current design.
    busbw_GBps : float or None
        What every GPU gets of the collective that is measured; None while that is not known.
    exported : int
        Files that were written for others.
    view : str or None
        What is shown in place of the fabric.
    elsewhere : bool
        Whether another screen, as help or the palette, lies over the designer.
    """

    design: Design
    busbw_GBps: float | None = None
    exported: int = 0
    view: str | None = None
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


_FELT = 0.1
"""A change of the figure that one cannot overlook, as a share of it."""


class _Keys(dict[str, str]):
    """The key of an action, by its id."""

    def __missing__(self, action_id: str) -> str:
        return action(action_id).first_key


def _is_wired(began: Seen, now: Seen) -> bool:
    return bool(now.design.links) and now.busbw_GBps is not None


def _fell(began: Seen, now: Seen) -> bool:
    return _ratio(began, now) < 1 - _FELT


def _rose(began: Seen, now: Seen) -> bool:
    return _ratio(began, now) > 1 + _FELT


def _ratio(began: Seen, now: Seen) -> float:
    """What a GPU gets now, of what it got when the step began; 1 while either is unknown."""
    return now.busbw_GBps / began.busbw_GBps if now.busbw_GBps and began.busbw_GBps else 1.0


STEPS = (
    TourStep(
        "Build a small cluster, break it, mend it, write it out. Press {filter} and type "
        "dgx h100; Enter goes to the parts, Enter takes the first; then type 4 and Enter.",
        lambda began, now: len(now.design.groups) > 0,
    ),
    TourStep(
        "Now a switch for the four nodes: {filter} again, type qm9700, Enter, Enter, and Enter for "
        "one of them.",
        lambda began, now: len(now.design.groups) > 1,
    ),
    TourStep(
        "Press {wire} to wire the switch: the nodes are marked as its other end. Enter takes them, "
        "Enter their compute ports, and Enter the cables that are proposed.",
        _is_wired,
    ),
    TourStep(
        "On the right is what every GPU gets, and what limits that. Now break it: with the link "
        "selected, as now (arrows go to it), press {count}, type 2 and Enter.",
        _fell,
    ),
    TourStep(
        "Six of eight NICs of every node have no cable now, and the figure shows it. Press "
        "{fixes}: the smallest changes that lift it, each with what it buys.",
        lambda began, now: now.view == "fixes" or _rose(began, now),
    ),
    TourStep(
        "Every line is analysed in full. Press End for the one that gives most, Enter previews it, "
        "and Enter makes it.",
        _rose,
    ),
    TourStep(
        "Mended. Press {undo}: broken again. Every step can be taken back, without end.",
        lambda began, now: now.design != began.design,
    ),
    TourStep(
        "Press {redo}: the step is made again.",
        lambda began, now: now.design != began.design,
    ),
    TourStep(
        "Press {failures}: what is left after the failure of each thing, the worst first. "
        "{findings} says what is wrong or worth knowing, {bill} what is to be bought.",
        lambda began, now: now.view in ("failures", "findings", "bill"),
    ),
    TourStep(
        "Esc, or the same key again, brings the fabric back; Enter there goes into what is "
        "selected, down to the inside of a node.",
        lambda began, now: now.view is None,
    ),
    TourStep(
        "Press {export}, type report and Enter, then Enter for the file: a page for others, every "
        "figure with what it is worth.",
        lambda began, now: now.exported > began.exported,
    ),
    TourStep(
        "Press {help}: the keys of the place where you are. Esc closes it; {palette} finds any "
        "action by its name, a right click what can be done with a thing.",
        lambda began, now: now.elsewhere,
    ),
    TourStep(
        "That is all you need. {save} saves this design, {template} fills an empty canvas by a few "
        "questions, {start} shows designs of real clusters. {tour} ends the tour.",
        lambda began, now: False,
    ),
)


def step_after(at: int, began: Seen, now: Seen) -> int:
    """The step that follows from what is seen now; the same where it is not done yet."""
    return at + 1 if at + 1 < len(STEPS) and STEPS[at].done(began, now) else at
