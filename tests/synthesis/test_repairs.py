"""What runs slow is mended first: it costs nothing."""

from __future__ import annotations

import pytest

from tests.fabric_texts import on_rails
from toposmith.analysis.request import Request
from toposmith.catalog import load_catalog
from toposmith.design.edits import Edit
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.synthesis.raising_moves import raising_moves
from toposmith.synthesis.ranked_fixes import ranked_fixes
from toposmith.synthesis.search_state import SearchState
from toposmith.synthesis.side_effects import MOST_SINGLY

CATALOG = load_catalog()


def evaluated(*slow: str) -> EvaluatedDesign:
    marks = "".join(f"  {one}\n" for one in slow)
    text = on_rails(16, spines=4, cables=4) + (f"slow:\n{marks}" if slow else "")
    return EvaluatedDesign(parse_design(text, "test"), CATALOG, Request())


def raising_at(of: EvaluatedDesign, *links: int) -> list[Edit]:
    return list(raising_moves(SearchState(of.planned, frozenset(links))))


def test_a_slow_nic_that_limits_is_mended_and_gives_what_the_whole_design_gives() -> None:
    found = ranked_fixes(evaluated('"node[node=3].compute[2]": 50 %'))
    first = found.fixes[0]
    assert first.label == "mend node[node=3].compute[2]"
    assert first.design.slow == {}
    assert first.purchase.parts == ()
    assert first.after.value == pytest.approx(evaluated().analysis.busbw_GBps)


def test_two_slow_nics_are_mended_together_where_either_alone_still_limits() -> None:
    marks = ('"node[node=3].compute[2]": 50 %', '"node[node=5]": 50 %')
    found = ranked_fixes(evaluated(*marks))
    assert found.fixes[0].label == "mend node[node=3].compute[2] and node[node=5]"
    assert found.fixes[0].after.value == pytest.approx(evaluated().analysis.busbw_GBps)


def test_what_is_slow_elsewhere_is_not_mended_for_a_nic() -> None:
    of = evaluated('"leaf[rail=0] - spine[spine=1]": 50 %', '"node[node=3]": 50 %')
    labels = [edit.label for edit in raising_at(of, 0)]
    assert [label for label in labels if "mend" in label] == ["mend node[node=3]"]
    labels = [edit.label for edit in raising_at(of, 1)]
    assert "mend leaf[rail=0] - spine[spine=1]" in labels


def test_of_many_entries_the_slowest_are_also_mended_alone() -> None:
    """Eleven NICs of one port run at 60 to 70 %, one at an eighth: that one is the first alone."""
    marks = [f'"node[node={at}]": {60 + at} %' for at in range(11)]
    of = evaluated(*marks, '"node[node=12].compute[5]": 12 %')
    labels = [edit.label for edit in raising_at(of, 0) if "mend" in edit.label]
    assert labels[:3] == [
        "mend 12 entries of slow:",
        "mend node[node=12].compute[5]",
        "mend node[node=0]",
    ]
    assert len(labels) == 1 + MOST_SINGLY
    found = [fix.label for fix in ranked_fixes(of).fixes]
    assert found[:2] == ["mend node[node=12].compute[5]", "mend 12 entries of slow:"]


def test_nothing_slow_nothing_to_mend() -> None:
    assert not [e for e in raising_at(evaluated(), 0, 1) if "mend" in e.label]
