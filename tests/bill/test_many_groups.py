"""A bill of many groups takes work in proportion to them, and is refused where that is much."""

from __future__ import annotations

import pytest

from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.errors import TooMuchWorkError
from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.planned_design import PlannedDesign

CATALOG = load_catalog()


def _groups_of_one(nodes: int) -> PlannedDesign:
    """Nodes as groups of one, each on a leaf of its own."""
    groups = [f"  n{at}: {{part: dgx-h100}}\n  l{at}: {{part: qm9700}}\n" for at in range(nodes)]
    links = [f"  - {{between: [n{at}.compute, l{at}]}}\n" for at in range(nodes)]
    text = f"toposmith: 2\naxes: {{}}\ngroups:\n{''.join(groups)}links:\n{''.join(links)}"
    return PlannedDesign.of(parse_design(text, "ones"), CATALOG)


def test_the_links_are_gone_through_as_often_for_few_groups_as_for_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    passes = 0

    def counted(plan: Plan) -> tuple[LinkPlan, ...]:
        nonlocal passes
        passes += 1
        return (*plan.links, *plan.own_links)

    monkeypatch.setattr(Plan, "every_link", property(counted))
    taken = []
    for nodes in (3, 24):
        design = _groups_of_one(nodes)
        passes = 0
        assert design.bill().quantity("node") == nodes
        taken.append(passes)
    assert taken[0] == taken[1]


def test_a_bill_of_more_links_than_there_are_steps_for_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("toposmith.planned_design.MOST_STEPS", 30_000)
    assert _groups_of_one(4).bill().lines
    with pytest.raises(TooMuchWorkError):
        _groups_of_one(40).bill()
