"""`toposmith export` of several forms: a folder whole or not at all, and what is refused."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from pathlib import Path

import pytest

from tests.command.shell import SOUND, Shell


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(capsys, tmp_path)


def left_over() -> list[str]:
    return [one.name for one in Path().iterdir() if one.name.startswith(".toposmith")]


def test_several_forms_go_into_a_folder_with_manifest_and_checksums(shell: Shell) -> None:
    file = shell.file("sound.yaml", SOUND)
    args = ("export", file, "--to", "slurm-tree", "--to", "netbox", "--to", "json", "-o")
    assert shell(*args, "one").code == shell(*args, "two").code == 0
    manifest = json.loads(Path("one/manifest.json").read_text())
    assert {row["form"] for row in manifest["files"]} == {"slurm-tree", "netbox", "json"}
    for row in manifest["files"]:
        raw = Path("one", row["file"]).read_bytes()
        assert (len(raw), hashlib.sha256(raw).hexdigest()) == (row["bytes"], row["sha256"])
    names = {one.relative_to("one").as_posix() for one in Path("one").rglob("*") if one.is_file()}
    assert names == {"manifest.json", "SHA256SUMS", *(row["file"] for row in manifest["files"])}
    for name in names:
        assert Path("one", name).read_bytes() == Path("two", name).read_bytes()
    assert left_over() == []


def test_all_forms_leave_out_those_that_refuse_the_design_and_say_why(shell: Shell) -> None:
    done = shell("export", shell.file("sound.yaml", SOUND), "--to", "all", "-o", "out")
    assert "not carried: slurm-block is left out: no NVLink domain is wider" in done.err
    refused = json.loads(Path("out/manifest.json").read_text())["refused"]
    assert "slurm-block" in {row["form"] for row in refused}


def test_a_form_that_refuses_the_design_refuses_the_whole_and_nothing_is_left(shell: Shell) -> None:
    file = shell.file("sound.yaml", SOUND)
    done = shell("export", file, "--to", "json", "--to", "slurm-block", "-o", "out")
    assert (done.code, done.out) == (2, "")
    assert "slurm-block: no NVLink domain is wider than a node" in done.err
    assert not Path("out").exists() and left_over() == []
    alone = shell("export", file, "--to", "slurm-block")
    assert (alone.code, alone.out) == (2, "")


@pytest.mark.parametrize(
    "args,words",
    [
        (("--to", "json", "--to", "dot"), "several forms are written into a folder; say -o FOLDER"),
        (("--to", "netbox"), "netbox is written into a folder"),
        (("--to", "json", "--names", "no.yaml"), "no.yaml: there is no such file"),
        (("--to", "json", "--to", "dot", "-o", "no/such/place"), "there is no directory"),
        (("--to", "json", "--to", "dot", "-o", "sound.yaml"), "is there already"),
        ((), "Missing option '--to'"),
        (("--json", "--to", "json"), "goes with --list"),
    ],
)
def test_bad_usage_ends_with_2_and_says_what_would_be_right(
    shell: Shell, args: tuple[str, ...], words: str
) -> None:
    done = shell("export", shell.file("sound.yaml", SOUND), *args)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


def test_an_older_hand_over_is_replaced_when_forced_and_a_strange_file_keeps_it(
    shell: Shell,
) -> None:
    file = shell.file("sound.yaml", SOUND)
    args = ("export", file, "--to", "json", "--to", "dot", "-o", "out")
    assert shell(*args).code == 0
    assert "is there already and not empty" in shell(*args).err
    assert shell(*args, "--force").code == 0
    Path("out/mine.txt").write_text("mine")
    kept = shell(*args, "--force")
    assert kept.code == 2 and "holds mine.txt, which no hand-over wrote" in kept.err
    assert Path("out/mine.txt").read_text() == "mine" and left_over() == []


def test_a_disk_that_is_full_leaves_nothing_half_written(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = shell.file("sound.yaml", SOUND)
    synced = 0

    def full(_descriptor: int) -> None:
        nonlocal synced
        synced += 1
        if synced == 3:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    done = shell("export", file, "--to", "json", "--to", "netbox", "-o", "out")
    assert done.code == 2 and "out: not saved: No space left on device" in done.err
    assert not Path("out").exists() and left_over() == []


def test_the_list_says_for_whom_every_form_is_and_what_it_loses(shell: Shell) -> None:
    shown = shell("export", "--list")
    rows = json.loads(shell("export", "--list", "--json").out)
    assert shown.code == 0
    for row in rows:
        assert row["form"] in shown.out and row["reader"] in shown.out
        assert row["loses"] in shown.out
    assert {"slurm-tree", "netbox", "json"} <= {row["form"] for row in rows}


def test_names_of_a_map_are_written_and_what_it_lacks_is_said(shell: Shell) -> None:
    file = shell.file("sound.yaml", SOUND)
    shell.file("map.yaml", 'toposmith-names: 1\ndevices: {"node-{n}": "gpu{n+1:02}"}\n')
    done = shell("export", file, "--to", "slurm-tree", "--names", "map.yaml")
    assert "Nodes=gpu[01-04]" in done.out
    assert "keeps its own name: leaf" in done.err
