"""The edge of the command: designs come in, data and talk go out, each on its stream."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from toposmith.topology.design.document import Design

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


def names_a_design(word: str) -> bool:
    """Whether a word of the command line is a file or a saved design rather than a command."""
    if word.startswith("-") and word != "-":
        return False
    looks_like_file = word == "-" or os.sep in word or Path(word).suffix in (".yaml", ".yml")
    return looks_like_file or Path(word).exists() or _saved_path(word) is not None


def path_of(file: str) -> Path:
    """The file of this name, or the saved design of it where there is none but a folder."""
    path = Path(file)
    saved = _saved_path(file)
    if saved is None or path.is_dir():
        return saved or path
    return path if path.exists() or path.is_symlink() else saved


def _saved_path(name: str) -> Path | None:
    # here and below: help and completion read no code of designs
    from toposmith.saved_designs import saved_path

    return saved_path(name)


def read_design(file: str) -> Design:
    """Read a design from a file, from stdin (``-``), or from the saved ones by name."""
    if file == "-":
        from toposmith.topology.design.loader import MAX_BYTES, decoded, require_size
        from toposmith.topology.design.parser import parse_design

        raw = sys.stdin.buffer.read(MAX_BYTES + 1)
        require_size(len(raw), "<stdin>")
        return parse_design(decoded(raw, "<stdin>"), "<stdin>")
    from toposmith.topology.design.stored_files import load_file

    path = path_of(file)
    if path.name == file and not path.suffix and not (path.exists() or path.is_symlink()):
        from toposmith.saved_designs import saved_designs
        from toposmith.topology.design.safe_text import suggestion

        known = suggestion(file, [saved.name for saved in saved_designs()])
        raise Refused(f"{file}: there is no such file and no such saved design; {known}")
    if path.name == file and _saved_path(file) not in (None, path):
        say(f"{file}: the file here, not the saved design of this name")
    return load_file(path).design


def read_design_or_revision(name: str) -> Design:
    """Read a design from a file, or from a git revision where no such file is."""
    from toposmith.topology.review.revisions import design_of_revision

    design = design_of_revision(name)
    return read_design(name) if design is None else design


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
    from toposmith.catalog.plain_text import (
        visible,  # brings the parts along, for which --help cannot wait
    )

    click.echo(visible(line), err=True)
