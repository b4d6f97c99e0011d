"""A module that serves two cables takes both; a cable with several legs takes all of them."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict

import pytest

from toposmith.analysis.network import ComputeNetwork
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file
from toposmith.exports.cable_schedule.schedule_csv import point_to_point_csv
from toposmith.exports.cable_schedule.schedule_rows import Schedule
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.racks.placement import place
from toposmith.review.failures import shared_modules
from toposmith.review.failures.breakable import Failure
from toposmith.review.failures.shared_modules import MODULE, module_failures
from toposmith.review.failures.sweep import sweep
from toposmith.saved_designs import find_saved

CATALOG = load_catalog()

SPREAD = """\
toposmith: 2
groups:
  node: {part: dgx-h100, count: 5}
  leaf: {part: qm9700, count: 2}
  spine: {part: qm9700, count: 2}
links:
  - {between: [node.compute, leaf], length: 30}
  - {between: [leaf, spine], cables: 3, length: 30}
"""


def planned(text: str) -> Plan:
    return plan_design(parse_design(text, "test"), CATALOG)


def modules(plan: Plan, what: str) -> list[Failure]:
    found = module_failures(ComputeNetwork(plan), CATALOG).failures
    return [one for one in found if one.kind == MODULE and one.what == what]


def saved(name: str) -> Plan:
    file = find_saved(name)
    assert file is not None
    return plan_design(load_file(file.path).design, CATALOG)


def test_a_twin_port_module_of_a_dgx_h100_takes_two_of_its_eight_nics() -> None:
    plan = saved("dgx-h100-superpod-1su")
    (at_node,) = modules(plan, "node.compute")
    assert at_node.members == 31 * 4  # four OSFP cages for the eight ports
    outcome = next(one for one in sweep(plan, CATALOG).singles if one.failures == (at_node,))
    assert outcome.worst_share == pytest.approx(6 / 8, abs=0.01)


def test_the_odd_node_of_a_leaf_has_a_module_of_its_own() -> None:
    # 31 nodes: 15 modules with two of them at each of 8 leaves
    (at_leaf,) = modules(saved("dgx-h100-superpod-1su"), "leaf")
    assert at_leaf.members == 15 * 8
    assert len(at_leaf.selectors) == 2


@pytest.mark.parametrize(
    "more",
    [
        "",
        'absent: ["node[node=2].compute[3]"]\n',
        'cables: [{a: "node[node=0].compute[0]", z: "leaf[leaf=1]"}]\n',
    ],
)
def test_modules_with_two_cables_are_those_of_the_schedule(more: str) -> None:
    # by the labels that the technician gets: cage/port at switches, OSFPn Pm at nodes
    plan = planned(SPREAD + more)
    text = "".join(point_to_point_csv(Schedule(plan, CATALOG, place(plan, CATALOG))))
    rows = csv.DictReader(text.splitlines())
    at_cage: dict[tuple[str, str], int] = defaultdict(int)
    for row in rows:
        for end in "AZ":
            if row[f"{end}-Module-PN"]:
                cage = row[f"{end}-Port"].replace(" ", "/").split("/")[0]
                at_cage[row[f"{end}-Node"], cage] += 1
    expected = Counter(node.split("-")[0] for (node, _), cables in at_cage.items() if cables > 1)
    assert expected
    found = Counter[str]()
    for one in module_failures(ComputeNetwork(plan), CATALOG).failures:
        if one.kind == MODULE:
            found[one.what.split(".")[0]] += one.members
    assert found == expected


def test_a_module_takes_as_many_of_a_bundle_as_it_has_ports() -> None:
    # behind 20 ports of nodes a leaf has three cables to either spine: two modules and one of both
    pair = "leaf[leaf=0] - spine[spine={}]".format
    taken = {one.selectors for one in modules(planned(SPREAD), "leaf")}
    assert (f"2 of {pair(0)}",) in taken
    assert (f"1 of {pair(0)}", f"1 of {pair(1)}") in taken


def test_what_is_down_fails_with_no_module_again() -> None:
    whole = sum(one.members for one in modules(planned(SPREAD), "node.compute"))
    (two,) = (one for one in modules(planned(SPREAD), "node.compute")[:1])
    down = planned(SPREAD + f'down: ["{two.selectors[0]}"]\n')
    assert sum(one.members for one in modules(down, "node.compute")) == whole - 1


def test_a_splitter_takes_all_of_its_legs() -> None:
    text = """\
toposmith: 1
groups:
  node: {part: dgx-a100, count: 4}
  leaf: {part: qm9700}
links:
  - {between: [node.compute, leaf], length: 2}
"""
    found = module_failures(ComputeNetwork(planned(text)), CATALOG).failures
    cables = [one for one in found if one.kind == shared_modules.CABLE]
    # eight HDR ports of each of four nodes, on cables with two or more legs
    assert cables
    assert sum(one.members * len(one.selectors) for one in cables) == 32


def test_beyond_so_many_cables_modules_are_said_not_to_be_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shared_modules, "MOST_CABLES", 51)
    found = module_failures(ComputeNetwork(planned(SPREAD)), CATALOG)
    assert found.failures == ()
    assert found.said == ("modules that several cables share: 52 connections, more than 51",)
