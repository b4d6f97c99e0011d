"""The layout of a repository that the documents give: its hooks and its action run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "repository.md").read_text(encoding="utf-8")
HOOKS: dict[str, Any] = {
    hook["id"]: hook
    for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
}
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


class Repository:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name, text in re.findall(r"```yaml\n# (\S+)\n(.*?)```", PAGE, re.DOTALL):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        (folder / "designs").mkdir()
        for line in re.findall(r"toposmith (?:config|new|bom) .*$", PAGE, re.MULTILINE)[:3]:
            self.run(line.replace("...", "--set su=1 --set nodes=4"))
        self.run("git init -q -b main && git add . && git commit -qm x")

    def run(self, script: str, code: int = 0, **env: str) -> str:
        alone = {**os.environ, "HOME": str(self.folder.parent), **env}
        alone |= {f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER")
                  for what in ("NAME", "EMAIL")}  # fmt: skip
        alone["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["sh", "-c", script],
            cwd=self.folder,
            env=alone,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def hook(self, hook_id: str, code: int = 0) -> str:
        """Run a hook as pre-commit does: entry, arguments of the repository, files that match."""
        (repo,) = yaml.safe_load((self.folder / ".pre-commit-config.yaml").read_text())["repos"]
        (asked,) = [one for one in repo["hooks"] if one["id"] == hook_id]
        hook = HOOKS[hook_id]
        words = [hook["entry"], *asked.get("args", [])]
        if hook.get("pass_filenames", True):
            files = self.run("git ls-files").split()
            words += [
                file for file in files
                if re.search(hook["files"], file) and not re.search(hook["exclude"], file)
            ]  # fmt: skip
        return self.run(" ".join(words), code)

    def act(self, code: int = 0) -> dict[str, str]:
        """Run the step of the action that looks at designs, as GitHub would; what it reports."""
        (step,) = [one for one in ACTION["runs"]["steps"] if one.get("id") == "designs"]
        self.run(step["run"], code, DESIGNS="designs/pod.yaml", POLICY="policy.yaml", BASE="main")
        return {file.name: file.read_text() for file in (self.folder / "report").iterdir()}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    (tmp_path / "cluster").mkdir()
    return Repository(tmp_path / "cluster")


@pytest.mark.slow
def test_the_layout_passes_its_hooks_until_the_design_changes(repository: Repository) -> None:
    names = re.findall(r"^(\S+\.(?:yaml|yml|json)) ", PAGE, re.MULTILINE)
    assert len(names) == 6 and all((repository.folder / name).is_file() for name in names)
    design = repository.folder / "designs" / "pod.yaml"
    first = design.read_text().partition("\n")[0]
    assert first == "# yaml-language-server: $schema=../design.schema.json"
    repository.hook("toposmith-check")
    repository.hook("toposmith-bom")
    design.write_text(design.read_text().replace("count: 4", "count: 3"))
    assert "dgx-h100" in repository.hook("toposmith-bom", code=1)


@pytest.mark.slow
def test_the_action_reports_findings_bill_and_what_a_branch_changes(repository: Repository) -> None:
    design = repository.folder / "designs" / "pod.yaml"
    repository.run("git checkout -qb wider")
    design.write_text(design.read_text().replace("count: 4", "count: 3"))
    report = repository.act()
    assert set(report) == {"policy.yaml", "comment.md", "pod.findings.txt", "pod.bom.csv"}
    assert "node" in report["comment.md"] and "|" in report["comment.md"]
    assert report["pod.bom.csv"].startswith("part,") or "dgx-h100" in report["pod.bom.csv"]
    # a branch that makes its policy milder is held to that of the base all the same
    (repository.folder / "policy.yaml").write_text("toposmith-policy: 1\nname: mine\n")
    assert "mine" not in repository.act()["policy.yaml"]
    design.write_text("toposmith: [\n")
    repository.act(code=2)


def test_nothing_that_others_write_is_put_into_a_script() -> None:
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
    inputs = set(re.findall(r"inputs\.(\w+)", (ROOT / "action.yml").read_text()))
    assert inputs == set(ACTION["inputs"])
