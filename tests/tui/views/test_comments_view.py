"""A review in the app: comments on places, decisions with the design's hash, and what is stale."""

from __future__ import annotations

import asyncio
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.tui.person import OpenApp, Person
from toposmith import programs
from toposmith.errors import SaveError
from toposmith.evaluation import EvaluatedDesign
from toposmith.review.sidecar import approval
from toposmith.review.sidecar.entries import ReviewEntry
from toposmith.review.sidecar.folder import add_entries, load_sidecar
from toposmith.tui.designer import review_beside as review
from toposmith.tui.keeping.reviews import ReviewFile


def entries_of(path: Path) -> list[ReviewEntry]:
    return [each.entry for each in load_sidecar(path).said]


async def say(person: Person, key: str, text: str, name: str = "") -> None:
    await person.press(key)
    await person.answer(text)
    if name:
        await person.answer(name)


async def test_a_comment_on_a_group_lies_beside_the_file_and_stands_on_the_canvas(
    open_app: OpenApp, two_tier: Path
) -> None:
    before = two_tier.read_bytes()
    async with open_app(two_tier, review=True) as person:
        person.designer.select_group("leaf")
        await say(person, "comma", "which firmware?", "Ada")
        assert "» 1 comment" in person.seen()
        assert "1 comment open" in person.seen().splitlines()[0]
        (entry,) = entries_of(two_tier)
        assert (entry.comment, entry.text, entry.author) == ("leaf", "which firmware?", "Ada")
        person.designer.select_link(1)
        await say(person, "comma", "why two?")  # the name is asked once
        assert not person.designer.asking
        assert entries_of(two_tier)[1].comment == "leaf - spine"
        assert person.seen().count("» 1 comment") == 2
    assert two_tier.read_bytes() == before


