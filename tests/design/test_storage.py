from __future__ import annotations

import errno
import os
import socket
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.cost import memory_at_most
from toposmith.design.stored_files import (
    FileChangedError,
    load_file,
    load_text,
    save_file,
    save_pieces,
)
from toposmith.errors import DesignFileError, SaveError

TEXT = "toposmith: 1\nname: a\n"
NEW = "toposmith: 1\nname: b\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.yaml"
    path.write_text(TEXT)
    return path


def refused(path: Path | str) -> str:
    with pytest.raises(DesignFileError) as caught, memory_at_most(40_000_000):
        load_file(path)
    return str(caught.value)


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_a_file_is_loaded_with_its_text_path_and_fingerprint(file: Path) -> None:
    loaded = load_file(file)
    assert loaded.design.name == "a"
    assert loaded.text == TEXT
    assert loaded.path == file
    file.write_text(NEW)
    assert load_file(file).fingerprint != loaded.fingerprint


def test_line_ends_and_the_byte_order_mark_reach_the_text(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xef\xbb\xbftoposmith: 1\r\n")
    assert load_file(path).text == "\ufefftoposmith: 1\r\n"


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.yaml").endswith("none.yaml: there is no such file")


def test_a_directory_is_refused(tmp_path: Path) -> None:
    assert "found a directory, expected an ordinary file" in refused(tmp_path)


def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "found a pipe" in refused(tmp_path / "pipe")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/tty"])
def test_a_device_is_refused_without_reading(device: str) -> None:
    if not Path(device).exists():
        pytest.skip(f"no {device} here")
    assert "found a device" in refused(device)


def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s")
        assert "found a socket" in refused("s")


def test_a_sparse_file_of_1_gb_is_refused_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "huge.yaml"
    with path.open("wb") as opened:
        opened.truncate(1_000_000_000)
    assert "found 1,000,000,000 bytes, expected at most 10,000,000" in refused(path)


def test_a_file_that_grew_after_the_look_at_its_size_is_not_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "huge.yaml"
    with path.open("wb") as opened:
        opened.truncate(1_000_000_000)
    small = Path(__file__).stat()
    monkeypatch.setattr(os, "fstat", lambda _: small)
    assert "found 10,000,001 bytes" in refused(path)


def test_a_broken_link_names_its_target(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("gone.yaml")
    assert "the link points to gone.yaml, which does not exist" in refused(tmp_path / "link")


def test_an_unreadable_file_is_said_to_be_so(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The tests may run as root, who may read everything, so the refusal is simulated.
    def denied(*_: Any, **__: Any) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    assert refused(file).endswith("a.yaml: permission denied")


def test_a_path_that_the_system_can_not_take_is_an_error_like_any_other(tmp_path: Path) -> None:
    refused("a\x00b")
    refused(tmp_path / ("x" * 5000))
    with pytest.raises(SaveError):
        save_file("a\x00b", TEXT)
    with pytest.raises(SaveError):
        save_file(tmp_path / ("x" * 5000), TEXT)


def test_a_name_that_would_move_the_cursor_is_shown_escaped(tmp_path: Path) -> None:
    assert "\x1b" not in refused(tmp_path / "\x1b[2J.yaml")


def test_saving_replaces_the_text_and_gives_the_new_fingerprint(file: Path) -> None:
    fingerprint = save_file(file, NEW)
    assert file.read_bytes() == NEW.encode()
    assert load_file(file).fingerprint == fingerprint
    assert names_in(file.parent) == ["a.yaml"]


def test_line_ends_are_saved_as_they_are(file: Path) -> None:
    save_file(file, "toposmith: 1\r\nname: é\n")
    assert file.read_bytes() == "toposmith: 1\r\nname: é\n".encode()


def test_a_new_file_gets_the_rights_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    save_file(tmp_path / "new.yaml", TEXT)
    assert (tmp_path / "new.yaml").stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no extended attributes here")
def test_extended_attributes_stay(file: Path) -> None:
    try:
        os.setxattr(file, "user.tag", b"kept")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    save_file(file, "new")
    assert os.getxattr(file, "user.tag") == b"kept"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o755])
def test_permission_bits_stay(file: Path, mode: int) -> None:
    file.chmod(mode)
    save_file(file, NEW)
    assert stat.S_IMODE(file.stat().st_mode) == mode


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_owner_stays(file: Path) -> None:
    os.chown(file, 12345, 23456)
    save_file(file, NEW)
    assert (file.stat().st_uid, file.stat().st_gid) == (12345, 23456)


def test_a_link_stays_a_link_and_its_target_is_replaced(file: Path, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    link = tmp_path / "sub" / "link.yaml"
    link.symlink_to("../a.yaml")
    save_file(link, NEW)
    assert link.is_symlink()
    assert file.read_text() == NEW
    assert names_in(tmp_path / "sub") == ["link.yaml"]


def test_all_names_of_a_file_have_the_new_text_its_rights_and_its_owner(
    file: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other-name.yaml"
    other.hardlink_to(file)
    file.chmod(0o640)
    before = file.stat()
    longer = "name: x\n" * 1_000
    fingerprint = load_text(file)[1]
    for text in (longer, "name: y\n"):  # longer, then shorter than what was there
        fingerprint = save_file(file, text, expected_fingerprint=fingerprint)
        assert load_text(other) == (text, fingerprint)
    after = file.stat()
    assert (after.st_ino, after.st_nlink, after.st_mode) == (before.st_ino, 2, before.st_mode)
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)
    assert {path.name for path in tmp_path.iterdir()} >= {file.name, other.name}
    assert not list(tmp_path.glob(".toposmith-*"))
    with pytest.raises(FileChangedError):
        save_file(other, "name: z\n", expected_fingerprint="0" * 64)
    assert load_text(file)[0] == "name: y\n"


def test_a_full_disk_leaves_the_old_text_under_all_names(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other-name.yaml"
    other.hardlink_to(file)
    old = file.read_bytes()
    flush, flushed = os.fsync, []

    def full_the_second_time(descriptor: int) -> None:
        flushed.append(descriptor)
        if len(flushed) == 2:  # the file beside it is whole, the file itself is not
            raise OSError(errno.ENOSPC, "No space left on device")
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", full_the_second_time)
    with pytest.raises(SaveError, match="not saved: No space left on device"):
        save_file(file, "name: longer than what was there\n" * 10)
    assert file.read_bytes() == old == other.read_bytes()


def test_a_link_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(SaveError, match="itself"):
        save_file(tmp_path / "loop", TEXT)
    refused(tmp_path / "loop")


def test_a_directory_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(SaveError, match=r"there is no directory .*nowhere; make it first"):
        save_file(tmp_path / "nowhere" / "a.yaml", TEXT)


@pytest.mark.parametrize("name", ["directory", "pipe"])
def test_only_an_ordinary_file_is_replaced(tmp_path: Path, name: str) -> None:
    (tmp_path / "directory").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SaveError, match=f"found a {name}, expected an ordinary file"):
        save_file(tmp_path / name, TEXT)
    assert names_in(tmp_path) == ["directory", "pipe"]


def fails_with(number: int) -> Any:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize("call", ["open", "write", "fsync", "replace"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EIO, errno.EACCES])
def test_a_failed_save_leaves_the_old_file_and_nothing_else(
    file: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    monkeypatch.setattr(os, call, fails_with(number))
    with pytest.raises(SaveError, match=r"a\.yaml: not saved: \w+"):
        save_file(file, NEW)
    monkeypatch.undo()
    assert file.read_text() == TEXT
    assert names_in(file.parent) == ["a.yaml"]


def test_a_full_disk_leaves_the_old_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    open_file = os.open
    monkeypatch.setattr(os, "open", lambda *_: open_file("/dev/full", os.O_WRONLY))
    with pytest.raises(SaveError, match="No space left"):
        save_file(file, NEW)
    monkeypatch.undo()
    assert file.read_text() == TEXT
    assert names_in(file.parent) == ["a.yaml"]


def test_a_disk_that_loses_bytes_is_noticed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_bytes", lambda _: NEW.encode()[:-1])
    with pytest.raises(SaveError, match="did not keep what was written"):
        save_file(file, NEW)
    monkeypatch.undo()
    assert file.read_text() == TEXT
    assert names_in(file.parent) == ["a.yaml"]


def test_a_write_protected_file_is_not_replaced(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(SaveError, match="write-protected"):
        save_file(file, NEW)
    assert file.read_text() == TEXT


def test_a_file_that_somebody_else_changed_is_not_overwritten(file: Path) -> None:
    opened = load_file(file)
    file.write_text("toposmith: 1\nname: theirs\n")
    with pytest.raises(FileChangedError):
        save_file(file, NEW, expected_fingerprint=opened.fingerprint)
    assert file.read_text() == "toposmith: 1\nname: theirs\n"
    assert names_in(file.parent) == ["a.yaml"]


def test_a_file_that_somebody_else_deleted_does_not_come_back(file: Path) -> None:
    opened = load_file(file)
    file.unlink()
    with pytest.raises(FileChangedError):
        save_file(file, NEW, expected_fingerprint=opened.fingerprint)
    assert names_in(file.parent) == []


def test_a_file_that_nobody_changed_is_overwritten_again_and_again(file: Path) -> None:
    fingerprint = load_file(file).fingerprint
    for text in (NEW, TEXT, NEW):
        fingerprint = save_file(file, text, expected_fingerprint=fingerprint)
    assert file.read_text() == NEW


def test_text_that_could_not_be_opened_again_is_not_saved(file: Path) -> None:
    with pytest.raises(SaveError, match="10,000,001 bytes are more"):
        save_file(file, "#" * 10_000_001)
    with pytest.raises(SaveError, match=r"U\+D800"):
        save_file(file, "name: \ud800")
    assert file.read_text() == TEXT


def test_pieces_become_a_file_only_when_all_of_them_are_there(tmp_path: Path) -> None:
    file = tmp_path / "cables.csv"
    save_pieces(file, (piece for piece in (b"a,", b"b\n")))
    assert file.read_bytes() == b"a,b\n"

    def broken():
        yield b"half"
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        save_pieces(file, broken())
    assert file.read_bytes() == b"a,b\n"
    assert [one.name for one in tmp_path.iterdir()] == ["cables.csv"]
