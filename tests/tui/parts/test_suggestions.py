"""What the app proposes works when it is accepted."""

from __future__ import annotations

import pytest

from toposmith.cancellation import Steps
from toposmith.catalog import Catalog, Node, load_catalog
from toposmith.catalog.search import find_parts
from toposmith.design.document import Design
from toposmith.design.edits import add_group, add_link
from toposmith.design.stored_files import load_file
from toposmith.errors import EditError
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import port_findings
from toposmith.saved_designs import FOLDER
from toposmith.text import oversubscription
from toposmith.tui.parts.fits import nic_choices
from toposmith.tui.parts.suggestions import (
    cabling_words,
    even_deal,
    likely_targets,
    link_ends,
    no_room,
    propose_cables,
    propose_count,
    propose_name,
)


@pytest.fixture
def catalog() -> Catalog:
    return load_catalog()


def test_groups_get_the_names_of_the_field(catalog: Catalog) -> None:
    design = Design()
    names = []
    for part in ("dgx-h100", "qm9700", "qm9700", "qm9700", "qm9700"):
        name = propose_name(design, catalog[part], catalog)
        design = add_group(design, part, name=name).design
        names.append(name)
    assert names == ["node", "leaf", "spine", "core", "core2"]


@pytest.mark.parametrize("nodes", [1, 4, 8, 16, 32])
def test_proposed_counts_and_cables_fit_and_fill(catalog: Catalog, nodes: int) -> None:
    design = add_group(Design(), "dgx-h100", name="node", count=nodes).design
    for name, below in (("leaf", "node.compute"), ("spine", "leaf")):
        plan = plan_design(design, catalog)
        count = propose_count(plan, catalog["qm9700"])
        design = add_group(design, "qm9700", name=name, count=count).design
        plan = plan_design(design, catalog)
        cables = propose_cables(plan, catalog, below, name)
        design = add_link(design, below, name, cables=cables).design
    plan = plan_design(design, catalog)
    assert plan.findings == ()
    assert port_findings(plan) == ()
    assert plan.links[0].cables_at("node") == 8


def test_an_even_deal_is_known_or_none(catalog: Catalog) -> None:
    design = add_group(Design(), "dgx-h100", name="node", count=4).design
    design = add_group(design, "qm9700", name="leaf", count=3).design
    plan = plan_design(design, catalog)
    assert even_deal(plan, catalog, "node.compute", "leaf") in (2, None)
    assert propose_cables(plan, catalog, "node.compute", "leaf") == 2


def test_nics_that_do_not_fit_say_why(catalog: Catalog) -> None:
    built_in = catalog["dgx-h100"]
    assert isinstance(built_in, Node)
    choices = {c.part.id: c.refusal for c in nic_choices(catalog, built_in) if c.slots == "compute"}
    assert choices["connectx-7-ndr-dgx"] == ""
    assert "built in" in choices["connectx-6-hdr"]
    chassis = catalog["hgx-h100-8"]
    assert isinstance(chassis, Node)
    choices = {c.part.id: c.refusal for c in nic_choices(catalog, chassis)}
    assert choices["connectx-7-ndr"] == ""
    assert "built into" in choices["connectx-7-ndr-dgx"]


@pytest.mark.parametrize(
    ("query", "part"),
    [("dgx h100", "dgx-h100"), ("qm97", "qm9700"), ("hdr nic", "connectx-6-hdr"),
     ("400 switch", "qm9700"), ("cx7", "connectx-7-ndr"), ("200gbe", "connectx-6-200gbe")],
)  # fmt: skip
def test_parts_are_found_by_a_few_letters(catalog: Catalog, query: str, part: str) -> None:
    assert part in [found.id for found in find_parts(catalog, query)]


def test_what_nothing_matches_finds_nothing(catalog: Catalog) -> None:
    assert find_parts(catalog, "zzz") == []


def _pod(catalog: Catalog, nodes: int, leaves: int) -> Design:
    design = add_group(Design(), "dgx-h100", name="node", count=nodes).design
    return add_group(design, "qm9700", name="leaf", count=leaves).design


def test_a_wire_is_shown_with_its_cables_and_the_ports_at_both_ends(catalog: Catalog) -> None:
    design = _pod(catalog, 8, 4)
    edit = add_link(design, "node.compute", "leaf", cables=2)
    # 8 nodes x 4 leaves x 2 cables = 64; 8 of 8 ports a node; 16 of 64 a leaf
    assert cabling_words(plan_design(design, catalog), catalog, edit, 0) == (
        "64 cables; each node.compute: 8 ports used, 0 left; each leaf: 16 ports used, 48 left"
    )


def test_too_many_switches_for_the_ports_of_a_node_are_told_how_many_there_may_be(
    catalog: Catalog,
) -> None:
    # 2 NICs of 2 ports in a DGX H100's storage slots: 4 ports cannot reach 8 switches
    plan = plan_design(_pod(catalog, 4, 8), catalog)
    words = no_room(plan, catalog, "node.storage", "leaf")
    told = "each node needs 8, one for each leaf, and has 4 free ports here; take at most 4 leaf"
    assert words.startswith(told)
    assert "repeat leaf over an axis" in words
    fits = plan_design(_pod(catalog, 4, 4), catalog)
    assert no_room(fits, catalog, "node.storage", "leaf") == ""


