"""Growth in steps: what is moved, and the figures of a cluster that is half moved."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import count

import pytest

from toposmith.analysis.request import Request
from toposmith.cancellation import TimeLimit, go_on
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.errors import EditError
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.counts import cable_counts, device_counts
from toposmith.fabric.port_use import port_findings
from toposmith.planned_design import PlannedDesign
from toposmith.synthesis import growth_step
from toposmith.synthesis.figures_at_hand import figure_at_hand
from toposmith.synthesis.growth_plan import Growth, growth
from toposmith.synthesis.growth_words import floor_words, stopped_words, together_words
from toposmith.templates import new_design

CATALOG = load_catalog()


def made(template: str, **settings: int | str) -> Design:
    return new_design(template, settings, catalog=CATALOG)


def grown(old: Design, new: Design, **floor: float) -> Growth:
    return growth(EvaluatedDesign(old, CATALOG), EvaluatedDesign(new, CATALOG), floor)  # type: ignore[arg-type]


@cache
def grown_by(way: str) -> Growth:
    return grown(*(WAYS | BOTH_WAYS)[way])


SU = {"nodes": 8}
HALF = {"su": 2, "nodes": 16}
WAYS = {
    "a second SU": (made("leaf-spine", su=1, **SU), made("leaf-spine", su=2, **SU)),
    "twice the SUs": (made("leaf-spine", su=2, **SU), made("leaf-spine", su=4, **SU)),
    "back to one SU": (made("leaf-spine", su=2, **SU), made("leaf-spine", su=1, **SU)),
    "thicker spine": (
        made("leaf-spine", oversubscription=2, **HALF),
        made("leaf-spine", spines=16, **HALF),
    ),
    "thinner spine": (
        made("leaf-spine", spines=16, **HALF),
        made("leaf-spine", oversubscription=2, **HALF),
    ),
    "a slot filled": (
        made("leaf-spine", su=2, empty_slots=1, **SU),
        made("leaf-spine", su=3, **SU),
    ),
    "more racks": (made("top-of-rack", racks=4), made("top-of-rack", racks=8)),
    "more pods": (
        made("three-tier", su=4, su_per_pod=2, **SU),
        made("three-tier", su=8, su_per_pod=2, **SU),
    ),
    "planes": (made("dual-plane", su=2, **SU), made("dual-plane", su=4, **SU)),
    "rails apart": (made("rail-only", su=2, **SU), made("rail-only", su=4, **SU)),
    "one switch": (made("single-switch"), made("single-switch", nodes=6)),
}

BOTH_WAYS = {
    "more and smaller racks": (
        made("top-of-rack", racks=4),
        made("top-of-rack", racks=6, nodes=2),
    ),
    "fewer and larger SUs": (
        made("leaf-spine", su=3, empty_slots=1, nodes=4),
        made("leaf-spine", su=2, empty_slots=1, **SU),
    ),
    "fewer and larger pods": (
        made("three-tier", su=4, su_per_pod=1, **SU),
        made("three-tier", su=4, su_per_pod=2, **SU),
    ),
}
"""Some devices leave and others join; what such a step leaves cannot always be written."""


@pytest.mark.parametrize("way", [*WAYS, *BOTH_WAYS])
def test_the_cables_of_all_steps_are_those_by_which_the_designs_differ(way: str) -> None:
    old, new = (WAYS | BOTH_WAYS)[way]
    found = grown_by(way)
    assert not found.together
    before, after = (
        sum(cable_counts(PlannedDesign.of(one, CATALOG).plan).values()) for one in (old, new)
    )
    plugged = sum(step.connected - step.unplugged for step in found.steps)
    assert min(min(step.moved, step.connected, step.unplugged) for step in found.steps) >= 0
    assert before + plugged == after
    last = found.steps[-1]
    nodes = device_counts(PlannedDesign.of(new, CATALOG).plan)["node"]
    assert last.gpus == 8 * nodes


@pytest.mark.parametrize("way", [*WAYS, *BOTH_WAYS])
def test_every_step_gives_what_the_same_cluster_gives_port_by_port(way: str) -> None:
    """The states cut pairs out of a frame; the files list single cables: two ways to one figure."""
    found = grown_by(way)
    for step in found.steps:
        design = step.written()
        if design is None and way in BOTH_WAYS:
            continue
        assert design is not None, step.words
        planned = PlannedDesign.of(design, CATALOG)
        errors = (*planned.plan.findings, *port_findings(planned.plan))
        assert not [one for one in errors if one.severity == "error"], step.words
        for name, figure in step.after.items():
            again = figure_at_hand(planned, Request(collective=name)).amount
            assert again.value == pytest.approx(figure.value, rel=1e-9), step.words


@pytest.mark.parametrize("way", [*WAYS, *BOTH_WAYS])
def test_the_last_step_is_the_later_design(way: str) -> None:
    planned = PlannedDesign.of((WAYS | BOTH_WAYS)[way][1], CATALOG)
    for name, figure in grown_by(way).steps[-1].after.items():
        there = figure_at_hand(planned, Request(collective=name)).amount
        assert figure.value == pytest.approx(there.value, rel=1e-9)


def test_with_a_quarter_of_the_uplinks_out_no_more_goes_than_the_others_carry() -> None:
    """Racks of 32 ports with 32 uplinks of 50 GB/s to 2 spines, 4 afterwards: 16 cables a rack go.

    In two halves, 8 of 32 are out: 24 x 50 / 32 GPUs x 127 / 96 of 128 GPUs in racks of 32, at the
    96 % that protocol overhead leaves.
    """
    found = grown_by("more racks")
    moves = [step for step in found.steps if step.moved]
    assert [step.moved for step in moves] == [32, 32]
    by_hand = 24 * 50 / 32 * 127 / 96
    for step in moves:
        assert step.meanwhile is not None
        value = step.meanwhile["all_to_all"].value
        assert value is not None
        assert value == pytest.approx(0.96 * by_hand, rel=0.01)
        assert value < (step.after["all_to_all"].value or 0.0)


def test_a_third_su_takes_192_cables_from_4_spines_to_12_new_ones() -> None:
    """RA-11333-001, Table 4: 1 SU has 4 spines at 8 cables, 3 SU 16 at 2: 8 x (32 - 4 x 2)."""
    found = grown(made("leaf-spine", su=1), made("leaf-spine", su=3))
    assert found.moved == 192
    assert sum(step.connected for step in found.steps) == 2 * (256 + 256)


def test_a_floor_is_held_by_smaller_steps_than_without() -> None:
    old, new = WAYS["more racks"]
    coarse = grown_by("more racks")
    lowest = min(step.lowest["all_to_all"].value or 0 for step in coarse.steps if step.moved)
    held = grown(old, new, all_to_all=0.9 * lowest)
    assert not held.missed
    assert "holds throughout" in floor_words(held)


def test_a_floor_that_no_order_holds_is_missed_by_so_much() -> None:
    found = grown(*WAYS["more racks"], all_to_all=60.0)
    assert found.missed
    words = floor_words(found)
    assert "below the floor of 60.0 GB/s" in words
    assert "today" in words


def test_nodes_that_go_to_other_switches_are_not_planned_in_steps() -> None:
    found = grown(made("single-switch"), made("rail-only", su=2, **SU))
    assert "node is wired to other switches" in together_words(found)
    assert len(found.steps) == 1
    assert found.steps[0].meanwhile is not None
    assert all(one.value is None for one in found.steps[0].meanwhile.values())


def test_nothing_to_do_between_equal_designs() -> None:
    design = made("leaf-spine", su=2, **SU)
    assert grown(design, design).steps == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"down": ("node[su=0,node=0]",)}, "something is down or slow"),
        ({"groups": {}, "links": ()}, "no GPUs"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_words(change: dict[str, object], words: str) -> None:
    design = made("leaf-spine", su=2, **SU)
    wrong = design.model_copy(update=change)
    with pytest.raises(EditError, match=words):
        grown(wrong, design)
    with pytest.raises(EditError, match=words):
        grown(design, wrong)


def test_it_ends_where_nobody_waits_any_longer() -> None:
    old, new = (EvaluatedDesign(one, CATALOG) for one in WAYS["a second SU"])
    with pytest.raises(EditError, match="stopped"):
        growth(old, replace(new), keep_going=lambda: False)


@pytest.mark.parametrize(("analysed", "steps"), [(2, 0), (6, 1), (12, 2), (24, 3), (40, 5)])
def test_the_steps_of_the_best_order_are_kept_where_the_time_ends(
    monkeypatch: pytest.MonkeyPatch, analysed: int, steps: int
) -> None:
    """The spines are placed; then orders of moving cables are tried, the last of which is kept."""
    whole, limit, done = grown_by("thicker spine"), TimeLimit(), count()

    def ended(*args: object, **more: object) -> object:
        if next(done) == analysed:
            limit.end()
            go_on()
        return figure_at_hand(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(growth_step, "figure_at_hand", ended)
    old, new = (EvaluatedDesign(one, CATALOG) for one in WAYS["thicker spine"])
    found = growth(old, new, limit=limit)
    assert (len(found.steps), found.complete) == (steps, False)
    assert (found.steps == whole.steps) == (steps == 5)
    assert (found.now, found.purchase) == (whole.now, whole.purchase)
    assert "before the first step" in stopped_words(found) or found.steps
    assert floor_words(found) == ""


def test_a_management_network_is_connected_beside_what_runs() -> None:
    """The management port of every node and switch has its first cable."""
    old = made("leaf-spine", su=2, nodes=8)
    new = made("leaf-spine", su=2, nodes=8, out_of_band="sn2201")
    (step,) = grown(old, new).steps
    devices = sum(device_counts(PlannedDesign.of(old, CATALOG).plan).values())
    assert (step.connected, step.unplugged, step.moved) == (devices, 0, 0)
    assert step.meanwhile is None
    assert grown(old, new).together == ()
