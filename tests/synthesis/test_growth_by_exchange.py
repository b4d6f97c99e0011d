"""Parts exchanged for others, some devices after the other, while the rest runs."""

from __future__ import annotations

from functools import cache

import pytest

from toposmith.analysis.request import Request
from toposmith.catalog import load_catalog
from toposmith.design.document import BillBlock, Design, Link
from toposmith.design.edits import fit_nics, set_part
from toposmith.design.stored_files import load_file
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.counts import cable_counts, device_counts
from toposmith.fabric.port_use import port_findings
from toposmith.planned_design import PlannedDesign
from toposmith.saved_designs import find_saved
from toposmith.synthesis.figures_at_hand import figure_at_hand
from toposmith.synthesis.growth_plan import Growth, growth
from toposmith.synthesis.growth_words import floor_words
from toposmith.synthesis.part_exchange import PartSwap
from toposmith.templates import new_design

CATALOG = load_catalog()
SUS = new_design("leaf-spine", {"su": 4, "nodes": 8}, catalog=CATALOG)


def with_parts(design: Design, **parts: str) -> Design:
    for name, part in parts.items():
        design = set_part(design, name, part).design
    return design


def a100s(nic: str = "connectx-6-200gbe", switch: str = "sn3700") -> Design:
    """Eight nodes with eight NICs in four racks, a leaf for each and two spines, 2:1."""
    saved = find_saved("hgx-a100-64gpu-roce-2to1")
    assert saved is not None
    design = load_file(saved.path).design.model_copy(update={"waivers": ()})
    fitted = fit_nics(design, "node", "compute", nic, 8).design
    return with_parts(fitted, leaf=switch, spine=switch)


def with_link(design: Design, index: int, **changes: object) -> Design:
    links: list[Link] = list(design.links)
    links[index] = links[index].model_copy(update=changes)
    return design.model_copy(update={"links": tuple(links)})


TWO_SUS = new_design("leaf-spine", {"su": 2, "nodes": 8}, catalog=CATALOG)
THREE_SUS = new_design("leaf-spine", {"su": 3, "nodes": 8, "empty_slots": 1}, catalog=CATALOG)
RACKS = new_design("top-of-rack", {"racks": 4}, catalog=CATALOG)
SHORT = with_link(with_link(RACKS, 0, length=2.0), 1, length=2.0)
NDR = "connectx-7-400-qsfp112"
WAYS = {
    "leaves of another model": (SUS, with_parts(SUS, leaf="qm9790")),
    "all switches of another model": (TWO_SUS, with_parts(TWO_SUS, leaf="qm9790", spine="qm9790")),
    "with an empty slot": (THREE_SUS, with_parts(THREE_SUS, leaf="qm9790")),
    "faster NICs": (a100s(), a100s(NDR)),
    "faster NICs and switches": (a100s(), a100s(NDR, "sn4700")),
    "slower NICs and switches": (a100s(NDR, "sn4700"), a100s()),
    "faster cables": (with_link(a100s(), 1, speed=100), a100s()),
    "optical cables": (
        SHORT,
        SHORT.model_copy(update={"bill": BillBlock(cabling="all-optical")}),
    ),
    "one rack": (
        RACKS,
        with_parts(RACKS, leaf="qm9790"),
    ),
}


def grown(old: Design, new: Design, least_gpus: int = 0, **floor: float) -> Growth:
    return growth(
        EvaluatedDesign(old, CATALOG),
        EvaluatedDesign(new, CATALOG),
        floor,  # type: ignore[arg-type]
        least_gpus=least_gpus,
    )


@cache
def grown_by(way: str) -> Growth:
    return grown(*WAYS[way])


@pytest.mark.parametrize("way", WAYS)
def test_every_step_can_be_opened_and_gives_its_figure(way: str) -> None:
    found = grown_by(way)
    assert not found.together
    assert len(found.steps) > 1
    for step in found.steps:
        design = step.written()
        assert design is not None
        planned = PlannedDesign.of(design, CATALOG)
        errors = (*planned.plan.findings, *port_findings(planned.plan))
        assert not [one.text for one in errors if one.severity == "error"], step.words
        for name, figure in step.after.items():
            again = figure_at_hand(planned, Request(collective=name)).amount
            assert again.value == pytest.approx(figure.value, rel=1e-9), step.words


@pytest.mark.parametrize("way", WAYS)
def test_the_cluster_has_as_many_devices_and_cables_on_the_way(way: str) -> None:
    """Only parts change: every step leaves the devices of the design, and its cables."""
    old, _ = (PlannedDesign.of(one, CATALOG) for one in WAYS[way])
    devices, cables = sum(device_counts(old.plan).values()), sum(cable_counts(old.plan).values())
    for step in grown_by(way).steps:
        design = step.written()
        assert design is not None
        planned = PlannedDesign.of(design, CATALOG)
        assert sum(device_counts(planned.plan).values()) == devices, step.words
        assert sum(cable_counts(planned.plan).values()) == cables, step.words
        assert step.connected == step.unplugged


@pytest.mark.parametrize("way", WAYS)
def test_the_last_step_is_the_design_that_was_wanted(way: str) -> None:
    assert grown_by(way).steps[-1].written() == WAYS[way][1]


