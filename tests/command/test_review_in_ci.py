"""The recipe for CI that the documents give, run against a repository with two branches."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command.shell import SOUND, Shell
from toposmith.command.main import main

DOCS = Path(__file__).parents[2] / "docs" / "review.md"
PEOPLE = {"Ann": "ann@example.org", "Bob": "bob@example.org"}
WIDER = SOUND.replace("count: 4", "count: 6")


class Repository:
    """A repository whose main branch has a design and a policy; its branch changes the design."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "pod.yaml").write_text(SOUND)
        (folder / "review.policy.yaml").write_text("toposmith-policy: 1\napprovals: {own: false}\n")
        (recipe,) = re.findall(r"```sh\n(# review\.sh .*?)```", DOCS.read_text(), re.DOTALL)
        (folder / "review.sh").write_text(recipe)
        self.git("Ann", "init", "-q", "-b", "main")
        self.commit("Ann")
        self.git("Ann", "checkout", "-q", "-b", "wider")
        (folder / "pod.yaml").write_text(WIDER)
        self.commit("Ann")

    def alone(self, who: str) -> dict[str, str]:
        """What a person's program sees of the machine: a home of his own, and no other."""
        home = self.folder.parent / f"home of {who}"
        home.mkdir(exist_ok=True)
        (home / ".gitconfig").write_text(f"[user]\n  name = {who}\n  email = {PEOPLE[who]}\n")
        alone = {"HOME": str(home), "GIT_CONFIG_SYSTEM": os.devnull}
        alone |= {f"XDG_{each}_HOME": str(home / each) for each in ("CONFIG", "CACHE", "STATE")}
        alone["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return alone

    def run(self, who: str, *words: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, **self.alone(who)}
        return subprocess.run(words, cwd=self.folder, env=env, capture_output=True, text=True)

    def git(self, who: str, *words: str) -> None:
        done = self.run(who, "git", *words)
        assert done.returncode == 0, done.stderr

    def commit(self, who: str) -> None:
        self.git(who, "add", "--", "pod.yaml", "review.policy.yaml", "review.sh")
        self.git(who, "commit", "-q", "-m", "x")

    def says(self, who: str, *words: str) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            for name, value in self.alone(who).items():
                patch.setenv(name, value)
            assert main(["review", "pod.yaml", *words]) == 0
        self.git(who, "add", "pod.review")
        self.git(who, "commit", "-q", "-m", "x")

    def checked(self) -> tuple[int, str]:
        """What CI says of the branch: its exit code and the comment."""
        done = self.run("Ann", "sh", "review.sh", "main", "pod.yaml")
        # where the machine is busy, it also says how long it is at work
        assert done.stderr.splitlines()[-1:] == ["wrote comment.md"], done.stderr
        return done.returncode, (self.folder / "comment.md").read_text()


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_a_branch_passes_once_somebody_else_approved_it(repository: Repository) -> None:
    code, comment = repository.checked()
    assert (code, comment.splitlines()[0]) == (1, "## Review of pod.yaml: not reviewed")
    assert "node count | 4 | 6" in comment
    repository.says("Ann", "--approve")
    code, comment = repository.checked()
    assert code == 1
    assert "approvals missing (0 of 1)" in comment.splitlines()[0]
    assert "does not count: changed the design, by git" in comment
    repository.says("Bob", "--approve")
    assert repository.checked()[0] == 0
    (repository.folder / "review.policy.yaml").write_text("toposmith-policy: 1\n")
    (repository.folder / "pod.yaml").write_text(SOUND)
    assert "stale" in repository.checked()[1].splitlines()[0]


def test_status_as_data_has_what_a_script_needs(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell("review", file, "--approve", "--author", "Ann")
    shell("review", file, "--comment", "leaf", "why?", "--author", "Bob")
    done = shell("review", file, "--status", "--json")
    data = json.loads(done.out)
    assert (done.code, data["state"], data["settled"]) == (1, "approved", False)
    (decision,) = data["decisions"]
    assert decision["figures"] == decision["figures_now"]
    assert decision["counts"] is True
    assert [one["text"] for one in data["comments"] if one["open"]] == ["why?"]


def test_two_approvals_are_two_people(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell.file("p.yaml", "toposmith-policy: 1\napprovals: {needed: 2}\n")
    both = ("review", file, "--policy", "p.yaml")
    for _ in range(2):
        done = shell(*both, "--approve", "--author", "Ann")
        assert done.out.startswith("approvals missing (1 of 2)\n")
    shell(*both, "--approve", "--author", "Bob")
    assert shell(*both, "--status").code == 0


def test_where_git_cannot_tell_who_changed_a_design_no_approval_counts(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(shell.folder.parent))
    file = shell.file("pod.yaml", SOUND)
    shell.file("p.yaml", "toposmith-policy: 1\napprovals: {own: false}\n")
    shell("review", file, "--policy", "p.yaml", "--approve", "--author", "Ann")
    done = shell("review", file, "--policy", "p.yaml", "--status")
    assert done.code == 1
    assert "who changed the design is unknown, by git" in done.out


@pytest.mark.parametrize(
    ("approvals", "said"),
    [
        ("{needed: 0}", "approvals.needed: found 0, expected a whole number from 1 to 100"),
        ("{needed: true}", "approvals.needed: found true"),
        ("{own: 1}", "approvals.own: found 1, expected true or false"),
        ("{owm: true}", "did you mean 'own'?"),
        ("2", "approvals: found 2"),
    ],
)
def test_a_policy_at_fault_is_refused_with_its_line(
    shell: Shell, approvals: str, said: str
) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell.file("p.yaml", f"toposmith-policy: 1\napprovals: {approvals}\n")
    done = shell("review", file, "--policy", "p.yaml", "--status")
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.startswith("p.yaml:2:")
