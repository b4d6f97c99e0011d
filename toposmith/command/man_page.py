"""The manual page, made of the same commands and options as ``--help`` (man(7))."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from toposmith.version import program_version


def man_page(group: click.Group) -> str:
    """The page of the program with all its commands, as roff."""
    context = click.Context(group, info_name="toposmith")
    version = f"toposmith {program_version()}"
    lines = [f'.TH TOPOSMITH 1 "" "{version}" "Toposmith"', ".SH NAME"]
    lines.insert(1, ".ad l")  # words such as lists of choices are too long to adjust
    lines += ["toposmith \\- design GPU-cluster networks, and see what they will deliver"]
    lines += [".SH SYNOPSIS", ".B toposmith", "[OPTIONS] [FILE | COMMAND ...]", ".SH DESCRIPTION"]
    lines += [*_text(group.help or ""), ".PP", *_text(group.epilog or "")]
    lines += [".SH OPTIONS", *_options(group, context)]
    for name, command in _commands(group, context, "toposmith"):
        inside = click.Context(command, info_name=name)
        usage = " ".join(command.collect_usage_pieces(inside))
        lines += [f'.SH "{name.upper()}"', f".B {name}", *_text(usage), ".PP"]
        lines += [*_text(command.help or ""), *_options(command, inside)]
    return "\n".join(lines) + "\n"


def _commands(
    group: click.Group, context: click.Context, path: str
) -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _commands(command, context, f"{path} {name}")
        elif command is not None:
            yield f"{path} {name}", command


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            name, words = record
            yield from (".TP", f".B {_escaped(name)}", *_text(words))


def _text(words: str) -> list[str]:
    """Text as lines that roff fills; one that begins with its control signs is kept apart."""
    return [_escaped(line.strip()) for line in re.split(r"\n+", words) if line.strip(" \b")]


def _escaped(line: str) -> str:
    plain = line.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain[:1] in (".", "'") else plain
