"""The command ``toposmith``: opens the app, and runs the headless commands.

Data goes to stdout, messages to stderr. A command's module is imported when the command is run,
so that ``--help`` and shell completion are fast, and headless commands never load the screen.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING, Any

import click

from toposmith.command.edge import (
    BAD_INPUT,
    FINE,
    INTERRUPTED,
    Refused,
    app_options,
    catalog_option,
    drop_what_is_left,
    hoisted,
    names_a_design,
    open_closed_streams,
    say,
    say_failure,
)
from toposmith.command.patience import interrupted, name_work, watched_command
from toposmith.entry_points import PLUGINS, load_plugins
from toposmith.errors import ToposmithError
from toposmith.saved_designs import saved_designs
from toposmith.terminal import end_process
from toposmith.version import program_version

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


@dataclass(frozen=True)
class CommandEntry:
    """A command: its module in this package, its description in one line, and what it is doing."""

    module: str
    words: str
    doing: str


COMMANDS = {
    "analyze": CommandEntry(
        "analyze", "Say what a design delivers, and what limits it.", "analyzing"
    ),
    "asbuilt": CommandEntry(
        "asbuilt",
        "Compare what is really cabled with a design or a cable plan.",
        "comparing cables",
    ),
    "bom": CommandEntry(
        "bill", "Write the bill of materials, or compare one with a design.", "counting parts"
    ),
    "catalog": CommandEntry(
        "catalog", "Look at the parts that designs are made of.", "reading parts"
    ),
    "check": CommandEntry("analyze", "List what is wrong with designs.", "checking"),
    "config": CommandEntry(
        "config", "Show your configuration; schemas of files.", "reading the configuration"
    ),
    "diff": CommandEntry(
        "differences",
        "Say what changed between designs, and what follows; of several, a table.",
        "comparing designs",
    ),
    "export": CommandEntry(
        "export", "Write a design for other people and other programs.", "exporting"
    ),
    "failures": CommandEntry(
        "failures", "Say what a design keeps after each single failure.", "looking at failures"
    ),
    "fix": CommandEntry(
        "fix", "List the smallest changes that lift a figure.", "searching changes"
    ),
    "change": CommandEntry(
        "lock", "Write the change order from what lies there to a design.", "planning steps"
    ),
    "jobs": CommandEntry(
        "jobs", "Say what jobs that run at once get, alone and together.", "placing jobs"
    ),
    "lock": CommandEntry(
        "lock", "Bind ports, labels and places in a file next to a design.", "binding ports"
    ),
    "measured": CommandEntry(
        "measured", "Compare runs of nccl-tests or rccl-tests with predictions.", "comparing runs"
    ),
    "new": CommandEntry(
        "designs",
        "Write a design from a template, or the best fabrics for so many GPUs.",
        "making a design",
    ),
    "review": CommandEntry(
        "review", "Open the app to read only; comment, decide, or report.", "reviewing"
    ),
    "serve": CommandEntry(
        "serve", "Show a design in browsers, to read only unless asked.", "serving"
    ),
    "workload": CommandEntry(
        "workload",
        "Say whether a design serves a model: step time, tokens, cost.",
        "assessing the workload",
    ),
}
"""Every command by name; the function in its module has that name, too."""


class _Commands(click.Group):
    """Commands, each imported when it is run.

    A first word that is no command but a design opens the app with that design.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, hoisted(args))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"toposmith.command.{COMMANDS[cmd_name].module}")
        command: click.Command = getattr(module, cmd_name)
        if ctx.resilient_parsing:  # for a shell
            from toposmith.command.completion import complete_words

            complete_words(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and names_a_design(name):
            # like every command, read when it is asked for
            from toposmith.command.app_start import open_file

            return "open", open_file, args
        if name not in COMMANDS and not name.startswith("-"):
            raise click.exceptions.NoSuchCommand(name, possibilities=COMMANDS, ctx=ctx)
        resolved = super().resolve_command(ctx, args)
        name_work("" if ctx.resilient_parsing else COMMANDS[name].doing)
        return resolved

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.Abort from None  # click itself writes an empty line first

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.words) for name, entry in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        # imported here: no other run needs it
        from click.shell_completion import CompletionItem

        names = [name for name in COMMANDS if name.startswith(incomplete)]
        saved = [one.name for one in saved_designs() if one.name.startswith(incomplete)]
        options = click.Command.shell_complete(self, ctx, incomplete)
        commands = [CompletionItem(name, help=COMMANDS[name].words) for name in names]
        found = [*commands, *(CompletionItem(name) for name in saved if incomplete), *options]
        return found or [CompletionItem(incomplete, type="file")]


def _say_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"toposmith {program_version()}")
        ctx.exit()


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="A FILE may also be - for stdin, or the name of a saved design (see `new`). "
    "Exit codes: 0 fine, 1 findings, 2 bad usage or file, 70 a fault of the program, "
    "130 interrupted.",
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
@app_options
@catalog_option
@click.pass_context
def toposmith(ctx: click.Context, ascii_only: bool, no_mouse: bool) -> int:
    """Design GPU-cluster networks, and see what they will deliver.

    Without a command, `toposmith` starts the app and `toposmith FILE` opens a design in it.
    """
    if ctx.invoked_subcommand is None:
        # like every command, read when it is asked for
        from toposmith.command.app_start import open_app

        return open_app(None, ascii_only=ascii_only, no_mouse=no_mouse)
    ctx.obj = {"ascii_only": ascii_only, "no_mouse": no_mouse}
    return FINE


def main(args: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Without ``args`` those of the process, which is then ended where Ctrl+C is not answered.
    """
    code = _run(args)
    for plugin in PLUGINS:
        if plugin.fault:
            say(plugin.words)
    if args is None and code == INTERRUPTED:
        end_process(code)  # to take apart millions of objects would take seconds
    return code


def _run(args: Sequence[str] | None) -> int:
    # sweeps of failures keep millions of objects alive: collect garbage less often
    gc.set_threshold(50_000)
    open_closed_streams()
    try:
        with watched_command(owns_process=args is None):
            load_plugins()
            code = toposmith.main(args, prog_name="toposmith", standalone_mode=False)
    except click.Abort:
        say(interrupted())
        return INTERRUPTED
    except Refused as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        shown = StringIO()
        error.show(shown)
        for line in shown.getvalue().splitlines():
            say(line)
        return BAD_INPUT
    except ToposmithError as error:
        for line in str(error).splitlines():
            say(line)
        return BAD_INPUT
    except OSError as error:  # such as help that is written to a full disk
        drop_what_is_left()
        say(f"{error.filename or 'stdout'}: {error.strerror}")
        return BAD_INPUT
    except ValueError as error:
        if "KeyboardInterrupt" not in str(error):  # pydantic wraps a Ctrl+C in an error of its own
            return say_failure(error)
        say(interrupted())
        return INTERRUPTED
    except Exception as error:  # of any kind: what nobody foresaw is no finding
        return say_failure(error)
    return code if isinstance(code, int) else FINE
