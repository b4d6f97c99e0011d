"""``docs/commands.md`` names every command, argument and option that there is, and no other."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from tests.command.shell import Shell
from toposmith.command.main import toposmith
from toposmith.templates import TEMPLATES

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "commands.md").read_text(encoding="utf-8")


def commands(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")
        elif not command.hidden:
            yield f"{path} {name}", command


COMMANDS = dict(commands(toposmith, "toposmith"))


def section(heading: str) -> str:
    found = re.search(rf"^## `{re.escape(heading)}[^\n]*\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
    assert found, f"docs/commands.md has no section ## `{heading}`"
    return found.group(0)


def test_every_command_has_a_section_with_its_arguments_and_options() -> None:
    for path, command in COMMANDS.items():
        text = section(path)
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                for name in (*parameter.opts, *parameter.secondary_opts):
                    assert f"`{name}" in text, f"{path}: {name} is not documented"
                assert parameter.help
            else:
                assert parameter.make_metavar(click.Context(command)).strip("[]") in text
        assert command.help


def test_the_list_of_commands_cuts_no_line(shell: Shell) -> None:
    for group in ((), ("catalog",)):
        assert "..." not in shell(*group, "--help").out.partition("Commands:")[2]


def test_the_options_of_toposmith_itself_are_documented() -> None:
    text = section("toposmith`")
    for parameter in toposmith.params:
        assert all(f"`{name}" in text for name in parameter.opts)


def test_every_option_that_is_documented_exists() -> None:
    options = [parameter for command in COMMANDS.values() for parameter in command.params]
    real = {name for option in options for name in (*option.opts, *option.secondary_opts)}
    real |= {name for p in toposmith.params for name in p.opts} | {"-h", "--help"}
    assert set(re.findall(r"`(--?[a-z][a-z-]*)", PAGE)) <= real


def test_every_documented_section_is_a_command() -> None:
    headings = re.findall(r"^## `(toposmith(?: [a-z]+)*)", PAGE, re.M)
    assert set(headings) == {"toposmith", *COMMANDS}


def test_every_template_and_setting_is_documented() -> None:
    text = section("toposmith new")
    for template in TEMPLATES.values():
        assert f"`{template.name}`" in text
        for parameter in template.parameters:
            assert f"`{parameter.name}`" in text


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
    codes = section("toposmith`").partition("Exit codes")[2]
    for code in (0, 1, 2, 130, 141):
        assert f"| {code} |" in codes


def test_the_own_options_of_a_command_fit_a_screen_and_come_first(shell: Shell) -> None:
    for path, command in COMMANDS.items():
        said = shell(*path.split()[1:], "--help").out
        first = said.partition("\nOptions:\n")[2].partition("\n\n")[0]
        assert len(first.splitlines()) <= 16, f"{path}\n{first}"
        words = " ".join(said.split())
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert option.help and option.help[:20] in words


def test_there_are_at_most_18_commands_and_180_options() -> None:
    assert len({path.split()[1] for path in COMMANDS}) <= 18
    options = (one for command in COMMANDS.values() for one in command.params)
    assert sum(isinstance(one, click.Option) for one in options) <= 180
