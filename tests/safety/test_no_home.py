"""Folders of the user that cannot be used are as none, for every command and the app."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.command.shell import SOUND, Shell
from tests.tui.person import OpenApp

FOLDERS = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")


def spoil(path: Path, how: str) -> None:
    if how == "a file":
        path.write_text("")
    elif how == "a link to itself":
        path.symlink_to(path)
    else:
        path.mkdir(mode=0)


@pytest.fixture(params=["a file", "a link to itself", "a closed folder"])
def unusable(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    path = tmp_path / "unusable"
    spoil(path, request.param)
    if os.access(path, os.X_OK):
        pytest.skip("no folder is closed to this user")
    for name in FOLDERS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(path))
    return path


def test_every_command_does_without(unusable: Path, shell: Shell) -> None:
    shell.file("pod.yaml", SOUND)
    for words in (
        ("check", "pod.yaml"),
        ("analyze", "pod.yaml"),
        ("bom", "pod.yaml"),
        ("diff", "pod.yaml", "pod.yaml"),
        ("diff", "--table", "pod.yaml"),
        ("review", "pod.yaml", "--status"),
        ("review", "pod.yaml", "--comment", "leaf", "why?", "--author", "Ann"),
        ("catalog", "list", "switch"),
    ):
        done = shell(*words)
        assert done.code in (0, 1), (words, done.err)
        assert str(unusable) not in done.err


def test_the_command_config_says_that_nothing_is_kept(unusable: Path, shell: Shell) -> None:
    done = shell("config")
    assert done.code == 0
    assert "(not there: all as usual)" in done.out
    assert "nothing of yours is read or kept there" in done.err


async def test_the_app_does_without(unusable: Path, open_app: OpenApp, two_tier: Path) -> None:
    async with open_app(two_tier) as person:
        await person.press("minus")
        assert person.app.is_running
