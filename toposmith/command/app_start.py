"""Opening the app, by itself or with a design."""

from __future__ import annotations

import click

from toposmith.command.edge import Refused, app_options, parts_at_hand, path_of
from toposmith.command.patience import name_work
from toposmith.errors import ToposmithError
from toposmith.parts_at_hand import PartsAtHand
from toposmith.terminal import refusal_of_terminal


@click.command("open", hidden=True)
@click.argument("file", metavar="FILE")
@click.option("--visit", type=click.Choice(("look", "edit")), hidden=True)
@click.option("--author", hidden=True, default="")
@app_options
@click.pass_obj
def open_file(
    obj: dict[str, bool],
    file: str,
    ascii_only: bool,
    no_mouse: bool,
    visit: str | None,
    author: str,
) -> int:
    """Open the app with a design; for each visitor of `serve`, too, by the hidden options."""
    return open_app(
        file,
        review=visit == "look",
        visitor=None if visit is None else author,
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
    visitor: str | None = None,
) -> int:
    """Start the app; faults of a file that it cannot read are printed after it exits.

    With ``visitor``, the name that comments get (perhaps none), it is for somebody else.

    Raises
    ------
    Refused
        For a design from stdin, a terminal that cannot show the app, or parts that cannot be read.
    """
    if file == "-":
        raise Refused("the app cannot read its design from stdin; save it to a file first")
    path = path_of(file) if file is not None else None
    if refusal := refusal_of_terminal():
        if path is not None:
            # here and below: the first frame does not wait for the reader of designs
            from toposmith.command.design_input import read_design

            read_design(str(path))
        raise Refused(refusal)
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
        visitor=visitor,
    )


def _require_parts(parts: PartsAtHand) -> None:
    """Refuse folders without part files before the screen opens; file faults are shown there."""
    try:
        parts.load()
    except ToposmithError as failed:
        raise Refused(str(failed)) from None
