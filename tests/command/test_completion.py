"""What shells complete, asked of the program and tried in the shells that are there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import BashComplete

from toposmith.command.main import toposmith
from toposmith.saved_designs import saved_designs
from toposmith.templates import TEMPLATES

SAVED = [saved.name for saved in saved_designs()]
PROGRAM = Path(sys.executable).with_name("toposmith")


def completed(words: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What bash is told for a line whose last word is still being typed."""
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    return BashComplete(toposmith, {}, "toposmith", "_TOPOSMITH_COMPLETE").complete().split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("toposmith jo", ["plain,jobs"]),
        ("toposmith dgx-a", ["plain,dgx-a100-su"]),
        ("toposmith analyze dgx-a", ["plain,dgx-a100-su"]),
        ("toposmith diff dgx-a100-su mi", ["plain,mine.yaml"]),
        ("toposmith catalog show qm970", ["plain,qm9700"]),
        ("toposmith export dgx-a100-su --group ", ["plain,leaf", "plain,node", "plain,spine"]),
        ("toposmith export mine.yaml --group ", ["plain,box"]),
        ("toposmith export broken.yaml --group ", []),
        ("toposmith new three", ["plain,three-tier"]),
        ("toposmith new leaf-spine --set spine", ["plain,spine=", "plain,spines="]),
        ("toposmith export x --to slurm-t", ["plain,slurm-tree"]),
        ("toposmith workload x --model llama3-70", ["plain,llama3-70b"]),
        ("toposmith config --schema po", ["plain,policy"]),
        ("toposmith analyze some/where", ["file,some/where"]),
        ("toposmith some/where", ["file,some/where"]),
    ],
)
@pytest.mark.usefixtures("work_dir")
def test_words_are_completed(
    words: str, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("mine.yaml").write_text("toposmith: 1\ngroups: {box: {part: dgx-h100}}\n")
    Path("broken.yaml").write_text("toposmith: [\n")
    assert completed(words, monkeypatch) == expected


@pytest.mark.usefixtures("work_dir")
@pytest.mark.parametrize(("command", "names"), [("check", SAVED), ("new", list(TEMPLATES))])
def test_all_designs_and_templates_are_offered(
    command: str, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = completed(f"toposmith {command} ", monkeypatch)
    assert found == [f"plain,{name}" for name in sorted(names)]


SHELLS = {
    "bash": """
        source <(_TOPOSMITH_COMPLETE=bash_source toposmith)
        COMP_WORDS=(toposmith analyze dgx-a) COMP_CWORD=2
        compopt() { :; }
        _toposmith_completion toposmith
        printf '%s\\n' "${COMPREPLY[@]}"
    """,
    "zsh": """
        autoload -U compinit; compinit -D -u
        source <(_TOPOSMITH_COMPLETE=zsh_source toposmith)
        compadd() { print -l -- "${completions[@]}" }
        _describe() { print -l -- "${completions_with_descriptions[@]}" }
        words=(toposmith analyze dgx-a) CURRENT=3
        _toposmith_completion
    """,
    "fish": """
        _TOPOSMITH_COMPLETE=fish_source toposmith | source
        complete -C 'toposmith analyze dgx-a'
    """,
}


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_the_shells_that_are_there_complete_a_design(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    path = f"{PROGRAM.parent}:{os.environ['PATH']}"
    done = subprocess.run(
        [shell, "-c", SHELLS[shell]],
        env={**os.environ, "PATH": path, "HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert "dgx-a100-su" in done.stdout.split(), done.stderr
