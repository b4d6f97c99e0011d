"""`serve`: a design in the browsers of others, by textual-serve."""

from __future__ import annotations

import contextlib
import os
import secrets
import shlex
import socket
import sys
from pathlib import Path

import click

from toposmith.command.design_input import read_design
from toposmith.command.edge import (
    FINE,
    Refused,
    load_parts,
    parts_at_hand,
    path_of,
    say,
)
from toposmith.command.patience import name_work


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--edit", is_flag=True, help="Let visitors change FILE and save it.")
@click.option("--author", metavar="NAME", help="Let one author comment and decide, by this name.")
@click.option("--host", metavar="HOST", default="localhost", help="Listen here; localhost.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, help="8000; 0: any free one.")
def serve(file: str, edit: bool, author: str | None, host: str, port: int) -> int:
    """Show a design in browsers, to read only unless said otherwise."""
    if file == "-":
        raise Refused("what is served is a file; save the design first")
    if author is not None and not author.strip():
        raise click.BadParameter("a name is needed", param_hint="--author")
    try:
        # brought by the extra alone
        from toposmith.command.serving import DesignServer
    except ModuleNotFoundError:
        needed = f"{shlex.quote(sys.executable)} -m pip install textual-serve"
        raise Refused(f"serving needs textual-serve; this installs it: {needed}") from None
    read_design(file)
    load_parts()
    visit = ["--visit", "edit" if edit else "look", "--author", author or ""]
    places = [word for place in parts_at_hand().places for word in ("--catalog", str(place))]
    command = [sys.executable, "-m", "toposmith", str(path_of(file).absolute()), *visit, *places]
    may = "to be changed" if edit else "read only"
    may += f", with comments by {author}" if author else ""
    port = _free_port(host, port)
    key = secrets.token_urlsafe(16)
    say(f"{Path(file).name}, {may}: http://{host}:{port}/?key={key}")
    say("who has this address is let in; Ctrl+C ends it")
    name_work("")  # it waits for visitors
    os.environ.pop("TMUX", None)  # what visitors copy is for their own clipboard
    os.environ["TERM"] = "xterm-256color"
    os.environ.pop("SSH_AUTH_SOCK", None)  # nobody signs with the keys of who serves
    with contextlib.redirect_stdout(sys.stderr):  # last words of the app of a visitor
        DesignServer(shlex.join(command), host, port, key).serve()
    return FINE


def _free_port(host: str, port: int) -> int:
    """The port, or a free one for 0.

    Raises
    ------
    Refused
        Where nothing can listen there.
    """
    try:
        with socket.create_server((host, port)) as found:
            return int(found.getsockname()[1])
    except OSError as error:
        why = error.strerror or error
        raise Refused(f"port {port} of {host}: {why}; another by --port, any by 0") from None
