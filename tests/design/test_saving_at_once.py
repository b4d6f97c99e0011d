"""Several people save one file at the same moment: who was told "saved" finds their work there."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from multiprocessing.synchronize import Barrier as BarrierType
from pathlib import Path

import pytest

from toposmith.design import stored_files
from toposmith.design.stored_files import (
    NO_FILE,
    FileChangedError,
    load_text,
    save_file,
    save_folder,
    save_pieces,
)
from toposmith.errors import SaveError

ROUNDS, WRITERS = 25, 4


def _save(folder: Path, name: str, gate: BarrierType) -> None:
    path = folder / "pod.yaml"
    told = []
    for number in range(ROUNDS):
        fingerprint = load_text(path)[1]
        gate.wait(30)  # all have read the same file
        try:
            save_file(path, f"{name} {number}\n", expected_fingerprint=fingerprint)
            told.append(f"{number}\n")
        except FileChangedError:
            pass
        gate.wait(30)
    (folder / f"{name}.told").write_text("".join(told))


def test_of_several_who_save_at_once_exactly_one_is_told_that_it_is_saved(tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text("0")
    context = multiprocessing.get_context("fork")
    gate = context.Barrier(WRITERS)
    writers = [context.Process(target=_save, args=(tmp_path, n, gate)) for n in "ABCD"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    told = [line for n in "ABCD" for line in (tmp_path / f"{n}.told").read_text().splitlines()]
    assert sorted(told, key=int) == [str(number) for number in range(ROUNDS)]
    assert {path.suffix for path in tmp_path.iterdir()} == {".yaml", ".told"}


def test_a_file_that_somebody_made_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "pod.yaml"
    save_file(path, "mine", expected_fingerprint=NO_FILE)
    with pytest.raises(FileChangedError, match="somebody else made this file meanwhile"):
        save_file(path, "yours", expected_fingerprint=NO_FILE)
    assert path.read_text() == "mine"


def test_a_folder_that_stays_locked_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr(stored_files, "_LOCK_SECONDS", 0.05)
    held = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    try:
        with pytest.raises(SaveError, match="somebody else is saving in this folder; try again"):
            save_file(tmp_path / "pod.yaml", "mine")
    finally:
        os.close(held)
    assert list(tmp_path.iterdir()) == []


def _save_pieces(path: Path) -> None:
    save_pieces(path, [b"mine"])


def _save_folder(path: Path) -> None:
    save_folder(path, [("a.txt", [b"mine"])], replace=False)


def _save_text(path: Path) -> None:
    save_file(path, "mine")


@pytest.mark.parametrize("save", [_save_text, _save_pieces, _save_folder])
def test_what_a_killed_save_left_goes_with_a_later_one(
    tmp_path: Path, save: Callable[[Path], None]
) -> None:
    old, at_work = tmp_path / ".toposmith-1.tmp", tmp_path / ".toposmith-2.tmp"
    folder, long_at_work = tmp_path / ".toposmith-3.tmp", tmp_path / ".toposmith-4.tmp"
    old.write_text("half")
    at_work.write_text("half")
    for each in (folder, long_at_work):
        (each / "inner").mkdir(parents=True)
        (each / "inner" / "cables.csv").write_text("half")
    for each in (old, *folder.rglob("*"), folder, long_at_work / "inner", long_at_work):
        os.utime(each, (0, 0))
    save(tmp_path / "mine")
    assert {path.name for path in tmp_path.iterdir()} == {at_work.name, long_at_work.name, "mine"}


def test_a_left_over_link_goes_and_what_it_leads_to_stays(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    (there / "kept").write_text("kept")
    left = tmp_path / ".toposmith-1.tmp"
    left.symlink_to(there)
    os.utime(left, (0, 0), follow_symlinks=False)
    save_file(tmp_path / "pod.yaml", "mine")
    assert not left.is_symlink() and (there / "kept").exists()
