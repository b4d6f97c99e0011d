"""Best-first search against all offers proven, with costs and promises made up at random."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from toposmith.synthesis.best_first import Found, Offer, Outcome, search


@dataclass(frozen=True)
class Pair:
    """A cost in two things that are not weighed against each other."""

    first: int
    second: int

    @property
    def order(self) -> tuple[float, ...]:
        return (self.first, self.second)

    def no_more_than(self, other: Pair) -> bool:
        return self.first <= other.first and self.second <= other.second


@dataclass(frozen=True)
class Thing:
    """Something that can be bought, which gives less than it promises."""

    cost: Pair
    gain: int
    promised: int
    wanted: bool


THINGS = st.lists(
    st.builds(
        lambda first, second, gain, more, wanted: Thing(
            Pair(first, second), gain, gain + more, wanted
        ),
        st.integers(0, 5),
        st.integers(0, 5),
        st.integers(0, 6),
        st.integers(0, 3),
        st.booleans(),
    ),
    max_size=14,
)


def found(things: list[Thing], most: int = 1000) -> Found[Thing]:
    offers = [
        Offer(lambda one=one: one, one.cost, lambda one=one: {"gain": one.promised})  # type: ignore[misc]
        for one in things
    ]
    return search(
        offers, lambda one: Outcome(one, {"gain": one.gain}, one.cost, one.wanted), most=most
    )


@given(THINGS)
def test_every_answer_is_beaten_by_none_and_stands_for_all_that_are_missing(
    things: list[Thing],
) -> None:
    answers = [one.made for one in found(things).answers]
    assert all(one.wanted for one in answers)
    for one in (each for each in things if each.wanted):
        assert any(line.cost.no_more_than(one.cost) and line.gain >= one.gain for line in answers)
    for line in answers:
        for one in (each for each in things if each.wanted):
            better = one.cost.no_more_than(line.cost) and one.gain >= line.gain
            assert not better or (one.cost, one.gain) == (line.cost, line.gain)


def test_what_a_proven_answer_beats_is_not_proven() -> None:
    good = Thing(Pair(1, 1), 5, 5, True)
    dearer = Thing(Pair(2, 1), 4, 5, True)
    may_be_more = Thing(Pair(2, 2), 4, 6, True)
    ended = found([may_be_more, dearer, good])
    assert (ended.proven, ended.beaten_unseen, ended.complete) == (2, 1, True)
    assert [one.made for one in ended.answers] == [good]


def test_a_search_that_ends_early_says_so() -> None:
    things = [Thing(Pair(at, 5 - at), at, 9, True) for at in range(5)]
    ended = found(things, most=2)
    assert (ended.proven, ended.complete) == (2, False)
    assert found(things, most=5).complete
