"""What was found is a design: its figures are those of that design written by hand."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

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
    sheet_of,
    swapped,
    tapered_dumps,
    text_of,
)
from toposmith.as_built.cable_list import Cabling
from toposmith.as_built.cabling_comparison import CablingComparison
from toposmith.as_built.corrections import (
    TWO_CABLES,
    TWO_NODES,
    Corrections,
    corrected,
    stands_in,
    without_correction,
)
from toposmith.as_built.costs import as_built_design, costs_of
from toposmith.as_built.survey import progress
from toposmith.evaluation import EvaluatedDesign
from toposmith.evaluation.evaluated import COLLECTIVES

ONE, FOUR = "dgx-h100-superpod-1su", "dgx-h100-superpod-4su"
BY_HAND = """\
absent: ["1 of leaf[rail=0,leaf=0] - spine[spine=0]", "2 of leaf[rail=0,leaf=0] - spine[spine=1]"]
slow: {"node[node=5].compute[5]": 100}
cables:
  - {a: "node[node=1].compute[2]", z: "leaf[rail=3,leaf=0]"}
  - {a: "node[node=1].compute[3]", z: "leaf[rail=2,leaf=0]"}
"""


def _graph(cabling: Cabling) -> Counter[frozenset[tuple[str, str]]]:
    """How many cables join which ports of hosts and which switches, by name."""

    def vertex(end: tuple[str, str]) -> tuple[str, str]:
        device = cabling.devices[end[0]]
        return device.name, end[1] if device.kind == "host" else ""

    return Counter(frozenset((vertex(one.a), vertex(one.z))) for one in cabling.cables)


def _tapered(name: str) -> CablingComparison:
    return compared(plan_of(design_of(TAPERED)), dump_of(tapered_dumps()[name]))


@pytest.mark.parametrize("name", [ONE, FOUR])
def test_the_design_as_built_has_the_cables_of_the_dump(name: str) -> None:
    """Held against the dump's own pairs; only a cable from node to node cannot be said."""
    one = design(name)
    dump = dump_of(text_of(one))
    for seed in range(3):
        draw = random.Random(seed)
        ends = ends_of(dump)
        for _ in range(draw.randint(1, 8)):
            swapped(ends, draw)
        for _ in range(draw.randint(0, 4)):
            ends.pop(draw.randrange(len(ends)))
        found = compared(plan_of(one), rewired(dump, ends))
        built, correction = as_built_design(one, found)
        evaluated = EvaluatedDesign(built, one.catalog)
        assert evaluated.plan.findings == one.plan.findings
        assert {why for _, why in correction.left_out} <= {TWO_NODES}
        own = _graph(plan_of(evaluated))
        meant = Counter[frozenset[tuple[str, ...]]]()
        for cable in found.dump.cables:
            pair = [found.match.pairs[end.device] for end in (cable.a, cable.z)]
            hosts = [found.plan.devices[key].kind == "host" for key in pair]
            if not all(hosts) and pair[0] != pair[1]:
                meant[frozenset((found.plan.devices[key].name,) for key in pair)] += 1
        by_device: Counter[frozenset[tuple[str, ...]]] = Counter()
        for both, many in own.items():
            by_device[frozenset((device,) for device, _ in both)] += many
        assert by_device == meant


def test_figures_are_those_of_the_same_faults_written_by_hand() -> None:
    """Absent, cables and slow as a person would write them down from the two lists."""
    one = design_of(TAPERED)
    costs = costs_of(one, _tapered("faults"), COLLECTIVES)
    by_hand = design_of(TAPERED.replace("toposmith: 1", "toposmith: 2") + BY_HAND)
    for collective in COLLECTIVES:
        asked = by_hand.asking(replace(by_hand.asked, collective=collective))
        assert costs.as_built[collective].value == pytest.approx(asked.prediction.busbw.value)
        assert costs.designed[collective].value > costs.as_built[collective].value


