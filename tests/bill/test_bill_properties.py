"""What holds for every bill, checked on drawn designs; counts against the full expansion."""

from __future__ import annotations

from collections import Counter
from math import ceil

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.expansion import expand
from toposmith.bill.bill import make_bill
from toposmith.bill.yaml_form import bill_yaml
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.fabric.counts import cable_counts, device_counts
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()
NODES = (
    ({"part": "dgx-h100"}, "qm9700", "compute"),
    ({"part": "dgx-h100"}, "qm9700", "storage"),
    ({"part": "dgx-a100"}, "qm8700", "compute"),
    (
        {"part": "hgx-a100-4", "nics": {"compute": {"part": "connectx-6-hdr100", "count": 4}}},
        "qm8700",
        "compute",
    ),
    (
        {"part": "hgx-h100-8", "nics": {"compute": {"part": "connectx-7-ndr", "count": 8}}},
        "qm9700",
        "compute",
    ),
)


@st.composite
def designs(draw: st.DrawFn) -> Design:
    node, switch, slots = draw(st.sampled_from(NODES))
    su, rails = draw(st.integers(1, 3)), draw(st.sampled_from((1, 2, 4)))
    nodes, spines = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    absent = draw(
        st.lists(
            st.one_of(
                st.builds(
                    "node[su={},node={}]".format,
                    st.integers(0, su - 1),
                    st.integers(0, nodes - 1),
                ),
                st.builds("leaf[rail={}]".format, st.integers(0, rails - 1)),
                st.builds("spine[spine={}]".format, st.integers(0, spines - 1)),
                st.builds(
                    "leaf[su={}] - spine[spine={}]".format,
                    st.integers(0, su - 1),
                    st.integers(0, spines - 1),
                ),
            ),
            max_size=3,
        )
    )
    lengths = st.sampled_from((None, 1.0, 2.0, 20.0, 70.0, 300.0))
    return Design.model_validate(
        {
            "axes": {"su": su, "rail": rails},
            "groups": {
                "node": {**node, "per": ("su",), "count": nodes},
                "leaf": {"part": switch, "per": ("su", "rail")},
                "spine": {"part": switch, "count": spines},
            },
            "links": [
                {"between": (f"node.{slots}", "leaf"), "length": draw(lengths)},
                {
                    "between": ("leaf", "spine"),
                    "cables": draw(st.integers(1, 4)),
                    "length": draw(lengths),
                },
            ],
            "absent": tuple(dict.fromkeys(absent)),
        }
    )


def connections_by_switch(plan: Plan) -> dict[tuple[object, ...], Counter[tuple[int, int]]]:
    """Ports in use at every single switch, by speed and ports of a cage, from the expansion."""
    graph: nx.MultiGraph = expand(plan, without_down=False)
    links = {link.index: link for link in plan.links}
    found: dict[tuple[object, ...], Counter[tuple[int, int]]] = {}
    for vertex in graph:
        if vertex[0] != "device" or plan.groups[vertex[1]].switch is None:
            continue
        used: Counter[tuple[int, int]] = Counter()
        for _, _, edge in graph.edges(vertex, data=True):
            link = links[edge["link"]]
            used[link.speed_gbit, link.end_of(vertex[1]).breakout] += 1
        found[vertex] = used
    return found


@given(designs())
@settings(max_examples=30)
def test_connections_and_devices_are_those_of_the_fabric(design: Design) -> None:
    plan = plan_design(design, CATALOG)
    bill = make_bill(plan, CATALOG)
    counts = device_counts(plan)
    assert bill.quantity("node") == counts["node"]
    assert bill.quantity("switch") == counts["leaf"] + counts["spine"]
    assert [link.connections for link in bill.links] == list(cable_counts(plan).values())


@given(designs())
@settings(max_examples=30)
def test_cages_are_rounded_up_switch_by_switch(design: Design) -> None:
    plan = plan_design(design, CATALOG)
    bill = make_bill(plan, CATALOG)
    cages: Counter[str] = Counter()
    for (_, group, _), used in connections_by_switch(plan).items():
        cages[str(group)] += sum(ceil(ports / mode[1]) for mode, ports in used.items())
    found = Counter({end.end: end.cages for end in bill.ends if "." not in end.end})
    assert +found == +cages


@given(designs())
@settings(max_examples=30)
def test_bodies_and_modules_carry_every_connection(design: Design) -> None:
    plan = plan_design(design, CATALOG)
    bill = make_bill(plan, CATALOG)
    for link in bill.links:
        if link.cables is not None:
            assert link.connections <= 2 * link.cables * 2
            assert link.cables <= link.connections
    modules = bill.quantity("transceiver")
    assert modules == sum(end.modules for end in bill.ends)
    assert all(end.modules <= end.cages for end in bill.ends)
    bodies = bill.quantity("cable") + bill.quantity("fibre")
    assert bodies == sum(link.cables or 0 for link in bill.links)


@given(designs())
@settings(max_examples=20)
def test_totals_are_the_sums_of_the_lines_that_are_known(design: Design) -> None:
    bill = make_bill(plan_design(design, CATALOG), CATALOG)
    known = [
        (line.quantity - line.in_switch_power) * line.unit_power_w
        for line in bill.lines
        if line.unit_power_w is not None
    ]
    assert abs(bill.power_w.known - sum(known)) < 0.01
    lacking = {line.part for line in bill.lines if line.power_w is None}
    assert set(bill.power_w.lines_without) == lacking


@given(designs())
@settings(max_examples=20)
def test_the_same_design_gives_the_same_bytes(design: Design) -> None:
    again = Design.model_validate(design.model_dump(exclude_defaults=True))
    first = bill_yaml(make_bill(plan_design(design, CATALOG), CATALOG))
    assert bill_yaml(make_bill(plan_design(again, CATALOG), CATALOG)) == first
