"""A release by one command, of a scratch repository: what it makes, and what it refuses."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from release.__main__ import check, notes_and_changelog, release
from release.software_bill import ROOT, ReleaseError
from tests.bill.test_workbook import cyclonedx_validator

CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n- New.\n\n## [1.0.0] - 2026-01-02\n\n- Old.\n"
NEEDS_BUILD = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("hatchling", "hatch_vcs", "build")),
    reason="needs build, hatchling and hatch-vcs",
)


class Repository:
    """A small project of the same settings, released once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        for name in ("pyproject.toml", "README.md", "LICENSE", "pins.txt", "pins-test.txt"):
            shutil.copy(ROOT / name, folder / name)
        for name in ("toposmith", "toposmith_check"):
            (folder / name).mkdir()
            (folder / name / "__init__.py").write_text("")
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Ann")
        self.git("config", "user.email", "ann@example.org")
        self.write("CHANGELOG.md", CHANGELOG)
        self.git("tag", "-a", "-m", "first", "v1.0.0")

    def git(self, *words: str) -> str:
        return subprocess.run(
            ("git", *words), cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)
        self.git("add", ".")
        self.git("commit", "-qm", name)

    def state(self) -> str:
        return self.git("log", "--format=%H") + self.git("tag") + self.git("status", "--porcelain")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "project")


@pytest.mark.slow
@NEEDS_BUILD
def test_a_release_is_a_commit_a_tag_and_files_that_hang_together(
    repository: Repository, tmp_path: Path
) -> None:
    before = repository.state()
    out = tmp_path / "out"
    release(repository.folder, "1.3.0", tmp_path / "tried", dry=True)
    assert repository.state() == before and len(list((tmp_path / "tried").iterdir())) == 5
    files = release(repository.folder, "1.3.0", out)
    wheel, sdist = "toposmith-1.3.0-py3-none-any.whl", "toposmith-1.3.0.tar.gz"
    names = {wheel, sdist, "toposmith-1.3.0.cdx.json", "NOTES.md", "SHA256SUMS"}
    assert {file.name for file in files} == names == {file.name for file in out.iterdir()}
    sums = {}
    for line in (out / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        sums[name] = digest
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    assert sums.keys() == names - {"SHA256SUMS"}
    bill = json.loads((out / "toposmith-1.3.0.cdx.json").read_text())
    assert not list(cyclonedx_validator().iter_errors(bill))
    own = bill["metadata"]["component"]["externalReferences"]
    assert {one["url"]: one["hashes"][0]["content"] for one in own} == {
        name: sums[name] for name in (wheel, sdist)
    }
    changelog = (repository.folder / "CHANGELOG.md").read_text()
    dated = re.sub(r"(?<=\[1\.3\.0\] - )\d{4}-\d\d-\d\d", "DATE", changelog)
    assert dated == CHANGELOG.replace("[Unreleased]", "[1.3.0] - DATE")
    assert (out / "NOTES.md").read_text() == "- New.\n"
    assert 'fallback-version = "1.3.0"' in (repository.folder / "pyproject.toml").read_text()
    assert repository.git("cat-file", "-t", "v1.3.0") == "tag\n"
    said = repository.git("tag", "-l", "--format=%(contents)%(taggername)", "v1.3.0")
    assert "Toposmith 1.3.0\n\n- New.\n" in said and said.endswith("Ann\n")
    assert repository.git("rev-parse", "v1.3.0^{}") == repository.git("rev-parse", "HEAD")
    assert not repository.git("status", "--porcelain")
    with pytest.raises(ReleaseError, match=r"the tag v1\.3\.0 is there"):
        release(repository.folder, "1.3.0", tmp_path / "again")
    with pytest.raises(ReleaseError, match=r"no section '## .Unreleased.' to release"):
        release(repository.folder, "1.4.0", tmp_path / "again")


@pytest.mark.slow
@NEEDS_BUILD
def test_builds_that_differ_are_no_release(repository: Repository, tmp_path: Path) -> None:
    settings = (repository.folder / "pyproject.toml").read_text()
    repository.write("hatch_build.py", (
        "import os\nfrom hatchling.builders.hooks.plugin.interface import BuildHookInterface\n"
        "class Hook(BuildHookInterface):\n    def initialize(self, version, build_data):\n"
        "        with open('toposmith/drawn.py', 'w') as file:\n"
        "            file.write(repr(os.urandom(9)))\n"
    ))  # fmt: skip
    repository.write("pyproject.toml", settings + "\n[tool.hatch.build.hooks.custom]\n")
    before = repository.state()
    with pytest.raises(ReleaseError, match="two builds differ"):
        release(repository.folder, "1.3.0", tmp_path / "out")
    assert repository.state() == before and not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("1.3", "three numbers such as 1.2.3, found '1.3'"),
        ("v1.3.0", "found 'v1.3.0'"),
        ("1.0.0", "the tag v1.0.0 is there"),
        ("0.9.9", "0.9.9 is older than 1.0.0, which is released"),
    ],
)
def test_a_version_that_cannot_be_is_refused(
    repository: Repository, version: str, words: str
) -> None:
    with pytest.raises(ReleaseError) as refused:
        check(repository.folder, version)
    assert words in str(refused.value)


