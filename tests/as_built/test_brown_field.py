"""A design from a dump alone: the rule, what breaks it, and what cannot be told."""

from __future__ import annotations

import random
import re

import pytest

from tests.as_built.fabrics import (
    TAPERED,
    compared,
    design,
    design_of,
    dump_of,
    ends_of,
    plan_of,
    renamed,
    rewired,
    sheet_of,
    swapped,
    text_of,
)
from tests.as_built.test_real_dumps import cabling
from toposmith.as_built.brown_field import design_from
from toposmith.as_built.cable_list import UnreadableError
from toposmith.as_built.survey import compare_with_design
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.design.writer import design_text
from toposmith.evaluation import EvaluatedDesign

H100 = {"node": "dgx-h100", "leaf": "qm9700", "spine": "qm9700"}
TOP_OF_RACK = """\
toposmith: 1
axes: {pod: 5}
groups:
  node: {part: dgx-h100, per: [pod], count: 6}
  leaf: {part: qm9700, per: [pod]}
  spine: {part: qm9700, count: 3}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 4}
"""
RAIL_ONLY = """\
toposmith: 1
axes: {su: 3, rail: 8}
groups:
  node: {part: dgx-h100, per: [su], count: 4}
  leaf: {part: qm9700, per: [su, rail]}
  spine: {part: qm9700, per: [rail], count: 2}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 2}
"""
ODD_NODE_OUT = TAPERED.replace("links:", "absent: ['node[node=3]']\nlinks:")


@pytest.mark.parametrize(
    ("text", "axes"),
    [
        (TAPERED, {"rail": 8}),
        (TOP_OF_RACK, {"rack": 5}),
        (RAIL_ONLY, {"su": 3, "rail": 8}),
        (ODD_NODE_OUT, {"rail": 8}),
    ],
)
def test_axes_groups_and_counts_are_those_that_were_built(text: str, axes: dict[str, int]) -> None:
    """Names that count nothing are as good as any: pods and rails show in the wiring."""
    one = design_of(text)
    for dump in (text_of(one), renamed(text_of(one))):
        made = design_from(dump_of(dump), H100, one.catalog)
        assert dict(made.design.axes) == axes
        assert not made.unexplained and not made.design.cables
        found = EvaluatedDesign(made.design, one.catalog)
        assert found.analysis.gpus == one.analysis.gpus
        assert found.prediction.busbw.value == pytest.approx(one.prediction.busbw.value)
        assert sorted(link.cables_per_pair for link in found.plan.links) == sorted(
            link.cables_per_pair for link in one.plan.links
        )


def test_four_su_come_back_as_they_were_saved() -> None:
    one = design("dgx-h100-superpod-4su")
    made = design_from(dump_of(text_of(one)), H100, one.catalog)
    assert dict(made.design.axes) == {"su": 4, "rail": 8}
    assert {name: group.count for name, group in made.design.groups.items()} == {
        "node": 32, "leaf": 1, "spine": 16
    }  # fmt: skip
    assert made.design.absent == ("node[su=3,node=31]",)


def test_a_fabric_that_runs_at_half_of_what_its_parts_can_is_drawn_so() -> None:
    one = design_of(TOP_OF_RACK.replace("[node.compute, leaf]", "[node.compute, leaf], speed: 200")
                    .replace("cables: 4", "cables: 4, speed: 200"))  # fmt: skip
    cables = [(each.a, each.z, each.speed_gbit) for each in plan_of(one).cables]
    made = design_from(dump_of(sheet_of(cables)), H100, one.catalog)
    found = EvaluatedDesign(made.design, one.catalog)
    assert [link.speed_gbit for link in found.plan.links] == [200, 200]
    assert found.prediction.busbw.value == pytest.approx(one.prediction.busbw.value)


@pytest.mark.parametrize(
    "name", ["a100-rack-1x100gbe", "dgx-a100-su", "dgx-h100-superpod-1su",
             "hgx-a100-64gpu-roce-2to1"]
)  # fmt: skip
def test_a_schedule_of_cables_gives_the_figures_of_the_design_that_it_is_of(name: str) -> None:
    """Ports have the labels of the parts: rails stand in the order of the ports that they are."""
    one = design(name)
    cables = [(each.a, each.z, each.speed_gbit) for each in plan_of(one).cables]
    (node,) = [group for group in one.plan.groups.values() if group.node]
    switches = [group.spec.part for group in one.plan.groups.values() if group.switch]
    parts = dict(zip(("leaf", "spine"), switches, strict=False)) | {"node": node.spec.part}
    if node.spec.nics:
        parts["nic"] = node.spec.nics["compute"].part
    made = design_from(dump_of(sheet_of(cables)), parts, one.catalog)
    found = EvaluatedDesign(made.design, one.catalog)
    assert not made.unexplained and not made.design.cables
    assert found.analysis.gpus == one.analysis.gpus
    assert found.prediction.busbw.value == pytest.approx(one.prediction.busbw.value)


