"""An app that ends abnormally leaves a plain terminal behind."""

from __future__ import annotations

import os
from contextlib import suppress
from threading import Thread
from time import sleep

import pytest

from toposmith.tui import abnormal_exit


def test_a_terminal_that_is_slow_to_take_what_is_drawn_is_still_made_plain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(abnormal_exit, "TAKEN_SECONDS", 60)  # the reader decides, not the clock
    read, write = os.pipe()
    os.set_blocking(write, False)
    with suppress(BlockingIOError):
        while True:
            os.write(write, b"drawn" * 1000)
    kept, taken = os.dup(2), bytearray()

    def take_late() -> None:
        sleep(0.03)
        while piece := os.read(read, 65536):
            taken.extend(piece)

    reader = Thread(target=take_late)
    os.dup2(write, 2)
    os.close(write)
    try:
        reader.start()
        abnormal_exit._restore_terminal(None, ["kept"])
    finally:
        os.dup2(kept, 2)
        os.close(kept)
    reader.join()
    os.close(read)
    assert taken.endswith(f"{abnormal_exit._PLAIN_TERMINAL}kept\n".encode())
