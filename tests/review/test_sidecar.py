"""A review's folder: one file an entry, none ever rewritten, nothing lost by writers or merges."""

from __future__ import annotations

import errno
import itertools
import multiprocessing
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.review.saying import in_order
from toposmith.design.document import Design
from toposmith.errors import DesignFileError, SaveError
from toposmith.review.sidecar.commented_places import group_shapes, place_now, places_of
from toposmith.review.sidecar.entries import ReviewEntry, Said, said_at
from toposmith.review.sidecar.folder import (
    add_entries,
    comment_called,
    load_sidecar,
    sidecar_path,
)
from toposmith.review.sidecar.verdict import Basis, Review, review_of

GROUPS = {"node": {"part": "dgx-h100"}, "leaf": {"part": "qm9700", "per": ["rail"]}}


def design(
    groups: dict[str, Any] = GROUPS, link: tuple[str, str] = ("node.compute", "leaf")
) -> Any:
    data = {"toposmith": 1, "axes": {"rail": 8}, "groups": groups, "links": [{"between": link}]}
    return Design.model_validate(data)


DESIGN = design()
NOW, BEFORE = "a" * 64, "b" * 64


def entry(author: str = "Ann", **said: Any) -> ReviewEntry:
    return ReviewEntry.model_validate({"author": author, "date": "2026-11-21", **said})


def signed(author: str = "Ann", of: str = NOW, **more: Any) -> ReviewEntry:
    """An approval with everything that one has to hold to count."""
    holds: dict[str, Any] = {
        "catalog": "c" * 64,
        "policy": "d" * 64,
        "figures": {"busbw all-reduce": "361 GB/s"},
    }
    holds["program"] = "1.0"
    return entry(author, approve=of, **holds, **more)


def files(pod: Path) -> list[Path]:
    return sorted(sidecar_path(pod).glob("*.yaml"))


def review(*said: Said, of: Design = DESIGN) -> Review:
    return review_of(said, of, Basis(NOW))


def decided(*entries: ReviewEntry) -> Review:
    return review(*in_order(entries))


@pytest.fixture
def pod(tmp_path: Path) -> Path:
    path = tmp_path / "pod.yaml"
    path.write_text("toposmith: 1\nname: pod\n")
    return path


def texts(path: Path) -> list[str | None]:
    return [each.entry.text for each in load_sidecar(path).said]


def test_the_design_its_groups_and_its_links_can_be_commented_on() -> None:
    assert places_of(DESIGN) == ("design", "node", "leaf", "node.compute - leaf")


def test_comments_are_resolved_and_opened_again_by_their_id() -> None:
    first, second = in_order(
        [entry(comment="leaf", text="why?"), entry(comment="design", text="ok")]
    )
    later = datetime(2026, 11, 22)
    settled = said_at(later, entry("Bob", resolve=first.id))
    again = said_at(datetime(2026, 11, 23), entry(reopen=first.id))
    assert [c.open for c in review(first, second).comments] == [True, True]
    found = review(first, second, settled)
    assert [c.id for c in found.open_comments] == [second.id]
    assert found.comments[0].settled_by == "Bob, 2026-11-21"
    assert len(review(first, second, settled, again).open_comments) == 2


def test_a_comment_that_sorts_before_another_takes_nothing_of_its_resolution() -> None:
    (mine,) = in_order([entry(comment="leaf", text="mine")])
    settled = said_at(datetime(2026, 11, 22), entry(resolve=mine.id))
    earlier = said_at(datetime(2026, 11, 20), entry("Bob", comment="leaf", text="a blocker"))
    (still,) = review(earlier, mine, settled).open_comments
    assert still.text == "a blocker"


def test_a_comment_whose_place_is_gone_is_kept_and_says_so() -> None:
    (comment,) = decided(entry(comment="spine", text="how many?")).comments
    assert (comment.gone, comment.text) == (True, "how many?")


def test_a_renamed_group_keeps_its_comments_and_those_of_its_links() -> None:
    then = group_shapes(DESIGN)
    named = {"node": GROUPS["node"], "tor": GROUPS["leaf"]}
    now = design(named, ("tor", "node.compute"))
    assert place_now("leaf", then, now) == "tor"
    assert place_now("node.compute - leaf", then, now) == "tor - node.compute"
    (comment,) = review(*in_order([entry(comment="leaf", text="?", groups=then)]), of=now).comments
    assert (comment.place, comment.was, comment.gone) == ("tor", "leaf", False)


def test_where_two_groups_could_be_the_renamed_one_none_is() -> None:
    then = group_shapes(DESIGN)
    two = {"node": GROUPS["node"], "a": {"part": "qm9700"}, "b": {"part": "qm9700"}}
    assert place_now("leaf", then, design(two, ("node.compute", "a"))) is None


