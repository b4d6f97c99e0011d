"""Words that engineers type find what they mean: actions, templates, parts, findings."""

from __future__ import annotations

from functools import cache

import pytest

from toposmith.catalog import load_catalog
from toposmith.catalog.search import find_parts
from toposmith.findings.codes import RECORDS
from toposmith.search_words import MEANS, found, nearest, rank
from toposmith.templates import TEMPLATES
from toposmith.tui.actions.every_action import actions_of

ACTIONS = {
    "bandwidth": "curve",
    "bom": "bill",
    "clos": "template",
    "fat tree": "template",
    "bottleneck": "fixes",
    "break": "fail",
    "budget": "bill",
    "cheaper": "fixes",
    "connect": "wire",
    "cost": "bill",
    "disconnect": "delete",
    "dpu": "fit",
    "ecmp": "measure",
    "elevation": "racks",
    "expand": "change",
    "generate": "fabrics",
    "grow": "change",
    "hca": "fit",
    "improve": "fixes",
    "inventory": "as_built",
    "llm": "workload",
    "model": "workload",
    "nccl-tests": "measured",
    "outage": "failures",
    "oversubscription": "edit",
    "pods": "reshape",
    "power": "racks",
    "price": "bill",
    "rails": "reshape",
    "remove": "delete",
    "resilience": "failures",
    "revert": "undo",
    "reviews": "review",
    "saving": "save",
    "routing": "measure",
    "sharp": "measure",
    "single point of failure": "failures",
    "taper": "edit",
    "throughput": "curve",
    "train": "workload",
    "unwire": "delete",
    "wiring": "wire",
    "upgrade": "change",
    "versions": "history",
    "zoom": "whole",
}
"""What is typed, and the action that has to be among the first three."""

SHAPES = {
    "clos": "leaf-spine",
    "dragonfly": "dragonfly",
    "fat-tree": "leaf-spine",
    "fat tree": "leaf-spine",
    "leaf spine": "leaf-spine",
    "mesh": "torus",
    "nvl72": "nvlink-racks",
    "nvlink": "nvlink-racks",
    "planes": "dual-plane",
    "rail": "leaf-spine",
    "spine-leaf": "leaf-spine",
    "switch": "single-switch",
    "three tier": "three-tier",
    "top of rack": "top-of-rack",
    "tor": "top-of-rack",
    "torus": "torus",
    "two tier": "leaf-spine",
}
"""What is typed, and the template that has to be among the first two."""

PARTS = {
    "accelerator": "gpu",
    "adapter": "nic",
    "aoc": "cable",
    "dac": "cable",
    "fiber": "fibre",
    "hca": "nic",
    "optics": "transceiver",
    "roce": "nic",
    "router": "switch",
    "server": "node",
}
"""What is typed, and the kind of part that comes first, or with the fibres."""


@pytest.mark.parametrize(("typed", "meant"), ACTIONS.items())
def test_an_action_is_found_by_what_engineers_call_it(typed: str, meant: str) -> None:
    first = found(
        actions_of("designer"), typed, lambda one: one.palette_title, lambda one: one.help
    )
    assert meant in [one.id for one in first[:3]]


@pytest.mark.parametrize(
    ("typed", "meant"), [("bandwidth", "curve"), ("price", "bill"), ("clos", "template")]
)
def test_what_is_typed_most_finds_what_is_meant_first(typed: str, meant: str) -> None:
    first = found(
        actions_of("designer"), typed, lambda one: one.palette_title, lambda one: one.help
    )
    assert first[0].id == meant


@pytest.mark.parametrize(("typed", "meant"), SHAPES.items())
def test_a_template_is_found_by_what_engineers_call_it(typed: str, meant: str) -> None:
    first = found(TEMPLATES.values(), typed, lambda one: one.name, lambda one: one.help)
    assert meant in [one.name for one in first[:2]]


@pytest.mark.parametrize(("typed", "kind"), PARTS.items())
def test_a_part_is_found_by_what_engineers_call_it(typed: str, kind: str) -> None:
    assert kind in [part.kind for part in find_parts(parts(), typed)][:12]


@cache
def parts() -> list:
    return list(load_catalog())


@pytest.mark.parametrize("typed", ["taper", "rail", "cable", "price"])
def test_a_finding_is_found_by_its_words(typed: str) -> None:
    assert found(RECORDS.values(), typed, lambda one: one.title, lambda one: one.meaning)


def test_whole_words_come_before_what_lies_within_one_and_letters_last() -> None:
    names = ["Retheme", "Choose a Theme", "Colours", "The leaf me"]
    assert found(names, "theme", str, lambda _: "") == ["Choose a Theme", "Colours", "Retheme"]
    assert found(names, "clrs", str, lambda _: "") == ["Colours"]
    assert rank("zz", "Colours") is None


@pytest.mark.parametrize(
    ("typed", "near"),
    [("dragonfyl", "dragonfly"), ("bandwith", "bandwidth"), ("spnie", "spine"), ("qqq", "")],
)
def test_a_word_that_nothing_has_is_answered_with_the_nearest(typed: str, near: str) -> None:
    said = nearest(typed, ["leaf-spine", "dragonfly"])
    assert said == (f"; did you mean {near}?" if near else "")


def test_every_other_word_means_something_that_is_there() -> None:
    texts = [f"{one.palette_title} {one.help} Colours: theme" for one in actions_of("designer")]
    texts += [f"{one.name} {one.help}" for one in TEMPLATES.values()]
    texts += [f"{part.name} {part.kind} fibre" for part in parts()]
    texts += [f"{one.title} {one.meaning}" for one in RECORDS.values()]
    for word, meanings in MEANS.items():
        assert any(one in text.lower() for one in meanings for text in texts), word
