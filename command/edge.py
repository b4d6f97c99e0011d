"""The edge of the command: its exit codes, what it refuses, and what goes to which stream."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from toposmith.command.named_designs import path_of
from toposmith.plain_text import visible

FINE = 0
FINDINGS = 1
BAD_INPUT = 2
INTERRUPTED = 130
PIPE_CLOSED = 141


class Refused(click.ClickException):
    """Something that cannot be done as asked; exit code 2."""

    exit_code = BAD_INPUT

    def show(self, file: Any = None) -> None:
        """Say every line of the message on stderr."""
        for line in self.message.splitlines():
            say(line)


def require_free(out: str, force: bool, *read: str | None) -> None:
    """Refuse to write over a file unless that was asked for, and ever over one that is read."""
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
    from toposmith.topology.design.stored_files import save_file

    save_file(out, text)
    say(f"wrote {out}")


def write_data(text: str) -> None:
    """Write to stdout what programs read: UTF-8 whatever the locale."""
    _write(text.encode("utf-8"))


def write_bytes(data: bytes) -> None:
    """Write to stdout what is no text, such as a picture."""
    _write(data)


def write_talk(text: str) -> None:
    """Write to stdout what people read; what the terminal cannot show is escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        _write(text.encode(encoding))
    except UnicodeEncodeError:
        # rarely needed, and --help does not wait for it
        from toposmith.topology.labels import in_ascii

        plain = in_ascii(text.replace("µs", "us"))
        _write(plain.encode(encoding, "backslashreplace"))


def _write(data: bytes) -> None:
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        drop_what_is_left()
        if isinstance(error, BrokenPipeError):
            raise click.exceptions.Exit(PIPE_CLOSED) from None
        raise Refused(f"stdout: {error.strerror}") from None


def drop_what_is_left() -> None:
    """See that what could not be written is not tried again when the interpreter ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def open_closed_streams() -> None:
    """Give a command that was started with ``<&-``, ``>&-`` or ``2>&-`` streams that it can use.

    Stdin is empty, stdout fails in words, talk goes nowhere. Python has None in their place, and
    the next file opened would take their number.
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


def say(line: str) -> None:
    """Say a line on stderr, with what could move a terminal made visible."""
    click.echo(visible(line), err=True)
