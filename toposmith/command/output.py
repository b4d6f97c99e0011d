"""Exports are written piece by piece: to stdout, or to a file that is renamed once complete."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from toposmith.command.edge import say, write_bytes
from toposmith.design.stored_files import save_pieces

_BATCH = 1 << 16


def stream_out(pieces: Iterable[bytes], out: str) -> None:
    """Write pieces to a file, or to stdout (``-``).

    A file is written under a temporary name and renamed when all of it is on disk, so that a
    run that ends early leaves no partial file.

    Raises
    ------
    SaveError
        If the file cannot be written.
    """
    if out == "-":
        for batch in _batches(pieces):
            write_bytes(batch)
        return
    save_pieces(out, _batches(pieces))
    say(f"wrote {out}")


def _batches(pieces: Iterable[bytes]) -> Iterable[bytes]:
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= _BATCH:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)


DESIGN_ENDINGS = (".yaml", ".yml")


def design_name(_ctx: click.Context, option: click.Parameter, out: str | None) -> str | None:
    """The file of a design as ``-o`` names it: ``.yaml`` is added where a name has no ending."""
    if out in (None, "-") or Path(str(out)).suffix:
        require_ending(out, DESIGN_ENDINGS, "a design", option.opts[0])
        return out
    return f"{out}.yaml"


def require_ending(out: str | None, endings: Iterable[str], what: str, option: str = "-o") -> None:
    """Refuse a file whose ending says another form; one without an ending says none.

    Raises
    ------
    click.BadParameter
        With the endings that it may have.
    """
    known = tuple(endings)
    if out is None or not Path(out).suffix or out.lower().endswith(known):
        return
    said = f"{out} is no name for {what}; its ending is {' or '.join(known)}"
    raise click.BadParameter(said, param_hint=option)
