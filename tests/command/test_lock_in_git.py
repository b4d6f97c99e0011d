"""Locks of branches and revisions: merged line by line, and compared with what lies there now."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command.shell import Shell
from tests.lock.fabrics import FABRIC, locked
from tests.lock.test_settling import BESIDE, FEWER, GROWN, SPINES, SU
from toposmith.lock.clashes import clashes_of
from toposmith.lock.lock_file import FabricLock, lock_text, read_lock

HEIGHTS = {"dgx-h100": 8, "qm9700": 1}


def git(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    named = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    return subprocess.run(
        ["git", *named, *words], cwd=folder, capture_output=True, text=True, check=False
    )


def commit(shell: Shell, design: str, lock: FabricLock, words: str) -> None:
    shell.file("pod.yaml", design)
    shell.file("pod.lock", lock_text(lock))
    git(shell.folder, "add", "-A")
    assert git(shell.folder, "commit", "-qm", words).returncode == 0


@pytest.fixture
def repository(shell: Shell) -> Shell:
    """A fabric and its lock, on the branch main, with the merge driver that the docs name."""
    git(shell.folder, "init", "-qb", "main")
    driver = f'"{sys.executable}" -m toposmith lock --merge %O %A %B'
    git(shell.folder, "config", "merge.toposmith-lock.driver", driver)
    shell.file(".gitattributes", "*.lock merge=toposmith-lock\n")
    commit(shell, FABRIC, locked(FABRIC), "base")
    return shell


@pytest.mark.parametrize(
    ("ours", "theirs"), [(SU, BESIDE), (SU, SPINES), (GROWN, SPINES), (FEWER, SU)]
)
def test_the_driver_unites_what_two_branches_add(repository: Shell, ours: str, theirs: str) -> None:
    base = locked(FABRIC)
    sides = locked(ours, base), locked(theirs, base)
    for name, design, lock in (("ours", ours, sides[0]), ("theirs", theirs, sides[1])):
        git(repository.folder, "checkout", "-q", "-b", name, "main")
        commit(repository, design, lock, name)
    merge = git(repository.folder, "merge", "-q", "--no-edit", "ours")
    assert "pod.lock" not in git(repository.folder, "diff", "--name-only", "--diff-filter=U").stdout
    result = read_lock((repository.folder / "pod.lock").read_text("utf-8"))
    assert clashes_of(result, HEIGHTS) == [], merge.stderr
    both = {*sides[0].cables} & {*sides[1].cables} & {*base.cables}
    assert both <= {*result.cables}
    # what one side took out is out
    assert {*result.cables} & ({*base.cables} - both) == set()


def test_two_branches_that_add_the_same_unit_are_told_so(repository: Shell) -> None:
    base = locked(FABRIC)
    for name in ("ours", "theirs"):
        git(repository.folder, "checkout", "-q", "-b", name, "main")
        repository.file("note.txt", name)
        commit(repository, SU.replace("two units", name), locked(SU, base), name)
    merge = git(repository.folder, "merge", "-q", "--no-edit", "-X", "ours", "ours")
    same = git(repository.folder, "show", "ours:pod.lock").stdout
    assert (repository.folder / "pod.lock").read_text("utf-8") == same
    # git merges what both have alike by itself: the driver is asked where they differ
    for name in ("ours", "theirs", "main"):
        repository.file(name, git(repository.folder, "show", f"{name}:pod.lock").stdout)
    told = repository("lock", "--merge", "main", "ours", "theirs")
    assert (told.code, merge.returncode in (0, 1)) == (0, True)
    # 8 nodes, 8 leaves; 8 x 8 and 8 x 8 x 2 cables
    assert "both branches added the same 16 devices and 192 connections" in told.err


def test_two_branches_that_bind_the_very_same_are_told_so(repository: Shell) -> None:
    """Git asks no driver where both sides are equal in every line: its history tells."""
    base = locked(FABRIC)
    for name in ("ours", "theirs"):
        git(repository.folder, "checkout", "-q", "-b", name, "main")
        repository.file("note.txt" if name == "ours" else "other.txt", name)
        commit(repository, SU, locked(SU, base), name)
    said = "both branches of the merge added the same 16 devices and 192 connections"
    assert said not in repository("check", "pod.yaml").out
    git(repository.folder, "merge", "-q", "--no-commit", "ours")
    assert said in repository("check", "pod.yaml").out  # while the merge is under way
    assert git(repository.folder, "commit", "-qm", "merged").returncode == 0
    (design,) = json.loads(repository("check", "pod.yaml", "--json").out)["designs"]
    (found,) = [one for one in design["findings"] if one["code"] == "lock-added-twice"]
    assert (found["severity"], said in found["text"]) == ("warning", True)
    bound = (repository.folder / "pod.lock").read_bytes()
    repository.file("base.lock", lock_text(base))
    for asked in (("lock", "pod.yaml"), ("lock", "pod.yaml", "--settle", "base.lock")):
        told = repository(*asked)
        assert (told.code, said in told.err) == (0, True)
    assert (repository.folder / "pod.lock").read_bytes() == bound
    # what only one of both added is no news, nor is a merge that others came after
    repository.file("note.txt", "later")
    git(repository.folder, "commit", "-qam", "later")
    assert said not in repository("check", "pod.yaml").out
    assert said not in repository("lock", "pod.yaml").err


def test_a_side_that_cannot_be_read_is_left_to_people(repository: Shell) -> None:
    repository.file("base", lock_text(locked(FABRIC)))
    repository.file("ours", "<<<<<<< ours\n")
    refused = repository("lock", "--merge", "base", "ours", "base")
    assert refused.code == 2
    assert "ours: line 1" in refused.err
    assert (repository.folder / "ours").read_text("utf-8") == "<<<<<<< ours\n"


def test_a_revision_has_its_own_lock_and_diff_says_what_to_do(repository: Shell) -> None:
    renamed = lock_text(locked(FABRIC)).replace("spine-0\t", "core-a\t")
    commit(repository, GROWN, read_lock(renamed), "a node more in each unit, a switch renamed")
    order = repository("change", "HEAD:pod.yaml", "pod.yaml", "--csv").out
    assert "core-a" not in order  # as drawn and bound at that commit, nothing is to be done
    before = repository("change", "HEAD~1:pod.yaml", "pod.yaml", "--json").out
    acts = [act for step in json.loads(before)["steps"] for act in step["acts"]]
    assert sum(act["act"] == "lay" for act in acts) == 16  # 2 nodes with 8 ports
    told = repository("diff", "HEAD~1:pod.yaml", "pod.yaml")
    assert "on the metal: 2 devices to add" in told.out
    assert "in order: toposmith change HEAD~1:pod.yaml pod.yaml" in told.out
    data = json.loads(repository("diff", "HEAD~1:pod.yaml", "pod.yaml", "--json").out)
    assert data["acts_on_the_metal"]["lay"] == 16
