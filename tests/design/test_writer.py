from __future__ import annotations

import math
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from toposmith.design.document import (
    BillBlock,
    Design,
    FittedNics,
    Group,
    Link,
    SpareRates,
)
from toposmith.design.parser import parse_design
from toposmith.design.writer import design_text
from toposmith.errors import DesignFileError, SaveError

names = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,6}", fullmatch=True)
signs = st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\t")
TRICKY = """
1:2 no 0123 1e3 true null ~ y on 2026-01-31 a:b a#b - ? << 0x1F 'a' "b" {a} [a] *a &a !a %a @a `a
|a >a a: #a --- ... .inf = 1_000 node[su=0,node=2].compute[1]
"""
tricky = st.sampled_from(TRICKY.split())
texts = st.one_of(
    tricky,
    st.text(signs, max_size=12),
    st.lists(st.text(signs, max_size=9), max_size=4).map("\n".join),
)
numbers = st.one_of(
    st.integers(-(10**20), 10**20), st.floats(allow_nan=False, allow_infinity=False)
)
free_data = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(texts, below, max_size=3)),
    max_leaves=6,
)
free_blocks = st.none() | st.dictionaries(texts, free_data, max_size=3)


bills = st.builds(
    BillBlock,
    cabling=st.sampled_from([None, "cheapest", "copper-within-rack"]),
    spares=st.builds(SpareRates, cables=st.sampled_from([None, 3, "2 %", "0.5%"])),
    currency=st.sampled_from([None, "NOK"]),
)


@st.composite
def designs(draw: st.DrawFn) -> Design:
    all_names = draw(st.lists(names, unique=True, max_size=7))
    cut = draw(st.integers(0, len(all_names)))
    axes, groups = all_names[:cut], all_names[cut:]
    subsets = st.lists(st.sampled_from(axes), unique=True) if axes else st.just([])
    fitted = st.builds(FittedNics, part=texts, count=st.integers(0, 64))
    group = st.builds(
        Group,
        part=texts,
        per=subsets.map(tuple),
        count=st.integers(1, 1000),
        nics=st.dictionaries(names, fitted, max_size=2),
        note=st.none() | texts,
    )
    links: Any = st.just(())
    if len(groups) > 1:
        pairs = st.lists(st.sampled_from(groups), min_size=2, max_size=2, unique=True)
        link = st.builds(
            Link,
            between=pairs.map(lambda pair: (pair[0], f"{pair[1]}.ports")),
            cables=st.none() | st.integers(1, 9),
            speed=st.none() | st.sampled_from([100, 400]),
            length=st.none() | st.floats(0.5, 10_000),
            note=st.none() | texts,
        )
        links = st.lists(link, max_size=3).map(tuple)
    return Design(
        name=draw(texts),
        note=draw(st.none() | texts),
        axes={axis: draw(st.integers(1, 1000)) for axis in axes},
        groups={name: draw(group) for name in groups},
        links=draw(links),
        absent=tuple(draw(st.lists(texts, max_size=3))),
        down=tuple(draw(st.lists(tricky, max_size=3))),
        communicator=draw(free_blocks),
        bill=draw(st.none() | bills),
        view=draw(free_blocks),
    )


@settings(max_examples=100, deadline=None)
@given(designs())
def test_what_is_written_reads_back_equal_and_is_written_the_same_again(design: Design) -> None:
    text = design_text(design)
    again = parse_design(text, "f")
    assert again == design
    assert design_text(again) == text
    assert design_text(again, text) == text


@settings(max_examples=40, deadline=None)
@given(designs(), designs())
def test_any_design_can_be_saved_over_any_other(old: Design, new: Design) -> None:
    text = design_text(new, design_text(old))
    assert parse_design(text, "f") == new
    assert design_text(new, text) == text


class Yaml11(yaml.SafeLoader):
    pass


@settings(max_examples=100, deadline=None)
@given(texts)
def test_readers_of_yaml_1_1_see_the_same_text(text: str) -> None:
    written = design_text(Design(name=text, absent=(text,), view={text or "a": text}))
    read = yaml.load(written, Loader=Yaml11)
    assert read["name"] == text
    assert read["absent"] == [text]
    assert read["view"] == {text or "a": text}


def test_groups_and_links_stand_on_one_line_each() -> None:
    design = Design(
        name="DGX H100 SuperPOD, 4 SU",
        axes={"su": 4, "rail": 8},
        groups={
            "node": Group(part="dgx-h100", per=("su",), count=32),
            "leaf": Group(part="qm9700", per=("su", "rail"), note="a long note, " * 12 + "indeed"),
        },
        links=(
            Link(between=("node.compute", "leaf")),
            Link(between=("leaf", "node.storage"), cables=2, length=7.5),
        ),
        absent=("node[su=3,node=31]",),
    )
    assert design_text(design) == (
        "toposmith: 1\n"
        "name: DGX H100 SuperPOD, 4 SU\n"
        "axes: {su: 4, rail: 8}\n"
        "groups:\n"
        "  node: {part: dgx-h100, per: [su], count: 32}\n"
        f"  leaf: {{part: qm9700, per: [su, rail], note: '{'a long note, ' * 12}indeed'}}\n"
        "links:\n"
        "  - {between: [node.compute, leaf]}\n"
        "  - {between: [leaf, node.storage], cables: 2, length: 7.5}\n"
        "absent: ['node[su=3,node=31]']\n"
    )


def test_long_lists_and_free_blocks_are_broken_into_lines() -> None:
    design = Design(
        down=tuple(f"leaf[su={n}]" for n in range(12)),
        view={"positions": {f"group-{n}": [n, n] for n in range(12)}, "folded": ["a"]},
    )
    lines = design_text(design).splitlines()
    assert lines[2:4] == ["down:", "  - 'leaf[su=0]'"]
    assert lines[15:18] == ["view:", "  positions:", "    group-0: [0, 0]"]
    assert lines[-1] == "  folded: [a]"


@pytest.mark.parametrize(
    "value", [math.inf, math.nan, 10**40, "\x1b[2J", "\r", "\ud800"], ids=ascii
)
def test_what_a_file_can_not_say_is_not_saved(value: Any) -> None:
    for original in (None, "toposmith: 1\n# c\nname: x\n"):
        with pytest.raises(SaveError):
            design_text(Design(view={"a": value}), original)


def test_an_original_that_is_no_design_is_not_replaced() -> None:
    with pytest.raises(DesignFileError):
        design_text(Design(), "toposmith: [")
