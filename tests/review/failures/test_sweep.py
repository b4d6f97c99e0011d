"""What fails with what, where it can be worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.below_the_model import WHY, read_less
from tests.said import texts
from toposmith.analysis.jobs.communicator import Job
from toposmith.analysis.jobs.parallel_layout import parse_layout
from toposmith.analysis.request import Request
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file
from toposmith.fabric.planner import plan_design
from toposmith.review.failures.sweep import Sweep, sweep
from toposmith.review.failures.sweep_in_words import (
    before_line,
    failures_table,
    survival_notes,
    sweep_as_data,
)
from toposmith.review.failures.without import DegradedDesign
from toposmith.saved_designs import find_saved, saved_designs

CATALOG = load_catalog()

TOP_OF_RACK: dict[str, Any] = {
    "toposmith": 1,
    "axes": {"rack": 4},
    "groups": {
        "node": {
            "part": "hgx-a100-8",
            "per": ["rack"],
            "count": 2,
            "nics": {"compute": {"part": "connectx-6-200gbe", "count": 8}},
        },
        "leaf": {"part": "sn3700", "per": ["rack"]},
        "spine": {"part": "sn3700", "count": 2},
    },
    "links": [
        {"between": ["node.compute", "leaf"]},
        {"between": ["leaf", "spine"], "cables": 4},
    ],
}


def swept(design: dict[str, Any], request: Request | None = None, **options: Any) -> Sweep:
    read = Design.model_validate(design)
    return sweep(plan_design(read, CATALOG), CATALOG, request, **options)


def outcome(found: Sweep, kind: str, what: str) -> DegradedDesign:
    return next(
        o for o in found.singles if (o.failures[0].kind, o.failures[0].what) == (kind, what)
    )


def share(of: DegradedDesign, collective: str) -> float | None:
    return next(kept.share for kept in of.kept if kept.collective == collective)


def test_one_of_two_spines_takes_half_of_what_is_oversubscribed() -> None:
    # 8 uplinks a leaf become 4: an all-to-all that they limit halves
    spine = outcome(swept(TOP_OF_RACK), "spine", "spine")
    assert spine.failures[0].members == 2
    assert share(spine, "all_to_all") == pytest.approx(0.5, rel=1e-3)
    assert (spine.gpus_cut_off, spine.parts) == (0, 1)


def test_one_cable_of_a_bundle_of_four_takes_an_eighth_of_its_leafs_uplinks() -> None:
    # the 7 uplinks left of a leaf's 8 carry what 8 did: spine 0 takes 3 parts of it, spine 1 four
    cable = outcome(swept(TOP_OF_RACK), "cable", "leaf - spine")
    assert cable.failures[0].selectors == ("1 of leaf[rack=0,leaf=0] - spine[spine=0]",)
    assert cable.failures[0].members == 4 * 2 * 4
    assert share(cable, "all_to_all") == pytest.approx(7 / 8, rel=1e-3)


def test_a_top_of_rack_leaf_cuts_off_its_rack() -> None:
    leaf = outcome(swept(TOP_OF_RACK), "leaf", "leaf")
    assert leaf.gpus_cut_off == 16
    assert leaf.parts == 3  # three racks together, and two nodes alone
    assert leaf.whole_share == pytest.approx(48 / 64, rel=1e-2)


def test_a_dead_nic_costs_every_node_one_of_its_channels() -> None:
    # NCCL's rings use as many NICs as the node with the fewest has: 7 of 8
    nic = outcome(swept(TOP_OF_RACK), "NIC", "node.compute")
    assert share(nic, "all_reduce") == pytest.approx(7 / 8, rel=5e-3)
    assert nic.gpus_cut_off == 0


def test_a_node_takes_its_gpus_and_leaves_the_others_their_bandwidth() -> None:
    node = outcome(swept(TOP_OF_RACK), "node", "node")
    assert node.gpus_cut_off == 8
    assert share(node, "all_reduce") == pytest.approx(1, rel=5e-3)


def one_switch(nodes: int, part: str = "dgx-h100") -> dict[str, Any]:
    return {
        "toposmith": 1,
        "groups": {"node": {"part": part, "count": nodes}, "leaf": {"part": "qm9700"}},
        "links": [{"between": ["node.compute", "leaf"]}],
    }


@pytest.mark.parametrize(("nodes", "part"), [(2, "dgx-h100"), (4, "dgx-h100"), (3, "dgx-b200")])
def test_the_only_switch_takes_the_network_and_leaves_nodes_to_themselves(
    nodes: int, part: str
) -> None:
    """Eight GPUs on NVLink are quicker than all were on the network: of that nothing is kept."""
    found = swept(one_switch(nodes, part))
    leaf = outcome(found, "leaf", "leaf")
    assert (leaf.gpus_cut_off, leaf.parts) == (8 * (nodes - 1), nodes)
    assert (leaf.worst_share, leaf.whole_share) == (0, 0)
    assert [kept.after_GBps for kept in leaf.kept] == [None, None]
    lost = "does not survive any one leaf: network lost; 8 GPUs of one node remain"
    assert texts(survival_notes(found))[0] == lost


def test_of_two_nodes_without_one_nothing_is_left_between_nodes() -> None:
    lines = texts(survival_notes(swept(one_switch(2))))
    assert (
        "does not survive any one node: nothing between nodes; 8 GPUs of one node remain" in lines
    )
    three = texts(survival_notes(swept(one_switch(3))))
    assert any(line.startswith("any one node cuts off 8 of 24 GPUs") for line in three)


def test_what_never_left_a_node_keeps_all_without_a_network() -> None:
    request = Request(job=Job(parse_layout("tp=8"), kind="tp"))
    leaf = outcome(swept(one_switch(4), request), "leaf", "leaf")
    assert [kept.kept for kept in leaf.kept] == [1, 1]


def test_each_percentage_names_the_collectives_that_keep_no_more() -> None:
    """A spine of two halves both; a NIC of eight takes an eighth of the rings, and no more of the
    all-to-all than the uplinks leave anyway."""
    found = swept(TOP_OF_RACK)
    lines = texts(survival_notes(found))
    assert "survives any one spine at 50 % of all-reduce and all-to-all" in lines
    assert "survives any one NIC (node.compute) at 88 % of all-reduce" in lines
    nodes = next(one for one in found.survival if one.kind == "node")
    assert nodes.collectives == ("all_reduce", "all_to_all")
    assert next(line for line in lines if "any one node" in line).endswith(
        "the others keep 100 % of all-reduce and all-to-all"
    )
    one = swept(TOP_OF_RACK, collectives=("all_reduce",))
    assert all("all-to-all" not in line for line in texts(survival_notes(one)))
    for survival in found.survival:
        for name in survival.collectives:
            least = min(
                min(1.0, share(each, name) or 0.0)
                for each in found.singles
                if (each.failures[0].kind, each.failures[0].what) == (survival.kind, survival.what)
            )
            assert least == pytest.approx(min(1.0, survival.share or 0.0), abs=0.01)
    data = {(each["kind"], each["what"]): each for each in sweep_as_data(found)["survival"]}
    assert data["NIC", "node.compute"]["collectives"] == ["all_reduce"]


def test_the_worst_comes_first() -> None:
    shares = [of.whole_share for of in swept(TOP_OF_RACK).singles]
    assert shares == sorted(shares, key=lambda value: round(value or 0, 4))


def test_survival_is_that_of_the_worst_class() -> None:
    found = swept({**TOP_OF_RACK, "absent": ["1 of leaf[rack=0,leaf=0] - spine[spine=0]"]})
    spines = [o for o in found.singles if o.failures[0].kind == "spine"]
    assert len(spines) == 2  # the one with a cable fewer is another class
    survival = next(s for s in found.survival if s.kind == "spine")
    assert survival.things == 2
    assert survival.share == min(o.worst_share or 0 for o in spines)
    # what rack 0 receives comes over the 7 cables it has; without the other spine over 3 of them
    assert survival.share == pytest.approx(3 / 7, rel=1e-3)
    assert "survives any one spine at 43 % of all-reduce and all-to-all" in texts(
        survival_notes(found)
    )


def test_what_is_down_already_stays_down_and_cannot_fail_again() -> None:
    found = swept({**TOP_OF_RACK, "down": ["spine[spine=1]"]})
    assert outcome(found, "spine", "spine").failures[0].members == 1
    assert outcome(found, "spine", "spine").gpus_cut_off == 48


def test_what_is_down_already_is_named_beside_the_figures_of_today() -> None:
    entries = [f"node[rack={rack},node=0].compute[0]" for rack in range(4)]
    one, four = (swept({**TOP_OF_RACK, "down": some}) for some in (entries[:1], entries))
    assert f"busbw per GPU with nothing failed but {entries[0]}, down already (" in before_line(one)
    assert "compute[0] and 1 entry more, down already (" in before_line(four)
    assert "busbw per GPU with nothing failed (" in before_line(swept(TOP_OF_RACK))
    assert sweep_as_data(four)["down"] == entries


def test_a_layout_that_no_longer_fits_is_said_so() -> None:
    job = Job(parse_layout("tp=8,dp=8"))
    node = outcome(swept(TOP_OF_RACK, Request(job=job)), "node", "node")
    kept = node.kept[0]
    assert kept.after_GBps is None
    assert "does not divide the 56" in kept.why
    lines = texts(survival_notes(swept(TOP_OF_RACK, Request(job=job))))
    assert any("any one node: tp=8,dp=8 takes 64" in line for line in lines)
    assert node.worst_share == 0


def test_pairs_are_the_same_for_the_same_seed_and_never_one_thing_twice() -> None:
    first, again = (swept(TOP_OF_RACK, doubles=8, seed=4).doubles for _ in range(2))
    assert first == again
    other = swept(TOP_OF_RACK, doubles=8, seed=5).doubles
    assert {o.failures for o in other} != {o.failures for o in first}
    assert len({frozenset(f.selectors for f in o.failures) for o in first}) == 8
    for of in first:
        one, two = of.failures
        assert one.selectors != two.selectors


def test_a_design_with_few_pairs_gives_those_it_has() -> None:
    pair = {
        "toposmith": 1,
        "groups": {"node": {"part": "dgx-h100", "count": 1}, "leaf": {"part": "qm9700"}},
        "links": [{"between": ["node.compute", "leaf"]}],
    }
    assert 0 < len(swept(pair, doubles=500).doubles) < 500


def test_a_sweep_can_be_followed_and_ended() -> None:
    seen: list[tuple[int, int]] = []

    def follow(done: int, of: int) -> bool:
        seen.append((done, of))
        return done < 3

    found = swept(TOP_OF_RACK, doubles=2, progress=follow)
    assert [done for done, _ in seen] == [1, 2, 3]
    assert len(found.singles) == 3
    assert not found.complete
    assert swept(TOP_OF_RACK).complete


def test_what_was_found_so_far_is_a_sweep_that_says_what_is_to_come() -> None:
    parts: list[Sweep] = []
    whole = swept(TOP_OF_RACK, doubles=2, so_far=lambda made: parts.append(made()))
    many = len(whole.singles) + len(whole.doubles)
    assert [one.to_come for one in parts] == list(range(many - 1, 0, -1))
    for one in parts:
        assert len(one.singles) + len(one.doubles) == many - one.to_come
        assert not one.complete
        assert all(outcome in whole.worst_first for outcome in one.worst_first)
        assert any("still to come" in words for words in one.unseen)
        looked_at = {(each.kind, each.what) for each in one.survival}
        assert looked_at.isdisjoint(one.ended_in)
        assert all(each in whole.survival for each in one.survival)
    assert (whole.complete, whole.to_come) == (True, 0)


def test_a_design_without_figures_has_none_to_lose() -> None:
    unwired = {**TOP_OF_RACK, "links": []}
    found = swept(unwired)
    assert found.before == {"all_reduce": None, "all_to_all": None}
    assert found.why["all_reduce"]
    assert all(o.worst_share is None for o in found.singles)
    assert swept({"toposmith": 1}).singles == ()


def test_unknown_parts_leave_the_rest_to_fail() -> None:
    groups = {**TOP_OF_RACK["groups"], "spine": {"part": "no-such-switch", "count": 2}}
    found = swept({**TOP_OF_RACK, "groups": groups})
    assert found.before["all_reduce"] is None
    assert {o.failures[0].kind for o in found.singles} >= {"node", "NIC", "leaf"}


@pytest.mark.parametrize("saved", saved_designs()[:3], ids=lambda saved: saved.name)
def test_things_that_fail_are_counted_as_the_fabric_has_them(saved: Any) -> None:
    from toposmith.fabric.counts import cable_counts, device_counts

    plan = plan_design(load_file(saved.path).design, CATALOG)
    found = sweep(plan, CATALOG, collectives=())
    things = {(each.kind, each.what): each.things for each in found.survival}
    for name, many in device_counts(plan).items():
        assert many in [count for (_, what), count in things.items() if what == name]
    cables = cable_counts(plan)
    for link in plan.links:
        assert things["cable", link.label] == cables[link.index]


def test_the_table_and_the_data_hold_every_failure() -> None:
    found = swept(TOP_OF_RACK, doubles=2)
    rows = failures_table(found.singles, found).rows
    assert sum(int(row.words[2].replace(",", "")) for row in rows) == sum(
        outcome.failures[0].members for outcome in found.singles
    )
    data = sweep_as_data(found)
    assert len(data["singles"]) == len(found.singles)
    assert len(data["doubles"]) == 2
    assert data["not_looked_at"] == [
        "networks that are not drawn, such as management",
        "power feeds: the design does not say them (placement: with feeds:)",
    ]


def test_what_collectives_do_not_cross_is_left_out() -> None:
    design = {
        "toposmith": 1,
        "groups": {
            "node": {"part": "dgx-h100", "count": 4},
            "leaf": {"part": "qm9700"},
            "store-leaf": {"part": "qm9700", "count": 2},
            "store-spine": {"part": "qm9700"},
        },
        "links": [
            {"between": ["node.compute", "leaf"]},
            {"between": ["node.storage", "store-leaf"]},
            {"between": ["store-leaf", "store-spine"]},
        ],
    }
    found = swept(design)
    assert {o.failures[0].what for o in found.singles} == {
        *("node", "node.compute", "leaf", "node.compute - leaf"),
    }


def test_failures_that_read_alike_are_one_row() -> None:
    # Faults tell the nodes beside them apart, as far as NICs; those in sound nodes cost the same.
    text = """toposmith: 1
