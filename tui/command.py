"""The command ``toposmith``: the way to the app, and everything that needs no screen.

Data goes to stdout, talk to stderr. What a command needs is imported when it runs, so that
``--help`` and shell completion answer at once and no headless command ever loads the screen.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from topology.bill.plain_text import visible
from topology.errors import ToposmithError
from tui.command_edge import (
    BAD_INPUT,
    Refused,
    names_a_design,
    path_of,
    read_design,
    require_free,
    say,
    write_data,
    write_out,
    write_talk,
)

if TYPE_CHECKING:
    from catalog import Catalog
    from topology.design.document import Design
    from topology.fabric.plan import Finding, Plan

FINE = 0
FINDINGS = 1
INTERRUPTED = 130

_SIZE = re.compile(r"(?P<number>\d{1,15})\s*(?P<unit>[KMGT]?)(?P<base>i?B?)", re.IGNORECASE)
_COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all")
_KINDS = ("gpu", "nic", "switch", "node", "cable", "transceiver", "fibre")
_FORMATS = ("yaml", "csv", "md", "json")

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class _Commands(click.Group):
    """Commands; a first word that is no command but names a design opens the app with it."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if self.get_command(ctx, args[0]) is None and names_a_design(args[0]):
            return "open", _open, args
        return super().resolve_command(ctx, args)


def _message_size(ctx: click.Context, param: click.Parameter, value: str) -> int:
    """Read a size: 8GiB and 8G are powers of two (as nccl-tests has it), 8GB is of ten."""
    match = _SIZE.fullmatch(value.strip())
    size = 0
    if match:
        power = "KMGT".find(match["unit"].upper()) + 1 if match["unit"] else 0
        base = 1000 if match["base"].upper() == "B" else 1024
        size = int(match["number"]) * base**power
    if not 0 < size <= 2**50:
        raise click.BadParameter(f"{value!r} is no size; write it like 8GiB, 512MiB or 4096")
    return size


def _app_options(command: Decorated) -> Decorated:
    ascii_only = click.option("--ascii", "ascii_only", is_flag=True, help="Draw in ASCII only.")
    no_mouse = click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal.")
    return ascii_only(no_mouse(command))


def _say_version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from topology.bill.provenance import program_version

        click.echo(f"toposmith {program_version()}")
        ctx.exit()


_FILE = click.argument("file", metavar="FILE")
_OUT = click.option(
    "-o", "--output", "out", metavar="OUT", default="-", help="Write here instead of to stdout."
)
_FORCE = click.option("--force", is_flag=True, help="Replace OUT if it is there.")
_JSON = click.option("--json", "as_json", is_flag=True, help="Write JSON.")


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


@toposmith.command()
@_FILE
@_app_options
@click.pass_obj
def review(obj: dict[str, bool], file: str, ascii_only: bool, no_mouse: bool) -> int:
    """Open the app with a design, to read only."""
    return _run_app(
        file,
        review=True,
        ascii_only=ascii_only or obj["ascii_only"],
        no_mouse=no_mouse or obj["no_mouse"],
    )


@toposmith.command()
@_FILE
@click.option(
    "--collective",
    type=click.Choice(_COLLECTIVES),
    default="all_reduce",
    show_default=True,
    help="What the GPUs do together.",
)
@click.option(
    "--size",
    "message_bytes",
    metavar="SIZE",
    callback=_message_size,
    default="8GiB",
    show_default=True,
    help="Size of the message.",
)
@click.option("--communicator", default="world", show_default=True, help="Who takes part.")
@_JSON
def analyze(
    file: str, collective: Any, message_bytes: int, communicator: str, as_json: bool
) -> int:
    """Say what a design delivers, and what limits it."""
    if communicator != "world":
        raise click.BadParameter(
            f"{communicator!r} is not computed; only world is, all GPUs in one group",
            param_hint="--communicator",
        )
    from topology.analysis.analyse import analyse

    plan, catalog = _plan(read_design(file))
    analysis = analyse(plan, catalog, collective, message_bytes)
    if as_json:
        import json

        from topology.analysis.result import as_json as json_of

        write_data(json.dumps(json_of(analysis), indent=2) + "\n")
    else:
        from tui.text_report import analysis_report

        write_talk(analysis_report(analysis))
    broken = any(finding.severity == "error" for finding in analysis.findings)
    return FINDINGS if broken else FINE


@toposmith.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
def check(files: tuple[str, ...]) -> int:
    """List what is wrong with designs; exit 1 where there are errors or warnings."""
    from tui.text_report import findings_lines

    code = FINE
    for file in files:
        try:
            findings = _findings(*_plan(read_design(file)))
        except (ToposmithError, Refused) as error:
            for line in str(error).splitlines():
                say(line)
            code = BAD_INPUT
            continue
        lines = findings_lines(findings, source=file) or [f"{visible(file)}: no findings"]
        write_talk("".join(f"{line}\n" for line in lines))
        if any(finding.severity != "info" for finding in findings):
            code = max(code, FINDINGS)
    return code


