"""Rows of cables are those of the fabric expanded device by device."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.expansion import expand
from tests.joined_along import plan_along
from tests.oracle.designs import random_design
from tests.small_designs import designs
from toposmith.cancellation import Steps
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.fabric.rows import NO_PORT, FabricRows, fabric_rows
from toposmith.units import line_rate_GBps

PARTS = load_catalog(user=False)


def cables_of_rows(plan: Plan) -> Counter[object]:
    """Every cable by its ends, its link and its speed."""
    rows = FabricRows(plan)
    links = {link.index: link for link in plan.every_link}
    counted: Counter[object] = Counter()
    cables = rows.cables
    for row in range(len(cables)):
        link = links[int(cables.link[row])]
        ends = []
        for end, device, port in (
            (link.a, cables.a[row], cables.port_a[row]),
            (link.b, cables.b[row], cables.port_b[row]),
        ):
            group, at = rows.device(int(device))
            held = plan.groups[group].port_groups.get(end.ports)
            if port == NO_PORT or held is None:
                ends.append(("device", group, at))
            else:
                ends.append(("nic", group, end.ports, at, held.nic_of(int(port))))
        GBps = line_rate_GBps(float(cables.gbit[row]))
        counted[frozenset(ends), link.index, GBps] += int(cables.count[row])
    return counted


def cables_of_expansion(plan: Plan) -> Counter[object]:
    """The same, expanded cable by cable from the meaning of the document."""
    return Counter(
        (frozenset((u, v)), data["link"], data["GBps"])
        for u, v, data in expand(plan).edges(data=True)
        if data["link"] is not None
    )


@settings(max_examples=37)
@given(st.one_of(designs(), designs(unlike=True)))
def test_rows_are_the_cables_of_the_expanded_fabric(plan: Plan) -> None:
    assert cables_of_rows(plan) == cables_of_expansion(plan)


@settings(max_examples=37)
@given(st.integers(0, 100_000))
def test_rows_along_axes_are_the_cables_of_the_expanded_fabric(seed: int) -> None:
    plan = plan_along(seed)
    assert cables_of_rows(plan) == cables_of_expansion(plan)


@settings(max_examples=30)
@given(st.integers(0, 100_000))
def test_rows_follow_single_cables_as_the_second_expander_does(seed: int) -> None:
    # random designs that move cables, written as files; parts are those that come along
    plan = plan_design(parse_design(random_design(seed, 64), "random"), PARTS)
    assert cables_of_rows(plan) == cables_of_expansion(plan)


def test_more_rows_than_fit_into_memory_are_refused_before_any_is_made() -> None:
    text = """\
toposmith: 1
groups:
  leaf: {part: qm9700, count: 60000}
  spine: {part: qm9700, count: 60000}
links:
  - {between: [leaf, spine], cables: 1}
"""
    plan = plan_design(parse_design(text, "pod.yaml"), load_catalog())
    assert Steps(5_000_000).run(lambda: fabric_rows(plan, ()).cables) is None
