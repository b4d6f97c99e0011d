"""Nothing in the program reads its own English: with every message reworded it does the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace

import pytest

from tests.command.shell import SIGNED, Shell
from tests.review.mistakes.seeded import MISTAKES, RAILS, but
from tests.review.reviewing import CATALOG, reviewed
from toposmith.design import edits
from toposmith.design.edits import rename_group
from toposmith.design.named_places import places_of
from toposmith.design.parser import parse_design
from toposmith.errors import EditError
from toposmith.evaluation import COLLECTIVES, EvaluatedDesign
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import port_findings
from toposmith.findings.codes import RECORDS
from toposmith.findings.finding import Finding
from toposmith.review.differences.consequences import differences
from toposmith.tui.figures.measure_fields import complaints
from toposmith.workbench import Workbench

HALF = but(RAILS, ("cables: 2", "cables: 1"))
WAIVER = '{code: oversubscribed, where: leaf, reason: meant, date: "2026-01-31"'
WAIVED = f"{HALF}waivers: [{WAIVER}, value: 2}}]\n"
EXCEEDED = f"{HALF}waivers: [{WAIVER}, value: 1.5}}]\n"
MILD = "limits: {oversubscription: {leaf: 2}}\n"
HARD = "severities: {oversubscribed: error, single-leaf: off}\n"


@pytest.fixture
def reword(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """All messages become others: one and the same for every code."""

    def apply() -> None:
        for code, record in RECORDS.items():
            other = replace(
                record,
                title="alias",
                meaning="alias",
                usual_fix="otherwise",
                text="verbum",
                figure="numerus",
                fix="remedium",
            )
            monkeypatch.setitem(RECORDS, code, other)

    return apply


def said(findings: tuple[Finding, ...]) -> Iterator[Hashable]:
    for one in findings:
        yield one.code, one.place, one.severity, one.values, one.value, one.waived


def both(reword: Callable[[], None], act: Callable[[], object]) -> tuple[object, object]:
    """What is done before and after all messages are reworded."""
    before = act()
    reword()
    return before, act()


def test_no_message_is_left_once_all_are_reworded(reword: Callable[[], None]) -> None:
    reword()
    found = reviewed(HALF)
    assert found
    for one in found:
        assert (one.text, one.figure, one.fix) == ("verbum", "numerus", "remedium")


def test_every_mistake_is_found_all_the_same(reword: Callable[[], None]) -> None:
    some = MISTAKES[::3]

    def act() -> list[list[Hashable]]:
        return [list(said(reviewed(one.wrong, one.policy))) for one in some]

    before, after = both(reword, act)
    assert before == after


@pytest.mark.parametrize("text", [HALF, WAIVED, EXCEEDED], ids=["counts", "waived", "exceeded"])
@pytest.mark.parametrize("policy", ["", MILD, HARD], ids=["built-in", "mild", "hard"])
def test_policy_and_waivers_judge_alike(reword: Callable[[], None], text: str, policy: str) -> None:
    before, after = both(reword, lambda: list(said(reviewed(text, policy))))
    assert before == after


def test_a_diff_tells_the_same_findings_apart(reword: Callable[[], None]) -> None:
    old = parse_design(f"toposmith: 1\n{RAILS}", "old")
    new = parse_design(f"toposmith: 1\n{HALF}", "new")
    renamed = rename_group(new, "leaf", "tor").design

    def act() -> list[object]:
        one, *others = (
            EvaluatedDesign(each, CATALOG, collectives=COLLECTIVES) for each in (old, new, renamed)
        )
        found = [differences(one, other) for other in others]
        assert [f.code for f in found[0].gained] == ["oversubscribed"]
        assert differences(*others).gained == ()
        return [(list(said(f.gained)), list(said(f.resolved)), f.worse) for f in found]

    before, after = both(reword, act)
    assert before == after


def test_commands_exit_alike(reword: Callable[[], None], shell: Shell) -> None:
    half = SIGNED.replace("cables: 2", "cables: 1")
    files = {
        "sound.yaml": SIGNED,
        "half.yaml": half,
        "waived.yaml": f"{half}waivers: [{WAIVER}}}]\n",
    }
    names = [shell.file(name, text) for name, text in files.items()]

    def act() -> list[int]:
        checks = [shell("check", name).code for name in names]
        return [*checks, shell("diff", names[0], names[1], "--exit-code").code]

    before, after = both(reword, act)
    assert before == after
    assert isinstance(before, list)
    assert 0 in before and 1 in before


def test_the_workbench_refuses_and_takes_the_same_edits(reword: Callable[[], None]) -> None:
    sound = parse_design(f"toposmith: 1\n{RAILS}", "a")
    broken = parse_design(f"toposmith: 1\n{but(RAILS, ('cables: 2', 'cables: 9'))}", "b")

    def refused(design: object, edit: object) -> bool:
        work = Workbench(design, CATALOG)  # type: ignore[arg-type]
        try:
            work.apply(edit)  # type: ignore[arg-type]
        except EditError:
            return True
        return False

    def act() -> list[bool]:
        return [
            refused(sound, edits.set_part(sound, "leaf", "sn2700")),
            refused(sound, edits.set_cables(sound, 1, 9)),
            refused(sound, edits.set_count(sound, "node", 2)),
            refused(broken, edits.set_count(broken, "node", 2)),
            refused(broken, edits.set_cables(broken, 1, 10)),
            refused(broken, edits.set_cables(broken, 1, 8)),
        ]

    before, after = both(reword, act)
    assert before == after == [True, True, False, False, True, False]


def test_the_same_fields_are_highlighted(reword: Callable[[], None]) -> None:
    found = reviewed(f"{RAILS}communicator: {{layout: tp=3}}\n")
    before = set(complaints(found))
    reword()
    assert set(complaints(found)) == before == {"layout"}


def test_a_finding_leads_to_the_same_place(reword: Callable[[], None]) -> None:
    design = parse_design(f"toposmith: 1\n{but(RAILS, ('cables: 2', 'cables: 99'))}", "a")
    plan = plan_design(design, CATALOG)
    found = (*plan.findings, *port_findings(plan))
    assert found
    before = [places_of(one.place, design) for one in found]
    reword()
    assert [places_of(one.place, design) for one in found] == before
    assert any(groups == {"leaf"} for groups, _ in before)
