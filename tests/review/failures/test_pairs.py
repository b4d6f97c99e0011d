"""All pairs of failures, against every pair of single things one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pytest

from toposmith.analysis.request import Request
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.fabric.planner import plan_design
from toposmith.review.failures.breakable import Failure
from toposmith.review.failures.sweep import SAMPLE, Sweep, sweep
from toposmith.review.failures.without import DegradedDesign, intact, without

CATALOG = load_catalog(user=False)
COLLECTIVES = ("all_reduce", "all_to_all")


def fabric(racks: int, nodes: int, spines: int, cables: int) -> dict[str, Any]:
    return {
        "toposmith": 1,
        "axes": {"rack": racks},
        "groups": {
            "node": {
                "part": "hgx-a100-8",
                "per": ["rack"],
                "count": nodes,
                "nics": {"compute": {"part": "connectx-6-200gbe", "count": 2}},
            },
            "leaf": {"part": "sn3700", "per": ["rack"]},
            "spine": {"part": "sn3700", "count": spines},
        },
        "links": [
            {"between": ["node.compute", "leaf"]},
            {"between": ["leaf", "spine"], "cables": cables},
        ],
    }


@dataclass(frozen=True)
class Thing:
    """One thing, by hand: what it is of, its selector, and the devices and NIC that it hangs on."""

    what: str
    selector: str
    on: frozenset[str] = frozenset()

    def goes_down_with(self, other: Thing) -> bool:
        return other.selector in self.on


def things(racks: int, nodes: int, spines: int, cables: int) -> list[Thing]:
    found = []
    for rack in range(racks):
        leaf = f"leaf[rack={rack},leaf=0]"
        found.append(Thing("leaf", leaf))
        for node in range(nodes):
            name = f"node[rack={rack},node={node}]"
            found.append(Thing("node", name))
            for slot in range(2):
                port = f"{name}.compute[{slot}]"
                # without its leaf a NIC has no cable: it can lose nothing more
                found.append(Thing("node.compute", port, frozenset({name, leaf})))
                # the NIC and its only cable are down by the same selector
                found.append(Thing("node.compute - leaf", port, frozenset({name, leaf, port})))
        for spine in range(spines):
            top = f"spine[spine={spine}]"
            cable = f"1 of {leaf} - {top}"
            found += [Thing("leaf - spine", cable, frozenset({leaf, top}))] * cables
    return [*found, *(Thing("spine", f"spine[spine={spine}]") for spine in range(spines))]


def key(whats: tuple[str, ...], outcome: DegradedDesign) -> tuple[object, ...]:
    kept = tuple(f"{each.after_GBps or 0:.5g}" for each in outcome.kept)
    return (*sorted(whats), *kept, outcome.gpus_cut_off, outcome.parts)


def swept(design: dict[str, Any]) -> Sweep:
    plan = plan_design(Design.model_validate(design), CATALOG)
    return sweep(plan, CATALOG, collectives=COLLECTIVES, every_pair=True)


@pytest.mark.parametrize("size", [(2, 2, 2, 2), (2, 1, 1, 3), (3, 1, 2, 1)])
def test_every_pair_of_things_is_counted_with_its_figures(size: tuple[int, int, int, int]) -> None:
    design = fabric(*size)
    start = intact(
        plan_design(Design.model_validate(design), CATALOG), CATALOG, Request(), COLLECTIVES
    )
    one_by_one: Counter[tuple[object, ...]] = Counter()
    known: dict[frozenset[str], DegradedDesign] = {}
    for one, two in combinations(things(*size), 2):
        if one.what != two.what and (one.goes_down_with(two) or two.goes_down_with(one)):
            continue
        pair = [Failure("", each.what, (each.selector,), 1) for each in (one, two)]
        both = frozenset({one.selector, f"{two.selector}{' ' * (one.selector == two.selector)}"})
        if both not in known:
            known[both] = without(start, pair)
        one_by_one[key((one.what, two.what), known[both])] += 1
    found = swept(design)
    counted: Counter[tuple[object, ...]] = Counter()
    for outcome in found.doubles:
        counted[key(tuple(each.what for each in outcome.failures), outcome)] += outcome.pairs
    assert counted == one_by_one
    assert found.pairs == one_by_one.total()
    assert found.doubles_words.startswith(f"all {found.pairs:,} pairs of nodes, NICs, cables")


def test_the_worst_pair_comes_first() -> None:
    # without both spines only the nodes of a rack reach one another
    worst = swept(fabric(2, 2, 2, 2)).doubles[0]
    assert [each.kind for each in worst.failures] == ["leaf", "leaf"]
    assert worst.pairs == 1


def test_a_sample_is_drawn_where_pairs_are_too_many_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("toposmith.review.failures.without.MOST_CLASSES", 5)
    found = swept(fabric(2, 2, 2, 2))
    assert (found.pairs, len(found.doubles)) == (0, SAMPLE)
    assert any("all pairs: there are more than" in line for line in found.unseen)
    assert found.doubles_words == f"a random sample of {SAMPLE} pairs (seed 0)"
