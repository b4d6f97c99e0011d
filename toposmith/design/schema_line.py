"""The first line of a design's file that tells editors where its schema is."""

from __future__ import annotations

import os
from pathlib import Path

from toposmith.user_folders import is_there

SCHEMA_NAME = "design.schema.json"
_SHIPPED = Path(__file__).parents[1] / "schemas" / SCHEMA_NAME
_MARK = "# yaml-language-server: $schema="


def with_schema_line(text: str, folder: Path) -> str:
    """A new design's text below the line that yaml-language-server reads.

    The line names the nearest ``design.schema.json`` in ``folder`` or above it, so that a team
    keeps the schema beside its designs; without one that of this installation.
    """
    here = folder.absolute()
    kept = next((at for at in (here, *here.parents) if is_there(at / SCHEMA_NAME)), None)
    if kept is None:
        return f"{_MARK}{_SHIPPED.as_uri()}\n{text}"
    return f"{_MARK}{Path(os.path.relpath(kept / SCHEMA_NAME, here)).as_posix()}\n{text}"