async def test_a_comment_that_cannot_be_written_stays_to_be_tried_again(
    open_app: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(two_tier, review=True) as person:
        person.designer.select_group("leaf")

        def full(self: ReviewFile, *by: str, **said: object) -> ReviewFile:
            raise SaveError("not saved: No space left on device")

        with monkeypatch.context() as disk:
            disk.setattr(ReviewFile, "with_entry", full)
            await say(person, "comma", "which firmware?", "Ada")
            assert "No space left" in person.message
            assert person.designer.asking
            assert "which firmware?" in person.seen()
        await person.press("enter")
        assert not person.designer.asking
        (entry,) = entries_of(two_tier)
        assert entry.text == "which firmware?"


async def test_comments_are_resolved_and_opened_again_in_the_view(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, review=True) as person:
        await person.press("V")
        assert "Not reviewed" in person.seen()
        await say(person, "a", "looks fine", "Ada")
        view = person.designer.view_of("review")
        assert [row.cells[2].text for row in view.shown_rows] == ["node"]
        await say(person, "R", "to me, too")
        assert entries_of(two_tier)[-1].text == "to me, too"
        assert "looks fine (+1)" in person.seen()
        await person.press("y")
        assert "copied the line" in person.message
        assert "looks fine (+1)\tAda\t" in person.app.clipboard
        assert "to me, too" in person.app.clipboard
        await person.press("x")
        assert "resolved" in person.seen()
        assert "comment" not in person.seen().splitlines()[0]
        await person.press("x")
        assert "1 comment open" in person.seen().splitlines()[0]


async def test_an_approval_is_stale_once_the_design_changes(
    open_app: OpenApp, two_tier: Path
) -> None:
    async with open_app(two_tier, review=True) as person:
        await person.press("semicolon", "a")
        await person.answer("Ada")
        assert "approved" in person.seen().splitlines()[0]
    async with open_app(two_tier) as person:
        assert "approved" in person.seen().splitlines()[0]
        person.designer.select_group("node")
        await person.press("minus")
        assert "stale" in person.seen().splitlines()[0]
        await person.press("semicolon")
        assert "save the design first" in person.message
        await person.press("u")
        assert "approved" in person.seen().splitlines()[0]


async def test_approving_over_an_open_comment_asks_first(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier, review=True) as person:
        await say(person, "comma", "one spine?", "Ada")
        await person.press("semicolon", "enter")
        assert "1 comment open: approve all the same?" in person.seen()
        await person.press("enter")
        assert "approved" not in person.seen().splitlines()[0]
        await person.press("semicolon", "a", "escape")
        assert "approved" not in person.seen().splitlines()[0]
        await person.press("semicolon", "a", "y")
        assert "approved, 1 comment open" in person.seen().splitlines()[0]


async def test_changes_are_requested_with_a_reason(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier, review=True) as person:
        await person.press("V", "d", "r")
        await person.answer("four spines")
        await person.answer("Ada")
        assert "changes requested" in person.seen().splitlines()[0]
        assert "Ada requests changes" in person.seen()


async def test_a_reviewer_is_told_the_state_first(open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier, review=True) as person:
        assert "not reviewed yet" in person.message
        assert "remark" in person.message or "warning" in person.message


async def test_a_file_where_the_review_should_be_is_said_and_never_written_to(
    open_app: OpenApp, two_tier: Path
) -> None:
    sidecar = two_tier.with_suffix(".review")
    text = "of somebody else"
    sidecar.write_text(text, encoding="utf-8")
    async with open_app(two_tier, review=True) as person:
        await person.press("comma")
        assert "found a file, expected a folder" in person.message
        assert not person.designer.asking
        await person.press("V")
        assert "nothing can be added until it is mended" in person.seen()
    assert sidecar.read_text() == text


async def test_a_design_without_a_file_has_no_review(open_app: OpenApp) -> None:
    async with open_app(None) as person:
        await person.press("N", "comma")
        assert "save it first" in person.message


async def test_markup_in_comments_and_authors_are_shown_as_text(
    open_app: OpenApp, two_tier: Path
) -> None:
    entry = ReviewEntry(comment="leaf", author="[red]A", date="2026-11-21", text="[b]no[/b]")
    add_entries(load_sidecar(two_tier), [entry])
    async with open_app(two_tier, review=True) as person:
        await person.press("V")
        assert "[b]no[/b]" in person.seen()
        assert "[red]A" in person.seen()


async def test_a_damaged_entry_is_named_and_hides_no_other(
    open_app: OpenApp, two_tier: Path
) -> None:
    for author in ("Ada", "Bob"):
        said = ReviewEntry(comment="leaf", author=author, date="2026-11-21", text=f"by {author}")
        add_entries(load_sidecar(two_tier), [said])
    first, _ = sorted(two_tier.with_suffix(".review").glob("*.yaml"))
    first.write_text(first.read_text()[:40])
    async with open_app(two_tier, size=(200, 50)) as person:
        assert first.name in person.message
        assert "incomplete" in person.seen().splitlines()[0]
        await person.press("V")
        assert "by Bob" in person.seen()
        assert f"{first.name}:" in person.seen()
        await say(person, "a", "still works", "Cy")
        assert entries_of(two_tier)[-1].text == "still works"
        await person.press("d", "a")
        assert "1 entry lost or not readable" in person.seen()
        await person.press("y")
        assert "incomplete" in person.seen().splitlines()[0]


async def test_an_approval_says_which_figure_moved(
    open_app: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(two_tier, review=True) as person:
        await person.press("semicolon", "a")
        await person.answer("Ada")
    real = approval.signed_figures

    def later(evaluated: EvaluatedDesign) -> dict[str, str]:
        return real(evaluated) | {"busbw all-reduce": "1.00 GB/s"}

    monkeypatch.setattr(approval, "signed_figures", later)
    async with open_app(two_tier, review=True, size=(200, 50)) as person:
        assert "stale" in person.seen().splitlines()[0]
        await person.press("V")
        assert "stale, changed since: figures" in person.seen()
        assert "GB/s -> 1.00 GB/s" in person.seen()


async def test_while_the_figures_to_sign_are_worked_out_it_is_said(
    open_app: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, known = approval.signed_figures, threading.Event()

    def slow(evaluated: EvaluatedDesign) -> dict[str, str]:
        known.wait(60)
        return real(evaluated)

    async with open_app(two_tier, review=True) as person:
        monkeypatch.setattr(approval, "signed_figures", slow)
        person._post("semicolon")
        person._post("a")
        while "working out the figures that are signed" not in person.message:
            await asyncio.sleep(0.01)  # the screen is at work until they are known
        known.set()
        await person.until(lambda: "your name" in person.seen())


async def test_an_own_approval_is_named_in_the_app(
    open_app: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(review, "who_changed", lambda file: frozenset({"Ada"}))
    async with open_app(two_tier, review=True) as person:
        await person.press("semicolon", "a")
        await person.answer("Ada")
        assert "approved (own approval)" in person.seen().splitlines()[0]
        await person.press("V")
        assert "own: Ada approved a design that Ada changed" in person.seen()


async def test_git_is_never_asked_while_the_screen_waits(
    open_app: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, bool]] = []
    run = programs.run_program

    def watched(name: str, *words: str, **how: Any) -> subprocess.CompletedProcess[bytes]:
        asked.append((" ".join(words), threading.current_thread() is threading.main_thread()))
        return run(name, *words, **how)

    monkeypatch.setattr(programs, "run_program", watched)
    async with open_app(two_tier) as person:
        await person.press("semicolon", "a")
        await person.answer("Ada")
        await person.press("minus", "s", "V")
        await say(person, "comma", "why?", "")
        assert "stale" in person.seen().splitlines()[0]
    assert any("user.email" in words for words, _ in asked)
    assert any("--is-shallow-repository" in words for words, _ in asked)
    assert [words for words, on_screen in asked if on_screen] == []


@pytest.mark.parametrize("signed", ["approved", "pinned"])
async def test_no_figures_that_were_signed_are_computed_on_the_screen(
    open_app: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch, signed: str
) -> None:
    on_screen: list[bool] = []
    figures = approval.figures_of

    def watched(evaluated: EvaluatedDesign) -> dict[str, str]:
        on_screen.append(threading.current_thread() is threading.main_thread())
        return figures(evaluated)

    monkeypatch.setattr(approval, "figures_of", watched)
    async with open_app(two_tier) as person:
        await person.press("semicolon", "a" if signed == "approved" else "p")
        await person.answer("Ada")
        await person.press("s")
    async with open_app(two_tier) as person:
        if signed == "approved":
            assert "approved" in person.seen().splitlines()[0]
        await person.press("minus")
    assert on_screen and not any(on_screen)


async def test_until_the_figures_are_there_no_decision_is_shown(
    open_app: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(two_tier) as person:
        await person.press("semicolon", "a")
        await person.answer("Ada")
        beside = person.designer.designer.review
        with monkeypatch.context() as early:
            early.setattr(ReviewFile, "review_without_figures", lambda *_: None)
            assert beside.state[0] == "checking the review"
            assert not beside.review.decisions
        assert beside.state[0].startswith("approved")
        assert [one.entry.author for one in beside.review.decisions] == ["Ada"]


async def test_a_review_whose_figures_fail_says_why(
    open_app: OpenApp, two_tier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_app(two_tier) as person:
        await person.press("semicolon", "a")
        await person.answer("Ada")

    def broken(_: EvaluatedDesign) -> dict[str, str]:
        raise RuntimeError("broken")

    monkeypatch.setattr(approval, "figures_of", broken)
    async with open_app(two_tier) as person:
        trouble = person.designer.designer.review.file.trouble
        assert "the review cannot be checked" in trouble and "RuntimeError" in trouble
        await person.press("minus")
        assert "unreadable" in person.seen().splitlines()[0]


async def test_nothing_is_approved_under_a_policy_that_cannot_be_read(
    open_app: OpenApp, two_tier: Path, own_home: Path
) -> None:
    policy = own_home / "config" / "toposmith" / "policy.yaml"
    policy.parent.mkdir(parents=True, exist_ok=True)
    policy.write_text("toposmith-policy: 1\napprovals: {neded: 2}\n")
    async with open_app(two_tier, review=True, size=(200, 50)) as person:
        await person.press("semicolon", "a")
        assert "not approved: the policy cannot be read:" in person.message
        assert "policy.yaml:2" in person.message and "neded" in person.message
        assert not entries_of(two_tier) and not person.designer.asking
        policy.write_text("toposmith-policy: 1\n")
        await person.press("semicolon", "a")
        await person.answer("Ada")
        assert entries_of(two_tier)[0].approve is not None
    policy.write_text("toposmith-policy: 1\napprovals: {neded: 2}\n")
    async with open_app(two_tier, review=True, size=(200, 50)) as person:
        # under the built-in policy it would be approved
        assert "incomplete" in person.seen().splitlines()[0]
        await person.press("V")
        assert "policy.yaml:2" in person.seen()
