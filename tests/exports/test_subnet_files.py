"""InfiniBand cables as ibsim and ibnetdiscover have them, and back again."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from bench.subnets import PRELOAD, bring_up
from tests.as_built.fabrics import compared, design, design_of, dump_of, plan_of, text_of
from toposmith.errors import ToposmithError
from toposmith.exports.neighbours.infiniband import port_number

SAVED = ("dgx-a100-su", "dgx-h100-superpod-1su", "dgx-h100-superpod-4su")
THREE_TIERS = """toposmith: 1
axes: {pod: 2, su: 2, rail: 8, plane: 4}
groups:
  node: {part: dgx-h100, per: [pod, su], count: 4}
  leaf: {part: qm9700, per: [pod, su, rail]}
  spine: {part: qm9700, per: [pod, plane]}
  core: {part: qm9700, per: [plane], count: 2}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine]}
  - {between: [spine, core], cables: 8}
"""
RAILS_APART = """toposmith: 1
axes: {rail: 8}
groups:
  node: {part: dgx-h100, count: 4}
  leaf: {part: qm9700, per: [rail]}
links:
  - {between: [node.compute, leaf]}
"""


@pytest.mark.parametrize(
    "place,breakout,native,split,number",
    [
        (0, 2, 2, False, 1),
        (1, 2, 2, False, 2),
        (63, 2, 2, False, 64),  # QM9700: 32 cages of two, 64 ports
        (16, 1, 1, False, 17),  # QM8700: 40 cages of one
        (32, 2, 1, True, 33),  # cage 17 split, its first half
        (79, 2, 1, True, 80),  # QM8700 split: 80 ports
        (16, 1, 1, True, 33),  # cage 17 whole on a switch that splits others
        (127, 4, 2, True, 128),  # QM9700 split: 128 ports
    ],
)
def test_ports_count_as_a_subnet_manager_counts_them(
    place: int, breakout: int, native: int, split: bool, number: int
) -> None:
    assert port_number(place, breakout, native, split=split) == number


def test_every_link_stands_at_both_its_ends_and_no_port_twice() -> None:
    lines = text_of(design("dgx-h100-superpod-1su"), "ibsim").splitlines()
    here, links = "", set()
    for line in lines:
        if line.startswith(("Switch", "Hca")):
            here = line.split('"')[1]
        elif line.startswith("["):
            own, peer, far = line[1:].partition("]")[0], line.split('"')[1], line.rsplit("[", 1)[1]
            assert (here, own) not in {end for end, _ in links}
            links.add(((here, own), (peer, far.rstrip("]"))))
    assert len(links) == 2 * 504
    assert {(z, a) for a, z in links} == links


def test_a_fabric_of_ethernet_has_none() -> None:
    with pytest.raises(ToposmithError, match="no InfiniBand cables"):
        text_of(design("hgx-a100-64gpu-roce-2to1"), "ibsim")


def random_design(seed: int) -> str:
    """A leaf-spine of InfiniBand with axes, cables and switches drawn at random."""
    draw = random.Random(seed)
    rails, units = draw.choice([1, 2, 4, 8]), draw.choice([1, 2, 3])
    node, leaf = draw.choice([("dgx-h100", "qm9700"), ("dgx-a100", "qm8700")])
    nodes, spines, cables = draw.randint(2, 8), draw.randint(1, 4), draw.randint(1, 3)
    return f"""\
toposmith: 1
axes: {{su: {units}, rail: {rails}}}
groups:
  node: {{part: {node}, per: [su], count: {nodes}}}
  leaf: {{part: {leaf}, per: [su, rail]}}
  spine: {{part: {leaf}, count: {spines}}}
links:
  - {{between: [node.compute, leaf], cables: {8 // rails}}}
  - {{between: [leaf, spine], cables: {cables}}}
"""


@pytest.mark.parametrize("seed", range(15))
def test_random_fabrics_come_back_without_a_difference(seed: int) -> None:
    one = design_of(random_design(seed))
    plan = plan_of(one)
    assert plan.cables
    for form in ("ibsim", "ibnetdiscover"):
        found = compared(plan, dump_of(text_of(one, form)))
        assert found.same and found.agree == found.planned == len(plan.cables)


@pytest.mark.slow
@pytest.mark.skipif(
    not all(shutil.which(tool) for tool in ("ibsim", "opensm", "ibnetdiscover"))
    or not PRELOAD.exists(),
    reason="needs ibsim, OpenSM and ibnetdiscover (Debian: ibsim-utils, opensm, infiniband-diags)",
)
@pytest.mark.parametrize("name", [*SAVED, "three tiers", "rails apart"])
def test_a_simulated_fabric_comes_back_without_a_difference(name: str, tmp_path: Path) -> None:
    texts = {"three tiers": THREE_TIERS, "rails apart": RAILS_APART}
    one = design_of(texts[name]) if name in texts else design(name)
    found = bring_up(one, tmp_path)
    assert found.is_up and found.is_fat_tree == (name != "rails apart")  # lone switches are no tree
    assert found.subnets == (8 if name == "rails apart" else 1)
    assert found.same and found.agree == len(plan_of(one).cables)
