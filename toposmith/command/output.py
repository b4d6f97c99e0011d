"""Exports are written piece by piece: to stdout, or to a file that is renamed once complete."""

from __future__ import annotations

from collections.abc import Iterable

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