groups:
  node: {part: dgx-h100, count: 8}
  leaf: {part: qm9700}
links: [{between: [node.compute, leaf], length: 20}]
absent: ["node[node=0]"]
down: ["node[node=1]", "node[node=2].compute[0]"]
"""
    plan = plan_design(parse_design(text, "test"), CATALOG)
    found = sweep(plan, CATALOG)
    rows = failures_table(found.singles, found).rows
    nics = [row for row in rows if row.words[0] == "NIC"]
    assert len(nics) == 2 < sum(one.failures[0].kind == "NIC" for one in found.singles)
    # 5 sound nodes of 8 NICs, and 7 that node 2 has left.
    assert sorted(int(row.words[2]) for row in nics) == [7, 40]


def test_of_racks_whose_all_reduce_is_a_limit_the_share_of_the_exchange_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read_less(monkeypatch)
    rack = find_saved("gb200-nvl72-8-racks-ndr")
    assert rack is not None
    catalog = load_catalog(user=False)
    found = sweep(plan_design(load_file(rack.path).design, catalog), catalog)
    unknown = f"all-reduce unknown ({WHY})"
    # four NICs of a tray on four leaves: without one of them three carry the exchange
    assert f"any one leaf: keeps 75 % of all-to-all; {unknown}" in texts(survival_notes(found))
    (node,) = (line for line in texts(survival_notes(found)) if line.startswith("any one node"))
    assert node.endswith(f"cuts off 4 of 576 GPUs; the others keep 99 % of all-to-all; {unknown}")
    assert f"any one spine: keeps 89 % of all-to-all; {unknown}" in texts(survival_notes(found))
