"""Catalogs kept as JSON between runs."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from toposmith.catalog import Catalog, cache, folders, load_catalog, part_file

WHOLE = load_catalog(user=False)
CATALOG = Catalog([*WHOLE, *WHOLE.facility], ["a.yaml:1: wrong"], ["b.yaml:2: replaced"])


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Keep catalogs in a folder of the test, not in the developer's own; remember none."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(cache, "_folder", lambda: folder)
    monkeypatch.setattr(cache, "_key_file", lambda: tmp_path / "state" / "cache.key")
    folders._packaged_catalog.cache_clear()
    yield folder
    folders._packaged_catalog.cache_clear()


def fresh_catalog(*extra: Path) -> Catalog:
    """Read the catalog as a new process would."""
    folders._packaged_catalog.cache_clear()
    return load_catalog(*extra, user=False)


def the_file(kept: Path) -> Path:
    (file,) = kept.iterdir()
    return file


def test_every_part_comes_back_as_it_was_with_faults_and_notes() -> None:
    cache.keep_catalog("abc", CATALOG)
    back = cache.kept_catalog("abc")
    assert back is not None
    assert list(back) == list(CATALOG)
    assert back.facility == CATALOG.facility
    assert (back.faults, back.notes) == (CATALOG.faults, CATALOG.notes)


def test_parts_of_other_files_do_not_come_back() -> None:
    cache.keep_catalog("abc", CATALOG)
    assert cache.kept_catalog("abd") is None


def test_a_file_under_the_right_name_with_another_digest_is_not_believed() -> None:
    cache.keep_catalog("a" * 16 + "b", CATALOG)
    assert cache.kept_catalog("a" * 16 + "c") is None


def test_nothing_is_kept_at_first() -> None:
    assert cache.kept_catalog("abc") is None


@pytest.mark.parametrize("text", [b"", b"abc", b"abc\n", b"abc\n[", b"abc\n[{}]", b"abc\n\xff"])
def test_a_torn_file_is_as_none(kept: Path, text: bytes) -> None:
    cache.keep_catalog("abc", CATALOG)
    the_file(kept).write_bytes(text)
    assert cache.kept_catalog("abc") is None


def forged(text: bytes) -> bytes:
    """The parts with another figure, under the same digest and the same seal."""
    changed = text.replace(b'"outlets":{"C13":6', b'"outlets":{"C13":9')
    assert changed != text
    return changed


def test_a_part_changed_in_the_cache_is_not_believed(kept: Path) -> None:
    cache.keep_catalog("abc", CATALOG)
    the_file(kept).write_bytes(forged(the_file(kept).read_bytes()))
    assert cache.kept_catalog("abc") is None


def test_whoever_lacks_the_key_cannot_write_what_is_believed(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(cache, "_key_file", lambda: tmp_path / "another" / "cache.key")
        cache.keep_catalog("abc", CATALOG)
        assert cache.kept_catalog("abc") is not None
    assert cache.kept_catalog("abc") is None
    cache.keep_catalog("abc", CATALOG)  # writes the user's own in its place
    assert cache.kept_catalog("abc") is not None


def test_a_catalog_kept_under_one_digest_does_not_pass_for_another(kept: Path) -> None:
    cache.keep_catalog("abc", CATALOG)
    the_file(kept).rename(kept / "catalog-abd.json")
    assert cache.kept_catalog("abd") is None


def test_a_key_that_others_could_know_or_give_counts_for_nothing(tmp_path: Path) -> None:
    key = tmp_path / "state" / "cache.key"
    cache.keep_catalog("abc", CATALOG)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    for mode in (0o640, 0o602, 0o644):
        key.chmod(mode)
        assert cache.kept_catalog("abc") is None
    key.chmod(0o600)
    assert cache.kept_catalog("abc") is not None
    if os.geteuid() == 0:
        os.chown(key, 12345, -1)
        assert cache.kept_catalog("abc") is None
    key.unlink()
    key.write_bytes(b"")
    assert cache.kept_catalog("abc") is None
    cache.keep_catalog("abc", CATALOG)
    assert cache.kept_catalog("abc") is not None
    assert len(key.read_bytes()) == 32


def test_a_pipe_in_the_place_of_a_file_is_as_none(kept: Path) -> None:
    kept.mkdir()
    os.mkfifo(kept / "catalog-abc.json")
    assert cache.kept_catalog("abc") is None


def test_without_a_place_for_the_key_nothing_is_kept(kept: Path, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    cache.keep_catalog("abc", CATALOG)
    assert not kept.exists()
    assert cache.kept_catalog("abc") is None


def test_a_file_beyond_all_reason_is_not_read(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.keep_catalog("abc", CATALOG)
    monkeypatch.setattr(cache, "_LARGEST_FILE", the_file(kept).stat().st_size - 1)
    assert cache.kept_catalog("abc") is None


def test_a_folder_that_cannot_be_written_is_no_matter(kept: Path) -> None:
    kept.write_text("a file where the folder should be")
    cache.keep_catalog("abc", CATALOG)
    assert cache.kept_catalog("abc") is None


def test_what_cannot_be_put_in_place_leaves_nothing_behind(kept: Path) -> None:
    (kept / "catalog-abc.json").mkdir(parents=True)  # a folder where the file should be
    cache.keep_catalog("abc", CATALOG)
    assert [file.name for file in kept.iterdir()] == ["catalog-abc.json"]


def test_only_the_newest_catalogs_are_kept(kept: Path) -> None:
    small = Catalog([])
    for number in range(12):
        cache.keep_catalog(f"digest{number}", small)
    assert len(list(kept.iterdir())) == 8
    assert cache.kept_catalog("digest11") is not None


def test_a_digest_stands_for_names_and_texts() -> None:
    one = cache.digest([("a.yaml", b"1"), ("b.yaml", b"2")])
    assert one == cache.digest([("a.yaml", b"1"), ("b.yaml", b"2")])
    others = [
        [("a.yaml", b"1"), ("b.yaml", b"3")],
        [("a.yaml", b"1"), ("c.yaml", b"2")],
        [("b.yaml", b"2"), ("a.yaml", b"1")],
        [("a.yaml", b"1b.yaml2")],
    ]
    assert len({one, *(cache.digest(other) for other in others)}) == 5


def test_a_second_process_reads_no_yaml(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = fresh_catalog()
    assert the_file(kept).exists()
    monkeypatch.setattr(part_file.PartFile, "entries", None)
    second = fresh_catalog()
    assert list(second) == list(first)
    assert second.facility == first.facility


FIBRE = """
- kind: fibre
  id: "acme-fibre"
  name: "Acme fibre"
  vendor: "Acme"
  fibre: multimode
  connector: "MPO-12"
  reach_m: 50
  source: "Acme datasheet"
"""


def test_ones_own_parts_are_kept_too_and_read_again_when_they_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "mine.yaml").write_text(FIBRE + "- {}\n")
    first = fresh_catalog(own)
    assert first.faults == (f"{own}/mine.yaml:10: part number 2: kind: missing",)
    with monkeypatch.context() as patched:
        patched.setattr(part_file.PartFile, "entries", None)
        again = fresh_catalog(own)
    assert again["acme-fibre"] == first["acme-fibre"]
    assert again.faults == first.faults
    (own / "mine.yaml").write_text(FIBRE.replace("50", "70"))
    changed = fresh_catalog(own)
    assert changed.faults == ()
    assert changed["acme-fibre"].model_dump()["reach_m"] == 70