@pytest.mark.parametrize("seed", range(3))
def test_what_does_not_fit_is_listed_and_the_file_reads_back(seed: int) -> None:
    one = design_of(TAPERED)
    draw = random.Random(seed)
    dump = dump_of(text_of(one))
    nodes = {key for key, each in dump.devices.items() if each.kind == "host"}
    ends = ends_of(dump)
    at_nodes = [each for each in ends if {each[0].device, each[1].device} & nodes]
    rest = [each for each in ends if each not in at_nodes]
    swapped(at_nodes, draw)
    for _ in range(2):
        rest.pop(draw.randrange(len(rest)))
    made = design_from(rewired(dump, at_nodes + rest), H100, one.catalog)
    assert made.design.cables or made.design.absent
    assert not made.unexplained
    again = parse_design(design_text(made.design), "again.yaml")
    assert again == made.design
    listed = sum(int(re.match(r"(\d+) of", text)[1]) for text in made.design.absent)
    assert listed == 2


def test_the_2014_dump_is_six_racks_with_one_uplink_short() -> None:
    """Hosts that sit on a switch of the upper tier are left out, and said."""
    made = design_from(cabling("loginoff/loginoff-fdr-qdr-2014.topo"), H100, load_catalog())
    assert dict(made.design.axes) == {"rack": 6}
    assert made.design.groups["spine"].count == 2
    assert [text for text in made.design.absent if text.startswith("1 of leaf")]
    said = " ".join(made.notes)
    assert "tank1" in said and "tank2" in said


_NODE = {"node": "dgx-1-v100", "leaf": "sb7800", "spine": "sb7800"}


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("made/su1-ibnetdiscover.out", H100),
        ("made/su1-faults-ibnetdiscover.out", H100),
        ("made/su1-faults-iblinkinfo.out", H100),
        ("loginoff/loginoff-fdr-qdr-2014.topo", _NODE),
        ("ibtopotool/ibtopotool-2.topo", _NODE),
        ("ibtopotool/ibtopotool-4.topo", _NODE),
    ],
)
def test_a_dump_does_not_differ_from_the_design_made_of_it_even_without_a_map(
    name: str, parts: dict[str, str]
) -> None:
    dump, catalog = cabling(name), load_catalog()
    hosts = sum(device.kind == "host" for device in dump.devices.values())
    if hosts < 10:
        parts = {group: part for group, part in parts.items() if group != "spine"}
    made = EvaluatedDesign(design_from(dump, parts, catalog).design, catalog)
    found = compare_with_design(made, plan_of(made), dump)
    assert [one.kind for one in found.differences if one.kind != "outside"] == []
    assert found.agree == found.planned and found.moves == found.add == found.remove == 0


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({}, "Say --part node=PART"),
        ({"node": "dgx-h100"}, "Say --part leaf=PART"),
        ({**H100, "core": "qm9700"}, "the dump has node, leaf, spine"),
        ({**H100, "leaf": "dgx-h100"}, "--part leaf=dgx-h100: is a node"),
        ({**H100, "spine": "nothing"}, "there is no part 'nothing'"),
        ({**H100, "node": "hgx-h100-8"}, "these parts do not go together"),
    ],
)
def test_parts_that_lack_or_do_not_fit_are_asked_for(parts: dict[str, str], words: str) -> None:
    one = design_of(TAPERED)
    with pytest.raises(UnreadableError, match=re.escape(words)):
        design_from(dump_of(text_of(one)), parts, one.catalog)


def test_a_dump_without_any_name_is_refused_rather_than_guessed() -> None:
    text = re.sub(r'"node-\d+ mlx5_\d"', '"MT4129 ConnectX7   Mellanox Technologies"',
                  text_of(design_of(TAPERED)))  # fmt: skip
    with pytest.raises(UnreadableError, match="no host in it has a name of its own"):
        design_from(dump_of(text), H100, load_catalog())


def test_a_torus_is_refused_as_no_rule_of_leaves_and_spines_explains_it() -> None:
    one = design("torus-4x4x4-h100")
    dump = dump_of(sheet_of([(each.a, each.z, each.speed_gbit) for each in plan_of(one).cables]))
    parts = {"node": "dgx-h100", "leaf": "qm9700"}
    with pytest.raises(UnreadableError, match="no rule shows"):
        design_from(dump, parts, one.catalog)


def test_the_dump_that_a_design_was_made_of_does_not_differ_from_it() -> None:
    one = design_of(RAIL_ONLY)
    dump = dump_of(text_of(one))
    made = design_from(dump, H100, one.catalog)
    again = compared(plan_of(EvaluatedDesign(made.design, one.catalog)), dump_of(text_of(one)))
    assert not any(each.harmful for each in again.differences)


@pytest.mark.parametrize("text", [TAPERED, RAIL_ONLY])
@pytest.mark.parametrize("crossed", [(0, 1), (2, 7), (5, 7)])
def test_crossed_rails_of_a_host_stand_in_the_design_under_the_names_of_the_dump(
    text: str, crossed: tuple[int, int]
) -> None:
    one, (a, b) = design_of(text), crossed
    host = next(iter(re.findall(r'"(node-\S*) mlx5_0"', text_of(one))))
    other = {f"{host} mlx5_{a}": f"{host} mlx5_{b}", f"{host} mlx5_{b}": f"{host} mlx5_{a}"}
    dump = re.sub(rf"{host} mlx5_\d+", lambda found: other.get(found[0], found[0]), text_of(one))
    made = EvaluatedDesign(design_from(dump_of(dump), H100, one.catalog).design, one.catalog)
    assert len(made.design.cables) == 2
    again = compared(plan_of(made), dump_of(dump))
    assert [each.instruction for each in again.differences if each.harmful] == []