def test_what_is_not_committed_is_no_release(repository: Repository, tmp_path: Path) -> None:
    repository.git("tag", "v2000-backup")  # says nothing of the version
    check(repository.folder, "1.0.1")
    (repository.folder / "mine.txt").write_text("")
    (repository.folder / "README.md").write_text("else")
    with pytest.raises(ReleaseError, match=r"2 files are not committed: README\.md, mine\.txt"):
        release(repository.folder, "1.0.1", tmp_path / "out")


def test_a_folder_that_holds_files_is_left_alone(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "theirs.txt").write_text("")
    with pytest.raises(ReleaseError, match="holds files"):
        release(repository.folder, "1.3.0", tmp_path)


def test_notes_are_all_that_stands_above_the_last_release() -> None:
    first = "## [0.1.0] - not yet published\n\nFirst.\n\n### B\n\n- b\n"
    text = f"# C\n\n## [Unreleased]\n\n- a\n\n{first}"
    notes, whole = notes_and_changelog(text, "0.1.0", "2026-12-01")
    assert notes == "- a\n\nFirst.\n\n### B\n\n- b"
    assert whole == f"# C\n\n## [0.1.0] - 2026-12-01\n\n{notes}\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (CHANGELOG.replace("- New.\n\n", ""), "nothing stands below '## [Unreleased]'"),
        (CHANGELOG.replace("- New.", "### Added"), "nothing stands below"),
        (CHANGELOG.replace("## [Unreleased]\n\n- New.\n\n", ""), "no section '## [Unreleased]'"),
        ("# Changelog\n", "no section '## [Unreleased]'"),
        ("## [Unreleased]\n\n- a\n\n## [0.1.0] - not yet published\n\n- b\n",
         "'## [0.1.0] - not yet published' is another version, not yet released"),
    ],
)  # fmt: skip
def test_a_changelog_without_news_is_no_release(text: str, words: str) -> None:
    with pytest.raises(ReleaseError) as refused:
        notes_and_changelog(text, "1.3.0", "2026-12-01")
    assert words in str(refused.value)


def test_the_changelog_of_the_project_could_be_released() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = [line for line in text.splitlines() if line.startswith("## [")]
    if not released[0].endswith("]"):
        pytest.skip("nothing stands above the last release")
    version = "0.1.0" if "## [0.1.0] - not yet published" in released else "9.9.9"
    notes, whole = notes_and_changelog(text, version, "2026-12-01")
    assert f"## [{version}] - 2026-12-01\n" in whole
    assert len(notes.splitlines()) > 1
