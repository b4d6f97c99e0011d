"""Selectors name instances, ports and cables; what they cannot mean is said in a sentence."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposmith.catalog import load_catalog
from toposmith.design import selectors
from toposmith.design.document import Design, Group, Link
from toposmith.design.selectors import (
    Selection,
    axis_size,
    group_axes,
    parse_selector,
    readable_selector,
)
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()
DESIGN = Design(
    axes={"su": 4, "rail": 8},
    groups={
        "node": Group(part="dgx-h100", per=("su",), count=32),
        "leaf": Group(part="qm9700", per=("su", "rail")),
        "spine": Group(part="qm9700", count=16),
    },
)


@pytest.mark.parametrize(
    ("text", "selection"),
    [
        ("spine", Selection("spine")),
        ("spine[]", Selection("spine")),
        ("node[su=3,node=31]", Selection("node", (("su", 3, 3), ("node", 31, 31)))),
        ("node[su=0..1]", Selection("node", (("su", 0, 1),))),
        (" node [ su = 0 .. 3 , node = 5 ] ", Selection("node", (("su", 0, 3), ("node", 5, 5)))),
        ("node[node=31,su=3]", Selection("node", (("node", 31, 31), ("su", 3, 3)))),
        ("leaf[leaf=0]", Selection("leaf", (("leaf", 0, 0),))),
        (
            "node[su=0,node=2].compute[1]",
            Selection("node", (("su", 0, 0), ("node", 2, 2)), "compute", 1),
        ),
        ("node.storage", Selection("node", (), "storage", None)),
    ],
)
def test_instances_and_ports_are_named_by_their_axes(text: str, selection: Selection) -> None:
    selector = parse_selector(text, DESIGN)
    assert selector.first == selection
    assert not selector.is_cable


def test_a_dash_inside_a_name_is_not_a_cable() -> None:
    design = Design(groups={"leaf-a": Group(part="qm9700")})
    assert parse_selector("leaf-a[leaf-a=0]", design).first.group == "leaf-a"


@pytest.mark.parametrize(
    ("text", "many"),
    [
        ("node", 128),
        ("node[su=3]", 32),
        ("node[su=0..1]", 64),
        ("node[su=0..3,node=0]", 4),
        ("node[su=1..2,node=30..31]", 4),
        ("node[node=31,su=3]", 1),
    ],
)
def test_a_selector_matches_as_many_nodes_of_a_superpod_as_it_says(text: str, many: int) -> None:
    first = parse_selector(text, DESIGN).first
    places = product(range(4), range(32))
    assert sum(first.matches({"su": su, "node": own}) for su, own in places) == many


@given(st.integers(0, 31), st.integers(0, 31), st.integers(0, 31))
def test_both_ends_of_a_range_are_selected(low: int, high: int, at: int) -> None:
    low, high = min(low, high), max(low, high)
    first = parse_selector(f"node[node={low}..{high}]", DESIGN).first
    assert first.matches({"su": 0, "node": at}) == (low <= at <= high)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "'' is not a selector; write it like node[su=3,node=31]"),
        ("node[su=3", "'node[su=3' is not a selector; write it like node[su=3,node=31]"),
        ("node su=3", "'node su=3' is not a selector; write it like node[su=3,node=31]"),
        ("core[core=0]", "'core[core=0]': there is no group 'core' (groups: node, leaf, spine)"),
        ("node[3]", "'node[3]': '3' is not axis=number or axis=first..last"),
        ("node[su=a]", "'node[su=a]': 'su=a' is not axis=number or axis=first..last"),
        ("node[su=-1]", "'node[su=-1]': 'su=-1' is not axis=number or axis=first..last"),
        ("node[rail=0]", "'node[rail=0]': node has no axis 'rail' (its axes: su, node)"),
        ("node[su=4]", "'node[su=4]': su runs from 0 to 3, found 'su=4'"),
        ("node[node=30..32]", "'node[node=30..32]': node runs from 0 to 31, found 'node=30..32'"),
        ("node[su=2..1]", "'node[su=2..1]': su runs from 0 to 3, found 'su=2..1'"),
        ("leaf - spine - node", "'leaf - spine - node' names more than two ends; a cable has two"),
        (
            "node.compute[0] - leaf",
            "'node.compute[0] - leaf': name the two devices of a cable, without their ports",
        ),
    ],
)
def test_what_a_selector_cannot_mean_is_said(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
        parse_selector(text, DESIGN)


def test_a_group_has_the_axes_it_repeats_over_and_its_own_last() -> None:
    assert group_axes(DESIGN, "leaf") == ("su", "rail", "leaf")
    assert group_axes(DESIGN, "spine") == ("spine",)
    assert [axis_size(DESIGN, axis) for axis in ("su", "rail", "node", "leaf", "spine")] == [
        *(4, 8, 32, 1, 16)
    ]


def test_some_of_the_cables_between_two_devices() -> None:
    design = Design(
        groups={"leaf": Group(part="x", count=4), "spine": Group(part="x", count=2)},
        links=(Link(between=("leaf", "spine"), cables=4),),
    )
    found = parse_selector("2 of leaf[leaf=1] - spine", design)
    assert found.cables == 2
    assert found.first.ranges == (("leaf", 1, 1),)
    assert parse_selector("leaf[leaf=1] - spine", design).cables is None
    for wrong in ("1 of leaf", "0 of leaf - spine", "1 of"):
        with pytest.raises(ValueError):
            parse_selector(wrong, design)


def test_each_selector_is_read_once_however_often_its_design_is_planned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    once = selectors._selector

    def counted(text: str, design: Design) -> selectors.Selector:
        read.append(text)
        return once(text, design)

    monkeypatch.setattr(selectors, "_selector", counted)
    texts = tuple(f"node[nix={n}] - leaf[rail={n % 8}]" for n in range(300))
    design = DESIGN.model_copy(update={"groups": dict(DESIGN.groups), "down": texts})
    for cables in (1, 2, 3):
        link = Link(between=("leaf", "spine"), cables=cables)
        plan = plan_design(design.model_copy(update={"links": (link,)}), CATALOG)
        assert sum(one.code == "bad-selector" for one in plan.findings) == len(texts)
    assert sorted(read) == sorted(texts)


def test_what_is_remembered_of_a_selector_is_not_said_of_other_axes() -> None:
    wider = DESIGN.model_copy(update={"axes": {**DESIGN.axes, "su": 9}})
    assert readable_selector("leaf[su=5]", DESIGN) is None
    assert parse_selector("leaf[su=5]", wider).first.ranges == (("su", 5, 5),)
    with pytest.raises(ValueError, match="su runs from 0 to 3"):
        parse_selector("leaf[su=5]", DESIGN)
    fewer = DESIGN.model_copy(update={"groups": {"leaf": DESIGN.groups["leaf"]}})
    assert readable_selector("spine", DESIGN) is not None
    assert readable_selector("spine", fewer) is None
