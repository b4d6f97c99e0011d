"""Cables that run below the speed of their link: who is meant, and what it does to the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest

from tests.asking import ring_at_large_sizes
from tests.fabric_texts import on_rails
from toposmith.analysis.analyse import analyse
from toposmith.analysis.result import Analysis
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.design.selectors import Selection
from toposmith.fabric.classes import base_cuts, class_graph
from toposmith.fabric.counts import cable_counts, link_rates_GBps, slow_cable_counts
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.fabric.slow_cables import slow_cables_of

CATALOG = load_catalog()

RAILS = on_rails(16, spines=4, cables=4)


def planned(slow: str = "", more: str = "") -> Plan:
    text = RAILS + (f"slow: {{{slow}}}\n" if slow else "") + more
    return plan_design(parse_design(text, "test"), CATALOG)


def analysed(slow: str = "", more: str = "") -> Analysis:
    return analyse(planned(slow, more), CATALOG, ring_at_large_sizes("all_gather"))


def speeds(plan: Plan) -> Counter[tuple[int, float]]:
    """How many live cables of each link run at which Gb/s."""
    classes = class_graph(plan, base_cuts(plan))
    found: Counter[tuple[int, float]] = Counter()
    for u, v, key, data in classes.graph.edges(keys=True, data=True):
        if data["link"] is not None:
            found[data["link"], data["GBps"] * 8] += classes.cables(u, v, key)
    return found


@pytest.mark.parametrize(
    ("slow", "link", "gbit", "many"),
    [
        ('"node[node=3].compute[2]": 200', 0, 200, 1),
        ('"node[node=3].compute": 50 %', 0, 200, 8),
        ('"node[node=3]": 50 %', 0, 200, 8),
        ('"leaf[rail=2]": 25 %', 0, 100, 16),
        ('"leaf[rail=2]": 25 %', 1, 100, 16),
        ('"leaf[rail=2] - spine[spine=1]": 100', 1, 100, 4),
        ('"3 of leaf[rail=2] - spine[spine=1]": 100', 1, 100, 3),
        ('"9 of leaf[rail=2] - spine[spine=1]": 100', 1, 100, 4),
        ('"leaf[rail=2] - node[node=0..3]": 12.5 %', 0, 50, 4),
        ('"spine": 50 %', 1, 200, 128),
    ],
)
def test_a_selector_means_these_cables(slow: str, link: int, gbit: float, many: int) -> None:
    plan = planned(slow)
    assert not [one for one in plan.findings if one.severity == "error"]
    assert speeds(plan)[link, gbit] == many
    assert slow_cable_counts(plan)[link] == {gbit / 8: many}
    assert cable_counts(plan) == {0: 128, 1: 128}


def test_the_slowest_entry_counts_and_counted_ones_stand_side_by_side() -> None:
    pair = "leaf[rail=0] - spine[spine=0]"
    plan = planned(f'"{pair}": 200, "1 of {pair}": 100, "2 of {pair}": 50 %')
    assert speeds(plan)[1, 100] == 1
    assert speeds(plan)[1, 200] == 3  # two of them by both entries
    down = planned(f'"2 of {pair}": 100', f'down: ["3 of {pair}"]\n')
    assert speeds(down)[1, 100] == 1  # three of four are down: one is left to be slow
    assert speeds(down)[1, 400] == 124


def test_a_slow_cable_takes_the_place_and_port_of_any_other() -> None:
    plan = planned('"leaf[rail=2]": 25 %')
    assert cable_counts(plan) == cable_counts(planned())
    rates = link_rates_GBps(plan, cable_counts(plan))
    assert rates == {0: 112 * 50 + 16 * 12.5, 1: 112 * 50 + 16 * 12.5}


def test_a_ring_runs_at_the_slowest_of_its_nics() -> None:
    # every NIC carries an eighth of the ring: 200 of 400 Gb/s at one of them halves it
    whole, half = analysed(), analysed('"node[node=3].compute[2]": 200')
    assert half.busbw_GBps == pytest.approx(whole.busbw_GBps / 2, rel=0.12)
    (tight,) = [load for load in half.limits if load.utilization > 0.999]
    assert (tight.link, tight.cables, tight.capacity_GBps) == ("node.compute - leaf", 1, 25.0)


def test_the_bound_follows_what_enters_the_slow_node() -> None:
    # 7 x 50 + 25 GB/s enter a node whose one NIC runs at half; its 8 GPUs need (128 - 8) / 127 each
    half = analysed('"node[node=3].compute[2]": 200')
    assert half.bound_busbw_GBps == pytest.approx(375 * 127 / 120)
    assert half.bound_label.kind == "bound"
    assert "slow" in half.bound_label.why


def test_oversubscription_counts_what_the_cables_run() -> None:
    leaf, _ = analysed('"spine": 50 %').tiers
    assert leaf.oversubscription == pytest.approx(2.0)


def test_bisection_counts_what_the_cables_run() -> None:
    assert analysed('"leaf": 50 %').bisection_GBps == pytest.approx(analysed().bisection_GBps / 2)


@pytest.mark.parametrize(
    ("slow", "text"),
    [
        ('"node[node=99]": 100', "node runs from 0 to 15, found 'node=99'"),
        ('"laef": 100', "there is no group 'laef'"),
        ('"node - spine": 100', "no link joins node and spine"),
        ('"node[node=0].compute[9]": 100', "node.compute has ports 0 to 7"),
        ('"leaf - spine": 800', "800 Gb/s is above the 400 Gb/s of leaf - spine"),
        ('"node": 120 %', "120 % is above the 400 Gb/s of node.compute - leaf"),
    ],
)
def test_an_entry_that_cannot_be_is_named_and_left_out(slow: str, text: str) -> None:
    plan = planned(f'"spine[spine=0]": 50 %, {slow}')
    (error,) = [one for one in plan.findings if one.severity == "error"]
    assert (error.code, error.where) == ("bad-selector", "slow[1]")
    assert text in error.text
    assert len(plan.slow) == 1


def test_a_pair_of_switches_looks_only_at_the_entries_that_name_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = 0
    matches = Selection.matches

    def counted(selection: Selection, coordinates: Mapping[str, int]) -> bool:
        nonlocal asked
        asked += 1
        return matches(selection, coordinates)

    entries = [
        f'"{some}leaf[rail={rail}] - spine[spine={spine}]": {50 + rail}'
        for rail in range(8)
        for spine in range(4)
        for some in ("", "1 of ")
    ]
    plan = planned(", ".join(entries))
    (trunk,) = (link for link in plan.links if link.b.group == "spine")
    slow = slow_cables_of(plan)
    monkeypatch.setattr(Selection, "matches", counted)
    ends = ("leaf", {"rail": 3, "leaf": 0}), ("spine", {"spine": 2})
    assert slow.between(trunk, *ends, 4, of=4) == {53: 4}
    assert asked <= 2 * 2 * 2  # two entries, each asked for twice, at both of its ends


def test_of_counted_entries_those_listed_first_take_the_cables_that_there_are() -> None:
    pair = "leaf[rail=2] - spine[spine=1]"
    first = planned(f'"3 of {pair}": 100, "3 of leaf - spine[spine=1]": 200')
    assert speeds(first)[1, 100] == 3 and speeds(first)[1, 200] == 1 + 7 * 3
    last = planned(f'"3 of leaf - spine[spine=1]": 200, "3 of {pair}": 100')
    assert speeds(last)[1, 100] == 1 and speeds(last)[1, 200] == 8 * 3
