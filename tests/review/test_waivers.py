"""A waived finding is still shown, with its reason, and counts again once its waiver lapses."""

from __future__ import annotations

from datetime import date
from functools import cache

import pytest

from tests.every_design import CATALOG, EVERY, planned
from tests.laid_beside import named
from tests.review.mistakes.seeded import MISTAKES, RAILS, Mistake, but
from tests.review.reviewing import counting, reviewed
from toposmith.design.parser import parse_design
from toposmith.design.writer import design_text
from toposmith.errors import DesignFileError
from toposmith.findings.codes.code import Value
from toposmith.findings.finding import Finding, Waived, severity_words
from toposmith.review.findings.collecting import finding_json
from toposmith.saved_designs import SavedDesign, find_saved, saved_designs

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
        "value": None,
        "by": None,
    }


UNWAIVED = [mistake for mistake in MISTAKES if "waivers:" not in mistake.wrong]


def waived_at(mistake: Mistake, value: float) -> tuple[Finding, ...]:
    waiver = f"{{code: {mistake.code}, where: '{mistake.where}', value: {value!r}, reason: meant"
    text = f"{mistake.wrong}waivers: [{waiver}, date: '2026-01-31'}}]\n"
    return reviewed(text, mistake.policy)


@cache
def findings_of(name: str) -> tuple[Finding, ...]:
    return named(name, EVERY[name], CATALOG, ("all_reduce",), shared=planned(name)).findings


@cache
def value_of(mistake: Mistake) -> Value | None:
    values = {
        f.value
        for f in reviewed(mistake.wrong, mistake.policy)
        if (f.code, f.where) == (mistake.code, mistake.where) and f.value is not None
    }
    assert len(values) <= 1
    return next(iter(values), None)


def test_many_findings_measure_something() -> None:
    assert len({mistake.code for mistake in UNWAIVED if value_of(mistake)}) >= 18


@pytest.mark.parametrize("mistake", UNWAIVED, ids=lambda mistake: mistake.name)
def test_a_waiver_holds_up_to_its_value_and_is_void_beyond_it(mistake: Mistake) -> None:
    value = value_of(mistake)
    if value is None:
        return  # it measures nothing that could grow
    worse = 1 if value.worse == "more" else -1
    for amount in (value.amount, value.amount * (1 + 0.5 * worse), float(f"{value.amount:.6g}")):
        found = waived_at(mistake, amount)
        assert (mistake.code, mistake.where) not in counting(found)
        assert "waiver-exceeded" not in {f.code for f in found}
    if not value.amount:
        return  # nothing is less than no GPU lost
    found = waived_at(mistake, value.amount * (1 - 0.1 * worse))
    assert (mistake.code, mistake.where) in counting(found)
    assert ("waiver-exceeded", "waivers[0]") in counting(found)


def test_two_to_one_waived_does_not_silence_eight_to_one() -> None:
    waiver = 'waivers: [{code: oversubscribed, value: 2, reason: meant, date: "2026-01-31"}]\n'
    wider = but(
        RAILS,
        ("count: 4", "count: 16"),
        ("spine: {part: qm9700, count: 2}", "spine: {part: qm9700}"),
    )
    (finding,) = (f for f in reviewed(wider + waiver) if f.code == "waiver-exceeded")
    assert "given at 2:1, it is 8:1 now" in finding.text
    assert finding.fix == "fix it, or waive it again with value: 8"


def test_a_waiver_in_whose_place_another_holds_says_nothing() -> None:
    text = HALF + (
        "waivers:\n"
        "  - {code: oversubscribed, value: 1.5, reason: then, date: '2026-01-01'}\n"
        "  - {code: oversubscribed, reason: then, date: '2026-01-01', until: '2026-02-01'}\n"
        "  - {code: oversubscribed, where: leaf, value: 2, reason: now, date: '2026-03-01'}\n"
    )
    found = reviewed(text)
    (finding,) = (f for f in found if f.code == "oversubscribed")
    assert finding.waived is not None
    assert finding.waived.reason == "now"
    assert not [f for f in found if f.code.startswith("waiver-")]


def test_a_waiver_of_before_values_were_kept_holds_and_says_at_any_value() -> None:
    (finding,) = [f for f in reviewed(waived(", where: leaf")) if f.code == "oversubscribed"]
    assert severity_words(finding) == "warning, waived 2026-01-31 at any value: meant"
    (at_two,) = [f for f in reviewed(waived(", value: 2")) if f.code == "oversubscribed"]
    assert severity_words(at_two) == "warning, waived 2026-01-31 at 2:1: meant"


def test_what_measures_nothing_takes_no_value() -> None:
    text = HALF.replace("  spine:", "  spare: {part: qm9700}\n  spine:")
    waiver = 'waivers: [{code: unwired, value: 1, reason: meant, date: "2026-01-31"}]\n'
    found = reviewed(text + waiver)
    assert ("unwired", "spare") in counting(found)
    (about,) = (f for f in found if f.code == "waiver-exceeded")
    assert about.fix == "remove value:"
    plain = reviewed(text + waiver.replace(" value: 1,", ""))
    (unwired,) = (f for f in plain if f.code == "unwired")
    assert severity_words(unwired) == "warning, waived 2026-01-31: meant"


@pytest.mark.parametrize("name", EVERY)
def test_a_code_has_one_unit_and_one_way_to_be_worse(name: str) -> None:
    ways: dict[str, set[tuple[str, str]]] = {}
    for mistake in UNWAIVED:
        if (value := value_of(mistake)) is None:
            continue
        ways.setdefault(mistake.code, set()).add((value.unit, value.worse))
    for finding in findings_of(name):
        if finding.value is not None:
            ways.setdefault(finding.code, set()).add((finding.value.unit, finding.value.worse))
    assert all(len(of) == 1 for of in ways.values())


@pytest.mark.parametrize(
    "saved",
    [saved for saved in saved_designs() if saved.name in EVERY],
    ids=lambda saved: saved.name,
)
def test_waivers_that_come_along_name_the_value_at_which_they_were_given(
    saved: SavedDesign,
) -> None:
    for finding in findings_of(saved.name):
        assert finding.code != "waiver-exceeded"
        if finding.waived is not None and finding.value is not None:
            assert finding.waived.value == pytest.approx(finding.value.amount, rel=1e-5)


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
        (
            '[{code: x, reason: y, date: "2026-01-31", value: 2:1}]',
            "found '2:1', expected a number",
        ),
        ('[{code: x, reason: y, date: "2026-01-31", value: .inf}]', "waivers[0].value"),
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
