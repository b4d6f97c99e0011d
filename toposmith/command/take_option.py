"""Writing one line of a list as a design: `--take N -o OUT`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from toposmith.command.edge import Refused, require_free, write_out
from toposmith.command.output import design_name
from toposmith.design.writer import design_text

if TYPE_CHECKING:
    from toposmith.design.document import Design

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
Item = TypeVar("Item")


@dataclass(frozen=True)
class TakenLine:
    """The number of the line to write, from 1, and its file; nothing where ``number`` is None."""

    number: int | None
    out: str
    force: bool

    def check(self, as_json: bool, *inputs: str) -> None:
        """Raise click.BadParameter or Refused for options that conflict or overwrite an input."""
        if self.number is None and (self.out != "-" or self.force):
            raise click.BadParameter("goes with --take N", param_hint="-o or --force")
        if self.number is not None and as_json:
            raise click.BadParameter("choose --take or --json", param_hint="--json")
        if self.number is not None:
            require_free(self.out, self.force, *inputs)

    def of(self, found: Sequence[Item], noun: str) -> Item:
        """The chosen item; Refused where there are fewer."""
        number = self.number or 1
        if number > len(found):
            there = f"there are {len(found)}" if len(found) > 1 else "there is one"
            many = there if found else "there is none"
            raise Refused(f"--take {number}: there is no such {noun} ({many})")
        return found[number - 1]

    def write(self, design: Design) -> None:
        """Write the design of that line."""
        write_out(design_text(design), self.out)


def taking_options(words: str) -> Callable[[Decorated], Decorated]:
    """Give a command ``--take``, which ``words`` explain; it gets the options as ``taken``."""

    def decorate(command: Decorated) -> Decorated:
        @wraps(command)
        def with_taken(*args: Any, take: int | None, out: str, force: bool, **others: Any) -> Any:
            return command(*args, taken=TakenLine(take, out, force), **others)

        for option in (
            click.option("--force", is_flag=True, help="Replace OUT if it is there."),
            click.option(
                "-o",
                "--output",
                "out",
                metavar="OUT",
                default="-",
                callback=design_name,
                help="With --take: write it here.",
            ),
            click.option("--take", type=click.IntRange(1), metavar="N", help=words),
        ):
            with_taken = option(with_taken)
        return with_taken  # type: ignore[return-value]

    return decorate
