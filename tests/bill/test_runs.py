"""Links whose cables differ in length: each length has its own line, and counts still close."""

from __future__ import annotations

from collections import defaultdict
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bill.test_bill_properties import designs
from toposmith.bill.bill import Bill, make_bill, placed_bill
from toposmith.bill.terms import COPPER, CablingPolicy
from toposmith.catalog import Cable, Fibre, load_catalog
from toposmith.design.document import Design
from toposmith.design.stored_files import load_file
from toposmith.fabric.counts import cable_counts
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.racks.lengths import CableRun
from toposmith.saved_designs import SavedDesign, saved_designs
from toposmith.templates import new_design

CATALOG = load_catalog()


def superpod_plan() -> Plan:
    return plan_design(new_design("leaf-spine", {"su": 1}, catalog=CATALOG), CATALOG)


def lines(bill: Bill, kind: str) -> list[tuple[str, float | None, int]]:
    return [(line.part, line.length_m, line.quantity) for line in bill.lines_of(kind)]


def switch_pair(cables: int, *, length: float | None = None) -> Plan:
    link = {"between": ("a", "b"), "cables": cables} | ({"length": length} if length else {})
    data = {"groups": {"a": {"part": "qm9700"}, "b": {"part": "qm9700"}}, "links": [link]}
    return plan_design(Design.model_validate(data), CATALOG)


def test_each_length_of_a_link_is_a_line_of_its_own() -> None:
    runs = (
        CableRun(0, 100, 12.0, False),
        CableRun(0, 156, 20.0, False),
        CableRun(1, 256, 30.0, False),
    )
    bill = make_bill(superpod_plan(), CATALOG, runs=runs)
    assert lines(bill, "fibre") == [
        ("mfp7e10", 15, 100),  # there is none of 12 m
        ("mfp7e10", 20, 156),
        ("mfp7e10", 30, 256),
    ]
    assert [run.length_m for run in bill.links[0].runs] == [15, 20]


@pytest.mark.parametrize(
    ("cables", "length", "runs", "fibres"),
    [
        # along racks fibres are ordered in whole metres
        (2, None, {6.2: 2}, {7: 2}),
        # the length in the document wins
        (2, 20, {300.0: 2}, {20: 2}),
        # what no run has is of unknown length
        (8, None, {20.0: 6}, {None: 2, 20: 6}),
        # what runs have beyond the link is left out
        (8, None, {20.0: 6, 30.0: 6}, {20: 6, 30: 2}),
    ],
)
def test_fibres_are_ordered_by_their_runs(
    cables: int, length: float | None, runs: dict[float, int], fibres: dict[float | None, int]
) -> None:
    along = tuple(CableRun(0, many, metres, False) for metres, many in runs.items())
    bill = make_bill(switch_pair(cables, length=length), CATALOG, runs=along)
    ordered = [("mfp7e10", metres, many) for metres, many in fibres.items()]
    assert lines(bill, "fibre") == ordered


@pytest.mark.parametrize(
    ("length", "number"), [(0.4, "MCP4Y10-N00A"), (1.2, "MCP4Y10-N01A"), (2.0, "MCP4Y10-N002")]
)
def test_a_part_number_names_the_length_that_is_sold(length: float, number: str) -> None:
    bill = make_bill(switch_pair(2, length=length), CATALOG)
    assert [line.part_number for line in bill.lines_of("cable")] == [number]


def test_short_runs_are_copper_and_long_ones_light() -> None:
    # 2 x 2 ports in one cable each; 4 ports in 2 modules at either end.
    runs = (CableRun(0, 4, 1.8, True), CableRun(0, 4, 12.0, False))
    bill = make_bill(switch_pair(8), CATALOG, runs=runs, policy=CablingPolicy("cheapest"))
    assert lines(bill, "cable") == [("mcp4y10-n", 2, 2)]
    assert lines(bill, "fibre") == [("mfp7e10", 15, 4)]
    assert lines(bill, "transceiver") == [("mma4z00-ns", None, 4)]
    assert {end.end: (end.cages, end.modules) for end in bill.ends} == {"a": (4, 2), "b": (4, 2)}
    assert [finding.code for finding in bill.findings] == []


def test_all_cables_of_a_link_are_of_the_medium_of_its_longest() -> None:
    runs = (CableRun(0, 4, 1.8, True), CableRun(0, 4, 12.0, False))
    bill = make_bill(switch_pair(8), CATALOG, runs=runs)
    assert lines(bill, "cable") == []
    assert lines(bill, "fibre") == [("mfp7e10", 3, 4), ("mfp7e10", 15, 4)]
    assert lines(bill, "transceiver") == [("mma4z00-ns", None, 8)]
    # multimode ends at 50 m
    runs = (CableRun(0, 4, 12.0, False), CableRun(0, 4, 60.0, False))
    bill = make_bill(switch_pair(8), CATALOG, runs=runs)
    assert {line.part for line in bill.lines_of("fibre")} == {"mfp7e30"}
    near = make_bill(switch_pair(8), CATALOG, runs=(CableRun(0, 8, 1.8, True),))
    assert lines(near, "fibre") == []


