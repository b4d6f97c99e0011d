"""Files from outside that are damaged in any way end in words, soon, and in little memory.

``python -m bench.endurance.hostile_files`` reads 20,000; here are a few of each reader.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bench.endurance.damage import damaged
from bench.endurance.foreign_readers import ForeignReader, foreign_readers
from bench.endurance.hostile_files import file_of, in_own_process, read_once

FILES, SEED = 4, 20261124
NAMES = [reader.name for reader in foreign_readers()]


def reader_called(name: str) -> ForeignReader:
    return next(reader for reader in foreign_readers() if reader.name == name)


@pytest.mark.parametrize("name", NAMES)
def test_damaged_files_of_a_kind_are_read_or_refused_in_words(name: str, tmp_path: Path) -> None:
    reader = reader_called(name)
    for number in range(FILES):
        (folder := tmp_path / str(number)).mkdir()
        ended = read_once(reader, file_of(reader, number, SEED), folder)
        wrong = "" if ended.wrong.endswith(" MB") else ended.wrong  # of all tests before, too
        assert not wrong, f"{name} {number}: {wrong}"


@pytest.mark.parametrize("name", NAMES)
def test_a_good_file_of_the_kind_is_read(name: str, tmp_path: Path) -> None:
    """Else the trial would try what is refused at its door."""
    reader = reader_called(name)
    assert read_once(reader, reader.examples[0], tmp_path).code in (0, 1)


def test_the_trial_sees_what_it_looks_for(tmp_path: Path) -> None:
    def planted(_: tuple[str, ...]) -> int:
        raise KeyError("planted")

    def silent(_: tuple[str, ...]) -> int:
        return 2

    def obeyed(_: tuple[str, ...]) -> int:
        print("\x1b[2J")
        return 0

    good = (b"a",)
    for read, words in ((planted, "KeyError"), (silent, "without a word"), (obeyed, "x1b[2J")):
        reader = ForeignReader("planted", "a.txt", good, ("a.txt",), read)
        assert words in read_once(reader, b"a", tmp_path).wrong


def test_a_process_that_a_file_ends_is_said_and_the_files_after_it_are_read() -> None:
    def gone(_: tuple[str, ...]) -> int:
        import os

        if Path("a.txt").read_bytes() == file_of(reader, 1, SEED):
            os._exit(9)
        return 0

    reader = ForeignReader("gone", "a.txt", (bytes(range(256)),), (), gone)
    ended = in_own_process(reader, range(3), SEED)
    assert [one.number for one in ended] == [0, 1, 2]
    # what a fork of a large process holds counts as memory of each file, which is not meant here
    assert ended[1].wrong and ended[1].wrong not in (ended[0].wrong, ended[2].wrong)


def test_every_file_of_the_trial_is_damaged_and_few_are_the_same() -> None:
    good = "".join(f"key{number}: {number}\n" for number in range(60)).encode()
    made = [damaged(random.Random(number), good) for number in range(200)]
    assert len(set(made)) > 150 and good not in made