def test_a_wire_goes_where_there_are_free_ports(catalog: Catalog) -> None:
    design = add_group(Design(), "dgx-h100", name="node", count=8).design
    design = add_group(design, "qm9700", name="full").design
    design = add_link(design, "node.compute", "full").design
    design = add_group(design, "ddn-ai400x2", name="storage").design
    design = add_group(design, "qm9700", name="other").design
    plan = plan_design(design, catalog)
    assert likely_targets(plan, catalog, "other") == ("storage",), "not to the full switch"
    design = add_link(design, "storage.storage", "other").design
    assert likely_targets(plan_design(design, catalog), catalog, "other") == ("node",)


def test_where_a_wire_goes_is_what_planning_the_whole_design_with_it_says(
    catalog: Catalog,
) -> None:
    for saved in ("dgx-h100-superpod-1su", "dgx-h100-superpod-4su", "dragonfly-74x32-slingshot"):
        plan = plan_design(load_file(FOLDER / f"{saved}.yaml").design, catalog)
        for source in plan.groups:
            likely = likely_targets(plan, catalog, source)
            takes = {
                name
                for name, group in plan.groups.items()
                for a in link_ends(plan.groups[source])
                for b in link_ends(group)
                if name != source and _plans_a_link(plan, catalog, a, b)
            }
            assert {*likely} <= takes
            assert not takes or likely


def _plans_a_link(plan: Plan, catalog: Catalog, a: str, b: str) -> bool:
    try:
        tried = plan_design(add_link(plan.design, a, b, cables=1).design, catalog)
    except EditError:
        return False
    index = len(plan.design.links)
    return any(one.index == index for one in tried.links) and not no_room(plan, catalog, a, b)


def test_the_targets_of_a_wire_take_no_longer_than_the_links_that_lead_to_them(
    catalog: Catalog,
) -> None:
    # nodes as groups of one: each is tried with the links of both ends, not with all of them
    design = Design()
    for number in range(60):
        design = add_group(design, "dgx-h100", name=f"node{number}").design
        design = add_group(design, "qm9700", name=f"leaf{number}").design
        design = add_link(design, f"node{number}.compute", f"leaf{number}", cables=2).design
    plan = plan_design(design, catalog)
    # 119 other groups, each of at most two kinds of ports, with 4 groups and 3 links around: 20 x 7
    # steps a plan, where one of the whole design has 20 x 180
    found = Steps(119 * 2 * 20 * 8).run(lambda: likely_targets(plan, catalog, "leaf0"))
    assert found is not None
    assert len(found) == 59 + 60, "other leaves, and nodes with ports that are free"


@pytest.mark.parametrize(
    ("nodes_of_a_leaf", "spines", "proposed", "ratio"),
    [
        (18, 3, 6, "1:1"),  # 18 ports of 400 Gb/s below, 3 x 6 above
        (32, 4, 8, "1:1"),  # all 64 ports of a leaf
        (18, 4, 5, "0.9:1"),  # 4 x 5 above: the fewest that are not too few
        (40, 3, 8, "1.67:1"),  # 24 ports are left for 3 spines
    ],
)
def test_as_many_cables_to_spines_are_proposed_as_make_leaves_1_to_1(
    catalog: Catalog, nodes_of_a_leaf: int, spines: int, proposed: int, ratio: str
) -> None:
    design = add_group(Design(), "dgx-h100", name="node", count=nodes_of_a_leaf).design
    design = add_group(design, "qm9700", name="leaf", count=8).design
    design = add_link(design, "node.compute", "leaf", cables=1).design
    design = add_group(design, "qm9700", name="spine", count=spines).design
    plan = plan_design(design, catalog)
    assert propose_cables(plan, catalog, "leaf", "spine") == proposed
    assert propose_cables(plan, catalog, "spine", "leaf") == proposed
    wired = add_link(design, "leaf", "spine", cables=proposed).design
    leaf = EvaluatedDesign(wired, catalog).tiers[0]
    assert oversubscription(leaf.oversubscription) == ratio


def test_uplinks_that_are_there_count_for_what_is_proposed_beside(catalog: Catalog) -> None:
    design = add_group(Design(), "dgx-h100", name="node", count=16).design
    design = add_group(design, "qm9700", name="leaf", count=8).design
    design = add_link(design, "node.compute", "leaf", cables=1).design
    design = add_group(design, "qm9700", name="spine", count=2).design
    design = add_link(design, "leaf", "spine", cables=4).design
    design = add_group(design, "qm9700", name="more", count=2).design
    plan = plan_design(design, catalog)
    assert propose_cables(plan, catalog, "leaf", "more") == 4  # 16 below, 8 above already
