"""A finding is added from outside the packages, by one record and one function."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.review.mistakes.seeded import RAILS
from tests.review.reviewing import reviewed
from toposmith.findings.codes import RECORDS
from toposmith.findings.codes.code import Code, Measure
from toposmith.findings.finding import ADDED, AddedFinding, Finding, add_finding, at_group, found
from toposmith.review.findings.collecting import finding_json
from toposmith.review.findings.subject import Subject

MANY_SWITCHES = Code(
    "many-switches",
    "warning",
    "more switches than we keep spares for",
    "spares are kept for four switches of a kind",
    "order more spares",
    text="{switches} switches of {group}, and spares for {covered}",
    figure="{switches} of {covered}",
    fix="spares to order: {spares}",
    measure=Measure("switches", "switches"),
)


def many_switches(subject: Subject) -> Iterator[Finding]:
    """Groups of switches with more than spares are kept for."""
    for name, group in subject.plan.groups.items():
        many = subject.devices[name]
        if group.switch is not None and many > 4:
            values = {"switches": many, "covered": 4, "spares": 1}
            yield found("many-switches", at_group(name), group=name, **values)


@pytest.fixture(autouse=True)
def own_finding(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(RECORDS, "many-switches", MANY_SWITCHES)
    del RECORDS["many-switches"]
    before = list(ADDED)
    add_finding(AddedFinding(MANY_SWITCHES, many_switches))
    yield
    ADDED[:] = before


def test_a_code_that_there_is_cannot_be_added_again() -> None:
    with pytest.raises(ValueError, match="'many-switches' already"):
        add_finding(AddedFinding(MANY_SWITCHES, many_switches))


def told(policy: str = "", waivers: str = "") -> list[Finding]:
    return [f for f in reviewed(RAILS + waivers, policy) if f.code == "many-switches"]


def test_it_is_told_with_place_words_and_value() -> None:
    (one,) = told()
    assert (one.severity, one.where) == ("warning", "leaf")
    assert one.text == "8 switches of leaf, and spares for 4"
    assert (one.figure, one.fix) == ("8 of 4", "spares to order: 1")
    data = finding_json(one)
    assert (data["value"], data["unit"]) == (8, "switches")
    assert data["values"] == {"group": "leaf", "switches": 8, "covered": 4, "spares": 1}


def test_policies_and_waivers_name_it() -> None:
    assert told("severities: {many-switches: off}\n") == []
    assert told("severities: {many-switches: error}\n")[0].severity == "error"
    waiver = (
        "waivers: [{code: many-switches, where: leaf, value: %s, reason: x, date: 2026-01-31}]\n"
    )
    quoted = waiver.replace("2026-01-31", '"2026-01-31"')
    assert told(waivers=quoted % 8)[0].waived is not None
    assert told(waivers=quoted % 7)[0].waived is None
