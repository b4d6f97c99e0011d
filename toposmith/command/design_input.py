"""Designs as commands read them: from a file, from stdin, by a saved design's name, or from git."""

from __future__ import annotations

import sys
from pathlib import Path

from toposmith.command.edge import Refused, path_of, say
from toposmith.design.document import Design
from toposmith.design.loader import MAX_BYTES, decoded, require_size, suggestion
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file
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
