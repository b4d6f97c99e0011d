"""Designs as commands read them: from a file, from stdin, by a saved design's name, or from git."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from toposmith.command.edge import Refused, path_of, say, write_bytes
from toposmith.design.document import Design
from toposmith.design.loader import MAX_BYTES, decoded, require_size, suggestion
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file, save_pieces
from toposmith.saved_designs import saved_designs, saved_path


def read_bytes(file: str, expected: str) -> bytes:
    """What is in an ordinary file, no more than shows that it is too large.

    Raises
    ------
    Refused
        Where it is missing, unreadable or no ordinary file: opening a pipe would block.
    """
    path = Path(file)
    try:
        if path.exists() and not path.is_file():
            raise Refused(f"{file}: found no ordinary file, expected {expected}")
        with path.open("rb") as opened:
            return opened.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise Refused(f"{file}: {getattr(error, 'strerror', None) or error}") from None


def read_given(file: str, expected: str) -> tuple[str, bytes]:
    """The same, with the name for messages; of stdin for ``-``."""
    if file == "-":
        return "<stdin>", sys.stdin.buffer.read(MAX_BYTES + 1)
    return file, read_bytes(file, expected)


def read_design(file: str) -> Design:
    """Read a design from a file, from stdin (``-``), or from the saved ones by name.

    Raises
    ------
    Refused
        When there is neither a file nor a saved design of this name.
    """
    if file == "-":
        source, raw = read_given(file, "a design")
        require_size(len(raw), source)
        return parse_design(decoded(raw, source), source)
    path = path_of(file)
    if path.name == file and not path.suffix and not (path.exists() or path.is_symlink()):
        known = suggestion(file, [saved.name for saved in saved_designs()])
        raise Refused(f"{file}: there is no such file and no such saved design; {known}")
    if path.name == file and saved_path(file) not in (None, path):
        say(f"{file}: the file here, not the saved design of this name")
    return load_file(path).design


def read_design_or_revision(name: str) -> Design:
    """Read a design from a file, or, where there is none, from a git revision."""
    # git is needed here only: most commands read files alone
    from toposmith.review.revisions import design_of_revision

    design = design_of_revision(name)
    return read_design(name) if design is None else design


# Exports are written piece by piece: to stdout, or to a file that is renamed once complete.

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
