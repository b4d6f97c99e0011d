"""What a shell completes besides commands and choices: designs, parts, groups, templates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from toposmith.saved_designs import saved_designs

Words = Callable[[click.Context], Iterable[str]]


class CompletedText(click.types.StringParamType):
    """A text for which a shell proposes words; where none fits, and where files are, its files."""

    def __init__(self, words: Words, *, is_file: bool = False) -> None:
        self._words = words
        self._is_file = is_file

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The words with this beginning."""
        try:
            words = sorted({word for word in self._words(ctx) if word.startswith(incomplete)})
        except Exception:  # whatever it is: it would be written between what one types
            words = []
        if not words and self._is_file:
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(word) for word in words]


def _designs(_ctx: click.Context) -> Iterable[str]:
    here = (file.name for file in Path().glob("*.y*ml"))
    return (*here, *(saved.name for saved in saved_designs()))


def _parts(_ctx: click.Context) -> Iterable[str]:
    # here and below: read only for what is completed
    from toposmith.command.edge import parts_at_hand

    known = parts_at_hand().load_what_can_be()
    return (part.id for part in (*known, *known.facility))


def _groups(ctx: click.Context) -> Iterable[str]:
    from toposmith.command.design_input import read_design

    file = _argument(ctx, "file")
    return read_design(file).groups if file != "-" else ()


def _templates(_ctx: click.Context) -> Iterable[str]:
    from toposmith.templates import TEMPLATES

    return TEMPLATES


def _settings(ctx: click.Context) -> Iterable[str]:
    from toposmith.templates import TEMPLATES

    template = TEMPLATES[_argument(ctx, "template")]
    return (f"{parameter.name}=" for parameter in template.parameters)


def _argument(ctx: click.Context, name: str) -> str:
    """The first argument, which is unread where an option behind it lacks its value as yet."""
    given: str = ctx.params.get(name) or ctx.args[0]
    return given


def _models(_ctx: click.Context) -> Iterable[str]:
    from toposmith.workloads.model import preset_names

    return preset_names()


_DESIGN = CompletedText(_designs, is_file=True)
_PART = CompletedText(_parts)
_TYPES = {
    **dict.fromkeys(("file", "files", "old", "new", "plan", "against"), _DESIGN),
    **dict.fromkeys(("part", "part2", "parts", "switch", "switches", "nic", "gpu"), _PART),
    "group": CompletedText(_groups),
    "template": CompletedText(_templates),
    "settings": CompletedText(_settings),
    "model": CompletedText(_models, is_file=True),
}
"""By the name of a parameter, in every command."""


def complete_words(command: click.Command) -> None:
    """Have a command's texts completed, and those of its own commands."""
    for parameter in command.params:
        if type(parameter.type) is click.types.StringParamType and parameter.name in _TYPES:
            parameter.type = _TYPES[parameter.name]
    inner: dict[str, Any] = getattr(command, "commands", {})
    for one in inner.values():
        complete_words(one)
