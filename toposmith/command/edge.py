"""Exit codes, refusals, and output to stdout, stderr and files."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Any

import click

from toposmith.command.named_designs import path_of
from toposmith.command.patience import make_room
from toposmith.plain_text import visible

FINE = 0
FINDINGS = 1
BAD_INPUT = 2
INTERRUPTED = 130
PIPE_CLOSED = 141


class Refused(click.ClickException):
    """A request that cannot be carried out; exit code 2, where it is no finding."""

    exit_code = BAD_INPUT

    def show(self, file: Any = None) -> None:
        """Print every line of the message on stderr."""
        for line in self.message.splitlines():
            say(line)


def require_free(out: str, force: bool, *read: str | None) -> None:
    """Refuse to overwrite a file without ``force``, and always one that this run reads.

    Raises
    ------
    Refused
        When ``out`` exists and may not be replaced.
    """
    for name in read:
        if out != "-" and name not in (None, "-") and _is_same(Path(out), path_of(str(name))):
            raise Refused(f"{out}: is read for this; write to another file")
    if out != "-" and not force and (Path(out).exists() or Path(out).is_symlink()):
        raise Refused(f"{out}: is there already; say --force to replace it")


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


def write_out(text: str, out: str) -> None:
    """Write data to a file, or to stdout (``-``)."""
    if out == "-":
        write_data(text)
        return
    # needs pydantic and YAML, which --help does not wait for
    from toposmith.design.stored_files import save_file

    save_file(out, text)
    say(f"wrote {out}")


def write_data(text: str) -> None:
    """Write machine-readable text to stdout: UTF-8 in every locale."""
    _write(text.encode("utf-8"))


def write_bytes(data: bytes) -> None:
    """Write binary data to stdout, such as a picture."""
    _write(data)


def write_talk(text: str) -> None:
    """Write text for people to stdout; characters that the terminal cannot show are escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        _write(text.encode(encoding))
    except UnicodeEncodeError:
        # rarely needed, and --help does not wait for it
        from toposmith.labels import in_ascii

        plain = in_ascii(text.replace("µs", "us"))
        _write(plain.encode(encoding, "backslashreplace"))


def _write(data: bytes) -> None:
    make_room(is_within_line=not data.endswith(b"\n"))
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        drop_what_is_left()
        if isinstance(error, BrokenPipeError):
            raise click.exceptions.Exit(PIPE_CLOSED) from None
        raise Refused(f"stdout: {error.strerror}") from None


def drop_what_is_left() -> None:
    """Discard unwritten output, so that the interpreter does not retry it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def open_closed_streams() -> None:
    """Open usable streams in a command started with ``<&-``, ``>&-`` or ``2>&-``.

    Stdin is then empty, writing to stdout fails with a message, stderr is discarded. Python sets
    closed streams to None, and the next file opened would take their descriptor.
    """
    ways = {"stdin": os.O_RDONLY, "stdout": os.O_RDONLY, "stderr": os.O_WRONLY}
    for number, (name, way) in enumerate(ways.items()):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, way)
            if nothing != number:
                os.dup2(nothing, number)
                os.close(nothing)
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115  (as long as we run)


def say_failure(error: Exception) -> int:
    """Say on one line what nobody foresaw and where its log is; returns the exit code."""
    # only where it happens
    from toposmith.crash import FAILED, crash_line, log_crash

    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    say(crash_line(error, log_crash(error)))
    return FAILED


def say(line: str) -> None:
    """Print a line on stderr with control characters escaped; nowhere, where that is gone."""
    with contextlib.suppress(OSError):
        make_room()
        click.echo(visible(line), err=True)