@pytest.mark.parametrize("saved", saved_designs(), ids=lambda one: one.name)
def test_every_link_of_a_saved_design_is_of_one_medium(saved: SavedDesign) -> None:
    plan = plan_design(load_file(saved.path).design, CATALOG)
    media: dict[str, set[str]] = defaultdict(set)
    for line in placed_bill(plan, CATALOG).lines:
        if line.kind in ("cable", "fibre"):
            part = CATALOG[line.part]
            assert isinstance(part, Cable | Fibre)
            medium = part.medium if isinstance(part, Cable) else part.fibre
            for link in line.used_by:
                media[link].add("copper" if medium in COPPER else medium)
    assert bool(media) == any(cable_counts(plan).values())
    assert all(len(of) == 1 for of in media.values()), media


def test_where_cages_are_shared_by_runs_of_different_parts_the_bill_says_so() -> None:
    # One port from each of two leaves to a spine: a cage of it may hold either module.
    data = {
        "groups": {"leaf": {"part": "qm9700", "count": 2}, "spine": {"part": "qm9700"}},
        "links": [{"between": ("leaf", "spine")}],
    }
    plan = plan_design(Design.model_validate(data), CATALOG)
    near, far = CableRun(0, 1, 20.0, False), CableRun(0, 1, 80.0, False)
    each = CablingPolicy("cheapest")
    mixed = make_bill(plan, CATALOG, runs=(near, far), policy=each)
    assert [one.code for one in mixed.findings] == ["mixed-parts"]
    assert make_bill(plan, CATALOG, runs=(near, near), policy=each).findings == ()
    assert make_bill(plan, CATALOG, runs=(near, far)).findings == ()


def test_a_run_that_nothing_reaches_is_a_finding_and_the_rest_is_listed() -> None:
    runs = (CableRun(0, 4, 20.0, False), CableRun(0, 4, 5000.0, False))
    bill = make_bill(switch_pair(8), CATALOG, runs=runs)
    assert not bill.listed
    assert lines(bill, "fibre") == [("mfp7e10", 20, 4)]
    assert bill.links[0].cables is None
    assert [(run.connections, run.cables) for run in bill.links[0].runs] == [(4, 4), (4, None)]
    assert any("5,000 m are too far" in finding.text for finding in bill.findings)


def test_runs_of_many_lengths_that_nothing_reaches_are_told_once() -> None:
    runs = (
        CableRun(0, 2, 20.0, False),
        *(CableRun(0, 1, metres, False) for metres in (3000.0, 9000.0)),
    )
    (finding,) = make_bill(switch_pair(4), CATALOG, runs=runs).findings
    assert finding.text.startswith("3,000 to 9,000 m are too far; the parts that fit reach ")


@pytest.mark.parametrize("policy", ["one-medium", "cheapest", "all-optical", "copper-within-rack"])
@given(design=designs(), data=st.data())
@settings(max_examples=20)
def test_counts_close_for_any_runs(policy: str, design: Design, data: st.DataObject) -> None:
    design = design.model_copy(
        update={"links": tuple(link.model_copy(update={"length": None}) for link in design.links)}
    )
    plan = plan_design(design, CATALOG)
    connections = cable_counts(plan)
    runs = [
        CableRun(index, 4 * data.draw(st.integers(0, many // 4 + 1)), length, length < 2.5)
        for index, many in connections.items()
        for length in data.draw(st.lists(st.sampled_from((1.0, 2.0, 4.0, 20.0, 70.0)), max_size=3))
    ]
    bill = make_bill(
        plan,
        CATALOG,
        runs=runs,
        policy=CablingPolicy(policy),  # type: ignore[arg-type]
    )
    assert [link.connections for link in bill.links] == list(connections.values())
    bodies = bill.quantity("cable") + bill.quantity("fibre")
    assert bodies == sum(run.cables or 0 for link in bill.links for run in link.runs)
    assert bill.quantity("transceiver") == sum(end.modules for end in bill.ends)
    copper = {line.part for line in bill.lines_of("cable") if not line.part.startswith("mf")}
    assert policy != "all-optical" or not copper
    for link in bill.links:
        for run in link.runs:
            if run.cables is not None:  # a splitter serves four, a straight cable two
                assert ceil(run.connections / 4) <= run.cables <= run.connections


@given(design=designs(), cut=st.integers(0, 200))
@settings(max_examples=30)
def test_lengths_of_fibre_do_not_change_modules_and_cages(design: Design, cut: int) -> None:
    links = tuple(link.model_copy(update={"length": None}) for link in design.links)
    plan = plan_design(design.model_copy(update={"links": links}), CATALOG)
    optical = CablingPolicy("all-optical")
    runs = [
        CableRun(index, part, length, False)
        for index, many in cable_counts(plan).items()
        for part, length in ((min(cut, many), 9.0), (many - min(cut, many), 11.0))
    ]
    plain = make_bill(plan, CATALOG, policy=optical)
    cut_up = make_bill(plan, CATALOG, policy=optical, runs=runs)
    for was, now in zip(plain.ends, cut_up.ends, strict=True):  # half-used splitters take cages
        assert (now.cages, now.modules) >= (was.cages, was.modules)
    if all(link.cables == link.connections for link in plain.links):
        assert cut_up.ends == plain.ends
        assert cut_up.quantity("transceiver") == plain.quantity("transceiver")
    if not plain.lines_of("cable"):
        straight = {link.link for link in plain.links if link.cables == link.connections}
        for was, now in zip(plain.links, cut_up.links, strict=True):
            assert was.link not in straight or was.cables == now.cables
