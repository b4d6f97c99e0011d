"""Files that are written whole, and the end of the process meanwhile."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest

from toposmith import whole_files

ENDING_AS_A_FILE_BEGINS = """
import os, sys, threading
from pathlib import Path
from toposmith.whole_files import discard_unfinished, make_folder, unfinished_beside, write_new
begun, goes_on = threading.Event(), threading.Event()
def save():
    with unfinished_beside(Path(sys.argv[1])) as temporary:
        begun.set()
        goes_on.wait()
        if sys.argv[2] == "folder":
            make_folder(temporary / "within")
        else:
            write_new(temporary, [b"text"])
        os._exit(1)
thread = threading.Thread(target=save, daemon=True)
thread.start()
begun.wait()
discard_unfinished()
goes_on.set()
thread.join(0.3)
os._exit(0)
"""


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_is_begun_while_the_process_ends_leaves_nothing(tmp_path: Path, what: str) -> None:
    command = [sys.executable, "-c", ENDING_AS_A_FILE_BEGINS, str(tmp_path / "pod.yaml"), what]
    assert subprocess.run(command, check=False, timeout=60).returncode == 0
    assert list(tmp_path.iterdir()) == []


class HeldLock:
    """A lock that never is to be had, and how often it was waited for."""

    waits = 0

    def acquire(self, timeout: float) -> bool:
        assert timeout > 0
        self.waits += 1
        return False


def test_an_end_asked_for_twice_waits_once_for_a_file_that_is_being_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = HeldLock()
    monkeypatch.setattr(whole_files, "replacing", held)
    monkeypatch.setattr(whole_files, "_discarded", Event())
    whole_files.discard_unfinished()
    whole_files.discard_unfinished()
    assert held.waits == 1
