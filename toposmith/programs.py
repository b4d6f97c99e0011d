"""The one place that starts other programs, by names that nothing in a folder can answer to.

Looking at a folder starts git alone. Its configuration, its attributes and the environment may name
programs of their own (monitors, filters, hooks, pagers, transports): only commands are used here
that compare and print objects, with a configuration of ours, and with hardly any environment.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

GIT_SECONDS = 30
SSH_SECONDS = 60
"""So long an agent may ask its owner, or a key wait for a touch."""

_KEPT = (
    *("HOME", "XDG_CONFIG_HOME", "USERPROFILE", "HOMEDRIVE", "HOMEPATH"),  # the user's own settings
    *("SYSTEMROOT", "LD_LIBRARY_PATH", "GIT_CEILING_DIRECTORIES"),
)
_ALONE = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_ALLOW_PROTOCOL": "",  # not a single one: outranks what the folder allows
    "GIT_ATTR_NOSYSTEM": "1",
}
_CLOSED = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.alternateRefsCommand": "",
    "core.sshCommand": "false",
    "core.attributesFile": os.devnull,
    "core.pager": "cat",
    "i18n.logOutputEncoding": "UTF-8",
    "gpg.program": "false",
    "protocol.allow": "never",
}


def run_program(
    name: str,
    *words: str,
    seconds: float,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    given: bytes = b"",
) -> subprocess.CompletedProcess[bytes]:
    """Run a program of the user's path to its end, without a shell and without a terminal.

    Entries of the path that are relative count for nothing: they mean what the folder holds.

    Raises
    ------
    OSError
        FileNotFoundError where there is no such program.
    ValueError
        For a word that no program can be given.
    subprocess.TimeoutExpired
        When it took longer.
    """
    path = os.pathsep.join(each for each in os.get_exec_path() if Path(each).is_absolute())
    program = shutil.which(name, path=path)
    if program is None or not Path(program).is_absolute():
        raise FileNotFoundError(name)
    return subprocess.run(
        [program, *words],
        capture_output=True,
        check=False,
        cwd=folder,
        env={**(os.environ if environment is None else environment), "PATH": path},
        input=given,
        timeout=seconds,
    )


def git(*words: str, folder: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    """Ask git of a repository, with a command that prints objects and runs nothing.

    Raises
    ------
    OSError, ValueError, subprocess.TimeoutExpired
        As :func:`run_program` does.
    """
    settings = [*_SETTINGS.items(), *(("safe.directory", each) for each in _trusted_folders())]
    with_settings = [word for name, value in settings for word in ("-c", f"{name}={value}")]
    return _git(*with_settings, *words, folder=folder, environment=_CLOSED)


def git_setting(key: str, folder: Path | None = None) -> str:
    """A setting that the user or the repository gave git; empty where there is none, or no git."""
    try:
        said = _git("config", "--get", key, folder=folder)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return ""
    return "" if said.returncode else said.stdout.decode("utf-8", "replace").strip()


def ssh(program: str, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run ssh-keygen or ssh-add, which read no configuration, with nothing that names a program.

    They ask for no passphrase: a key that has one signs by the user's agent.

    Raises
    ------
    OSError, ValueError, subprocess.TimeoutExpired
        As :func:`run_program` does.
    """
    kept = {name: os.environ[name] for name in (*_KEPT, "SSH_AUTH_SOCK") if name in os.environ}
    fixed = {"LC_ALL": "C", "TZ": "UTC", "SSH_ASKPASS_REQUIRE": "never"}
    return run_program(
        program, *words, seconds=SSH_SECONDS, environment={**kept, **fixed}, given=given
    )


def _trusted_folders() -> list[str]:
    """Folders of other owners that the user told git to trust; no folder can say that of itself."""
    nowhere = {"GIT_DIR": os.devnull}
    said = _git("config", "--get-all", "safe.directory", environment=nowhere)
    return said.stdout.decode("utf-8", "surrogateescape").splitlines()


def _git(
    *words: str, folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return run_program(
        "git",
        "--no-pager",
        *words,
        seconds=GIT_SECONDS,
        environment={**kept, **_ALONE, **(environment or {})},
        folder=folder,
    )
