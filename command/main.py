"""The command ``toposmith``: the way to the app, and everything that needs no screen.

Data goes to stdout, talk to stderr. What a command needs is imported when it runs, so that
``--help`` and shell completion answer at once and no headless command ever loads the screen.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, TypeVar

import click

from toposmith.command.edge import (
    BAD_INPUT,
    FINE,
    Refused,
    names_a_design,
    path_of,
    read_design,
    say,
)
from toposmith.command.loading import catalog_option, parts_at_hand
from toposmith.command.reviewing import ReviewAsked, review_options, review_without_screen
from toposmith.topology.errors import ToposmithError
from toposmith.topology.parts_at_hand import PartsAtHand

INTERRUPTED = 130

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


COMMANDS = {
    "analyze": "analyze",
    "workload": "workload",
    "require": "require",
    "failures": "failures",
    "fix": "fixing",
    "grow": "growing",
    "check": "checking",
    "diff": "differences",
    "compare": "comparison",
    "asbuilt": "asbuilt",
    "jobs": "jobs",
    "measured": "measured",
    "bom": "bill",
    "export": "exporting",
    "catalog": "catalog",
    "design": "synthesising",
    "new": "designing",
    "designs": "designing",
    "config": "configuring",
}
"""Each command, and the module of this package that has a function of its name."""


class _Commands(click.Group):
    """Commands, each imported when it is asked for.

    A first word that is no command but names a design opens the app with it.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *COMMANDS})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            module = import_module(f"toposmith.command.{COMMANDS[cmd_name]}")
            self.add_command(getattr(module, cmd_name))
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if self.get_command(ctx, args[0]) is None and names_a_design(args[0]):
            return "open", _open, args
        return super().resolve_command(ctx, args)


def _app_options(command: Decorated) -> Decorated:
    ascii_only = click.option("--ascii", "ascii_only", is_flag=True, help="Draw in ASCII only.")
    no_mouse = click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal.")
    return ascii_only(no_mouse(catalog_option(command)))


def _say_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from toposmith.topology.bill.provenance import program_version

        click.echo(f"toposmith {program_version()}")
        ctx.exit()


_FILE = click.argument("file", metavar="FILE")


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="A FILE may also be - for stdin, or the name of a saved design (see `designs`). "
    "Exit codes: 0 fine, 1 findings, 2 bad usage or file, 130 interrupted.",
)
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_say_version,
    help="Show the version and exit.",
)
@_app_options
@click.pass_context
def toposmith(ctx: click.Context, ascii_only: bool, no_mouse: bool) -> int:
    """Design GPU-cluster networks, and see what they will deliver.

    Without a command, `toposmith` starts the app and `toposmith FILE` opens a design in it.
    """
    if ctx.invoked_subcommand is None:
        return _run_app(None, ascii_only=ascii_only, no_mouse=no_mouse)
    ctx.obj = {"ascii_only": ascii_only, "no_mouse": no_mouse}
    return FINE


@toposmith.command("open", hidden=True)
@_FILE
@_app_options
@click.pass_obj
def _open(obj: dict[str, bool], file: str, ascii_only: bool, no_mouse: bool) -> int:
    """Open the app with a design."""
    return _run_app(
        file,
        ascii_only=ascii_only or obj["ascii_only"],
        no_mouse=no_mouse or obj["no_mouse"],
    )


@toposmith.command(short_help="Open the app to read only; comment, decide, or report.")
@_FILE
@_app_options
@review_options
@click.pass_obj
def review(
    obj: dict[str, bool], /, file: str, ascii_only: bool, no_mouse: bool, **options: Any
) -> int:
    """Open the app with a design, to read only; or comment, decide, and report without it."""
    asked = ReviewAsked(**options)
    asked.check()
    if asked.headless:
        return review_without_screen(file, asked)
    return _run_app(
        file,
        review=True,
        against=asked.against,
        ascii_only=ascii_only or obj["ascii_only"],
        no_mouse=no_mouse or obj["no_mouse"],
    )


def main(args: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    # graphs of many faults are millions of objects that stay: look for rubbish less often
    gc.set_threshold(50_000)
    try:
        code = toposmith.main(args, prog_name="toposmith", standalone_mode=False)
    except click.Abort:
        return INTERRUPTED
    except click.ClickException as error:
        error.show()
        return BAD_INPUT
    except ToposmithError as error:
        for line in str(error).splitlines():
            say(line)
        return BAD_INPUT
    return code if isinstance(code, int) else FINE


def _run_app(
    file: str | None,
    *,
    ascii_only: bool,
    no_mouse: bool,
    review: bool = False,
    against: str | None = None,
) -> int:
    """Start the app; the faults of a file that it cannot read are said after it has left."""
    if file == "-":
        raise Refused("the app cannot read its design from stdin; save it to a file first")
    path = path_of(file) if file is not None else None
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") == "dumb":
        if path is not None:
            read_design(str(path))
        raise Refused(
            "the app needs a terminal; without one there are toposmith analyze FILE, check, bom, "
            "catalog, new, designs, export, workload (see toposmith --help)"
        )
    parts = parts_at_hand()
    if parts.places:
        _require_parts(parts)
    beside = None
    if against is not None:
        from toposmith.command.edge import read_design_or_revision

        beside = (against, read_design_or_revision(against))
    from toposmith.tui.running import run_app

    return run_app(
        path,
        review=review,
        ascii_only=ascii_only,
        mouse=not no_mouse,
        parts=parts,
        against=beside,
    )


def _require_parts(parts: PartsAtHand) -> None:
    """Refuse places without part files before the screen opens; faults in them are shown there."""
    from toposmith.catalog import CatalogError

    try:
        parts.load()
    except CatalogError as failed:
        raise Refused(str(failed)) from None
