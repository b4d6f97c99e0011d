"""An evaluated design works each of its parts out once, when it is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.every_design import CATALOG, EVERY
from toposmith import planned_design
from toposmith.analysis.analyse import Answers
from toposmith.bill.terms import CablingPolicy, Terms
from toposmith.errors import ToposmithError
from toposmith.evaluation import COLLECTIVES, EvaluatedDesign, RecentDesigns
from toposmith.exports.cable_schedule.schedule_rows import Schedule
from toposmith.review.findings import collecting

POD = EVERY["dgx-h100-superpod-1su"]


@pytest.fixture
def worked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """How often each part was worked out."""
    counted: Counter[str] = Counter()

    def count(module: object, name: str, label: str) -> None:
        original = getattr(module, name)

        def counting(*args: Any, **kwargs: Any) -> Any:
            counted[label] += 1
            return original(*args, **kwargs)

        monkeypatch.setattr(module, name, counting)

    for name in ("plan_design", "place", "runs", "placed_bill", "elevations", "wire"):
        count(planned_design, name, name)
    count(collecting, "review_findings", "findings")
    count(Answers, "analysis", "analysis")
    yield counted


def test_nothing_is_worked_out_before_it_is_asked_for(worked: Counter[str]) -> None:
    EvaluatedDesign(POD, CATALOG)
    assert not worked


def test_figures_take_no_racks_and_no_bill(worked: Counter[str]) -> None:
    assert EvaluatedDesign(POD, CATALOG).analysis.gpus == 31 * 8
    assert worked == {"plan_design": 1, "analysis": 1}


def test_each_part_is_worked_out_once(worked: Counter[str]) -> None:
    design = EvaluatedDesign(POD, CATALOG, collectives=COLLECTIVES)
    for _ in range(2):
        assert design.findings and design.bill.lines and design.placement.racks
        assert design.elevations and design.schedule.cables and design.all_findings
        assert list(design.analyses) == list(COLLECTIVES)
        assert design.delivered.gpus == design.first.gpus
    assert worked == {
        "plan_design": 1,
        "place": 1,
        "runs": 1,
        "placed_bill": 1,
        "elevations": 1,
        "wire": 1,
        "findings": 1,
        "analysis": 2,  # one for each collective
    }


def test_a_design_is_wired_once_for_terms_that_choose_the_same_cables(
    worked: Counter[str],
) -> None:
    first = EvaluatedDesign(POD, CATALOG)
    signed = replace(first, terms=Terms(signed={"author": "Ann"}), shared=first.planned)
    assert list(first.schedule) == list(signed.schedule)
    assert worked["wire"] == 1
    optical = Terms(policy=CablingPolicy("all-optical"))
    other = replace(first, terms=optical, shared=first.planned)
    assert list(other.schedule) != list(first.schedule)
    alone = Schedule(first.plan, CATALOG, first.placement, optical)
    assert list(other.schedule) == list(alone)
    assert worked["wire"] == 2


def test_another_request_shares_plan_racks_and_bill(worked: Counter[str]) -> None:
    first = EvaluatedDesign(POD, CATALOG)
    other = first.asking(replace(first.asked, message_bytes=1 << 20))
    assert first.findings and other.findings
    assert other.analysis.message_bytes == 1 << 20
    assert worked["plan_design"] == worked["place"] == worked["placed_bill"] == 1
    assert worked["analysis"] == 2


def test_the_same_request_is_answered_once_for_all_who_share_a_plan(worked: Counter[str]) -> None:
    first = EvaluatedDesign(POD, CATALOG)
    assert first.asking(first.asked).analysis is first.analysis
    assert worked["analysis"] == 1


def test_other_terms_make_another_bill_in_the_same_racks(worked: Counter[str]) -> None:
    first = EvaluatedDesign(POD, CATALOG)
    given = replace(first, terms=Terms(lengths="given"), shared=first.planned)
    assert first.bill.lines and given.bill.lines
    assert worked["placed_bill"] == 2
    assert worked["place"] == worked["plan_design"] == 1


def test_what_fails_is_missing_from_figures_and_still_on_the_bill() -> None:
    whole = EvaluatedDesign(POD, CATALOG)
    failed = EvaluatedDesign(POD, CATALOG, failing=("leaf[rail=0]",))
    assert (failed.analysis.busbw_GBps or 0) < (whole.analysis.busbw_GBps or 0)
    assert len(failed.bill.lines) == len(whole.bill.lines)


def test_the_same_design_is_planned_once_for_all_who_ask(worked: Counter[str]) -> None:
    recent = RecentDesigns(most=2)
    again = POD.model_copy()
    assert recent.planned(POD, CATALOG) is recent.planned(again, CATALOG)
    assert worked["plan_design"] == 1
    assert recent.planned(POD, CATALOG, ("leaf[rail=0]",)) is not recent.planned(POD, CATALOG)
    recent.forget()
    recent.planned(POD, CATALOG)
    assert worked["plan_design"] == 3


@pytest.mark.parametrize("name", ["dgx-h100-superpod-4su", "top-of-rack"])
def test_every_part_can_be_had_of_a_saved_design(name: str) -> None:
    design = EvaluatedDesign(EVERY[name], CATALOG, collectives=COLLECTIVES)
    assert design.curve is not None and design.tiers and design.oversubscription
    assert design.worst_oversubscription is not None
    assert design.prediction.busbw_GBps == design.analysis.busbw_GBps
    assert len(design.digest) == 64
    assert design.engine_findings is design.engine_findings
    assert design.price is None and design.currency is None
    if design.design.workload is None:
        with pytest.raises(ToposmithError):
            design.workload  # noqa: B018
