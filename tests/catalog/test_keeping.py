"""The program's own parts, kept as JSON between runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog import Catalog, keeping, load_catalog, reading

PARTS = [*load_catalog(), *load_catalog().facility]


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep parts in a folder of the test, not in the developer's own."""
    file = tmp_path / "cache" / "catalog.json"
    monkeypatch.setattr(keeping, "_file", lambda: file)
    return file


def fresh_catalog() -> Catalog:
    """Read the program's parts as a new process would."""
    found: Catalog = reading._packaged_catalog.__wrapped__()
    return found


def test_every_part_comes_back_as_it_was() -> None:
    keeping.keep_parts("abc", PARTS)
    assert keeping.kept_parts("abc") == PARTS


def test_parts_of_other_files_do_not_come_back() -> None:
    keeping.keep_parts("abc", PARTS)
    assert keeping.kept_parts("abd") is None


def test_nothing_is_kept_at_first() -> None:
    assert keeping.kept_parts("abc") is None


@pytest.mark.parametrize("text", [b"", b"abc", b"abc\n", b"abc\n[", b"abc\n[{}]", b"abc\n\xff"])
def test_a_torn_file_is_as_none(kept: Path, text: bytes) -> None:
    kept.parent.mkdir()
    kept.write_bytes(text)
    assert keeping.kept_parts("abc") is None


def test_a_file_beyond_all_reason_is_not_read(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keeping.keep_parts("abc", PARTS)
    monkeypatch.setattr(keeping, "_LARGEST_FILE", kept.stat().st_size - 1)
    assert keeping.kept_parts("abc") is None


def test_a_folder_that_cannot_be_written_is_no_matter(kept: Path) -> None:
    kept.parent.write_text("a file where the folder should be")
    keeping.keep_parts("abc", PARTS)
    assert keeping.kept_parts("abc") is None


def test_what_cannot_be_put_in_place_leaves_nothing_behind(kept: Path) -> None:
    kept.mkdir(parents=True)  # a folder where the file should be
    keeping.keep_parts("abc", PARTS)
    assert list(kept.parent.iterdir()) == [kept]


def test_a_digest_stands_for_names_and_texts() -> None:
    one = keeping.digest([("a.yaml", b"1"), ("b.yaml", b"2")])
    assert one == keeping.digest([("a.yaml", b"1"), ("b.yaml", b"2")])
    others = [
        [("a.yaml", b"1"), ("b.yaml", b"3")],
        [("a.yaml", b"1"), ("c.yaml", b"2")],
        [("b.yaml", b"2"), ("a.yaml", b"1")],
        [("a.yaml", b"1b.yaml2")],
    ]
    assert len({one, *(keeping.digest(other) for other in others)}) == 5


def test_a_second_process_reads_no_yaml(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = fresh_catalog()
    assert kept.exists()
    monkeypatch.setattr(reading, "_PartFile", None)
    second = fresh_catalog()
    assert list(second) == list(first)
    assert second.facility == first.facility


def test_parts_with_a_fault_are_read_again_each_time(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    good = "- {kind: fibre, id: a, name: A, vendor: Acme, source: Acme datasheet,\n"
    good += "   fibre: multimode, connector: MPO-12, reach_m: 50}\n"
    (folder / "mine.yaml").write_text(good + "- {}\n", encoding="utf-8")
    monkeypatch.setattr(reading, "_PACKAGED", folder)
    for _ in range(2):
        assert fresh_catalog().faults == ("mine.yaml:3: part number 2: kind: missing",)
    assert not kept.exists()
