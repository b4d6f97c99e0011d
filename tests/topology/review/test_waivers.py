"""A waived finding is still shown, with its reason, and counts again once its waiver lapses."""

from __future__ import annotations

from datetime import date

import pytest

from saved_designs import find_saved
from tests.topology.review.mistakes.seeded import RAILS, but
from tests.topology.review.reviewing import counting, reviewed
from topology.design.reading import parse_design
from topology.design.writing import design_text
from topology.errors import DesignFileError
from topology.fabric.plan import Waived
from topology.review.findings.collecting import finding_json

HALF = but(RAILS, ("cables: 2", "cables: 1"))


def waived(fields: str) -> str:
    return f'{HALF}waivers: [{{code: oversubscribed, reason: meant, date: "2026-01-31"{fields}}}]\n'


def test_a_waived_finding_is_shown_and_does_not_count() -> None:
    found = reviewed(waived(", where: leaf"))
    assert counting(found) == []
    (finding,) = [f for f in found if f.code == "oversubscribed"]
    assert finding.waived == Waived("meant", "2026-01-31")
    assert finding is found[-1]
    assert finding_json(finding)["waived"] == {
        "reason": "meant",
        "date": "2026-01-31",
        "until": None,
    }


def test_a_waiver_of_another_place_does_not_hold() -> None:
    found = reviewed(waived(", where: spine"))
    assert counting(found) == [("oversubscribed", "leaf")]
    assert [(f.where, f.severity) for f in found if f.code == "waiver-unused"] == [
        ("waivers[0]", "info")
    ]


def test_the_last_day_of_a_waiver_counts_and_the_next_does_not() -> None:
    text = waived(', until: "2026-03-31"')
    assert counting(reviewed(text, today=date(2026, 3, 31))) == []
    assert counting(reviewed(text, today=date(2026, 4, 1))) == [
        ("oversubscribed", "leaf"),
        ("waiver-expired", "waivers[0]"),
    ]


def test_a_waiver_is_kept_when_the_design_is_written() -> None:
    design = parse_design("toposmith: 1\n" + waived(', until: "2026-03-31"'), "test")
    assert parse_design(design_text(design), "again") == design


@pytest.mark.parametrize(
    ("block", "says"),
    [
        ('[{code: x, reason: "", date: "2026-01-31"}]', "expected why the finding is accepted"),
        ("[{code: x, reason: y, date: soon}]", "found 'soon', expected a date like 2026-01-31"),
        ("[{code: x, reason: y, date: 2026-02-30}]", "expected a date like 2026-01-31"),
        ('[{code: x, reason: y, date: "2026-01-31", until: never}]', "waivers[0].until"),
        ("[{code: x, date: 2026-01-31}]", "the key 'reason' is missing"),
        ("[{code: x, reason: y, date: 2026-01-31, untill: z}]", "did you mean 'until'?"),
        ("oversubscribed", "expected a list"),
    ],
)
def test_a_wrong_waiver_says_what_would_be_right(block: str, says: str) -> None:
    with pytest.raises(DesignFileError, match=r"test:\d+:\d+: ") as refused:
        parse_design(f"toposmith: 1\n{RAILS}waivers: {block}\n", "test")
    assert says in str(refused.value)


def test_a_waiver_taken_out_leaves_every_other_line_of_the_file() -> None:
    name = "hgx-a100-64gpu-roce-2to1"
    saved = find_saved(name)
    assert saved is not None
    text = saved.path.read_text(encoding="utf-8")
    design = parse_design(text, name)
    fewer = design.model_copy(update={"waivers": design.waivers[1:]})
    written = design_text(fewer, text)
    assert parse_design(written, name) == fewer
    kept = text.partition("waivers:")[0]
    assert written.startswith(kept)


def test_a_waiver_of_a_day_to_come_does_not_hold_yet() -> None:
    text = waived("")
    assert counting(reviewed(text, today=date(2026, 1, 31))) == []
    assert counting(reviewed(text, today=date(2026, 1, 30))) == [
        ("oversubscribed", "leaf"),
        ("waiver-not-begun", "waivers[0]"),
    ]


def test_a_waiver_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(DesignFileError, match=r"found '2026-01-30', expected a day from date:"):
        parse_design("toposmith: 1\n" + waived(', until: "2026-01-30"'), "test")
