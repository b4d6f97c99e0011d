"""Editing needs no screen: steps are journaled first, then shown; refusals change nothing."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from toposmith.catalog import load_catalog
from toposmith.design.document import Design, Group
from toposmith.design.edits import add_group, add_link, set_count
from toposmith.tui.designer.editing import Editing
from toposmith.tui.designer.messages import Messages
from toposmith.tui.keeping.journal import told
from toposmith.tui.keeping.session import Session
from toposmith.tui.widgets.message_line import MessageTone

NODES = Design(groups={"node": Group(part="dgx-h100", count=8)})


@pytest.fixture(autouse=True)
def at_home(own_home: Path, work_dir: Path) -> None:
    """The journals are a test's own."""


class Line:
    """A message line that nobody sees."""

    def __init__(self) -> None:
        self.said: list[tuple[str, MessageTone]] = []

    def say(self, text: str, tone: MessageTone = "done") -> None:
        self.said.append((text, tone))


class Bench:
    """Editing on a table of its own, with a record of what followed."""

    def __init__(self, design: Design = NODES, *, read_only: bool = False) -> None:
        self.line = Line()
        self.followed: list[str] = []
        self.flushes: list[Callable[[], Coroutine[Any, Any, None]]] = []
        self.editing = Editing(
            Messages(self.line),
            read_only=read_only,
            changed=lambda: self.followed.append(f"{self.count} shown, {self.journals} journaled"),
            saved=lambda: self.followed.append("saved"),
            in_background=self.flushes.append,
        )
        self.editing.open(Session(design), load_catalog(user=False))

    @property
    def count(self) -> int:
        return self.editing.design.groups["node"].count

    @property
    def journals(self) -> int:
        return len(self.flushes)


def test_a_step_is_in_the_journal_before_it_is_shown() -> None:
    bench = Bench()
    assert bench.editing.make(set_count(bench.editing.design, "node", 9))
    assert bench.followed == ["9 shown, 1 journaled"]
    assert bench.editing.session.rescue.path is not None
    asyncio.run(bench.flushes[0]())
    assert bench.editing.session.rescue.path.stat().st_size > 0


def test_a_journal_that_the_disk_does_not_take_is_said_once_and_begun_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = Bench()

    def broken(_: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", broken)
    for count in (9, 10):
        assert bench.editing.make(set_count(bench.editing.design, "node", count))
        asyncio.run(bench.flushes[-1]())
        assert bench.editing.journal_failed
    words = [words for words, tone in bench.line.said if tone == "failed"]
    assert words == ["unsaved work cannot be kept for recovery (Input/output error): save it (s)"]
    monkeypatch.undo()
    before = bench.editing.session.rescue.path
    assert bench.editing.make(set_count(bench.editing.design, "node", 11))
    asyncio.run(bench.flushes[-1]())
    assert not bench.editing.journal_failed
    path = bench.editing.session.rescue.path
    assert path is not None and before is not None and path != before and not before.exists()
    there = told(path.read_text())
    assert there is not None and len(there.steps) == 4


def test_a_refused_edit_changes_nothing_and_says_why() -> None:
    design = add_group(NODES, "qm9700", name="leaf", count=1).design
    bench = Bench(design)
    assert not bench.editing.make(add_link(design, "node.compute", "leaf", cables=1000))
    assert bench.editing.design is design
    assert not bench.followed
    ((words, tone),) = bench.line.said
    assert tone == "refused"
    assert words


def test_every_step_is_taken_back_and_made_again() -> None:
    bench = Bench()
    for count in (9, 10, 11):
        bench.editing.make(set_count(bench.editing.design, "node", count))
    bench.editing.undo()
    bench.editing.undo()
    assert bench.count == 9
    bench.editing.redo()
    assert bench.count == 10
    bench.editing.go_to_step(0)
    assert bench.count == 8
    assert bench.line.said[-1][0].startswith("at step 0")


def test_undo_at_the_beginning_says_that_there_is_nothing() -> None:
    bench = Bench()
    bench.editing.undo()
    bench.editing.redo()
    assert [text for text, _ in bench.line.said] == ["nothing to undo", "nothing to redo"]


def test_what_is_saved_is_unsaved_no_more() -> None:
    bench = Bench()
    bench.editing.make(set_count(bench.editing.design, "node", 9))
    assert bench.editing.unsaved
    bench.editing.mark_saved()
    assert not bench.editing.unsaved
    assert bench.followed[-1] == "saved"


def test_a_review_journals_nothing() -> None:
    bench = Bench(read_only=True)
    assert not bench.editing.make(set_count(bench.editing.design, "node", 9))
    assert bench.editing.autosave() is None
    assert bench.editing.session.rescue.path is None


def test_a_journal_that_cannot_be_written_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()

    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(bench.editing.session, "journal", full)
    bench.editing.make(set_count(bench.editing.design, "node", 9))
    bench.editing.make(set_count(bench.editing.design, "node", 10))
    warned = [text for text, tone in bench.line.said if tone == "failed"]
    assert len(warned) == 1
    assert "No space left on device" in warned[0]
    assert bench.count == 10


def test_the_next_design_is_measured_as_the_one_before() -> None:
    bench = Bench()
    asked = bench.editing.workbench.request
    bench.editing.workbench.request = type(asked)(message_bytes=1 << 20)
    bench.editing.open(Session(Design()), load_catalog(user=False))
    assert bench.editing.workbench.request.message_bytes == 1 << 20
    assert not bench.editing.design.groups


def test_the_effect_of_an_edit_is_told_behind_its_label_and_only_once() -> None:
    line = Line()
    messages = Messages(line)
    messages.say_edit("node: 9 devices")
    messages.say_effect(["busbw 362 to 350 GB/s"], 80)
    messages.say_effect(["busbw 350 to 340 GB/s"], 80)
    assert [text for text, _ in line.said] == [
        "node: 9 devices",
        "node: 9 devices: busbw 362 to 350 GB/s",
    ]


def test_an_effect_is_not_told_over_what_was_said_since() -> None:
    line = Line()
    messages = Messages(line)
    messages.say_edit("node: 9 devices")
    messages.say("saved a.yaml")
    messages.say_effect(["busbw 362 to 350 GB/s"], 80)
    assert line.said[-1] == ("saved a.yaml", "done")
