"""Faults that people make, on six fabrics: the moves asked for are the fewest, and none is hidden.

``python -m bench.asbuilt`` plants many more of each.
"""

from __future__ import annotations

import random

import pytest

from tests.as_built.fabrics import compared
from tests.as_built.planted_faults import FABRICS, FAULTS, Planted, fabric
from toposmith.as_built.cable_list import Cabling


def _asked(plan: Cabling, dump: Cabling, planted: Planted, moves: int) -> None:
    found = compared(plan, dump)
    assert (found.moves, found.add, found.remove) == (moves, planted.add, planted.remove)
    assert found.same is (moves + planted.add + planted.remove == 0)
    harmless = [one for one in found.differences if not one.harmful]
    assert len({one.instruction[:40] for one in harmless}) == len(harmless) <= 3
    told = [one for one in found.differences if one.harmful]
    assert sum(one.steps for one in told) == len(told) == moves + planted.add + planted.remove


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", FABRICS)
def test_the_moves_asked_for_are_the_fewest(name: str, fault: str) -> None:
    """In the plan's names of ports, and in those of drivers and subnet managers."""
    whole = fabric(name)
    planted = FAULTS[fault](whole, random.Random(f"{name} {fault}"))
    _asked(whole.plan, whole.as_planned(planted.ends), planted, planted.moves)
    by_drivers = planted.moves if planted.by_drivers is None else planted.by_drivers
    _asked(whole.plan, whole.as_drivers_say(planted.ends), planted, by_drivers)


@pytest.mark.parametrize("name", FABRICS)
def test_adapters_numbered_by_address_on_every_host_are_no_difference(name: str) -> None:
    """A driver's mlx5_0 need not be the first rail; most hosts say which it is."""
    whole = fabric(name)
    order = random.Random(name).sample(range(8), 8)
    order = [number for number in order if number < len(whole.rails(whole.hosts[0]))]
    found = compared(whole.plan, whole.as_drivers_say(whole.ends, order))
    assert found.agree == found.planned and not found.differences
