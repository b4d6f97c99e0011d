"""A review's file: only added to, never about another design, and stale once the design changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposmith.topology.design.document import Design
from toposmith.topology.errors import DesignFileError, SaveError
from toposmith.topology.review.sidecar.entries import Entry, Review, places_of, review_of
from toposmith.topology.review.sidecar.file import (
    Sidecar,
    add_entries,
    load_sidecar,
    parse_sidecar,
    sidecar_path,
)

DESIGN = Design.model_validate(
    {
        "toposmith": 1,
        "groups": {"node": {"part": "dgx-h100"}, "leaf": {"part": "qm9700"}},
        "links": [{"between": ["node.compute", "leaf"]}],
    }
)
NOW, BEFORE = "a" * 64, "b" * 64


def entry(author: str = "Ann", **said: Any) -> Entry:
    return Entry.model_validate({"author": author, "date": "2026-11-21", **said})


def review(*entries: Entry) -> Review:
    return review_of(entries, DESIGN, NOW)


@pytest.fixture
def pod(tmp_path: Path) -> Path:
    path = tmp_path / "pod.yaml"
    path.write_text("toposmith: 1\nname: pod\n")
    return path


def test_the_design_its_groups_and_its_links_can_be_commented_on() -> None:
    assert places_of(DESIGN) == ("design", "node", "leaf", "node.compute - leaf")


def test_comments_count_from_one_and_can_be_resolved_and_opened_again() -> None:
    said = [entry(comment="leaf", text="why?"), entry(comment="design", text="nice")]
    assert [c.open for c in review(*said).comments] == [True, True]
    found = review(*said, entry(resolve=1))
    assert [c.number for c in found.open_comments] == [2]
    assert len(review(*said, entry(resolve=1), entry(reopen=1)).open_comments) == 2


def test_a_comment_whose_place_is_gone_is_kept_and_says_so() -> None:
    (comment,) = review(entry(comment="spine", text="how many?")).comments
    assert comment.gone
    assert comment.text == "how many?"


def test_the_last_decision_of_each_author_counts() -> None:
    asks, approves = entry(request_changes=NOW, text="no"), entry(approve=NOW)
    assert review().verdict == "not reviewed"
    assert review(approves).verdict == "approved"
    assert review(asks, approves).verdict == "approved"
    assert review(approves, entry("Bob", request_changes=NOW, text="no")).verdict == (
        "changes requested"
    )


def test_decisions_on_another_state_of_the_design_are_stale() -> None:
    found = review(entry(approve=BEFORE))
    assert found.verdict == "stale"
    assert found.decisions[0].stale
    assert review(entry("Bob", request_changes=BEFORE, text="no"), entry(approve=NOW)).verdict == (
        "approved"
    )


def test_there_is_no_file_until_something_is_said(pod: Path) -> None:
    sidecar = load_sidecar(pod)
    assert sidecar.record.entries == ()
    assert not sidecar_path(pod).exists()
    add_entries(sidecar, [entry(comment="leaf", text="why?")])
    assert sidecar_path(pod).name == "pod.review.yaml"
    assert load_sidecar(pod).record.entries == (entry(comment="leaf", text="why?"),)


def test_what_stands_there_stays_byte_for_byte(pod: Path) -> None:
    old = (
        "# ours\ntoposmith-review:   1\ndesign: pod.yaml  # this one\nentries:\n"
        "    - comment: leaf\n      author: Ann\n      date: 2026-11-20\n      text: >-\n"
        "        why so\n        many?\n\n    # settled in the meeting\n"
        "    - {resolve: 1, author: Bob, date: 2026-11-21}"
    )
    sidecar_path(pod).write_text(old)
    add_entries(load_sidecar(pod), [entry(reopen=1), entry(approve=NOW)])
    text = sidecar_path(pod).read_text()
    assert text.startswith(old)
    assert len(load_sidecar(pod).record.entries) == 4


@given(st.text(min_size=1, max_size=60), st.text(min_size=1, max_size=20))
def test_any_text_comes_back_as_it_was_or_is_refused(
    tmp_path_factory: pytest.TempPathFactory, text: str, author: str
) -> None:
    pod = tmp_path_factory.mktemp("pod") / "pod.yaml"
    said = entry(author, comment="leaf", text=text)
    try:
        add_entries(load_sidecar(pod), [said])
    except SaveError:
        assert not sidecar_path(pod).exists()
    else:
        assert load_sidecar(pod).record.entries == (said,)


def test_all_entries_are_written_or_none(pod: Path) -> None:
    with pytest.raises(SaveError, match="no comment 2; it has comments 1 to 1"):
        add_entries(load_sidecar(pod), [entry(comment="leaf", text="why?"), entry(resolve=2)])
    assert not sidecar_path(pod).exists()
    with pytest.raises(SaveError, match="it has no comments"):
        add_entries(load_sidecar(pod), [entry(resolve=1)])
    add_entries(load_sidecar(pod), [entry(comment="leaf", text="why?"), entry(resolve=1)])


def test_two_who_write_at_once_lose_nothing(pod: Path) -> None:
    mine, yours = load_sidecar(pod), load_sidecar(pod)
    mine = add_entries(mine, [entry(comment="leaf", text="mine")])
    with pytest.raises(SaveError, match="somebody else made it meanwhile"):
        add_entries(yours, [entry(comment="leaf", text="yours")])
    yours = load_sidecar(pod)
    add_entries(mine, [entry(comment="leaf", text="mine again")])
    with pytest.raises(SaveError, match="changed"):
        add_entries(yours, [entry(comment="leaf", text="yours")])
    assert len(load_sidecar(pod).record.entries) == 2


def test_a_review_of_another_file_is_refused_and_stays_as_it_is(pod: Path) -> None:
    text = 'toposmith-review: 1\ndesign: "other.yaml"\nentries: []\n'
    sidecar_path(pod).write_text(text)
    with pytest.raises(DesignFileError, match=r"review of 'other\.yaml', not of 'pod\.yaml'"):
        load_sidecar(pod)
    assert sidecar_path(pod).read_text() == text


def test_a_list_that_cannot_be_added_to_is_refused_and_stays_as_it_is(pod: Path) -> None:
    text = "toposmith-review: 1\nentries: []\ndesign: pod.yaml\n"
    sidecar_path(pod).write_text(text)
    with pytest.raises(SaveError, match="not saved"):
        add_entries(load_sidecar(pod), [entry(comment="leaf", text="why?")])
    assert sidecar_path(pod).read_text() == text


HEAD = "toposmith-review: 1\ndesign: pod.yaml\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected a review that begins with"),
        ("- 1\n", "expected a review that begins with"),
        ("toposmith-review: 2\ndesign: pod.yaml\n", "needs a newer Toposmith"),
        ("toposmith-review: 1\n", "design: is missing"),
        (f"{HEAD}entires: []\n", "did you mean 'entries'"),
        (f"{HEAD}entries: 3\n", "entries: found 3"),
        (f"{HEAD}entries:\n  - {{author: A, date: 2026-01-01}}\n", "expected exactly one of"),
        (f"{HEAD}entries:\n  - {{comment: leaf, author: A, date: 2026-01-01}}\n", "wants a text"),
        (f"{HEAD}entries:\n  - {{resolve: 0, author: A, date: 2026-01-01}}\n", "found 0"),
        (f"{HEAD}entries:\n  - {{approve: xyz, author: A, date: 2026-01-01}}\n", "found 'xyz'"),
        (f"{HEAD}entries:\n  - {{approve: {NOW}, author: A, date: today}}\n", "found 'today'"),
        (f"{HEAD}entries:\n  - {{aprove: {NOW}, author: A, date: 2026-01-01}}\n", "'approve'"),
        (f"{HEAD}design: other.yaml\n", "stands twice"),
        (f"{HEAD}entries: &a [*a]\n", "anchor"),
    ],
)
def test_what_is_no_review_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(DesignFileError) as refused:
        parse_sidecar(text, "pod.review.yaml")
    assert said in str(refused.value)
    assert str(refused.value).startswith("pod.review.yaml")


def test_an_empty_sidecar_is_one_of_no_entries(pod: Path) -> None:
    sidecar = load_sidecar(pod)
    assert isinstance(sidecar, Sidecar)
    assert sidecar.text == ""
    assert review(*sidecar.record.entries).verdict == "not reviewed"
