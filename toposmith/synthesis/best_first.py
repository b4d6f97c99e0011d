"""Best-first search over offers: the cheapest is proven first, what a proven one beats never is.

An offer is passed over only where a proven answer certainly costs no more than the offer costs at
least, and gives no less than the offer promises at most. So no answer that is found is beaten by an
offer that was not proven, as long as costs are lower and promises upper bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Generic, Protocol, Self, TypeVar

Made = TypeVar("Made")
"""What an offer makes: a planned design, or a fabric by its numbers."""

ROUNDING = 1e-9


class Expense(Protocol):
    """What is paid, of which a part may be unknown."""

    @property
    def order(self) -> tuple[float, ...]:
        """Sort key, which rules nothing out."""

    def no_more_than(self, other: Self, /) -> bool:
        """Whether it is certainly no more, whatever is unknown."""


@dataclass(frozen=True)
class Offer(Generic[Made]):
    """One way to go on.

    Parameters
    ----------
    make : callable
        Makes it, without an analysis; None where it cannot be made, or cannot be an answer.
    cost : Expense
        What it takes at least.
    promise : callable
        What it gives at most, by figure, as far as is known when its turn comes; where that is
        empty nothing is known, and nothing beats it.
    """

    make: Callable[[], Made | None]
    cost: Expense
    promise: Callable[[], Mapping[str, float]] = dict


@dataclass(frozen=True)
class Outcome(Generic[Made]):
    """What an analysis proves of an offer.

    Parameters
    ----------
    made : object
        What the offer made.
    gains : mapping of str to float
        What it gives, by figure.
    cost : Expense
        What it takes.
    accepted : bool
        Whether it is an answer by itself.
    further : iterable of Offer
        What to try from there, made no sooner than its turn comes; an answer that another has
        beaten by then is not gone on from.
    turn : tuple of float
        When that is, as the sort key of a cost; where it is empty, before anything else.
    """

    made: Made
    gains: Mapping[str, float]
    cost: Expense
    accepted: bool
    further: Iterable[Offer[Made]] = ()
    turn: tuple[float, ...] = ()


@dataclass
class Found(Generic[Made]):
    """The answers that no other beats, and how far the search came.

    Parameters
    ----------
    answers : list of Outcome
        The cheapest first.
    proven : int
        Moves that were analysed.
    beaten_unseen : int
        Moves that an answer beat before they were.
    complete : bool
        Whether no offer was left.
    """

    answers: list[Outcome[Made]] = field(default_factory=list)
    proven: int = 0
    beaten_unseen: int = 0
    complete: bool = True


def search(
    offers: Iterable[Offer[Made]],
    proof: Callable[[Made], Outcome[Made] | None],
    *,
    most: int,
    go_on: Callable[[Found[Made]], bool] = lambda _: True,
) -> Found[Made]:
    """Prove offers, the cheapest first, and those that follow from them.

    Parameters
    ----------
    offers : iterable of Offer
        Where to begin.
    proof : callable
        Analyses what an offer makes; None where it is not sound.
    most : int
        Proofs at most.
    go_on : callable
        Asked after every proof; False ends the search.
    """
    found: Found[Made] = Found()
    heap: list[tuple[tuple[float, ...], int, Offer[Made] | Outcome[Made]]] = []
    number = count()

    def wait(those: Iterable[Offer[Made]]) -> None:
        for one in those:
            heappush(heap, (one.cost.order, next(number), one))

    wait(offers)
    while heap:
        _, _, turn = heappop(heap)
        if isinstance(turn, Outcome):
            if not turn.accepted or any(turn is one for one in found.answers):
                wait(turn.further)
            continue
        promise = turn.promise()
        if promise and any(beats(one.cost, one.gains, turn.cost, promise) for one in found.answers):
            found.beaten_unseen += 1
            continue
        made = turn.make()
        if made is None:
            continue
        if found.proven >= most:
            found.complete = False
            break
        outcome = proof(made)
        if outcome is not None:
            found.proven += 1
            if outcome.accepted:
                keep(found, outcome)
            if outcome.further:
                heappush(heap, (outcome.turn, next(number), outcome))
        if not go_on(found):
            found.complete = not heap
            break
    return found


def beats(
    one: Expense, gains: Mapping[str, float], other: Expense, others: Mapping[str, float]
) -> bool:
    """Whether one is nowhere worse than another: certainly no dearer, and gives no less.

    ``others`` may be what the other gives at most. A figure that only one side has decides
    nothing: the other may be above it or below.
    """
    if gains.keys() != others.keys():
        return False
    enough = all(gains[name] >= value * (1 - ROUNDING) for name, value in others.items())
    return enough and one.no_more_than(other)


def keep(found: Found[Made], outcome: Outcome[Made]) -> None:
    """Add an answer, if none beats it, in place of those that it beats."""
    if any(beats(one.cost, one.gains, outcome.cost, outcome.gains) for one in found.answers):
        return
    kept = [
        one for one in found.answers if not beats(outcome.cost, outcome.gains, one.cost, one.gains)
    ]
    found.answers = sorted([*kept, outcome], key=lambda one: one.cost.order)