def test_the_last_decision_of_each_author_counts() -> None:
    asks, approves = entry(request_changes=NOW, text="no"), signed()
    assert decided().verdict == "not reviewed"
    assert decided(approves).verdict == "approved"
    assert decided(asks, approves).verdict == "approved"
    assert decided(approves, entry("Bob", request_changes=NOW, text="no")).verdict == (
        "changes requested"
    )


def test_two_people_of_one_name_decide_each_for_themselves() -> None:
    asks = entry(request_changes=NOW, text="no", email="ann@a.example")
    assert decided(asks, signed(email="ann@b.example")).verdict == "changes requested"


def test_decisions_on_another_state_of_the_design_are_stale() -> None:
    found = decided(signed(of=BEFORE))
    assert found.verdict == "stale"
    assert found.decisions[0].changed == ("the design",)
    other = entry("Bob", request_changes=BEFORE, text="no")
    assert decided(other, signed()).verdict == "approved"


@pytest.mark.parametrize("lacks", ["catalog", "policy", "program", "figures"])
def test_an_approval_of_the_design_alone_is_named_and_does_not_count(lacks: str) -> None:
    found = decided(signed().model_copy(update={lacks: {} if lacks == "figures" else None}))
    assert found.words == "approvals missing (0 of 1)"
    (decision,) = found.decisions
    assert "Ann's approval does not count: it holds the digest of the design alone" in (
        " ".join(decision.remarks)
    )


def test_there_is_no_folder_until_something_is_said(pod: Path) -> None:
    sidecar = load_sidecar(pod)
    assert (sidecar.said, sidecar_path(pod).exists()) == ((), False)
    add_entries(sidecar, [entry(comment="leaf", text="why?")])
    assert sidecar_path(pod).name == "pod.review"
    (said,) = load_sidecar(pod).said
    assert said.entry == entry(comment="leaf", text="why?")
    assert [path.name for path in files(pod)] == [f"{said.id}.yaml"]


def test_designs_of_one_stem_have_folders_of_their_own(pod: Path) -> None:
    assert sidecar_path(pod) != sidecar_path(pod.with_suffix(".yml"))


def test_no_file_is_touched_by_what_is_said_later(pod: Path) -> None:
    sidecar = add_entries(load_sidecar(pod), [entry(comment="leaf", text="why?")])
    (first,) = files(pod)
    before = (first.read_bytes(), first.stat().st_mtime_ns, first.stat().st_ino)
    add_entries(sidecar, [entry(resolve=sidecar.said[0].id), entry(approve=NOW)])
    assert (first.read_bytes(), first.stat().st_mtime_ns, first.stat().st_ino) == before
    assert len(load_sidecar(pod).said) == 3


def test_an_answer_comes_after_what_it_answers_whatever_the_clocks_say(pod: Path) -> None:
    folder = sidecar_path(pod)
    folder.mkdir()
    from toposmith.review.sidecar.entries import entry_text

    ahead = said_at(datetime(2031, 1, 1, tzinfo=UTC), entry(comment="leaf", text="from tomorrow"))
    (folder / f"{ahead.id}.yaml").write_text(entry_text(ahead.entry))
    sidecar = add_entries(load_sidecar(pod), [entry("Bob", resolve=ahead.id)])
    assert sidecar.said[0].id == ahead.id
    assert review(*sidecar.said).open_comments == ()


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
        assert [each.entry for each in load_sidecar(pod).said] == [said]


def _write(pod: Path, author: str, many: int) -> None:
    for number in range(many):
        add_entries(load_sidecar(pod), [entry(author, comment="leaf", text=f"{author} {number}")])


def test_eight_who_write_at_the_same_moment_lose_nothing(pod: Path) -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_write, args=(pod, name, 10)) for name in "ABCDEFGH"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert sorted(map(str, texts(pod))) == sorted(f"{n} {i}" for n in "ABCDEFGH" for i in range(10))
    assert {path.suffix for path in sidecar_path(pod).iterdir()} == {".yaml", ".head"}
    assert load_sidecar(pod).faults == ()