@toposmith.command()
@_FILE
@_OUT
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    help="Form of the bill; without it that of OUT's name, else yaml.",
)
@_FORCE
def bom(file: str, out: str, form: str | None, force: bool) -> int:
    """Write the bill of materials of a design."""
    from topology.bill.bill import make_bill
    from topology.bill.table_forms import bill_csv, bill_markdown
    from topology.bill.yaml_form import bill_json, bill_yaml
    from tui.text_report import findings_lines

    require_free(out, force)
    forms = {"yaml": bill_yaml, "csv": bill_csv, "md": bill_markdown, "json": bill_json}
    named = Path(out).suffix.removeprefix(".").replace("yml", "yaml")
    bill = make_bill(*_plan(read_design(file)))
    write_out(forms[form or (named if named in forms else "yaml")](bill), out)
    if bill.complete:
        return FINE
    for line in ("The bill is incomplete:", *findings_lines(bill.findings)):
        say(line)
    return FINDINGS


@toposmith.group()
def catalog() -> None:
    """Look at the parts that designs are made of."""


@catalog.command("list")
@click.argument("kind", metavar="[KIND]", type=click.Choice(_KINDS), required=False)
def catalog_list(kind: str | None) -> int:
    """List all parts, or those of one KIND."""
    from tui.text_report import catalog_report

    known = _catalog()
    write_talk(catalog_report(known.of_kind(kind) if kind else list(known), known))
    return FINE


@catalog.command("show")
@click.argument("part")
@_JSON
def catalog_show(part: str, as_json: bool) -> int:
    """Show every figure of a PART, and where it is from."""
    known = _catalog()
    found = known.get(part)
    if found is None:
        near = known.nearest(part)
        hint = f"; did you mean {' or '.join(near)}?" if near else "; see toposmith catalog list"
        raise Refused(f"the catalog has no part {part!r}{hint}")
    if as_json:
        write_data(found.model_dump_json(indent=2) + "\n")
    else:
        from tui.text_report import part_report

        write_talk(part_report(found, known))
    return FINE


@toposmith.command()
@click.argument("template", required=False)
@click.option(
    "--set", "settings", metavar="NAME=VALUE", multiple=True, help="A setting; may be repeated."
)
@_OUT
@_FORCE
def new(template: str | None, settings: tuple[str, ...], out: str, force: bool) -> int:
    """Write a design from a TEMPLATE; without one, list the templates and their settings."""
    from topology.design.writing import design_text
    from topology.templates import TEMPLATES, new_design

    if template is None:
        from tui.text_report import templates_report

        write_talk(templates_report(TEMPLATES))
        return FINE
    values: dict[str, str | int] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise click.BadParameter(f"{setting!r} is not NAME=VALUE", param_hint="--set")
        values[name.strip()] = value.strip()
    require_free(out, force)
    write_out(design_text(new_design(template, values, catalog=_catalog())), out)
    return FINE


@toposmith.command()
def designs() -> int:
    """List the saved designs that come with the program."""
    from saved_designs import saved_designs
    from tui.text_report import columns

    rows = [(saved.name, visible(saved.summary)) for saved in saved_designs()]
    write_talk("".join(f"{line}\n" for line in columns(("name", "design"), rows)))
    return FINE


def main(args: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
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


def _run_app(file: str | None, *, ascii_only: bool, no_mouse: bool, review: bool = False) -> int:
    """Start the app; the faults of a file that it cannot read are said after it has left."""
    if file == "-":
        raise Refused("the app cannot read its design from stdin; save it to a file first")
    path = path_of(file) if file is not None else None
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") == "dumb":
        if path is not None:
            read_design(str(path))
        raise Refused(
            "the app needs a terminal; without one there are toposmith analyze FILE, check, bom, "
            "catalog, new and designs (see toposmith --help)"
        )
    from tui.app import run_app

    return run_app(path, review=review, ascii_only=ascii_only, mouse=not no_mouse)


def _catalog() -> Catalog:
    from catalog import CatalogError, load_catalog

    try:
        return load_catalog()
    except CatalogError as error:
        raise Refused(str(error)) from None


def _plan(design: Design) -> tuple[Plan, Catalog]:
    from topology.fabric.planning import plan_design

    known = _catalog()
    return plan_design(design, known), known


def _findings(plan: Plan, known: Catalog) -> list[Finding]:
    """Everything that any part of the engine has to say about a design, each thing once."""
    from topology.analysis.analyse import analyse
    from topology.bill.bill import make_bill

    found = [*analyse(plan, known).findings, *make_bill(plan, known).findings]
    return list(dict.fromkeys(found))
