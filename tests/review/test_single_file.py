"""Reviews in one file, as they were kept before: read, moved into the folder, lost by nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from toposmith.errors import DesignFileError
from toposmith.review.sidecar.entries import ReviewEntry
from toposmith.review.sidecar.folder import add_entries, load_sidecar, sidecar_path
from toposmith.review.sidecar.single_file import parse_single_file

HEAD = "toposmith-review: 1\ndesign: pod.yaml\n"
NOW = "a" * 64
OLD = (
    f"# ours\n{HEAD}entries:\n"
    "    - comment: leaf\n      author: Ann\n      date: 2026-11-20\n      text: >-\n"
    "        why so\n        many?\n\n"
    "    - {comment: design, author: Bob, date: 2026-11-19, text: no feeds}\n"
    "    - {resolve: 2, author: Bob, date: 2026-11-21}\n"
    f"    - {{approve: {NOW}, author: Ann, date: 2026-11-21}}\n"
)
MORE = ReviewEntry.model_validate(
    {"comment": "leaf", "author": "Cy", "date": "2026-11-22", "text": "more"}
)


@pytest.fixture
def pod(tmp_path: Path) -> Path:
    path = tmp_path / "pod.yaml"
    path.write_text("toposmith: 1\nname: pod\n")
    path.with_name("pod.review.yaml").write_text(OLD)
    return path


def test_its_entries_are_read_in_their_order_and_numbers_became_ids(pod: Path) -> None:
    first, second, settles, approves = load_sidecar(pod).said
    assert (first.entry.text, second.entry.text) == ("why so many?", "no feeds")
    assert settles.entry.resolve == second.id
    assert approves.entry.approve == NOW
    assert not sidecar_path(pod).exists()


def test_the_next_entry_moves_them_over_and_the_file_goes(pod: Path) -> None:
    before = load_sidecar(pod).said
    after = add_entries(load_sidecar(pod), [MORE])
    assert after.said[:-1] == before
    assert not pod.with_name("pod.review.yaml").exists()
    assert load_sidecar(pod).said == after.said
    assert len(list(sidecar_path(pod).glob("*.yaml"))) == 5


def test_two_who_move_it_make_the_same_files(pod: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "pod.yaml").write_bytes(pod.read_bytes())
    (other / "pod.review.yaml").write_text(OLD)
    add_entries(load_sidecar(pod), [MORE])
    add_entries(load_sidecar(other / "pod.yaml"), [MORE])
    mine = {path.name: path.read_bytes() for path in sidecar_path(pod).iterdir()}
    yours = {path.name: path.read_bytes() for path in sidecar_path(other / "pod.yaml").iterdir()}
    assert len(mine.keys() & yours.keys()) == 4
    assert all(mine[name] == yours[name] for name in mine.keys() & yours.keys())


def test_entries_that_an_older_program_adds_to_the_file_are_moved_later(pod: Path) -> None:
    add_entries(load_sidecar(pod), [MORE])
    late = "    - {comment: leaf, author: Di, date: 2026-11-23, text: late}\n"
    pod.with_name("pod.review.yaml").write_text(OLD + late)
    assert [each.entry.text for each in load_sidecar(pod).said].count("late") == 1
    assert len(load_sidecar(pod).said) == 6
    assert len(add_entries(load_sidecar(pod), [MORE]).said) == 7


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected a review that begins with"),
        ("- 1\n", "expected a review that begins with"),
        ("toposmith-review: 2\ndesign: pod.yaml\n", "needs a newer Toposmith"),
        ("toposmith-review: 1\n", "design: is missing"),
        ("toposmith-review: 1\ndesign: x.yaml\n", "review of 'x.yaml', not of 'pod.yaml'"),
        (f"{HEAD}entires: []\n", "did you mean 'entries'"),
        (f"{HEAD}entries: 3\n", "entries: found 3"),
        (f"{HEAD}entries:\n  - {{author: A, date: 2026-01-01}}\n", "expected exactly one of"),
        (f"{HEAD}entries:\n  - {{comment: leaf, author: A, date: 2026-01-01}}\n", "text is req"),
        (f"{HEAD}entries:\n  - {{resolve: 1, author: A, date: 2026-01-01}}\n", "no comments"),
        (f"{HEAD}entries:\n  - {{approve: xyz, author: A, date: 2026-01-01}}\n", "found 'xyz'"),
        (f"{HEAD}entries:\n  - {{approve: {NOW}, author: A, date: 2026-99-01}}\n", "a day such"),
        (f"{HEAD}entries:\n  - {{aprove: {NOW}, author: A, date: 2026-01-01}}\n", "'approve'"),
        (f"{HEAD}design: other.yaml\n", "occurs twice"),
        (f"{HEAD}entries: &a [*a]\n", "anchor"),
    ],
)
def test_what_is_no_review_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(DesignFileError) as refused:
        parse_single_file(text, "pod.review.yaml", "pod.yaml")
    assert said in str(refused.value)
    assert str(refused.value).startswith("pod.review.yaml")


def test_a_review_of_another_file_is_refused_and_stays_as_it_is(pod: Path) -> None:
    beside = pod.with_name("pod.review.yaml")
    beside.write_text('toposmith-review: 1\ndesign: "other.yaml"\nentries: []\n')
    before = beside.read_text()
    with pytest.raises(DesignFileError, match=r"review of 'other\.yaml', not of 'pod\.yaml'"):
        load_sidecar(pod)
    assert beside.read_text() == before