def test_the_same_said_twice_at_the_same_moment_is_there_twice(
    pod: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from toposmith.review.sidecar import folder

    moment = datetime(2026, 11, 21, tzinfo=UTC)
    monkeypatch.setattr(folder, "next_moment", lambda newest: moment)
    for _ in range(2):
        add_entries(load_sidecar(pod), [entry(comment="leaf", text="me, too")])
    assert texts(pod) == ["me, too", "me, too"]


def test_what_was_written_of_several_entries_goes_where_one_fails(
    pod: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from toposmith.review.sidecar import folder

    link, done = folder.link, []

    def full(temporary: Path, path: Path) -> None:
        if done:
            raise OSError(28, "No space left on device")
        done.append(path)
        link(temporary, path)

    monkeypatch.setattr(folder, "link", full)
    with pytest.raises(SaveError, match="not saved: No space left"):
        add_entries(load_sidecar(pod), [entry(comment="leaf", text="a"), entry(approve=NOW)])
    assert list(sidecar_path(pod).iterdir()) == []


@pytest.mark.parametrize("failing", [1, 2, 3])
def test_what_is_said_of_a_comment_is_true_on_a_disk_without_links(
    pod: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    fsync, calls = os.fsync, itertools.count(1)

    def no_links(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    def ends(descriptor: int) -> None:
        if next(calls) == failing:
            raise OSError(errno.EIO, "Input/output error")
        fsync(descriptor)

    monkeypatch.setattr(os, "link", no_links)
    monkeypatch.setattr(os, "fsync", ends)
    is_said = True
    try:
        add_entries(load_sidecar(pod), [entry(comment="leaf", text="why?")])
    except SaveError as refused:
        is_said = "not saved: Input/output error" not in str(refused)
    there = [path.name for path in sidecar_path(pod).glob("*.yaml")]
    assert len(there) == len(load_sidecar(pod).said) == (1 if is_said else 0)
    assert is_said == (failing != 1)


def test_a_comment_is_named_by_the_beginning_of_its_mark(pod: Path) -> None:
    sidecar = add_entries(load_sidecar(pod), [entry(comment="leaf", text="why?")])
    (said,) = sidecar.said
    assert comment_called(sidecar, said.mark[:4].upper()) == said.id
    for wrong in ("", said.mark[:3], "zzzz", "\x1b[2J"):
        with pytest.raises(SaveError, match="there is no comment") as refused:
            comment_called(sidecar, wrong)
        assert "\x1b" not in str(refused.value)


def test_an_entry_that_was_changed_by_hand_is_named_and_says_nothing(pod: Path) -> None:
    add_entries(load_sidecar(pod), [entry(comment="leaf", text="why not?")])
    (path,) = files(pod)
    path.write_text(path.read_text().replace("why not", "fine"))
    sidecar = load_sidecar(pod)
    assert sidecar.said == ()
    assert sidecar.faults[0].startswith(f"pod.review/{path.name}:1:1: it was changed since")


def test_line_ends_and_blank_lines_change_no_entry(pod: Path) -> None:
    add_entries(load_sidecar(pod), [entry(comment="leaf", text="why?")])
    (path,) = files(pod)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n") + b"\r\n# kept\r\n")
    assert texts(pod) == ["why?"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: "", "expected an entry that begins with"),
        (lambda text: "- 1\n", "expected an entry that begins with"),
        (
            lambda text: text.replace("toposmith-review: 3", "toposmith-review: 4"),
            "needs a newer Toposmith",
        ),
        (lambda text: text.replace("toposmith-review: 3", "toposmith-review: 2"), "found 2"),
        (lambda text: f"{text}tekst: no\n", "unknown key; did you mean 'text'"),
        (lambda text: text.replace("comment", "resolve"), "resolve: found 'leaf'"),
        (lambda text: f"{text}approve: {NOW}\n", "expected exactly one of"),
        (lambda text: text.replace("text:", "x: &a [*a]\ntext:"), "anchor"),
        (lambda text: f"<<<<<<< ours\n{text}", "found a second ':'"),
        (lambda text: f"{text}author: Bob\n", "occurs twice"),
        (lambda text: f"{text}# {'x' * 300_000}\n", "expected at most 200,000"),
    ],
)
def test_what_is_no_entry_is_named_with_file_line_and_reason_and_hides_no_other(
    pod: Path, change: Any, said: str
) -> None:
    add_entries(load_sidecar(pod), [entry(comment="leaf", text="why?")])
    (path,) = files(pod)
    add_entries(load_sidecar(pod), [entry("Bob", comment="node", text="mine")])
    path.write_text(change(path.read_text()))
    sidecar = load_sidecar(pod)
    assert [each.entry.author for each in sidecar.said] == ["Bob"]
    faults = "\n".join(sidecar.faults)
    assert said in faults
    assert re.search(rf"pod\.review/{re.escape(path.name)}:\d+:\d+: ", faults)
    assert review_of(sidecar.said, DESIGN, Basis(NOW), sidecar.faults).words == (
        "incomplete, 1 entry lost or not readable, 1 comment open"
    )
    again = add_entries(sidecar, [entry("Cy", comment="leaf", text="still works")])
    assert len(again.said) == 2
    assert again.faults == sidecar.faults


def test_other_things_in_the_way_of_the_folder_are_said(pod: Path) -> None:
    folder = sidecar_path(pod)
    folder.write_text("mine")
    with pytest.raises(DesignFileError, match="found a file, expected a folder"):
        load_sidecar(pod)
    folder.unlink()
    folder.symlink_to(folder)
    with pytest.raises(DesignFileError, match="the link leads nowhere"):
        load_sidecar(pod)
    folder.unlink()
    folder.mkdir()
    (folder / "notes.yaml").write_text("x: 1")
    assert load_sidecar(pod).faults == (
        "pod.review/notes.yaml:1:1: no entry has this name; move the file elsewhere",
    )


def test_a_lost_entry_is_named_by_those_that_had_seen_it(pod: Path) -> None:
    """Whichever goes: its name stays with the next one, that of the newest in an empty file."""
    said = [
        entry("Ann", comment="leaf", text="why?"),
        entry("Bob", request_changes=NOW, text="no"),
        signed("Cy"),
        entry("Dee", comment="node", text="last"),
    ]
    for each in said:
        add_entries(load_sidecar(pod), [each])
    assert load_sidecar(pod).faults == ()
    for path in files(pod):
        text = path.read_bytes()
        path.unlink()
        sidecar = load_sidecar(pod)
        (fault,) = sidecar.faults
        assert fault.startswith(f"pod.review/{path.name}: this entry is lost")
        found = review_of(sidecar.said, DESIGN, Basis(NOW), sidecar.faults)
        assert not found.settled
        assert found.verdict in ("incomplete", "changes requested")
        path.write_bytes(text)
    assert load_sidecar(pod).faults == ()


def test_a_request_for_changes_that_is_deleted_leaves_no_approval(pod: Path) -> None:
    add_entries(load_sidecar(pod), [signed("Ann")])
    add_entries(load_sidecar(pod), [entry("Bob", request_changes=NOW, text="no")])
    files(pod)[-1].unlink()
    sidecar = load_sidecar(pod)
    assert review_of(sidecar.said, DESIGN, Basis(NOW), sidecar.faults).words == (
        "incomplete, 1 entry lost or not readable"
    )


def test_an_entry_that_is_written_while_the_folder_is_read_is_not_lost(
    pod: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from toposmith.review.sidecar import folder

    for text in ("first", "second", "third"):
        add_entries(load_sidecar(pod), [entry(comment="leaf", text=text)])
    names = folder._names(sidecar_path(pod))
    for read in (names[:2], names[:1] + names[2:]):
        monkeypatch.setattr(folder, "_names", lambda _, read=read: read)
        assert load_sidecar(pod).faults == ()


def test_entries_that_name_no_others_are_seen_by_the_next(pod: Path) -> None:
    from toposmith.review.sidecar.entries import entry_text

    folder = sidecar_path(pod)
    folder.mkdir()
    before = in_order([entry(comment="leaf", text=f"{n}") for n in range(3)])
    for each in before:
        (folder / f"{each.id}.yaml").write_text(entry_text(each.entry))
    after = add_entries(load_sidecar(pod), [entry("Bob", comment="leaf", text="new")])
    assert after.said[-1].entry.seen == tuple(each.id for each in before)
    assert {file.read_text()[:19] for file in files(pod)} == {"toposmith-review: 3"}
    (folder / f"{before[1].id}.yaml").unlink()
    assert before[1].id in load_sidecar(pod).faults[0]


@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=3), max_size=8), st.data())
@settings(deadline=None, max_examples=25)
def test_whatever_each_writer_had_seen_any_lost_entry_is_missed(
    tmp_path_factory: pytest.TempPathFactory, rounds: list[list[int]], data: st.DataObject
) -> None:
    """Writers with an old view of the folder are concurrent ones: several heads, one next entry."""
    pod = tmp_path_factory.mktemp("pod") / "pod.yaml"
    views = [load_sidecar(pod)] * 3
    for writers in rounds:
        views = [load_sidecar(pod)] * 3
        for writer in writers:
            add_entries(views[writer], [entry(f"w{writer}", comment="leaf", text="x")])
    assert load_sidecar(pod).faults == ()
    if files(pod):
        gone = data.draw(st.sampled_from(files(pod)))
        gone.unlink()
        assert [gone.name in fault for fault in load_sidecar(pod).faults] == [True]


def test_an_answer_without_its_comment_is_named(pod: Path) -> None:
    sidecar = add_entries(load_sidecar(pod), [entry(comment="leaf", text="why?")])
    add_entries(sidecar, [entry(resolve=sidecar.said[0].id)])
    (sidecar_path(pod) / f"{sidecar.said[0].id}.yaml").unlink()
    (fault,) = load_sidecar(pod).faults
    assert f"{sidecar.said[0].id}.yaml: this entry is lost; Ann had seen it on 2026-11-21" in fault


def test_an_answer_to_what_is_no_comment_is_named(pod: Path) -> None:
    sidecar = add_entries(load_sidecar(pod), [signed()])
    answers = add_entries(sidecar, [entry(resolve=sidecar.said[0].id)])
    assert "which is no comment" in answers.faults[0]
