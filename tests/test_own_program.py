"""A program of one's own starts the command, and by it the app, with its own records."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "extending.md"
ADDITIONS = """\
from dataclasses import replace

from toposmith.collectives import COLLECTIVES
from toposmith.exports.forms import FORMS, Form
from toposmith.tui.actions.definition import turning_to
from toposmith.tui.actions.registered import VIEWS, Registered

COLLECTIVES["halo"] = replace(COLLECTIVES["send_recv"], id="halo", name="halo shift")
FORMS["gpus"] = Form("gpus", "number of GPUs", ".txt", lambda cluster: ["some GPUs"])
VIEWS.append(Registered(turning_to("own", ("{key}",), "own", "Own", section="figures"), list))
"""


def run(folder: Path, *args: str, key: str = "3") -> str:
    """What the program of the page says, beside a module of additions."""
    (program,) = (
        block
        for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), flags=re.DOTALL)
        if "import additions" in block
    )
    (folder / "mine.py").write_text(program, encoding="utf-8")
    (folder / "additions.py").write_text(ADDITIONS.format(key=key), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(folder / "mine.py"), *args],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "HOME": str(folder)},
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("analyze", "a100-rack-1x100gbe", "--collective", "halo"), "halo shift, 8 GiB"),
        (("export", "a100-rack-1x100gbe", "--to", "gpus"), "some GPUs"),
        ((), "the app needs a terminal"),
    ],
    ids=lambda of: " ".join(of) if isinstance(of, tuple) else None,
)
def test_the_commands_and_the_app_know_what_was_added(
    tmp_path: Path, args: tuple[str, ...], words: str
) -> None:
    assert words in run(tmp_path, *args)
