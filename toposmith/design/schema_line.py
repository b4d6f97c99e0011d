"""The first line of a design's file that tells editors where its schema is."""

from __future__ import annotations

import os
from pathlib import Path

from toposmith.user_folders import is_there
from toposmith.version import PROJECT_URL

SCHEMA_NAME = "design.schema.json"
_MARK = "# yaml-language-server: $schema="


def with_schema_line(text: str, folder: Path) -> str:
    """A new design's text below the line that yaml-language-server reads.

    The line names the nearest ``design.schema.json`` in ``folder`` or above it, so that a team
    keeps the schema beside its designs; without one the address where the schema is published.
    """
    here = folder.absolute()
    kept = next((at for at in (here, *here.parents) if is_there(at / SCHEMA_NAME)), None)
    if kept is None:
        return f"{_MARK}{PROJECT_URL}/schemas/{SCHEMA_NAME}\n{text}"
    return f"{_MARK}{Path(os.path.relpath(kept / SCHEMA_NAME, here)).as_posix()}\n{text}"
