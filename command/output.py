"""Exports leave piece by piece: to stdout, or into a file that takes its name once it is whole."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from toposmith.command.edge import say, write_bytes
from toposmith.topology.design.stored_files import save_pieces

_BATCH = 1 << 16


def stream_out(pieces: Iterable[bytes], out: str) -> None:
    """Write pieces to a file, or to stdout (``-``).

    A file is written beside its place and moved there when all of it is on the disk, so that a
    run that ends early leaves nothing half done.

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


def row_progress(out: str) -> Callable[[int, int], None] | None:
    """A line on stderr that counts rows; None where nobody watches, or the data goes there too."""
    if not sys.stderr.isatty() or (out == "-" and sys.stdout.isatty()):
        return None

    def tell(done: int, total: int) -> None:
        width = 30
        filled = width * done // max(total, 1)
        bar = "#" * filled + "." * (width - filled)
        end = "\n" if done == total else ""
        sys.stderr.write(f"\r[{bar}] {done:,} of {total:,} rows{end}")
        sys.stderr.flush()

    return tell


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
