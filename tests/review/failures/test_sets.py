"""Named sets fail as a whole, beside the single things."""

from __future__ import annotations

from tests.fabric_texts import in_racks
from tests.said import texts
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design
from toposmith.review.failures.sweep import Sweep, sweep
from toposmith.review.failures.sweep_in_words import survival_notes, sweep_as_data

CATALOG = load_catalog()

RACKS = (
    in_racks(4, 2, spines=4, cables=4)
    + """\
sets:
  rack-2: ["node[rack=2]", "leaf[rack=2]"]
  two-spines: ["spine[spine=0..1]"]
  leaves: [leaf]
  cables: ["leaf[rack=0] - spine[spine=0..2]"]
  empty: []
"""
)


def swept(text: str = RACKS) -> Sweep:
    plan = plan_design(parse_design(text, "test"), CATALOG)
    return sweep(plan, CATALOG, collectives=("all_to_all",))


def test_each_set_is_one_failure_of_all_that_it_names() -> None:
    found = {o.failures[0].what: o for o in swept().singles if o.failures[0].kind == "set"}
    assert found.keys() == {"rack-2", "two-spines", "leaves", "cables"}
    assert found["rack-2"].gpus_cut_off == 16
    assert found["rack-2"].failures[0].selectors == ("node[rack=2]", "leaf[rack=2]")
    assert found["leaves"].parts == 8  # every node by itself
    # half of the spines carry half of what leaves a rack, two thirds of ... of all traffic
    assert found["two-spines"].gpus_cut_off == 0
    one_spine = next(o for o in swept().singles if o.failures[0].kind == "spine")
    assert found["two-spines"].whole_share < one_spine.whole_share < 1


def test_a_set_has_a_sentence_and_a_row_of_data() -> None:
    lines = texts(survival_notes(swept()))
    assert "the set rack-2 cuts off 16 of 64 GPUs; the others keep 100 % of all-to-all" in lines
    assert any(line.startswith("survives the set two-spines at ") for line in lines)
    singles = sweep_as_data(swept())["singles"]
    assert {"kind": "set", "what": "leaves", "members": 1, "down": ["leaf"]} in [
        failure for single in singles for failure in single["failures"]
    ]


def test_a_selector_of_a_set_that_names_nothing_is_an_error_and_left_out() -> None:
    text = RACKS.replace('["spine[spine=0..1]"]', '["spine[spine=0..1]", "spine[spine=9]"]')
    plan = plan_design(parse_design(text, "test"), CATALOG)
    (error,) = [one for one in plan.findings if one.severity == "error"]
    assert (error.code, error.where) == ("bad-selector", "sets.two-spines[1]")
    assert [selector.text for selector in plan.sets["two-spines"]] == ["spine[spine=0..1]"]
