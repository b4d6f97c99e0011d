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
                assert not name.startswith("-") or name in text, (path, name)


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
        short = shell(*words, "--help").out
        sections = re.findall(r"^(?:More o|O)ptions.*:\n((?:  .*\n)+)", short, re.M)
        assert sum(len(section.splitlines()) for section in sections) <= 15, f"{path}\n{short}"
        named = re.search("^More options, described by --help-all:$", short, re.M)
        whole = " ".join(shell(*words, "--help-all" if named else "--help").out.split())
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert option.help and option.help[:20] in whole
                assert option.opts[-1] in short, (path, option.opts)


def test_help_describes_what_is_asked_most_and_names_the_rest(shell: Shell) -> None:
    short, whole = shell("analyze", "--help").out, shell("analyze", "--help-all").out
    assert "What is measured   --size, --communicator, --routing, --queue-pairs, --with" in short
    assert "Size of the message" not in short
    assert "Size of the message" in whole
    assert "More options" not in whole


def test_there_are_at_most_18_commands_and_180_options() -> None:
    assert len({path.split()[1] for path in COMMANDS}) <= 18
    options = (one for command in COMMANDS.values() for one in command.params)
    assert sum(isinstance(one, click.Option) for one in options) <= 180


def test_the_first_design_has_the_figures_that_its_page_says(shell: Shell) -> None:
    page = (DOCS / "first-design.md").read_text(encoding="utf-8")
    step = " ".join(page.partition("**2. ")[2].partition("**3. ")[0].split())
    told = " ".join(shell("analyze", "a100-rack-1x100gbe").out.split())
    figures = re.findall(r"[\d.]+ (?:GB/s|%)", step)
    assert [one for one in figures if one not in told] == []
    assert len(figures) == 4
    assert "node.compute - leaf" in step
