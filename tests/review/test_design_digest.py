"""One digest for all that `diff` calls the same design, another for all that it calls a change."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.every_design import CATALOG, EVERY
from tests.small_designs import CATALOG as SMALL
from tests.small_designs import designs
from toposmith.bill.terms import design_digest
from toposmith.catalog import Catalog
from toposmith.design.document import Design, as_data
from toposmith.design.parser import parse_design
from toposmith.errors import DesignFileError
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.review.differences.changes import changes, dealt_otherwise
from toposmith.saved_designs import FOLDER

_FILES = sorted(Path(FOLDER).glob("*.yaml"))
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in _FILES}
FEW = [name for name in EVERY if "131072" not in name]
RICH = """\
toposmith: 2
name: rich
note: "two  spaces"
axes: {su: 2, rail: 4}
groups:
  node: {part: dgx-h100, per: [su], count: 4, note: ours}
  odd: {part: qm9700, per: [su]}
  even: {part: qm9700, per: [su], count: 2}
  spine: {part: qm9700, count: 2}
links:
  - {between: [node.compute, odd], cables: 4}
  - {between: [node.compute, even], cables: 2, length: 20}
  - {between: [odd, spine], cables: 2}
  - {between: [even, spine], cables: 1}
absent: ["node[su=1,node=3]"]
down: ["spine[spine=1]", "odd[su=0]"]
slow: {"node[su=0,node=0].compute[1]": 200, "node[su=0,node=1]": "50 %"}
sets: {feed-a: ["odd", "spine[spine=0]"], feed-b: ["even"]}
waivers:
  - {code: uneven-uplinks, where: odd, reason: known, date: "2026-01-01"}
  - {code: lossless, reason: later, date: "2026-01-01", until: "2026-12-31"}
communicator: {layout: "tp=8,dp=7", group: dp}
jobs:
  - {name: train, nodes: 4, runs: all_reduce}
  - {name: read, nodes: all, runs: read}
placement: {nodes_per_rack: 4, heights: {odd: 1, even: 1}}
bill: {spares: {cables: "2 %", nodes: 1}, stock_lengths_m: [5, 10]}
"""


def turned(data: Any, dice: random.Random) -> Any:
    """The same data with the keys of every mapping in another order."""
    if isinstance(data, dict):
        keys = list(data)
        dice.shuffle(keys)
        return {key: turned(data[key], dice) for key in keys}
    if isinstance(data, list):
        return [turned(each, dice) for each in data]
    return data


def written_otherwise(text: str, dice: random.Random) -> str:
    """Other order of keys, other style, comments, ends of lines of another system."""
    data = turned(yaml.safe_load(text), dice)
    style = dice.choice((None, True, False))
    again = yaml.safe_dump(data, sort_keys=False, default_flow_style=style, allow_unicode=True)
    again = f"# another hand\n{again}\n\n# the end\n"
    return again.replace("\n", dice.choice(("\n", "\r\n")))


def differ(old: Design, new: Design, catalog: Catalog) -> bool:
    """Whether `diff` names a change of the document, or of the ports that links take."""
    plans = (plan_design(old, catalog), plan_design(new, catalog))
    return bool(changes(old, new)) or any(dealt_otherwise(*plans))


@pytest.mark.parametrize("name", [*TEXTS, "rich"])
def test_order_of_keys_style_comments_and_line_ends_leave_the_digest(name: str) -> None:
    text = RICH if name == "rich" else TEXTS[name]
    design = parse_design(text, name)
    dice = random.Random(name)
    for _ in range(5):
        again = parse_design(written_otherwise(text, dice), name)
        assert design_digest(again) == design_digest(design)
        assert changes(design, again) == ()


def test_values_in_another_spelling_leave_the_digest() -> None:
    spelt = (
        ("length: 20", "length: 20.0"),
        ("count: 4, note", "count: 4, nics: {}, note"),
        ('"odd[su=0]"]', '" odd[su=0] "]'),
        ('": 200,', '": 200.0,'),
        ("[node.compute, odd]", "[odd, node.compute]"),
        ('["spine[spine=1]", "odd[su=0]"]', '["odd[su=0]", "spine[spine=1]"]'),
        ("toposmith: 2", "toposmith: 2\nview: {positions: {odd: 3}}"),
    )
    design = parse_design(RICH, "rich")
    for one, other in spelt:
        assert one in RICH
        again = parse_design(RICH.replace(one, other), "rich")
        assert not differ(design, again, CATALOG), other
        assert design_digest(again) == design_digest(design), other


def _places(data: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every leaf, and of every entry that could be left out."""
    found = [at] if at else []
    if isinstance(data, dict | list):
        inside = data.items() if isinstance(data, dict) else enumerate(data)
        for key, value in inside:
            found += _places(value, (*at, key))
    return found


def _edited(data: Any, at: tuple[Any, ...], edit: Callable[[Any, Any], None]) -> Any:
    data = copy.deepcopy(data)
    near = data
    for key in at[:-1]:
        near = near[key]
    edit(near, at[-1])
    return data


def _drop(near: Any, key: Any) -> None:
    del near[key]


def _more(near: Any, key: Any) -> None:
    value = near[key]
    if isinstance(value, bool):
        near[key] = not value
    elif isinstance(value, int | float):
        near[key] = value + 1
    elif isinstance(value, str):
        near[key] = value + "x"
    elif isinstance(value, list):
        value.reverse()


def _swap(near: Any, key: Any) -> None:
    if isinstance(near, list) and len(near) > 1:
        near[key], near[key - 1] = near[key - 1], near[key]


@pytest.mark.parametrize("name", [*FEW, "rich"])
def test_an_edit_has_another_digest_exactly_where_diff_names_it(name: str) -> None:
    design = parse_design(RICH, "rich") if name == "rich" else EVERY[name]
    data = as_data(design)
    tried = 0
    places = _places(data)
    for at in random.Random(name).sample(places, min(12, len(places))):
        for edit in (_drop, _more, _swap):
            try:
                text = yaml.safe_dump(_edited(data, at, edit), sort_keys=False)
                other = parse_design(text, name)
            except DesignFileError:
                continue
            tried += 1
            named = differ(design, other, CATALOG)
            assert named == (design_digest(design) != design_digest(other)), (at, edit)
    assert tried or not design.groups


@settings(max_examples=40)
@given(designs(), st.data())
def test_links_in_another_order_have_another_digest_exactly_where_ports_differ(
    plan: Plan, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(plan.design.links))))
    links = tuple(plan.design.links[at] for at in order)
    other = plan.design.model_copy(update={"links": links})
    moved = differ(plan.design, other, SMALL)
    assert moved == (design_digest(plan.design) != design_digest(other))
