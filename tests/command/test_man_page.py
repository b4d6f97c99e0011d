"""The manual page has every command and option, and its readers find no fault with it."""

from __future__ import annotations

import shutil
import subprocess

import click
import pytest

from tests.command.shell import Shell
from tests.command.test_command_docs import COMMANDS
from toposmith.command.main import toposmith


def test_it_has_every_command_with_its_options(shell: Shell) -> None:
    page = shell("--man").out.replace("\\-", "-")
    for path, command in {"toposmith": toposmith, **COMMANDS}.items():
        assert f".B {path}\n" in page
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                assert parameter.opts[-1] in page


@pytest.mark.slow
@pytest.mark.parametrize(
    "reader", [["mandoc", "-T", "lint", "-W", "error"], ["man", "--warnings", "-l", "-"]]
)
def test_readers_of_manual_pages_show_it(reader: list[str], shell: Shell) -> None:
    if shutil.which(reader[0]) is None:
        pytest.skip(f"needs {reader[0]}")
    done = subprocess.run(
        reader, input=shell("--man").out, capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0 and done.stderr == ""
    assert "lint" in reader or "OPTIONS" in done.stdout
