"""The cells of an axis are a partition of it, as coarse as the given sets allow."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposmith.fabric.cuts import RING, Cuts
from toposmith.intervals import Interval

Sets = frozenset[frozenset[Interval]]


@st.composite
def cut_axes(draw: st.DrawFn) -> tuple[int, Sets]:
    """A small axis and sets of values on it, each a union of intervals."""
    size = draw(st.integers(1, 24))
    bounds = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1))
    interval = bounds.map(lambda pair: (min(pair), max(pair)))
    sets = draw(st.sets(st.frozensets(interval, min_size=1, max_size=3), max_size=4))
    return size, frozenset(sets)


def _within(intervals: frozenset[Interval], value: int) -> bool:
    return any(low <= value <= high for low, high in intervals)


@given(cut_axes())
def test_every_value_lies_in_exactly_one_cell(axis: tuple[int, Sets]) -> None:
    size, sets = axis
    cuts = Cuts({"x": size}, {"x": sets})
    cells = cuts.cells("x")
    for value in range(size):
        holding = [number for number, cell in enumerate(cells) if value in cell]
        assert holding == [cuts.cell_of("x", value)]
    assert sum(cell.size for cell in cells) == size
    assert cuts.cell_sizes["x"] == tuple(cell.size for cell in cells)
    assert all(-1 not in cell and size not in cell for cell in cells)


@given(cut_axes())
def test_two_values_share_a_cell_if_no_set_tells_them_apart(axis: tuple[int, Sets]) -> None:
    size, sets = axis
    cuts = Cuts({"x": size}, {"x": sets})
    for first in range(size):
        for second in range(first):
            alike = all(_within(s, first) == _within(s, second) for s in sets)
            assert alike == (cuts.cell_of("x", first) == cuts.cell_of("x", second))


@given(cut_axes())
def test_cells_are_in_order_and_stand_for_their_smallest_value(axis: tuple[int, Sets]) -> None:
    size, sets = axis
    cells = Cuts({"x": size}, {"x": sets}).cells("x")
    firsts = [cell.first for cell in cells]
    assert firsts == sorted(firsts)
    assert firsts[0] == 0
    for cell in cells:
        assert cell.first == min(value for value in range(size) if value in cell)
        joined = [high + 1 for _, high in cell.intervals]
        assert not set(joined) & {low for low, _ in cell.intervals}


@given(cut_axes(), cut_axes())
def test_cutting_again_is_cutting_by_both(
    first: tuple[int, Sets], second: tuple[int, Sets]
) -> None:
    size = max(first[0], second[0])
    twice = Cuts({"x": size}, {"x": first[1]}).refined({"x": second[1]})
    once = Cuts({"x": size}, {"x": first[1] | second[1]})
    assert twice.cells("x") == once.cells("x")


def test_an_axis_that_nothing_cuts_is_one_cell() -> None:
    cuts = Cuts({"su": 32, "rail": 8}, {})
    assert [cell.intervals for cell in cuts.cells("su")] == [((0, 31),)]
    assert cuts.cell_sizes == {"su": (32,), "rail": (8,)}


def test_a_point_gets_a_cell_of_its_own_and_the_rest_stay_together() -> None:
    cuts = Cuts({"node": 10}, {}).with_points({"node": [4]})
    assert [cell.intervals for cell in cuts.cells("node")] == [((0, 3), (5, 9)), ((4, 4),)]
    assert [cuts.cell_of("node", value) for value in (0, 4, 9)] == [0, 1, 0]


def test_cutting_one_axis_leaves_the_others() -> None:
    cuts = Cuts({"su": 4, "rail": 8}, {}).with_points({"rail": [0, 1]})
    assert cuts.cell_sizes == {"su": (4,), "rail": (1, 1, 6)}


def test_a_value_beyond_a_cut_axis_has_no_cell() -> None:
    with pytest.raises(ValueError, match="rail has no value 8"):
        Cuts({"rail": 8}, {}).with_points({"rail": [0]}).cell_of("rail", 8)


def test_a_huge_axis_costs_what_its_cuts_cost() -> None:
    size = 10**12  # a list of its values would not fit into any memory
    cuts = Cuts({"node": size}, {}).refined({"node": [frozenset({(5, 9)}), frozenset({(7, 7)})]})
    assert cuts.cell_sizes["node"] == (size - 5, 4, 1)
    assert cuts.cell_of("node", size - 1) == 0
    assert sum(len(cell.intervals) for cell in cuts.cells("node")) == 5


class _Watched(frozenset[Interval]):
    """A set that counts how often it is gone through."""

    passes = 0

    def __iter__(self) -> Iterator[Interval]:
        type(self).passes += 1
        return super().__iter__()


def test_a_set_is_gone_through_as_often_beside_many_others_as_beside_few() -> None:
    taken = []
    for count in (10, 1_000):
        _Watched.passes = 0
        sets = [_Watched({(2 * at, 2 * at)}) for at in range(count)]
        assert len(Cuts({"node": 10_000}, {}).refined({"node": sets}).cells("node")) == count + 1
        taken.append(_Watched.passes / count)
    assert taken[0] == taken[1]


def refined_by_neighbours(colours: list[int]) -> set[frozenset[int]]:
    """The values of a ring that stay equal however far one looks along it, either way round."""
    size = len(colours)
    while True:
        seen = [
            (own, *sorted((colours[at - 1], colours[(at + 1) % size])))
            for at, own in enumerate(colours)
        ]
        finer = [seen.index(one) for one in seen]
        if len(set(finer)) == len(set(colours)):
            return {
                frozenset(at for at, one in enumerate(finer) if one == mine) for mine in set(finer)
            }
        colours = finer


@pytest.mark.parametrize("seed", range(40))
def test_cells_of_a_ring_are_what_neighbours_tell_apart(seed: int) -> None:
    draw = Random(seed)
    size = draw.choice([3, 4, 6, 8, 9, 12, 24])
    turn = draw.choice([each for each in range(1, size + 1) if size % each == 0])
    colours = [draw.randrange(3) for _ in range(turn)] * (size // turn)
    if seed % 3 == 0:
        colours[draw.randrange(size)] = 3
    sets = [
        frozenset((at, at) for at, one in enumerate(colours) if one == mine)
        for mine in set(colours)
    ]
    cuts = Cuts({"ring": size}, {"ring": frozenset(sets)}, {"ring": RING})
    found = {frozenset(cell.values()) for cell in cuts.cells("ring")}
    assert found == refined_by_neighbours(colours) if len(set(colours)) > 1 else len(found) == 1
