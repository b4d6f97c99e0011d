"""Oversubscription typed as a number: cables and switches above follow."""

from __future__ import annotations

from fractions import Fraction

import pytest

from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file
from toposmith.errors import EditError
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.port_use import port_findings
from toposmith.planned_design import PlannedDesign
from toposmith.saved_designs import saved_path
from toposmith.synthesis.wiring_ways import ratio_of, read_ratio, set_oversubscription

CATALOG = load_catalog()


def planned(name: str) -> PlannedDesign:
    path = saved_path(name)
    assert path is not None
    return PlannedDesign.of(load_file(path).design, CATALOG)


@pytest.mark.parametrize(
    ("ratio", "spines", "cables"),
    [
        # 32 nodes below a leaf: 32, 16 and 8 uplinks; a spine of 64 ports takes 2 from each of 32
        ("1:1", 16, 2),
        ("2:1", 8, 2),
        ("4:1", 4, 2),
        # 11 uplinks at least: 6 spines of 2 are 12
        ("3:1", 6, 2),
    ],
)
def test_spines_follow_the_ratio(ratio: str, spines: int, cables: int) -> None:
    edit = set_oversubscription(planned("dgx-h100-superpod-4su"), 1, read_ratio(ratio))
    assert edit.design.groups["spine"].count == spines
    assert edit.design.links[1].cables == cables
    after = PlannedDesign.of(edit.design, CATALOG)
    assert ratio_of(after, 1) <= read_ratio(ratio)
    assert not port_findings(after.plan)


def test_the_ratio_is_that_of_the_tiers() -> None:
    design = planned("hgx-a100-64gpu-roce-2to1")
    assert ratio_of(design, 1) == 2
    assert ratio_of(design, 0) is None
    tiers = EvaluatedDesign(design.design, CATALOG).oversubscription
    assert tiers == {"leaf": 2.0}


def test_more_uplinks_than_ports_name_the_least_ratio() -> None:
    with pytest.raises(EditError, match="1:1 is the least"):
        set_oversubscription(planned("dgx-h100-superpod-4su"), 1, Fraction(1, 2))


def test_a_link_of_nodes_has_no_oversubscription() -> None:
    with pytest.raises(EditError, match="two tiers"):
        set_oversubscription(planned("dgx-h100-superpod-4su"), 0, Fraction(2))


@pytest.mark.parametrize("text", ["", "0", "-1", "x", "1:0", "nan", "100:1", "1" * 30])
def test_what_is_no_ratio_is_refused(text: str) -> None:
    with pytest.raises(EditError, match="3:1"):
        read_ratio(text)


def test_a_ratio_is_read_with_or_without_its_one() -> None:
    assert read_ratio("3:1") == read_ratio(" 3 ") == 3
    assert read_ratio("1.5") == read_ratio("3:2") == Fraction(3, 2)


def test_a_leaf_of_64_ports_with_61_nodes_has_three_uplinks_and_no_fourth() -> None:
    # the first of them shares a cage of two with the last node
    text = (
        "toposmith: 1\ngroups:\n"
        "  node: {part: hgx-h100-8, count: 61, nics: {compute: {part: connectx-7-ndr, count: 1}}}\n"
        "  leaf: {part: qm9700}\n  spine: {part: qm9700}\n"
        "links:\n  - {between: [node.compute, leaf]}\n  - {between: [leaf, spine]}\n"
    )
    before = PlannedDesign.of(parse_design(text, "test"), CATALOG)
    after = set_oversubscription(before, 1, Fraction(61, 3)).design
    assert (after.groups["spine"].count, after.links[1].cables) == (1, 3)
    assert not port_findings(PlannedDesign.of(after, CATALOG).plan)
    with pytest.raises(EditError, match="4 uplinks of a leaf are more than its 3 free ports"):
        set_oversubscription(before, 1, Fraction(61, 4))
