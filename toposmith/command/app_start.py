"""Opening the app, by itself or with a design."""

from __future__ import annotations

import os
import sys

import click

from toposmith.command.edge import Refused, app_options, parts_at_hand, path_of
from toposmith.command.patience import name_work
from toposmith.errors import ToposmithError
from toposmith.parts_at_hand import PartsAtHand


@click.command("open", hidden=True)
@click.argument("file", metavar="FILE")
@app_options
@click.pass_obj
def open_file(obj: dict[str, bool], file: str, ascii_only: bool, no_mouse: bool) -> int:
    """Open the app with a design."""
    return open_app(
        file,
        ascii_only=ascii_only or obj["ascii_only"],
        no_mouse=no_mouse or obj["no_mouse"],
    )


def open_app(
    file: str | None,
    *,
    ascii_only: bool,
    no_mouse: bool,
    review: bool = False,
    against: str | None = None,
) -> int:
    """Start the app; faults of a file that it cannot read are printed after it exits.

    Raises
    ------
    Refused
        For a design from stdin, a terminal that cannot show the app, or parts that cannot be read.
    """
    if file == "-":
        raise Refused("the app cannot read its design from stdin; save it to a file first")
    path = path_of(file) if file is not None else None
    if not (sys.stdin.isatty() and sys.stdout.isatty()) or os.environ.get("TERM") == "dumb":
        if path is not None:
            # here and below: the first frame does not wait for the reader of designs
            from toposmith.command.design_input import read_design

            read_design(str(path))
        raise Refused(
            "the app needs a terminal; without one there are toposmith analyze FILE, check, bom, "
            "catalog, new, designs, export, workload (see toposmith --help)"
        )
    name_work("")  # the app has the terminal for itself
    parts = parts_at_hand()
    if parts.places:
        _require_parts(parts)
    beside = None
    if against is not None:
        from toposmith.command.design_input import read_design_or_revision

        beside = (against, read_design_or_revision(against))
    # the screen, which no other command loads
    from toposmith.tui.launch import run_app

    return run_app(
        path,
        review=review,
        ascii_only=ascii_only,
        mouse=not no_mouse,
        parts=parts,
        against=beside,
    )


def _require_parts(parts: PartsAtHand) -> None:
    """Refuse folders without part files before the screen opens; file faults are shown there."""
    try:
        parts.load()
    except ToposmithError as failed:
        raise Refused(str(failed)) from None
