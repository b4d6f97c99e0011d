"""Fixes against every pair of counts that two edits reach, made and counted by hand."""

from __future__ import annotations

from functools import cache

import pytest

from toposmith.analysis.request import Request
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.synthesis.ranked_fixes import RankedFixes, ranked_fixes

CATALOG = load_catalog()
RACKS, NODES, PORTS = 4, 6, 64
EXCHANGE = Request(collective="all_to_all")

TEXT = """\
toposmith: 1
axes: {rack: %d}
groups:
  node: {part: dgx-h100, per: [rack], count: %d}
  leaf: {part: qm9700, per: [rack]}
  spine: {part: qm9700, count: %d}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: %d}
"""
"""Racks of eight ports a node below a switch of 64."""

BEFORE = (2, 3)
"""Spines, and cables of each leaf to each of them: 6 of its 16 ports that nodes leave."""


def built(spines: int, cables: int) -> EvaluatedDesign:
    text = TEXT % (RACKS, NODES, spines, cables)
    return EvaluatedDesign(parse_design(text, "test"), CATALOG, EXCHANGE)


@cache
def figure(spines: int, cables: int) -> float:
    value = built(spines, cables).analysis.busbw_GBps
    assert value is not None
    return value


def cost(spines: int, cables: int) -> tuple[int, int]:
    """Switches and cables more."""
    return spines - BEFORE[0], RACKS * (spines * cables - BEFORE[0] * BEFORE[1])


def reached(*, moves: int) -> list[tuple[int, int]]:
    """Counts with more of both, or of one alone, for which leaves and spines have the ports."""
    return [
        (spines, cables)
        for spines in range(BEFORE[0], PORTS)
        for cables in range(BEFORE[1], PORTS)
        if spines * cables <= PORTS - 8 * NODES and RACKS * cables <= PORTS
        and 0 < (spines > BEFORE[0]) + (cables > BEFORE[1]) <= moves
    ]  # fmt: skip


@cache
def found() -> RankedFixes:
    return ranked_fixes(built(*BEFORE))


def lines() -> list[tuple[tuple[int, int], float]]:
    """What lines buy and give, by their bills."""
    bought = [(fix.purchase.bought, fix.after.value or 0.0) for fix in found().fixes]
    return [((of("switch"), of("cable") + of("fibre")), given) for of, given in bought]


def no_more(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] <= other[0] and one[1] <= other[1]


def test_no_line_is_beaten_by_one_edit_or_two() -> None:
    assert len(reached(moves=2)) > len(reached(moves=1)) > 5
    assert lines() and found().complete
    for bought, given in lines():
        for counts in reached(moves=2):
            if figure(*counts) > given * 1.001:
                assert not no_more(cost(*counts), bought), (bought, counts)


def test_no_single_edit_is_missing() -> None:
    for counts in reached(moves=1):
        assert figure(*counts) > figure(*BEFORE)
        enough = figure(*counts) * 0.999
        assert any(
            no_more(bought, cost(*counts)) and given >= enough for bought, given in lines()
        ), counts


def test_the_cheapest_that_helps_stands_first() -> None:
    cheapest = min(cost(*counts) for counts in reached(moves=2))
    assert lines()[0] == (cheapest, pytest.approx(figure(BEFORE[0], BEFORE[1] + 1)))
