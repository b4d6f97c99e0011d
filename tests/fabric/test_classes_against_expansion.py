"""The class graph says what the fabric expanded device by device says."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings

from tests.expansion import expand
from tests.joined_along import plan_along
from tests.small_designs import CATALOG, designs
from toposmith.fabric.classes import base_cuts, class_graph
from toposmith.fabric.counts import cable_counts, device_counts
from toposmith.fabric.plan import Plan


@settings(max_examples=37)
@given(designs())
def test_devices_and_cables_are_as_many_as_in_the_expansion(plan: Plan) -> None:
    graph = expand(plan, without_down=False)
    devices = Counter(v[1] for v in graph if v[0] == "device")
    cables = Counter(d["link"] for _, _, d in graph.edges(data=True) if d["link"] is not None)
    assert {name: many for name, many in device_counts(plan).items() if many} == dict(devices)
    assert {i: many for i, many in cable_counts(plan).items() if many} == dict(cables)


def test_links_along_axes_have_as_many_cables_as_in_the_expansion() -> None:
    for seed in range(80):
        plan = plan_along(seed)
        graph = expand(plan, without_down=False)
        cables = Counter(d["link"] for _, _, d in graph.edges(data=True) if d["link"] is not None)
        assert {i: many for i, many in cable_counts(plan).items() if many} == dict(cables), seed


@settings(max_examples=37)
@given(designs())
def test_every_class_of_edges_has_the_cables_of_its_members(plan: Plan) -> None:
    classes = class_graph(plan, base_cuts(plan), CATALOG)
    graph = expand(plan, CATALOG)
    found: Counter[object] = Counter()
    for u, v, key, data in classes.graph.edges(keys=True, data=True):
        ends = tuple(sorted((_kind(u), _kind(v))))
        found[ends, data["link"], data["GBps"]] += classes.cables(u, v, key)
        sizes = [classes.graph.nodes[end]["size"] * data["per"][end] for end in (u, v)]
        assert sizes[0] == sizes[1]
    # links between two members of one class vanish in the quotient, so only the others compare
    expanded: Counter[object] = Counter()
    for u, v, data in graph.edges(data=True):
        expanded[tuple(sorted((_kind(u), _kind(v)))), data["link"], data["GBps"]] += 1
    for key, many in found.items():
        assert expanded[key] >= many
        if key[0][0] != key[0][1]:  # type: ignore[index]
            assert expanded[key] == many


def _kind(vertex: tuple[object, ...]) -> str:
    return f"{vertex[0]} {vertex[1]}"