def test_a_cable_from_leaf_to_leaf_is_in_the_design_and_in_its_figures() -> None:
    """By hand: 16 GPUs below each leaf, so 256 flows of an all-to-all of 64 GPUs on one cable."""
    text = TAPERED.replace("{rail: 8}", "{su: 4}").replace("[rail]", "[su]")
    text = text.replace("count: 8}", "per: [su], count: 2}").replace("cables: 2", "cables: 8")
    one = design_of(text)
    cables = [(each.a, each.z, each.speed_gbit) for each in plan_of(one).cables]
    up = [
        next(each for each in cables if {each[0].device, each[1].device} == {leaf, "spine-0"})
        for leaf in ("leaf-su1", "leaf-su3")
    ]
    ends = [next(end for end in each[:2] if "leaf" in end.device) for each in up]
    left = [each for each in cables if each not in up]
    found = compared(plan_of(one), dump_of(sheet_of([*left, (ends[0], ends[1], 400.0)])))
    built, correction = as_built_design(one, found)
    assert not correction.left_out and len(built.cables) == 1
    costs = costs_of(one, found, ("all_to_all",))
    line_GBps = 400 / 8 * 0.96  # what a port of 400 Gb/s carries (docs/model.md)
    assert costs.as_built["all_to_all"].value == pytest.approx(line_GBps * 63 / 256, rel=1e-3)
    assert costs.designed["all_to_all"].value > 4 * costs.as_built["all_to_all"].value


def test_a_slow_cable_costs_alone_what_slow_costs_and_gates_its_node() -> None:
    one = design_of(TAPERED)
    found = _tapered("later")
    costs = costs_of(one, found, ("all_reduce",))
    place = next(at for at, each in enumerate(found.differences) if each.kind == "degraded")
    text = TAPERED.replace("toposmith: 1", "toposmith: 2")
    by_hand = design_of(text + 'slow: {"node[node=5].compute[5]": 100}\n')
    lost = costs.designed["all_reduce"].value - by_hand.prediction.busbw.value
    assert costs.lost_GBps(place)["all_reduce"] == pytest.approx(lost)
    assert lost > 0


def test_a_correction_is_taken_back_whole_and_counts_add_up() -> None:
    one, found = design_of(TAPERED), _tapered("faults")
    corrections = Corrections(one.plan, found.plan)
    document = one.design
    held = [corrections.of([each]) for each in found.differences if each.kind == "missing"]
    for correction in held:
        document = corrected(document, correction).design
    assert sum(int(text.split()[0]) for text in document.absent) == 3
    assert all(stands_in(document, correction) for correction in held)
    for correction in held:
        document = without_correction(document, correction)
    assert document == one.design
    assert not stands_in(document, held[0])


def test_two_speeds_between_the_same_two_switches_are_both_said() -> None:
    one = design_of(TAPERED)
    speeds = iter([100.0, 200.0])
    cables = [
        (each.a, each.z, next(speeds, 400.0)
         if {each.a.device, each.z.device} == {"leaf-rail0", "spine-0"} else each.speed_gbit)
        for each in plan_of(one).cables
    ]  # fmt: skip
    found = compared(plan_of(one), dump_of(sheet_of(cables)))
    built, correction = as_built_design(one, found)
    assert sorted(built.slow.values(), key=str) == [100.0, 200.0]
    assert not correction.left_out
    assert EvaluatedDesign(built, one.catalog).plan.findings == one.plan.findings


def test_an_earlier_dump_tells_what_was_done_what_is_open_and_what_is_new() -> None:
    faults, later = _tapered("faults"), _tapered("later")
    done = progress(faults, later)
    assert [one.kind for one in done.done] == ["swapped", "swapped"]
    assert len(done.still) == 4 and not done.new
    back = progress(later, faults)
    assert not back.done and len(back.new) == 2


def test_a_port_that_the_dump_has_two_cables_at_is_said_and_takes_one() -> None:
    one = design_of(TAPERED)
    cables = [(each.a, each.z, each.speed_gbit) for each in plan_of(one).cables]
    a, z, speed = next(each for each in cables if each[0].device == "node-3")
    cables.remove((a, z, speed))
    wrong = [leaf for leaf in ("leaf-rail1", "leaf-rail2", "leaf-rail6") if leaf != z.device][:2]
    cables += [(a, type(z)(leaf, port), speed)
               for leaf, port in zip(wrong, ("31/1", "31/2"), strict=True)]  # fmt: skip
    found = compared(plan_of(one), dump_of(sheet_of(cables)))
    built, correction = as_built_design(one, found)
    assert [why for _, why in correction.left_out] == [TWO_CABLES]
    assert EvaluatedDesign(built, one.catalog).plan.findings == one.plan.findings
