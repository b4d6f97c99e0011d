"""An app that ends abnormally leaves a plain terminal behind."""

from __future__ import annotations

import os
from contextlib import suppress
from threading import Event, Lock, Thread
from time import sleep
from types import SimpleNamespace
from typing import Any

import pytest
from textual.drivers._writer_thread import WriterThread

from toposmith import whole_files
from toposmith.tui import abnormal_exit

TAKES_THE_SCREEN = "\x1b[?1049h\x1b[?1003h\x1b[?25l"


class SlowTerminal:
    """A terminal in the place of stderr that has taken all it can, and shows what it took."""

    def __init__(self) -> None:
        self.taken = bytearray()
        self._read, write = os.pipe()
        os.set_blocking(write, False)
        with suppress(BlockingIOError):
            while True:
                os.write(write, b"drawn" * 1000)
        os.set_blocking(write, True)
        self._kept = os.dup(2)
        os.dup2(write, 2)
        os.close(write)
        self._reader = Thread(target=self._take)

    def take_late(self) -> None:
        """Take what was drawn a moment from now, and go on."""
        self._reader.start()

    def ends(self) -> bytes:
        """All that it took, once nobody writes to it any more."""
        os.dup2(self._kept, 2)
        os.close(self._kept)
        self._reader.join()
        os.close(self._read)
        return bytes(self.taken)

    def _take(self) -> None:
        sleep(0.03)
        while piece := os.read(self._read, 65536):
            self.taken.extend(piece)


def driver(*waiting: str) -> Any:
    """A driver of Textual that has these to draw yet."""
    writer = WriterThread(os.fdopen(2, "w", closefd=False))
    writer.start()
    for text in waiting:
        writer.write(text)
    return SimpleNamespace(_writer_thread=writer, attrs_before=None)


@pytest.mark.parametrize("waiting", [(), ("frame" * 9_000, *[TAKES_THE_SCREEN] * 25)])
def test_a_terminal_that_is_slow_to_take_what_is_drawn_is_still_made_plain(
    waiting: tuple[str, ...],
) -> None:
    terminal = SlowTerminal()
    of = driver(*waiting)
    terminal.take_late()
    abnormal_exit._restore_terminal(of, ["kept"])
    words = f"{abnormal_exit._PLAIN_TERMINAL}kept\n".encode()
    assert terminal.ends().endswith(words)


def test_a_terminal_that_takes_nothing_does_not_hold_up_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal, ended = SlowTerminal(), list[int]()
    monkeypatch.setattr(abnormal_exit, "TAKEN_SECONDS", 0.01)
    monkeypatch.setattr(abnormal_exit.os, "_exit", ended.append)
    # the process that ends keeps the lock, but this one goes on
    monkeypatch.setattr(whole_files, "replacing", Lock())
    monkeypatch.setattr(whole_files, "_discarded", Event())
    app = SimpleNamespace(_driver=driver("frame"), farewell=[])
    abnormal_exit.EndingApp._end_process(app, 0)  # type: ignore[arg-type]  # no app runs
    assert ended == [0]
    terminal.take_late()
    app._driver._writer_thread.join()
    terminal.ends()
