"""Accepting a finding: its reason and dates go into the file, and come back out."""

from __future__ import annotations

import pytest

from toposmith.design.document import Waiver
from toposmith.design.edits.about import unwaive, waive
from toposmith.design.parser import parse_design
from toposmith.design.writer import design_text
from toposmith.errors import EditError
from toposmith.findings.finding import at_group, at_link

FILE = "toposmith: 1\n# ours\ngroups:\n  leaf: {part: qm9700}  # the old ones\n"


def test_a_waiver_keeps_the_value_at_which_it_was_given() -> None:
    design = parse_design(FILE, "test")
    at = at_group("leaf")
    edit = waive(design, "oversubscribed", at, "soon", "2026-11-21", value=2.10071234, by="Ann")
    text = design_text(edit.design, FILE)
    (waiver,) = parse_design(text, "test").waivers
    assert (waiver.value, waiver.by) == (2.10071, "Ann")
    assert parse_design(design_text(edit.design), "again") == edit.design


def test_a_second_waiver_of_one_finding_takes_the_place_of_the_first() -> None:
    design = parse_design(FILE, "test")
    once = waive(design, "unwired", at_group("leaf"), "a spare", "2026-11-21").design
    twice = waive(once, "unwired", at_group("leaf"), "for parts", "2026-11-22").design
    assert [one.reason for one in twice.waivers] == ["for parts"]
    assert unwaive(twice, "unwired", at_group("leaf")).design == design


@pytest.mark.parametrize(
    ("reason", "until", "words"),
    [
        ("  ", None, "a reason is required"),
        ("x", "soon", "is no date"),
        ("x", "2026-11-20", "before it begins"),
    ],
)
def test_a_waiver_without_sense_is_refused(reason: str, until: str | None, words: str) -> None:
    with pytest.raises(EditError, match=words):
        waive(parse_design(FILE, "test"), "unwired", at_group("leaf"), reason, "2026-11-21", until)


def test_what_is_not_waived_cannot_count_again() -> None:
    with pytest.raises(EditError, match="no waiver covers"):
        unwaive(parse_design(FILE, "test"), "unwired", at_group("leaf"))


def test_a_waiver_that_names_a_link_by_its_ends_can_be_taken_back_and_replaced() -> None:
    design = parse_design(FILE, "test")
    by_ends = Waiver(code="no-cable", where="leaf - spine", reason="x", date="2026-11-21")
    waived = design.model_copy(update={"waivers": (by_ends,)})
    place = at_link(1, ["leaf", "spine"])
    assert unwaive(waived, "no-cable", place).design.waivers == ()
    (anew,) = waive(waived, "no-cable", place, "y", "2026-11-22").design.waivers
    assert (anew.where, anew.reason) == ("leaf - spine", "y")
