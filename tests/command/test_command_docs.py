"""Commands, options, exit codes and keys of JSON say what they are, in help and docs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from docs.reference.commands import commands
from tests.command.shell import Shell

DOCS = Path(__file__).parents[2] / "docs"
COMMANDS = commands()


def test_every_command_and_option_says_what_it_does() -> None:
    for path, command in COMMANDS.items():
        assert command.help, path
        for parameter in command.params:
            assert not isinstance(parameter, click.Option) or parameter.help, (path, parameter.name)


def test_the_page_of_commands_has_every_option_of_each() -> None:
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    for path, command in COMMANDS.items():
        text = page.partition(f"## `{path}")[2].partition("\n## ")[0]
        for parameter in command.params:
            for name in (*parameter.opts, *parameter.secondary_opts):
                if name.startswith("-") and parameter.name != "help_all":  # said once, of all
                    assert name in text, (path, name)


def test_the_list_of_commands_cuts_no_line(shell: Shell) -> None:
    for group in ((), ("catalog",)):
        assert "..." not in shell(*group, "--help").out.partition("Commands:")[2]


def keys_of(data: Any) -> Iterator[str]:
    """Every key of JSON data, at any depth."""
    if isinstance(data, dict):
        yield from data
    for inside in data.values() if isinstance(data, dict) else data:
        if isinstance(inside, dict | list):
            yield from keys_of(inside)


def test_every_key_of_the_json_is_documented(shell: Shell) -> None:
    page = (DOCS / "analyze-json.md").read_text(encoding="utf-8")
    design = "hgx-a100-64gpu-roce-2to1"
    for options in ((), ("--curve",)):
        keys = set(keys_of(json.loads(shell("analyze", design, "--json", *options).out)))
        assert {key for key in keys if f"`{key}" not in page} == set()
    top = set(json.loads(shell("analyze", design, "--json").out))
    documented = set(
        re.findall(r"`(\w+)(?:\[\])?`", "".join(re.findall(r"^\|([^|]*)\|", page, re.M)))
    )
    assert documented - {"points"} <= top


def test_exit_codes_are_documented() -> None:
    page = (DOCS / "command-line.md").read_text(encoding="utf-8")
    codes = page.partition("## Exit codes")[2].partition("\n## ")[0]
    for code in (0, 1, 2, 70, 129, 130, 141, 143):
        assert f"| {code} |" in codes


def test_the_options_of_a_command_fit_a_screen_and_all_are_described_where_asked(
    shell: Shell,
) -> None:
    for path, command in COMMANDS.items():
        words = path.split()[1:]
        first = shell(*words, "--help").out.partition("\nOptions:\n")[2].partition("\n\n")[0]
        assert len(first.splitlines()) <= 15, f"{path}\n{first}"
        if "--help-all" in first:
            whole = shell(*words, "--help-all").out
            short = " ".join(shell(*words, "--help").out.split())
            for option in command.params:
                if isinstance(option, click.Option):
                    assert all(name in short for name in option.opts), (path, option.opts)
                    assert option.help and option.help[:20] in " ".join(whole.split())
