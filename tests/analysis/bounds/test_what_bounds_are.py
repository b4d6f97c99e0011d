"""A bound is called exact where that is proven, and is of something that is named elsewhere."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings

from tests.analysis.bounds.all_reduce_oracle import all_reduce_optimum
from tests.every_design import LARGE
from tests.expanded import optimal_rate
from tests.expansion import expand
from tests.small_designs import CATALOG as SMALL
from tests.small_designs import designs
from toposmith.analysis.analyse import Questions, analyse
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Collective, Request
from toposmith.catalog import Catalog, NvlinkSwitch, load_catalog
from toposmith.collectives import COLLECTIVES
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.errors import EditError
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.saved_designs import FOLDER
from toposmith.templates import TEMPLATES, SettingValue, new_design

WHOLE = load_catalog()
CATALOG = Catalog(part.model_copy(update={"unverified": ()}) for part in (*WHOLE, *WHOLE.facility))
"""The parts without a doubt about any fact: here only the wiring decides what a bound is."""

SETTINGS: tuple[dict[str, SettingValue], ...] = (
    {},
    {"node": "dgx-a100"},
    {"node": "hgx-h100-8", "nic": "connectx-7-ndr", "nics": 4},
    {"oversubscription": 2},
)
SMALLER: dict[str, dict[str, SettingValue]] = {"dragonfly": {"groups": 5, "routers": 4}}


def _made() -> dict[str, Design]:
    found = {
        path.stem: parse_design(path.read_text(encoding="utf-8"), path.stem)
        for path in sorted(FOLDER.glob("*.yaml"))
    }
    for name in TEMPLATES:
        for number, values in enumerate(SETTINGS):
            try:
                found[f"{name} {number}"] = new_design(
                    name, SMALLER.get(name, {}) | values, catalog=CATALOG
                )
            except EditError:
                continue
    return {name: design for name, design in found.items() if design.groups and name != LARGE}


DESIGNS = _made()
EACH = pytest.mark.parametrize("name", DESIGNS)


@cache
def asked_of(name: str) -> Questions:
    return Questions(plan_design(DESIGNS[name], CATALOG), CATALOG)


def small(text: str) -> Plan:
    return plan_design(parse_design("toposmith: 1\n" + text, "test"), SMALL)


@EACH
@pytest.mark.parametrize("collective", COLLECTIVES)
def test_every_bound_says_what_it_is_of(name: str, collective: Collective) -> None:
    found = asked_of(name).analysis(Request(collective))
    assert found.bound_busbw_GBps is not None
    label = found.bound_label
    assert label.kind in ("exact", "bound")
    assert bool(label.of) == bool(label.why) == (label.kind == "bound")
    assert found.bound_is == label.kind


@EACH
def test_only_designs_without_faults_have_an_exact_bound(name: str) -> None:
    design = DESIGNS[name]
    found = {each: asked_of(name).analysis(Request(each)).bound_is for each in COLLECTIVES}
    for bound_is in found.values():
        assert bound_is != "exact" or not (design.absent or design.down)
    if not design.absent and not name.startswith(("dual-plane", "dragonfly")):
        assert found["all_reduce"] == found["all_gather"] == "exact"


def _at(axis: str, value: int) -> str:
    return f"{axis}={value}"


@cache
def broken_of(name: str) -> list[Questions]:
    """The design with one thing of every kind down that leaves all of its GPUs."""
    design = DESIGNS[name]
    plan = plan_design(design, CATALOG)
    found = []
    for group in plan.groups.values():
        at = ",".join(f"{axis}=0" for axis in group.axes)
        if group.switch or isinstance(group.part, NvlinkSwitch):
            found.append(f"{group.name}[{at}]")
        elif group.node and plan.links_of(group.name):
            port = next(link.end_of(group.name).ports for link in plan.links_of(group.name))
            found.append(f"{group.name}[{at}].{port}[0]")
    for link in plan.links:
        ends = (link.a.group, link.b.group)
        if all(plan.groups[end].switch for end in ends):
            related = {axis for axis, word in link.along if word in ("next", "other")}
            places = (
                f"{end}[{','.join(_at(axis, far * (axis in related)) for axis in axes)}]"
                for far, end in enumerate(ends)
                if (axes := plan.groups[end].axes)
            )
            found.append(f"1 of {' - '.join(places)}")
    down = [design.model_copy(update={"down": (*design.down, each)}) for each in found]
    return [Questions(plan_design(one, CATALOG), CATALOG) for one in down]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "collective"),
    [
        (name, collective)
        for name in DESIGNS
        for collective in ("all_reduce", "all_gather")
        if not name.endswith((" 1", " 2", " 3"))
    ],
)
def test_no_bound_rises_with_a_fault(name: str, collective: Collective) -> None:
    before = asked_of(name).of(Request(collective)).best.busbw_GBps
    assert before is not None
    for broken in broken_of(name):
        after, down = broken.of(Request(collective)).best, broken.plan.design.down
        if after.busbw_GBps is None:
            assert after.label.kind == "unknown", down
        else:
            assert after.label.kind == "bound", down
            assert after.busbw_GBps <= before * (1 + 1e-9), down
            looked_at_all = after.label.why != "other cuts are not looked at"
            of_one = after.label.of == "ingress of one GPU or node"  # says what is cut off
            assert after.cut or of_one or not looked_at_all, down


def islands(*lengths: int) -> str:
    """Rings of leaves with two GPUs each, on a hub with slow links; every device a group."""
    names = [f"{ring}x{leaf}" for ring, long in enumerate(lengths) for leaf in range(long)]
    node = "{part: node2, nics: {compute: {part: nic-1x100, count: 4}}}"
    groups = "".join(f"  n{name}: {node}\n  l{name}: {{part: switch}}\n" for name in names)
    links = "".join(
        f"  - {{between: [n{name}.compute, l{name}], cables: 4}}\n"
        f"  - {{between: [l{name}, hub], cables: 1, speed: 50}}\n"
        for name in names
    )
    for ring, long in enumerate(lengths):
        for leaf in range(long):
            beside = (leaf + 1) % long
            links += f"  - {{between: [l{ring}x{leaf}, l{ring}x{beside}], cables: 4}}\n"
    return f"groups:\n{groups}  hub: {{part: switch}}\nlinks:\n{links}"


@pytest.mark.slow
@pytest.mark.parametrize("lengths", [(5, 3), (3, 5), (6, 3, 3), (3, 3, 6)])
def test_islands_that_look_alike_and_are_not_have_no_exact_bound(lengths: tuple[int, ...]) -> None:
    plan = small(islands(*lengths))
    found = analyse(plan, SMALL, Request("all_gather"))
    rate = optimal_rate(expand(plan, SMALL, only=ComputeNetwork(plan).slots))
    assert rate is not None
    assert found.bound_is == "bound"
    assert found.bound_label.of == "the worst cut found"
    assert (found.bound_busbw_GBps or 0) >= float(rate) * (found.gpus - 1) * (1 - 1e-9)
    assert analyse(plan, SMALL).bound_is == "bound"


RAILS = """\
axes: {{rail: {nics}}}
groups:
  node: {{part: node{gpus}, count: {nodes}, nics: {{compute: {{part: nic-1x100, count: {nics}}}}}}}
  leaf: {{part: switch, per: [rail]}}
  spine: {{part: switch}}
