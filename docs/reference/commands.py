"""The page of all commands: usage, arguments and options as ``--help`` has them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from docs.reference.tables import MADE, table
from toposmith.asked import SETTINGS, Asked
from toposmith.command.edge import GROUPS
from toposmith.command.main import toposmith
from toposmith.schemas import parameter_entries
from toposmith.templates import TEMPLATES

SHARED = ("What is measured", "Prices and cables")
"""Groups of options that several commands have: described once, named at each command."""


def commands() -> dict[str, click.Command]:
    """Every command by its path, such as ``toposmith catalog list``."""
    return dict(_below(toposmith, "toposmith"))


def _below(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _below(command, f"{path} {name}")
        elif command is not None and not command.hidden:
            yield f"{path} {name}", command


def _record(option: click.Option, path: str) -> tuple[str, str]:
    context = click.Context(toposmith, info_name=path)
    names, words = option.get_help_record(context) or ("", "")
    return f"`{names}`", words


def _shared(command: click.Command) -> dict[str, list[click.Option]]:
    """The options of a command that stand in a shared group, by the group's title."""
    titles = {name: title for title in SHARED for name in GROUPS[title]}
    held: dict[str, list[click.Option]] = {}
    for option in command.params:
        title = titles.get(option.name or "")
        if isinstance(option, click.Option) and title:
            held.setdefault(title, []).append(option)
    return held


def _common() -> dict[str, dict[str, click.Option]]:
    """By title, the options of shared groups that more than one command has, by name."""
    counted: dict[str, dict[str, list[click.Option]]] = {title: {} for title in SHARED}
    for command in commands().values():
        for title, options in _shared(command).items():
            for option in options:
                counted[title].setdefault(option.name or "", []).append(option)
    return {
        title: {name: many[0] for name, many in by_name.items() if len(many) > 1}
        for title, by_name in counted.items()
    }


def _section(path: str, command: click.Command) -> Iterator[str]:
    common = _common()
    context = click.Context(command, info_name=path)
    usage = [piece for piece in command.collect_usage_pieces(context) if piece != "[OPTIONS]"]
    yield from (f"## `{' '.join((path, *usage))}`", "")
    yield from (inspect.cleandoc(command.help or "").replace("\b", ""), "")
    also = {
        title: [one for one in options if _same(common[title].get(one.name or ""), one)]
        for title, options in _shared(command).items()
    }
    told = [option for options in also.values() for option in options]
    rows = [
        _record(option, path)
        for option in command.params
        if isinstance(option, click.Option) and option not in told and not option.hidden
    ]
    if rows:
        yield from table(("option", "meaning"), rows)
    for title, options in also.items():
        names = ", ".join(f"`{'/'.join((*one.opts, *one.secondary_opts))}`" for one in options)
        if options:
            yield from (f"[{title}](#{title.lower().replace(' ', '-')}): {names}", "")


def _same(one: click.Option | None, other: click.Option) -> bool:
    return one is not None and one.help == other.help


def _settings() -> Iterator[str]:
    said = dict(parameter_entries(inspect.getdoc(Asked) or ""))
    yield from ("## What `--with` takes", "", "As in `--with nccl=2.27 --with pxn=no`.", "")
    yield from table(("name", "meaning"), ((f"`{name}`", said[name]) for name in SETTINGS))


def _templates() -> Iterator[str]:
    yield from ("## Templates", "", "What `toposmith new TEMPLATE` makes.", "")
    rows = [(f"`{each.name}`", each.help) for each in TEMPLATES.values()]
    yield from table(("template", "makes"), rows)
    settings: dict[tuple[str, str], dict[str, str]] = {}
    for template in TEMPLATES.values():
        for each in template.parameters:
            usual = "" if each.default is None else str(each.default)
            settings.setdefault((each.name, each.help), {})[template.name] = usual
    yield from ("Their settings (`--set NAME=VALUE`), with the default of each template:", "")
    lines = [(f"`{name}`", words, _defaults(of)) for (name, words), of in settings.items()]
    yield from table(("setting", "meaning", "of"), lines)


def _defaults(of: dict[str, str]) -> str:
    """The templates of a setting by its default; ``all`` where every one that repeats has it."""
    by_default: dict[str, list[str]] = {}
    for template, default in of.items():
        by_default.setdefault(default, []).append(template)
    every = len(TEMPLATES)
    parts = []
    for default, names in by_default.items():
        left_out = [name for name in TEMPLATES if name not in names]
        named = f"all but {', '.join(left_out)}" if 0 < len(left_out) < 3 else ", ".join(names)
        named = "all" if len(names) == every else named
        parts.append(f"{named}: {default}" if default else named)
    return "; ".join(parts)


def commands_page() -> str:
    """Every command with its arguments and options, then the templates of ``new``."""
    lines = [MADE, "", "# Commands", ""]
    lines += ["Files, exit codes, the shell: [the command line](command-line.md).", ""]
    lines += [
        "Every command has `-h`, `--help`, and takes `--catalog` too. `--help-all` describes the "
        "options that `--help` only names.",
        "",
    ]
    lines += ["## `toposmith` and `toposmith FILE`", ""]
    lines += [inspect.cleandoc(toposmith.help or ""), ""]
    options = [option for option in toposmith.params if isinstance(option, click.Option)]
    lines += table(("option", "meaning"), [_record(one, "toposmith") for one in options])
    for path, command in commands().items():
        lines += _section(path, command)
    for title, by_name in _common().items():
        lines += [f"## {title}", ""]
        rows = [_record(option, "toposmith") for option in by_name.values()]
        lines += table(("option", "meaning"), rows)
    return "\n".join([*lines, *_settings(), *_templates()])