def test_new_leaves_take_the_cables_of_the_old_ones() -> None:
    """QM9790 has the cages of QM9700: 32 nodes x 8 NICs and 32 leaves x 4 spines x 2 cables."""
    found = grown_by("leaves of another model")
    assert (found.moved, sum(step.connected for step in found.steps)) == (256 + 256, 0)


def test_while_one_of_eight_rails_is_out_seven_eighths_are_left() -> None:
    found = grown_by("leaves of another model")
    assert len(found.steps) == 8
    for step in found.steps:
        assert step.meanwhile is not None
        value, now = step.meanwhile["all_to_all"].value, found.now["all_to_all"].value
        assert value is not None
        assert now is not None
        assert value == pytest.approx(now * 7 / 8, rel=0.005)
        assert step.fewest_gpus == step.gpus == 256


def test_gpus_below_a_leaf_that_is_exchanged_stand_still() -> None:
    """A rack has one leaf: while it is out its 4 nodes of 8 GPUs reach nothing."""
    for step in grown_by("one rack").steps:
        assert (step.gpus, step.fewest_gpus) == (128, 96)
        assert "32 GPUs stand still meanwhile" in step.words


def test_nics_and_leaves_that_need_new_cables_are_exchanged_together() -> None:
    """Each of the 64 + 32 cables is exchanged: one after the other would take 64 of them twice.

    The spines after the leaves take their 32 cables out again.
    """
    found = grown_by("faster NICs and switches")
    first = found.steps[0]
    assert first.words == (
        "rack 0: exchange 1 leaf (sn3700 for sn4700) and NICs of 2 nodes (compute: 8 x "
        "connectx-6-200gbe for 8 x connectx-7-400-qsfp112); 16 GPUs stand still meanwhile; "
        "new cables of leaf - spine only until a later step"
    )
    assert sum(step.connected for step in found.steps) == 64 + 32 + 32


def test_a_floor_of_gpus_takes_smaller_steps_than_a_floor_of_figures() -> None:
    old, new = WAYS["faster NICs"]
    found = grown(old, new, least_gpus=48)
    assert found.holds
    assert "48 GPUs running" in floor_words(found)
    missed = grown(old, new, least_gpus=60)
    assert not missed.holds
    assert "60 that are to" in floor_words(missed)


def test_a_floor_is_kept_by_exchanging_a_spine_after_the_other() -> None:
    """Of four spines one out leaves three quarters of the uplinks, two out a half."""
    new = with_parts(SUS, spine="qm9790")
    half, most = grown(SUS, new, all_to_all=30.0), grown(SUS, new, all_to_all=47.0)
    assert half.holds
    assert most.holds
    assert len(most.steps) == 4


def test_parts_are_exchanged_before_more_racks_are_placed() -> None:
    new = with_parts(new_design("top-of-rack", {"racks": 6}, catalog=CATALOG), leaf="qm9790")
    found = grown(RACKS, new)
    assert not found.together
    assert found.steps[0].words.startswith("rack 0: exchange 1 leaf (qm9700 for qm9790)")
    assert found.steps[-1].gpus == 8 * 4 * 6
    last = found.steps[-1].written()
    assert last is not None
    after = figure_at_hand(PlannedDesign.of(last, CATALOG), Request(collective="all_to_all"))
    wanted = figure_at_hand(PlannedDesign.of(new, CATALOG), Request(collective="all_to_all"))
    assert after.amount.value == pytest.approx(wanted.amount.value, rel=1e-9)


def test_switches_of_another_protocol_are_exchanged_at_once_while_nothing_runs() -> None:
    """No InfiniBand leaf has a cable to an Ethernet spine; the NICs of the nodes speak both."""
    found = grown(SUS, with_parts(SUS, leaf="sn5600", spine="sn5600"))
    (step,) = found.steps
    assert step.words.endswith("nothing runs meanwhile")
    assert step.fewest_gpus == 0
    assert "exchange 4 spines (qm9700 for sn5600) and 32 leaves (qm9700 for" in step.words


def test_switches_of_a_network_that_no_figure_is_of_are_exchanged_one_by_one() -> None:
    """Storage has two leaves, of which every node has a port: one of them is always there."""
    old = new_design("leaf-spine", {"su": 2, "nodes": 4, "storage": 4}, catalog=CATALOG)
    found = grown(old, with_parts(old, **{"store-leaf": "qm9790"}))
    assert [step.words for step in found.steps] == [
        f"store-leaf {at}: exchange 1 store-leaf (qm9700 for qm9790); no figure is of the network "
        "of store-leaf"
        for at in range(2)
    ]


def test_an_empty_slot_stays_empty_on_either_side_of_the_division() -> None:
    """The last node of the last SU is absent: at first among the others, then exchanged."""
    old, new = (EvaluatedDesign(one, CATALOG) for one in WAYS["with an empty slot"])
    exchange = PartSwap(old, new, ("leaf",))
    before = exchange.partial("su", 1).design
    assert before.absent == ("node[su=1,node=7]",)
    assert exchange.partial("su", 1).later == {"node": "node_later", "leaf": "leaf_later"}
    only = exchange.partial("su", 2)
    assert only.design.absent == ("node[su=0,node=7]",)