links: [{{between: [node.compute, leaf]}}, {{between: [leaf, spine], cables: {uplinks}}}]
down: [{down}]
"""


def rails(gpus: int, nodes: int, nics: int, *, uplinks: int = 1, down: str = "") -> Plan:
    return small(RAILS.format(gpus=gpus, nodes=nodes, nics=nics, uplinks=uplinks, down=down))


def optimum(plan: Plan) -> float:
    ranks = ComputeNetwork(plan).world.gpus
    graph = expand(plan, SMALL, only=ComputeNetwork(plan).slots)
    return all_reduce_optimum(graph) * 2 * (ranks - 1) / ranks


@pytest.mark.parametrize(
    ("gpus", "nodes", "nics"), [(2, 2, 1), (2, 3, 1), (2, 3, 2), (1, 4, 2), (4, 2, 1), (4, 2, 4)]
)
def test_an_exact_all_reduce_is_the_optimum_over_all_shares_and_trees(
    gpus: int, nodes: int, nics: int
) -> None:
    plan = rails(gpus, nodes, nics)
    found = analyse(plan, SMALL)
    assert found.bound_is == "exact"
    assert found.bound_busbw_GBps == pytest.approx(optimum(plan), rel=1e-6)


@pytest.mark.parametrize(
    ("down", "of"),
    [
        # two ports of 12.5 of the node that is left with one of its two: 12.5 x 2 x 5/6
        ('"node[node=0].compute[0]"', "ingress of one node"),
        ('"leaf[rail=0] - node[node=0]"', "ingress of one node"),
        ('"leaf[rail=0] - spine"', "ingress of all nodes"),
    ],
)
def test_a_fault_leaves_a_bound_with_its_cut_that_no_shares_beat(down: str, of: str) -> None:
    whole, plan = rails(2, 3, 2), rails(2, 3, 2, down=down)
    before, after = analyse(whole, SMALL), analyse(plan, SMALL)
    assert (after.bound_is, after.bound_label.of) == ("bound", of)
    assert after.bound_cut
    assert after.bound_label.why == "devices or cables are absent, down or slow"
    assert optimum(plan) * (1 - 1e-6) <= (after.bound_busbw_GBps or 0)
    assert (after.bound_busbw_GBps or 0) <= (before.bound_busbw_GBps or 0) * (1 + 1e-9)


@pytest.mark.slow
@settings(max_examples=30)
@given(designs(unlike=True))
def test_no_shares_and_no_trees_beat_the_bound_of_an_all_reduce(plan: Plan) -> None:
    network = ComputeNetwork(plan)
    if not 2 <= network.world.gpus <= 6:
        return
    found = analyse(plan, SMALL)
    if found.bound_busbw_GBps is None:
        return
    best = optimum(plan)
    assert best <= found.bound_busbw_GBps * (1 + 1e-6)
    if found.bound_is == "exact":
        assert best == pytest.approx(found.bound_busbw_GBps, rel=1e-6)


@pytest.mark.slow
@settings(max_examples=30)
@given(designs(unlike=True))
def test_an_all_gather_has_at_most_its_bound_and_just_that_where_it_is_exact(plan: Plan) -> None:
    network = ComputeNetwork(plan)
    if not 2 <= network.world.gpus <= 24:
        return
    found = analyse(plan, SMALL, Request("all_gather"))
    rate = optimal_rate(expand(plan, SMALL, only=network.slots)) or 0
    best = float(rate) * (found.gpus - 1)
    assert best <= (found.bound_busbw_GBps or 0) * (1 + 1e-9)
    if found.bound_is == "exact":
        assert best == pytest.approx(found.bound_busbw_GBps)


def test_unlike_nodes_have_no_exact_bound() -> None:
    nodes = "{part: node4, count: 2, nics: {compute: {part: nic-1x100, count: 4}}}"
    plan = small(
        f"groups:\n  a: {nodes}\n  b: {nodes}\n  leaf: {{part: switch}}\n"
        "links: [{between: [a.compute, leaf]}, {between: [b.compute, leaf]}]\n"
    )
    found = analyse(plan, SMALL, Request("all_gather"))
    assert found.bound_label.why == "nodes are of more than one group"


def test_a_wiring_that_nccl_cannot_route_has_its_bound() -> None:
    # the middle nodes pass on what their neighbours hold; NCCL routes through switches only
    node = "{part: node2, nics: {compute: {part: nic-1x100, count: 2}}}"
    plan = small(
        f"groups:\n  a: {node}\n  b: {node}\n  c: {node}\n"
        "  left: {part: switch}\n  right: {part: switch}\n"
        "links:\n  - {between: [a.compute, left]}\n"
        "  - {between: ['b.compute', left], cables: 1}\n"
        "  - {between: ['b.compute', right], cables: 1}\n"
        "  - {between: [c.compute, right]}\n"
    )
    found = analyse(plan, SMALL, Request("all_gather"))
    assert found.busbw_GBps is None
    rate = optimal_rate(expand(plan, SMALL, only=ComputeNetwork(plan).slots))
    assert rate
    assert found.bound_busbw_GBps == pytest.approx(float(rate) * 5)
