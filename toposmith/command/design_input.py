"""Designs as commands read them: from a file, from stdin, by a saved design's name, or from git."""

from __future__ import annotations

import sys

from toposmith.command.edge import Refused, path_of, say
from toposmith.design.document import Design
from toposmith.design.loader import MAX_BYTES, decoded, require_size, suggestion
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file
from toposmith.saved_designs import saved_designs, saved_path


def read_design(file: str) -> Design:
    """Read a design from a file, from stdin (``-``), or from the saved ones by name.

    Raises
    ------
    Refused
        When there is neither a file nor a saved design of this name.
    """
    if file == "-":
        raw = sys.stdin.buffer.read(MAX_BYTES + 1)
        require_size(len(raw), "<stdin>")
        return parse_design(decoded(raw, "<stdin>"), "<stdin>")
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
