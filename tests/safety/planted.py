"""A folder with a repository that tells git to run programs wherever git can be told to."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

HOOKS = (
    *("pre-commit", "post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc"),
    *("post-rewrite", "fsmonitor-watchman", "pre-push", "post-merge", "prepare-commit-msg"),
)
ALIASES = ("rev-parse", "rev-list", "cat-file", "log", "status", "config", "show", "diff")
TRACES = ("GIT_TRACE", "GIT_TRACE2", "GIT_TRACE2_EVENT", "GIT_TRACE_SETUP", "GIT_TRACE_PACKET")


class PlantedFolder:
    """A design in a repository whose every setting starts a program that leaves a mark.

    Parameters
    ----------
    folder : Path
        The folder; ``wide.yaml`` is a second design of it.
    traps : Path
        Where the programs are, and the marks of those that ran.
    text : str
        The design that is committed; the file differs from it by a comment.
    """

    def __init__(self, folder: Path, traps: Path, text: str) -> None:
        self.folder = folder
        self.traps = traps
        self.marks = traps / "ran"
        self.marks.mkdir(parents=True)
        wide = text.replace("count: 4", "count: 6")
        self._write("one", text, wide)
        self._git("init", "-q", "-b", "main")
        self._git("add", "-A")
        self._git("commit", "-q", "-m", "one")
        lost = self._git("rev-parse", "HEAD:pod.yaml")
        self._write("two", text, wide)
        self._git("commit", "-q", "-a", "-m", "two")
        self._sign_last_commit()
        (folder / ".git" / "objects" / lost[:2] / lost[2:]).unlink()  # only a remote has it
        self._write("new", text, wide)  # of the same size: git has to hash it to know
        self._plant()

    def ran(self) -> set[str]:
        """The programs that were started since this was asked last."""
        names = {mark.name for mark in self.marks.iterdir()}
        for name in names:
            (self.marks / name).unlink()
        return names

    def hostile_environment(self) -> dict[str, str]:
        """Variables that make git start programs, write files or obey other settings."""
        settings = {"core.fsmonitor": self._trap("fsmonitor-of-environment")}
        settings |= {"diff.external": self._trap("external-diff-of-environment")}
        counted = {"GIT_CONFIG_COUNT": str(len(settings))}
        for number, (key, value) in enumerate(settings.items()):
            counted |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        parameter = f"'core.alternaterefscommand'='{self._trap('alternates-of-parameters')}'"
        programs = {
            name: self._trap(name)
            for name in (
                *("GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_PROXY_COMMAND"),
                *("GIT_PAGER", "PAGER", "GIT_EDITOR", "EDITOR", "VISUAL", "GIT_SEQUENCE_EDITOR"),
                *("GIT_ASKPASS", "SSH_ASKPASS", "LESSOPEN", "BROWSER"),
            )
        }
        nested = self.traps / "exec"
        nested.mkdir(exist_ok=True)
        for name in ("git", *(f"git-{each}" for each in (*ALIASES, "remote-ext", "upload-pack"))):
            self._trap(name, nested)
        self._trap("git", self.folder)
        return {
            **counted,
            **programs,
            **{name: str(self.marks / name) for name in TRACES},
            "GIT_CONFIG_PARAMETERS": parameter,
            "GIT_CONFIG_GLOBAL": str(self.folder / ".git" / "config"),
            "GIT_CONFIG_SYSTEM": str(self.folder / ".git" / "config"),
            "GIT_EXEC_PATH": str(nested),
            "GIT_TEMPLATE_DIR": str(self.folder / ".git"),
            "GIT_ALLOW_PROTOCOL": "ext:file:ssh:evil",
            "GIT_PROTOCOL_FROM_USER": "1",
            "GIT_ATTR_SOURCE": "HEAD",
            "PATH": f".{os.pathsep}{os.environ['PATH']}",
        }

    def _write(self, comment: str, text: str, wide: str) -> None:
        (self.folder / "pod.yaml").write_text(f"# {comment}\n{text}")
        (self.folder / "wide.yaml").write_text(f"# {comment}\n{wide}")
        (self.folder / "notes.txt").write_text(comment)

    def _trap(self, name: str, folder: Path | None = None) -> str:
        """A program that leaves a mark with its name, and does nothing else."""
        program = (folder or self.traps) / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n: > '{self.marks}/{program.name}'\nexit 1\n")
        program.chmod(0o755)
        return str(program)

    def _plant(self) -> None:
        git = self.folder / ".git"
        for hook in HOOKS:
            self._trap(hook, git / "hooks")
        attributes = "* diff=evil merge=evil text eol=crlf\n"
        attributes += "pod.yaml filter=evil\nwide.yaml filter=long\n"
        (self.folder / ".gitattributes").write_text(attributes)
        (git / "info" / "attributes").write_text(attributes)
        (git / "included").write_text(
            f"[core]\n  askPass = {self._trap('askpass')}\n"
            f'[filter "long"]\n  process = {self._trap("process-filter")}\n'
            f'[gpg "ssh"]\n  program = {self._trap("ssh-gpg")}\n'
        )
        aliases = "".join(f"  {each} = !{self._trap(f'alias-{each}')}\n" for each in ALIASES)
        (git / "config").write_text(
            f"""\
[core]
  repositoryformatversion = 1
  bare = false
  fsmonitor = {self._trap("fsmonitor")}
  hooksPath = {git / "hooks"}
  pager = {self._trap("pager")}
  editor = {self._trap("editor")}
  sshCommand = {self._trap("ssh-command")}
  gitProxy = {self._trap("proxy")}
  alternateRefsCommand = {self._trap("alternate-refs")}
  attributesFile = {git / "info" / "attributes"}
[include]
  path = included
[extensions]
  partialClone = origin
[remote "origin"]
  url = ext::{self._trap("remote-helper")}
  uploadpack = {self._trap("upload-pack-of-remote")}
  promisor = true
  partialclonefilter = blob:none
  fetch = +refs/heads/*:refs/remotes/origin/*
[protocol]
  allow = always
[protocol "ext"]
  allow = always
[filter "evil"]
  clean = {self._trap("clean-filter")}
  smudge = {self._trap("smudge-filter")}
  required = true
[diff]
  external = {self._trap("external-diff")}
[diff "evil"]
  command = {self._trap("diff-driver")}
  textconv = {self._trap("textconv")}
  cachetextconv = false
[merge "evil"]
  driver = {self._trap("merge-driver")}
[log]
  showSignature = true
[commit]
  gpgSign = true
[gpg]
  program = {self._trap("gpg")}
[user]
  name = Planted
  email = planted@example.org
[uploadpack]
  packObjectsHook = {self._trap("pack-objects")}
[credential]
  helper = {self._trap("credential")}
[pager]
  log = {self._trap("pager-of-log")}
  config = {self._trap("pager-of-config")}
[interactive]
  diffFilter = {self._trap("diff-filter")}
[trace2]
  eventTarget = {self.marks / "trace2"}
[safe]
  directory = *
[alias]
{aliases}"""
        )

    def _sign_last_commit(self) -> None:
        head, _, message = self._git("cat-file", "commit", "HEAD").partition("\n\n")
        signature = "-----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
        signed = f"{head}\ngpgsig {signature}\n\n{message}\n"
        commit = self._git("hash-object", "-t", "commit", "-w", "--stdin", given=signed)
        self._git("update-ref", "HEAD", commit)

    def _git(self, *words: str, given: str = "") -> str:
        alone = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        own = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
        done = subprocess.run(
            ["git", *own, *words],
            cwd=self.folder, env=alone, input=given, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout.strip()
