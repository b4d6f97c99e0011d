"""What to do next: one answer, searched, with what it takes from other figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from tests.synthesis.test_aims import EXCHANGE, racks_of_two
from tests.synthesis.test_fixes import CATALOG, saved
from toposmith import cancellation
from toposmith.analysis.request import Request, Routing
from toposmith.cancellation import TimeLimit, go_on
from toposmith.design.edits import Edit, set_part
from toposmith.evaluation import EvaluatedDesign
from toposmith.planned_design import PlannedDesign
from toposmith.review.policy import parse_policy
from toposmith.synthesis import left_out
from toposmith.synthesis import ranked_fixes as fixes
from toposmith.synthesis.needs import FAILURE, FIGURE, Aim, FigureAtHand, figure_at_hand
from toposmith.synthesis.next_change import (
    NOT_ALL_SPARES,
    NextChange,
    findings_with_fixes,
    next_change,
    why_none,
)
from toposmith.synthesis.purchases import purchase_words
from toposmith.synthesis.ranked_fixes import ranked_fixes
from toposmith.tui.drawing.glyphs import UNICODE
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.pages.live import live_lines

THIN = "hgx-a100-64gpu-roce-2to1"


def held_to(busbw_GBps: float) -> EvaluatedDesign:
    """Eight nodes at 2:1, whose all-to-all is to have so much."""
    policy = parse_policy(
        f"toposmith-policy: 1\nlimits: {{busbw_GBps: {busbw_GBps}}}\n", "policy.yaml"
    )
    return replace(saved(THIN, "all_to_all"), policy=policy)


@pytest.mark.parametrize(
    ("required_GBps", "change"),
    [
        (17, "5 cables instead of 4"),  # 15.7 x 5/4 = 19.7
        (22, "6 cables instead of 4"),  # 15.7 x 6/4 = 23.6
        (500, "7 cables instead of 4"),  # none gives that: the one that gives most
    ],
)
def test_a_figure_below_the_policy_is_mended_by_the_first_change_that_gives_it(
    required_GBps: float, change: str
) -> None:
    of = held_to(required_GBps)
    finding = next(f for f in findings_with_fixes(of) if f.code == "below-required")
    assert finding.fix.startswith(f"{change} for each leaf - spine: ")
    assert ("less than required" in finding.fix) == (required_GBps == 500)


def test_a_figure_that_no_change_lifts_says_so_in_its_finding() -> None:
    of = held_to(200).asking(Request("all_reduce"))
    finding = next(f for f in findings_with_fixes(of) if f.code == "below-required")
    assert finding.fix.startswith("no change was found that lifts it")


def test_a_figure_that_meets_the_policy_has_nothing_searched() -> None:
    of = held_to(1)
    assert findings_with_fixes(of) is of.findings


def test_the_last_spine_is_said_to_be_a_single_point_of_failure() -> None:
    found = next_change(saved(THIN))
    assert found.fix is None
    assert found.spares is not None
    left = found.spares.left_out[0]
    assert left.label.startswith("1 spine instead of 2")
    assert [one.code for one in left.added] == ["single-spine"]
    assert "if it fails, 48 of 64 GPUs are cut off" in left.added[0].text
    assert found.words[-1].endswith("but warns of leaves joined by one switch")


def test_what_joins_the_rails_stands_below_what_leaves_them_apart() -> None:
    """Two leaves that nothing joins; as much with a spine above, and the switches for it."""
    found = next_change(saved("a100-rack-1x100gbe"))
    places = [at for at, fix in enumerate(found.fixes.fixes) if fix.needs.apart]
    assert places and found.joined_words == ()
    fixes = found.fixes.fixes[places[0] :]
    first = replace(found, fixes=replace(found.fixes, fixes=fixes))
    assert first.joined is fixes[1]
    assert fixes[1].purchase.bought("switch") > fixes[0].purchase.bought("switch")
    (line,) = (line for line in first.words if line.startswith("rails joined: "))
    assert line == f"rails joined: {fixes[1].label}; {fixes[1].after.words}; " + purchase_words(
        fixes[1].purchase
    )
    alone = replace(found, fixes=replace(found.fixes, fixes=fixes[:1]))
    assert "none of the other changes joins its rails" in alone.words
    assert all(words in live_text(first) for words in ("rails joined: ", *line.split()[-3:]))


def live_text(found: NextChange) -> str:
    of = found.fixes.of
    return live_lines(LiveFigures(of.analysis, next=found), 60, UNICODE, large=False).plain


@pytest.mark.parametrize("name", [THIN, "dgx-h100-superpod-4su", "gb200-nvl72-8-racks-ndr"])
def test_what_is_left_out_without_being_asked_keeps_the_other_collective(name: str) -> None:
    """All-to-all held to the figure of the design: 2 spines of 16 carried an eighth of it."""
    of = saved(name)
    found = next_change(of).spares
    assert found is not None
    for left in found.left_out:
        for collective in ("all_reduce", "all_to_all"):
            before, after = (
                EvaluatedDesign(design, CATALOG, Request(collective=collective)).analysis.busbw_GBps
                for design in (of.design, left.design)
            )
            assert before is not None and after is not None
            assert after > 0.97 * before, left.label


def test_what_falls_and_what_is_found_after_a_fix_are_those_of_the_design_analysed_anew() -> None:
    found = next_change(saved(THIN), FAILURE)
    thinner = [fix for fix in found.fixes.fixes if fix.falls]
    assert thinner
    for fix in thinner:
        for pair in fix.falls:
            fresh = EvaluatedDesign(fix.design, CATALOG, Request(collective=pair.collective))
            assert fresh.analysis.busbw_GBps == pair.after.value
            assert pair.after.value < pair.before.value  # type: ignore[operator]
        codes = {one.code for one in EvaluatedDesign(fix.design, CATALOG).findings}
        assert {one.code for one in fix.added} <= codes


def test_a_search_without_time_says_that_it_was_stopped() -> None:
    found = next_change(saved(THIN, "all_to_all"), seconds=0)
    assert not found.fixes.complete
    assert found.words[-1].startswith("stopped after 1 change")


def test_a_hurried_search_says_that_it_was_not_ended() -> None:
    """All eight NICs of racks of two end at one leaf, 2:1: the first change is analysed."""
    hurried = next_change(saved(THIN, "all_to_all"), seconds=0.0)
    assert (hurried.fixes.tried, hurried.fixes.complete) == (1, False)
    assert any("stopped after 1 change" in line for line in hurried.words)
    assert any("which figures fall was not worked out" in line for line in hurried.words)


def test_what_costs_nothing_is_tried_before_what_is_bought() -> None:
    """Static routing is lifted by queue pairs; whoever waits no longer then has that."""
    of = saved(THIN, "all_reduce")
    static = replace(of, request=replace(of.asked, routing=Routing("static")))
    asked: list[int] = []

    def three_times(done: int, _: int) -> bool:
        asked.append(done)
        return len(asked) < 3

    found = ranked_fixes(static, progress=three_times)
    assert found.fixes
    assert all(fix.design == of.design for fix in found.fixes)
    assert (found.tried, found.complete) == (3, False)


@dataclass
class Slow:
    """A clock by which every figure, every bill and every look at other figures takes a second."""

    now: float = 0.0

    def __call__(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def slower(*args: Any, **kwargs: Any) -> Any:
            for _ in range(4):
                self.now += 0.25
                go_on()
            return work(*args, **kwargs)

        return slower

    @property
    def aim(self) -> Aim:
        return replace(FIGURE, figure=self(figure_at_hand))


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    found = Slow()
    monkeypatch.setattr(cancellation, "monotonic", lambda: found.now)
    of_spares = (left_out, "figure_at_hand")
    for place, name in ((fixes, "purchase"), (fixes, "side_effects"), of_spares):
        monkeypatch.setattr(place, name, found(getattr(place, name)))
    return found


def test_a_search_ends_within_its_seconds_and_says_what_it_left(slow: Slow) -> None:
    """Of half of eleven seconds one for the figure and four for changes; the others for bills."""
    of = EvaluatedDesign(racks_of_two(), CATALOG, EXCHANGE)
    found = next_change(of, slow.aim, seconds=11)
    assert slow.now <= 11
    assert found.fixes.tried == 4
    assert found.fixes.fixes
    assert found.words[-1].startswith("stopped after 4 changes")


def test_a_search_with_time_looks_at_all(slow: Slow) -> None:
    of = EvaluatedDesign(racks_of_two(), CATALOG, EXCHANGE)
    found = next_change(of, slow.aim, seconds=10_000, reviewed=99)
    assert found.fixes.complete
    assert all(fix.reviewed for fix in found.fixes.fixes)
    assert len(found.fixes.fixes) == len(next_change(of).fixes.fixes)


def test_what_could_go_is_searched_in_the_same_seconds(slow: Slow) -> None:
    """The figures as they are take two of three seconds: the first of what could go has one."""
    found = next_change(saved(THIN), seconds=3)
    assert slow.now <= 3
    assert found.spares is not None
    assert not found.spares.complete
    assert found.words[-1] == NOT_ALL_SPARES
    with_time = next_change(saved(THIN), seconds=10_000).spares
    assert with_time is not None
    assert with_time.complete
    assert with_time.left_out


def test_a_figure_that_takes_longer_than_all_seconds_is_said_to(slow: Slow) -> None:
    def endless(planned: PlannedDesign, request: Request) -> FigureAtHand:
        while True:
            slow.now += 1
            go_on()

    found = next_change(saved(THIN), replace(FAILURE, figure=endless), seconds=5)
    assert slow.now <= 6
    assert (found.fixes.tried, found.fixes.complete) == (0, False)
    assert why_none(found.fixes) == "the current figure was not worked out in that time"


def test_a_search_with_a_limit_ends_among_edits_none_of_which_fits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of = saved(THIN, "all_to_all")
    made: list[int] = []

    def unfit(*_: object) -> Iterator[Edit]:
        for count in range(1, 1_000):
            made.append(count)
            yield set_part(of.design, "leaf", f"no-such-switch-{count}")

    monkeypatch.setattr(fixes, "raising_moves", unfit)
    found = ranked_fixes(of, limit=TimeLimit(steps=20_000))
    assert not found.complete
    assert len(made) < 999
