"""The wheel and the sdist: whole, the same bytes each time, and what runs without a checkout."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from toposmith.version import PROJECT_URL

ROOT = Path(__file__).parents[1]
CONFIGURED = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, BUILDS = CONFIGURED["project"], CONFIGURED["build-system"]["requires"]
PACKAGES = ("toposmith", "toposmith_check")
SOURCES = (
    *PACKAGES,
    *("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "pins.txt", "pins-test.txt"),
)
NEEDS_BUILD = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("hatchling", "hatch_vcs", "build")),
    reason="needs build, hatchling and hatch-vcs",
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, bytes]]:
    """Two builds of two copies of the sources that differ in place, time and umask."""
    found = []
    for number, umask in enumerate((0o022, 0o077)):
        folder = tmp_path_factory.mktemp(f"copy{number}")
        for name in SOURCES:
            if (ROOT / name).is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(
                    ROOT / name, folder / name, ignore=ignored, copy_function=shutil.copy
                )
            else:
                shutil.copy(ROOT / name, folder / name)
        os.utime(folder / "README.md", (number, number))
        script = f"import os; os.umask({umask}); from build.__main__ import main; main(['-qnx'])"
        subprocess.run([sys.executable, "-c", script], cwd=folder, check=True, timeout=500)
        found.append({file.name: file.read_bytes() for file in (folder / "dist").iterdir()})
    return found


def pins(name: str) -> dict[str, list[str]]:
    """What is pinned, by name: its version, and digests of the files that it may be."""
    found: dict[str, list[str]] = {}
    for line in (ROOT / name).read_text(encoding="utf-8").replace("\\\n", "").splitlines():
        if line.strip() and not line.startswith("#"):
            project, version, *more = line.split("==", 1)[0], *line.split("==", 1)[1].split()
            found[project.strip()] = [version, *(word for word in more if "--hash=" in word)]
    return found


def test_all_that_is_installed_is_pinned_by_digest() -> None:
    use, test = pins("pins.txt"), pins("pins-test.txt")
    assert use.items() <= test.items()
    for version, *digests in test.values():
        assert re.fullmatch(r"[\w.]+", version)
        assert digests and all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", it) for it in digests)
    extras = PROJECT["optional-dependencies"]
    for wanted, pinned in (
        ([*PROJECT["dependencies"], *extras["build"]], use),
        (extras["test"], test),
    ):
        for text in wanted:
            needs = Requirement(text)
            assert needs.specifier.contains(pinned[canonicalize_name(needs.name)][0]), text
    assert set(extras["build"]) == set(BUILDS)


@pytest.mark.slow
@NEEDS_BUILD
def test_two_builds_are_the_same_bytes(built: list[dict[str, bytes]]) -> None:
    one, other = built
    assert len(one) == 2 and one == other


@pytest.mark.slow
@NEEDS_BUILD
def test_the_wheel_has_everything_and_runs_without_a_checkout(
    built: list[dict[str, bytes]], tmp_path: Path
) -> None:
    for name, raw in built[0].items():
        (tmp_path / name).write_bytes(raw)
    (wheel,), (sdist,) = tmp_path.glob("*.whl"), tmp_path.glob("*.tar.gz")
    files = {
        str(file.relative_to(ROOT))
        for package in PACKAGES
        for file in (ROOT / package).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    with zipfile.ZipFile(wheel) as packed:
        assert files <= set(packed.namelist())
    with tarfile.open(sdist) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
        assert files | set(SOURCES[len(PACKAGES) :]) <= names
    venv.create(tmp_path / "venv", symlinks=True)
    (packages,) = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    (packages / "needs.pth").write_text(
        "\n".join(path for path in sys.path if path.endswith("site-packages")), encoding="utf-8"
    )
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps",
         "--no-index", "--disable-pip-version-check", "--ignore-installed", str(wheel)],
        check=True, timeout=300,
    )  # fmt: skip
    work = tmp_path / "work"
    work.mkdir()
    done = subprocess.run(
        [str(python.with_name("toposmith")), "analyze", "dgx-h100-superpod-1su", "--json"],
        cwd=work, env={"HOME": str(work), "PATH": os.environ["PATH"]},
        capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    assert done.returncode == 0 and '"busbw_GBps"' in done.stdout, done.stderr


@pytest.mark.slow
@NEEDS_BUILD
def test_the_version_is_that_of_the_last_tag_and_there_is_one_without(tmp_path: Path) -> None:
    for name in PACKAGES:
        (tmp_path / name).mkdir()
    for name in (*SOURCES[len(PACKAGES) :], "toposmith/version.py", "toposmith_check/__init__.py"):
        shutil.copy(ROOT / name, tmp_path / name)

    def run(*words: str) -> str:
        return subprocess.run(
            words, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=200
        ).stdout.strip()

    def version() -> str:
        return run(sys.executable, "-m", "hatchling", "metadata", "version")

    assert version() == CONFIGURED["tool"]["hatch"]["version"]["fallback-version"]
    git = ("git", "-c", "user.name=a", "-c", "user.email=a@b.example")
    run(*git, "init", "-q")
    run(*git, "add", ".")
    run(*git, "commit", "-qm", "all")
    assert ".dev1+g" in version()
    for other in ("landed/3", "backup2026", "v1.2.3-old", "stop-51"):
        run(*git, "tag", other)
    assert version().startswith("0.1.1.dev1+g"), "what is no release says nothing of the version"
    run(*git, "tag", "v7.8.9")
    assert version() == "7.8.9"
    run(sys.executable, "-m", "build", "-qnx")  # the wheel from the sdist, which knows no git
    assert {file.name for file in (tmp_path / "dist").iterdir()} == {
        "toposmith-7.8.9.tar.gz",
        "toposmith-7.8.9-py3-none-any.whl",
    }


def test_the_address_in_the_metadata_is_that_of_the_program() -> None:
    assert PROJECT["urls"]["Homepage"] == PROJECT_URL
    assert all(url.startswith(PROJECT_URL) for url in PROJECT["urls"].values())
    assert PROJECT["license"] == "MIT" and (ROOT / "LICENSE").is_file()


def test_a_container_runs_as_no_root_and_takes_only_what_is_built_from() -> None:
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    last = text.rpartition("FROM ")[2]
    assert "\nUSER 1000\n" in last and "EXPOSE" not in text
    kept = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert {word[1:] for word in kept if word.startswith("!")} == set(SOURCES)
    versions = {one.rpartition(" :: ")[2] for one in PROJECT["classifiers"]}
    bases = re.findall(r"^FROM docker.io/library/python:(\S+)-slim", text, re.MULTILINE)
    assert len(bases) == 2 and set(bases) <= versions


@pytest.fixture
def engine() -> str:
    """A program that builds containers, with what it needs to run."""
    for tool in filter(shutil.which, ("podman", "docker")):
        if subprocess.run([tool, "info"], capture_output=True, timeout=100).returncode == 0:
            return tool
    pytest.skip("needs podman or docker, running")


@pytest.mark.slow
def test_a_container_that_is_built_answers_as_no_root(engine: str) -> None:
    build = [engine, "build", "--quiet", "-f", "Containerfile", "-t", "toposmith-tried", "."]
    subprocess.run(build, cwd=ROOT, check=True, timeout=800)

    def ran(*words: str) -> str:
        command = [engine, "run", "--rm", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    assert "12.0 GB/s per GPU" in ran("toposmith-tried", "analyze", "a100-rack-1x100gbe")
    assert ran("--entrypoint", "id", "toposmith-tried", "-u") == "1000\n"
    assert ran("--entrypoint", "sh", "toposmith-tried", "-c", "command -v sshd || echo none") == (
        "none\n"
    )


def test_what_lands_is_checked_on_the_versions_that_are_promised() -> None:
    text = (ROOT / ".github" / "workflows" / "check.yml").read_text(encoding="utf-8")
    (job,) = yaml.safe_load(text)["jobs"].values()
    promised = {one.rpartition(" :: ")[2] for one in PROJECT["classifiers"] if " :: 3." in one}
    tried = job["strategy"]["matrix"]
    assert promised | {"3.14"} == set(tried["python"])
    assert {system.partition("-")[0] for system in tried["system"]} == {"ubuntu", "macos"}
    ran = [step["run"] for step in job["steps"] if "run" in step]
    assert "sh install.sh test" in ran and any(line.startswith("sh check.sh") for line in ran)


def test_known_vulnerabilities_are_asked_for_each_week_and_by_no_test() -> None:
    text = (ROOT / ".github" / "workflows" / "vulnerabilities.yml").read_text(encoding="utf-8")
    asked = yaml.safe_load(text)
    assert asked[True]["schedule"] and asked[True]["push"]["paths"] == ["pins*.txt"]  # 1.1: on
    ran = [step.get("run", "") for step in asked["jobs"]["vulnerabilities"]["steps"]]
    assert ran[-1] == ".venv/bin/python -m release.vulnerabilities"
    assert any("--require-hashes -r pins-audit.txt" in line for line in ran)
    test, audit = pins("pins-test.txt"), pins("pins-audit.txt")
    assert "pip-audit" in audit
    # one environment has both
    assert not {name for name in test.keys() & audit.keys() if test[name][0] != audit[name][0]}
