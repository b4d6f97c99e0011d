"""A design as the text of its file, as close as possible to the user's own text."""

from __future__ import annotations

import os
from pathlib import Path

from toposmith.design.document import Design, as_data, version_needed
from toposmith.design.item_differences import alike
from toposmith.design.parser import parse_design
from toposmith.design.style import own_style
from toposmith.design.text_patches import patched
from toposmith.errors import DesignFileError, SaveError
from toposmith.user_folders import is_there

_LEVELS = (100, 2, 1)
"""How deep changes are patched: single values, then whole groups and links, then whole blocks."""


def design_text(design: Design, original: str | None = None) -> str:
    """The text of a design's file.

    Parameters
    ----------
    design : Design
        What to write.
    original : str, optional
        The current text. Its comments, order, spacing and quotes are kept wherever the value is
        the same; without a change the result is the original itself.

    Returns
    -------
    str
        Text that was read back and found to be this design.

    Raises
    ------
    DesignFileError
        When the original is no design.
    SaveError
        When the design holds what a file can not, such as control characters or infinity.
    """
    wanted = as_data(design)
    if original is not None:
        mark = "\ufeff" if original.startswith("\ufeff") else ""
        body = original.removeprefix(mark)
        present = as_data(parse_design(body, "the original file"))
        if alike(present, wanted):
            return original
        for levels in _LEVELS:
            text = patched(body, present, wanted, levels=levels)
            if text is not None and _says(text, design):
                return mark + text
    text = leading_comment(original or "") + own_style(design)
    if not _says(text, design):
        raise SaveError("not saved: the design holds a value that its file can not express")
    return text


def leading_comment(text: str) -> str:
    """The comment and empty lines before the first key, with plain line ends."""
    lines: list[str] = []
    for line in text.removeprefix("\ufeff").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            break
        lines.append(line + "\n")
    return "".join(lines)


def _says(text: str, design: Design) -> bool:
    try:
        version = max(design.toposmith, version_needed(design))
        wanted = {**design.model_dump(), "toposmith": version}
        return alike(parse_design(text, "the new file").model_dump(), wanted)
    except DesignFileError:
        return False


SCHEMA_NAME = "design.schema.json"
_MARK = "# yaml-language-server: $schema="


def with_schema_line(text: str, folder: Path) -> str:
    """A new design's text below the line that yaml-language-server reads.

    The line names the nearest ``design.schema.json`` in ``folder`` or above it, so that a team
    keeps the schema with its designs; without one there is no line, as no path of this machine
    is any good on another.
    """
    here = folder.absolute()
    kept = next((at for at in (here, *here.parents) if is_there(at / SCHEMA_NAME)), None)
    if kept is None:
        return text
    return f"{_MARK}{Path(os.path.relpath(kept / SCHEMA_NAME, here)).as_posix()}\n{text}"
