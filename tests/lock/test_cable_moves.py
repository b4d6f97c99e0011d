"""The most one-end moves: equal to trying every assignment, on many small cases."""

from __future__ import annotations

from functools import cache
from random import Random

from toposmith.lock.cable_moves import FreedCable, SoughtCable, most_moves


def serves(freed: FreedCable, sought: SoughtCable) -> bool:
    return bool(set(freed.hubs) & set(sought.hubs)) and freed.length >= sought.need


def most_by_trying(freed: list[FreedCable], sought: list[SoughtCable]) -> int:
    """The most pairs: each wanted cable takes any free one that serves, or none."""

    @cache
    def best(place: int, used: frozenset[int]) -> int:
        if place == len(sought):
            return 0
        ways = [best(place + 1, used)]
        for number, cable in enumerate(freed):
            if number not in used and serves(cable, sought[place]):
                ways.append(1 + best(place + 1, used | {number}))
        return max(ways)

    return best(0, frozenset())


def test_as_many_cables_are_moved_as_by_trying_all() -> None:
    dice = Random(7)
    for _ in range(400):
        hubs = range(dice.randint(1, 4))
        freed = [
            FreedCable(
                tuple(dice.sample(hubs, dice.randint(0, min(2, len(hubs))))), dice.randint(1, 3)
            )
            for _ in range(dice.randint(0, 5))
        ]
        sought = [
            SoughtCable(
                tuple(dice.sample(hubs, dice.randint(0, min(2, len(hubs))))), dice.randint(1, 3)
            )
            for _ in range(dice.randint(0, 5))
        ]
        pairs = most_moves(freed, sought)
        assert len(pairs) == most_by_trying(freed, sought)
        assert (
            len({one for one, _, _ in pairs}) == len({other for _, other, _ in pairs}) == len(pairs)
        )
        for one, other, hub in pairs:
            assert hub in freed[one].hubs
            assert hub in sought[other].hubs
            assert freed[one].length >= sought[other].need
