"""Figures on the way are those of the same moment drawn by hand, or analysed by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

import toposmith
from tests.lock.fabrics import CATALOG, FABRIC, GROWN, OVERFULL, evaluated, locked
from tests.lock.test_change_order import WIDER
from toposmith.analysis.request import Request
from toposmith.errors import EditError, LockError
from toposmith.evaluation import EvaluatedDesign
from toposmith.lock.acts_in_words import change_as_data, change_csv, change_table
from toposmith.lock.change_plan import (
    ChangePlan,
    ChangeStep,
    FiguresOfMoment,
    begun_at,
    change_to,
)
from toposmith.lock.change_states import ChangeFrame


def plan_of(old: str, new: str, **floor: float) -> ChangePlan:
    gpus = int(floor.pop("gpus", 0))
    return change_to(evaluated(new, locked(old)), floor, least_gpus=gpus)  # type: ignore[arg-type]


def count(step: ChangeStep, verb: str) -> int:
    return sum(act.verb == verb for act in step.acts)


def analysed(text: str) -> dict[str, float]:
    """Busbw of a design by itself."""
    found = {}
    for name in ("all_reduce", "all_to_all"):
        request = Request(collective=name)  # type: ignore[arg-type]
        design = EvaluatedDesign(toposmith.parse(text), CATALOG, request)
        found[name] = design.analysis.busbw_GBps
    return found  # type: ignore[return-value]


def values(figures: FiguresOfMoment) -> dict[str, float | None]:
    return {name: one.value for name, one in figures.items()}


@pytest.mark.parametrize("new", [GROWN, WIDER, FABRIC.replace("su: 2", "su: 3")])
def test_a_change_begins_and_ends_with_the_figures_of_its_designs(new: str) -> None:
    plan = plan_of(FABRIC, new)
    assert values(plan.now) == pytest.approx(analysed(FABRIC))
    assert values(plan.steps[-1].after) == pytest.approx(analysed(new))
    assert plan.unknown == ()
    assert plan.steps[-1].gpus == toposmith.evaluate(toposmith.parse(new)).analysis.gpus


def test_a_moment_without_cables_is_the_design_with_these_absent() -> None:
    old = locked(FABRIC)
    frame = ChangeFrame(evaluated(FABRIC, old), old, old)
    lost = {"leaf-su0-rail0": "spine-0", "leaf-su0-rail1": "spine-3"}
    left = [one for one in old.cables if lost.get(one.a) != one.z]
    assert len(left) == len(old.cables) - 4
    moment = frame.moment(replace(old, cables=left))
    drawn = FABRIC + (
        "absent: ['leaf[su=0,rail=0] - spine[spine=0]', 'leaf[su=0,rail=1] - spine[spine=3]']\n"
    )
    for name, figure in analysed(drawn).items():
        request = Request(collective=name)  # type: ignore[arg-type]
        assert EvaluatedDesign(moment, CATALOG, request).analysis.busbw_GBps == pytest.approx(
            figure
        )


def test_a_cable_that_no_link_deals_is_a_single_one() -> None:
    old = locked(FABRIC)
    one, other = (
        next(c for c in old.cables if c.a == "node-su0-0" and c.z == f"leaf-su0-rail{rail}")
        for rail in (0, 1)
    )
    crossed = [
        c if c not in (one, other) else c._replace(z=(other if c == one else one).z)
        for c in old.cables
    ]
    crossed = [
        c._replace(z_port=(other if c.label == one.label else one).z_port)
        if c.label in (one.label, other.label)
        else c
        for c in crossed
    ]
    lock = replace(old, cables=crossed)
    moment = ChangeFrame(evaluated(FABRIC, old), lock, old).moment(lock)
    assert {single.a for single in moment.cables} == {
        f"node[su=0,node=0].compute[{port}]" for port in (0, 1)
    }
    ports = evaluated(FABRIC).schedule
    dealt = {row.a.place: row.z.node for row in ports if row.a.node == "node-su0-0"}
    listed = {single.a[-2]: single.z for single in moment.cables}
    assert dealt[0] == "leaf-su0-rail0"
    assert listed["0"] == "leaf[su=0,rail=1,leaf=0]"


def test_a_step_that_touches_nothing_has_no_meanwhile() -> None:
    plan = plan_of(FABRIC, GROWN)
    assert [step.meanwhile for step in plan.steps] == [None, None]
    assert [count(step, "add") for step in plan.steps] == [2, 0]
    assert [count(step, "lay") for step in plan.steps] == [0, 16]
    assert [step.gpus for step in plan.steps] == [128, 144]
    # each node brings four cages of two ports; two units of eight leaves get one cable more, and
    # all cages of theirs that were begun are full
    assert plan.bought == {
        ("dgx-h100", ""): 2,
        ("mfp7e10", "7"): 16,
        ("mma4z00-ns-flt", ""): 2 * 4,
        ("mma4z00-ns", ""): 2 * 8,
    }
    assert plan.left_over == {}


def crowded(text: str) -> str:
    """Four units of sixteen nodes: three quarters of an all-to-all leave a unit, over 16 cables."""
    return text.replace("count: 8}\n  leaf", "count: 16}\n  leaf").replace("su: 2", "su: 4")


NARROW, NARROW_WIDER = crowded(FABRIC), crowded(WIDER)


def test_with_a_floor_steps_are_as_large_as_it_allows() -> None:
    free = plan_of(NARROW, NARROW_WIDER)
    today = free.now["all_to_all"].value or 0.0
    half = plan_of(NARROW, NARROW_WIDER, all_to_all=today * 0.2)
    most = plan_of(NARROW, NARROW_WIDER, all_to_all=today * 0.8)
    assert half.holds
    assert most.holds
    assert len(half.steps) < len(most.steps)
    lowest = [step.lowest["all_to_all"].value or 0.0 for step in most.steps]
    assert min(lowest) >= today * 0.8 * (1 - 1e-9)
    beyond = plan_of(NARROW, NARROW_WIDER, all_to_all=today * 2)
    assert not beyond.holds
    assert "below the floor" in change_table(beyond).head[-1].text


def test_gpus_that_leave_are_counted() -> None:
    less = FABRIC.replace("su: 2", "su: 1")
    assert plan_of(FABRIC, less, gpus=64).holds
    short = plan_of(FABRIC, less, gpus=100)
    assert not short.holds
    assert "64 GPUs run in step" in change_table(short).head[-1].text


def test_switches_are_exchanged_a_quarter_at_once() -> None:
    old = FABRIC.replace("spine: {part: qm9700, count: 8}", "spine: {part: qm9790, count: 8}")
    plan = plan_of(old, FABRIC)
    assert [count(step, "replace") for step in plan.steps] == [2, 2, 2, 2]
    assert plan.unknown == ()
    # two of eight spines are out meanwhile, as if they were absent; both parts have the same ports
    out = analysed(FABRIC + "absent: ['spine[spine=0..1]']\n")
    for step in plan.steps:
        assert values(step.meanwhile or {}) == pytest.approx(out)
        assert values(step.after) == pytest.approx(analysed(FABRIC))


def test_leaves_are_exchanged_with_the_nodes_at_their_other_rails() -> None:
    old = FABRIC.replace("leaf: {part: qm9700", "leaf: {part: qm9790")
    plan = plan_of(old, FABRIC)
    assert plan.unknown == ()
    assert sum(count(step, "replace") for step in plan.steps) == 16
    assert [step.gpus_meanwhile for step in plan.steps] == [128] * len(plan.steps)
    assert values(plan.steps[-1].after) == pytest.approx(analysed(FABRIC))
    for step in plan.steps:
        assert (step.lowest["all_to_all"].value or 0.0) < (plan.now["all_to_all"].value or 0.0)


def test_without_a_lock_there_is_no_change_order() -> None:
    with pytest.raises(LockError, match="no lock"):
        change_to(evaluated(FABRIC))


def test_the_forms_have_every_act() -> None:
    plan = plan_of(FABRIC, WIDER)
    lines = change_csv(plan).splitlines()
    assert lines[0] == "Step,Act,Label,From,To,Part,Length-m,Stays"
    assert len(lines) - 1 == len(plan.acts)
    move = next(line.split(",") for line in lines if ",move," in line)
    was = {one.label: one for one in plan.before.cables}[move[2]]
    assert move[3] == f"{was.z} {was.z_port}"
    assert move[7] == f"{was.a} {was.a_port}"
    data = change_as_data(plan)
    assert [len(step["acts"]) for step in data["steps"]] == [len(s.acts) for s in plan.steps]
    assert len(change_table(plan).rows) == len(plan.steps)


def test_a_design_with_more_cables_than_ports_has_no_change_order() -> None:
    with pytest.raises(EditError, match=r"spine: .*64 ports.*mend this first"):
        plan_of(FABRIC, OVERFULL)
    with pytest.raises(EditError, match=r"spine: .*64 ports.*mend this first"):
        begun_at(evaluated(FABRIC), "before", evaluated(OVERFULL))
