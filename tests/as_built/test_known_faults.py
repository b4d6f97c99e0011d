"""The fabric as built, held against the dump that it was made of: nothing is left to say."""

from __future__ import annotations

import random

import pytest

from tests.as_built.fabrics import (
    TAPERED,
    compared,
    design,
    design_of,
    dump_of,
    ends_of,
    plan_of,
    rewired,
    swapped,
    tapered_dumps,
    text_of,
)
from tests.as_built.planted_faults import FABRICS, FAULTS, fabric
from toposmith.as_built.cable_list import Cabling
from toposmith.as_built.cabling_comparison import CablingComparison
from toposmith.as_built.corrections import TWO_NODES
from toposmith.as_built.costs import as_built_design
from toposmith.as_built.survey import compare_with_design
from toposmith.evaluation import EvaluatedDesign


def _again(one: EvaluatedDesign, dump: Cabling, text: str = "") -> CablingComparison:
    """The dump against the design made of it; another dump where its text is given."""
    built, correction = as_built_design(one, compared(plan_of(one), dump))
    if correction.left_out:
        assert {why for _, why in correction.left_out} == {TWO_NODES}
        pytest.skip("nodes are cabled to each other, which a design cannot say")
    evaluated = EvaluatedDesign(built, one.catalog)
    return compare_with_design(evaluated, plan_of(evaluated), dump_of(text) if text else dump)


@pytest.mark.parametrize(
    ("name", "fault"), list(zip([*FABRICS, *FABRICS, *FABRICS], FAULTS, strict=False))
)
def test_a_design_as_built_with_a_fault_that_people_make_works_as_its_dump(
    name: str, fault: str
) -> None:
    """Every fault on one of six fabrics; names that are exchanged are no part of a design."""
    whole = fabric(name)
    planted = FAULTS[fault](whole, random.Random(fault))
    found = _again(FABRICS[name](), whole.as_drivers_say(planted.ends))
    assert found.same and found.planned == found.found == len(planted.ends)
    assert all(one.details for one in found.differences)


@pytest.mark.parametrize("name", ["faults", "later"])
def test_a_design_as_built_does_not_differ_from_its_dump(name: str) -> None:
    found = _again(design_of(TAPERED), dump_of(tapered_dumps()[name]))
    assert found.differences == []
    assert found.agree == found.planned == found.found
    assert any("as slow as the design says" in note for note in found.notes)


@pytest.mark.parametrize("seed", range(6))
def test_nor_does_one_with_random_faults_between_switches_and_at_hosts(seed: int) -> None:
    one = design("dgx-h100-superpod-1su")
    dump = dump_of(text_of(one))
    draw = random.Random(seed)
    ends = ends_of(dump)
    for _ in range(3):
        swapped(ends, draw)
    for _ in range(2):
        ends.pop(draw.randrange(len(ends)))
    built = rewired(dump, ends)
    found = _again(one, built)
    # ports crossed without harm stay as they are: they are no part of a design
    harmless = [each for each in compared(plan_of(one), built).differences if not each.harmful]
    assert not any(each.harmful for each in found.differences)
    assert len(found.differences) <= len(harmless)


def test_what_became_worse_since_is_said_beside_what_the_design_knows() -> None:
    """A further slow cable, and rails crossed again, are no part of the design as built."""
    dumps = tapered_dumps()
    found = _again(design_of(TAPERED), dump_of(dumps["later"]), dumps["faults"])
    assert [one.kind for one in found.differences if one.harmful] == ["swapped", "swapped"]
