"""Looking at a folder starts git alone, and git starts nothing, whatever the folder says."""

from __future__ import annotations

import ast
import os
import subprocess
from pathlib import Path

import pytest

import toposmith
from tests.command.shell import SOUND, Shell
from tests.every import for_every
from tests.safety.planted import PlantedFolder
from tests.tui.person import OpenApp
from toposmith.command.main import COMMANDS
from toposmith.exports.forms import FORMS

POLICY = "toposmith-policy: 1\napprovals: {own: false}\n"
OLD = "HEAD:pod.yaml"
LOST = "HEAD~1:pod.yaml"
"""Its object is missing, as in a partial clone: git would fetch it."""
NOWHERE = ("HEAD~9:pod.yaml", "--output=x:pod.yaml")
STARTS = {"system", "popen", "startfile", "fork", "forkpty", "posix_spawn", "posix_spawnp"}
STARTS |= {
    f"{kind}{how}"
    for kind in ("exec", "spawn")
    for how in ("l", "le", "lp", "v", "ve", "vp", "vpe", "lpe")
}


@pytest.fixture
def planted(
    own_home: Path, tmp_path: Path, work_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> PlantedFolder:
    folder = PlantedFolder(work_dir, tmp_path / "traps", SOUND)
    policy = own_home / "config" / "toposmith" / "policy.yaml"
    policy.parent.mkdir(parents=True)
    policy.write_text(POLICY)
    return folder


@pytest.fixture
def hostile(planted: PlantedFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment is as hostile as the folder."""
    for name, value in planted.hostile_environment().items():
        monkeypatch.setenv(name, value)


def every_command(folder: Path) -> list[tuple[str, ...]]:
    """Each command over the design, and each way in which it can look at its repository."""
    review = [
        *(("--status",), ("--status", "--json"), ("--status", "--against", OLD)),
        ("--comment", "leaf", "why?", "--author", "Bob"),
        ("--approve", "--despite-open"),
        ("--request-changes", "no", "--author", "Bob"),
        *(("--report", form, "--against", OLD) for form in ("html", "md", "comment")),
        ("--pin",),
    ]
    (folder / "out").mkdir()
    return [
        *(("review", "pod.yaml", *words) for words in review),
        *(("review", "pod.yaml", "--status", "--against", each) for each in (LOST, *NOWHERE)),
        *(("diff", each, "pod.yaml") for each in (OLD, "HEAD:./pod.yaml", LOST, *NOWHERE)),
        ("analyze", "pod.yaml"),
        ("analyze", "pod.yaml", "wide.yaml"),
        ("bom", "pod.yaml", "-o", "out/bill.xlsx"),
        ("bom", "pod.yaml", "--verify", "out/bill.xlsx"),
        ("catalog", "list", "switch"),
        ("change", "pod.yaml", "wide.yaml"),
        ("check", "pod.yaml"),
        ("diff", "--table", "pod.yaml", "wide.yaml"),
        ("diff", "."),
        ("config",),
        ("new", "--nodes", "2", "--part", "dgx-h100"),
        *(("export", "pod.yaml", "--to", form, "-o", f"out/{form}") for form in FORMS),
        ("asbuilt", "pod.yaml", "out/ibnetdiscover"),
        ("failures", "pod.yaml"),
        ("fix", "pod.yaml"),
        ("jobs", "pod.yaml", "2 nodes, all_reduce"),
        ("lock", "pod.yaml"),
        ("measured", "pod.yaml"),
        ("new", "leaf-spine", "-o", "out/new.yaml"),
        ("config", "--schema", "policy"),
        ("serve", "pod.yaml", "--port", "1", "--help"),
        ("workload", "pod.yaml", "--require", "--set", "ranks=8,size=1MB,per_second=10"),
        ("workload", "pod.yaml", "--model", "llama3-8b", "--set", "batch=64"),
    ]


@pytest.mark.usefixtures("hostile")
def test_no_command_starts_what_a_folder_or_the_environment_names(
    shell: Shell, planted: PlantedFolder
) -> None:
    os.chdir(planted.folder)
    commands = every_command(planted.folder)
    assert {words[0] for words in commands} == set(COMMANDS)
    started, unread = {}, {}
    for words in commands:
        done = shell(*words)
        if marks := planted.ran():
            started[words] = marks
        if done.code not in (0, 1):
            unread[words] = done.err
    assert started == {}
    git_lacks = {each for each in commands if {LOST, *NOWHERE} & {*each}}
    ethernet = {"slurm-block", "ptm", "sonic", "routed-addresses", "routed-prefixes"}
    other_designs = {each for each in commands if ethernet & {*each}}
    assert set(unread) == git_lacks | other_designs, unread


def test_no_command_starts_what_a_folder_alone_names(shell: Shell, planted: PlantedFolder) -> None:
    os.chdir(planted.folder)
    started = {}
    for words in every_command(planted.folder):
        if words[0] in ("review", "diff"):
            shell(*words)
            if marks := planted.ran():
                started[words] = marks
    assert started == {}


async def test_the_apps_review_starts_nothing(
    shell: Shell, planted: PlantedFolder, open_app: OpenApp
) -> None:
    os.chdir(planted.folder)
    shell("review", "pod.yaml", "--approve", "--author", "Bob", "--despite-open")
    planted.ran()
    async with open_app(planted.folder / "pod.yaml", review=True) as person:
        assert "approvals missing (0 of 1)" in person.message
        await person.press("V")
        await person.press("d", "a", "y", "enter")
        await person.until(lambda: "approved; stale once" in person.message)
        await person.press("escape", "vertical_line", "o", "r")
        await person.answer("HEAD:wide.yaml")
        assert "HEAD:wide.yaml -> this design" in person.seen()
    assert planted.ran() == set()


def test_who_changed_a_design_is_known_without_a_filter(
    shell: Shell, planted: PlantedFolder
) -> None:
    """Ann committed it; Bob's approval counts until whoever is here changed it, too."""
    os.chdir(planted.folder)
    status = ("review", "pod.yaml", "--status")
    committed = f"# two\n{SOUND}"
    Path("pod.yaml").write_bytes(committed.replace("\n", "\r\n").encode())
    for author, state in (("Ann", "approvals missing (0 of 1)"), ("Bob", "approved")):
        shell("review", "pod.yaml", "--approve", "--author", author, "--despite-open")
        assert shell(*status).out.startswith(state)
    Path("pod.yaml").write_text(f"# three\n{committed}")
    assert shell(*status).out.startswith("approvals missing (0 of 1)")
    assert planted.ran() == set()


@for_every(sorted(Path(toposmith.__file__).parent.rglob("*.py")))
def test_programs_are_started_in_one_place(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {
        name
        for each in ast.walk(tree)
        if isinstance(each, ast.Import | ast.ImportFrom)
        for name in (getattr(each, "module", None), *(alias.name for alias in each.names))
    }
    used = {
        each.attr
        for each in ast.walk(tree)
        if isinstance(each, ast.Attribute) and ast.unparse(each.value) in ("os", "subprocess")
    }
    if path.name == "programs.py":
        assert "subprocess" in imported
        return
    assert not {"pty", "multiprocessing", "webbrowser", "create_subprocess_exec"} & imported
    assert not used & STARTS
    # of the module, others know its exceptions and its results
    assert not used & {"run", "Popen", "call", "check_call", "check_output", "getoutput"}


BY_HAND = {
    "status": {"fsmonitor", "clean-filter"},
    "hash-object --path wide.yaml wide.yaml": {"process-filter"},
    "log": {"gpg"},
    "cat-file -p HEAD~1:pod.yaml": {"remote-helper"},
    "cat-file --filters HEAD:pod.yaml": {"smudge-filter"},
    "cat-file --textconv HEAD:notes.txt": {"textconv"},
    "diff HEAD~1 HEAD -- notes.txt": {"diff-driver"},
    "update-ref refs/heads/x HEAD": {"reference-transaction"},
}


def test_git_asked_by_hand_springs_these_traps(planted: PlantedFolder) -> None:
    """A trap that cannot close would show nothing."""
    hostile = planted.hostile_environment()
    subprocess.run(["git", "status"], env=os.environ | hostile, check=False)
    assert "git" in planted.ran()  # the one in the folder, by the relative entry of the path
    env = {
        name: value for name, value in os.environ.items() if name not in hostile or name == "PATH"
    }
    for words, marks in BY_HAND.items():
        subprocess.run(["git", *words.split()], env=env, capture_output=True, check=False)
        ran = planted.ran()
        assert ran >= marks, (words, ran)
    del hostile["PATH"], hostile["GIT_EXEC_PATH"]
    traced = env | hostile
    subprocess.run(["git", "status"], env=traced, capture_output=True, check=False)
    assert planted.ran() >= {"fsmonitor-of-environment", "GIT_TRACE"}
