"""Completion of file names while a path is typed."""

from __future__ import annotations

import os
from pathlib import Path

from textual.suggester import Suggester

MOST_ENTRIES = 2000
"""Directories larger than this are not searched on every key."""


class PathSuggester(Suggester):
    """Proposes the first entry of the directory that begins with what is typed."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        """Return the completed path, or None."""
        folder, stem = os.path.split(value)
        if not stem:
            return None
        names = sorted(name for name in entry_names(folder) if name.startswith(stem))
        if not names or names[0] == stem:
            return None
        return os.path.join(folder, names[0])  # noqa: PTH118 - what was typed stays as typed


def entry_names(folder: str) -> list[str]:
    """Names in a directory, directories with a slash behind; empty where it cannot be read."""
    names: list[str] = []
    try:
        with os.scandir(Path(folder or ".").expanduser()) as entries:
            for entry in entries:
                names.append(f"{entry.name}/" if entry.is_dir() else entry.name)
                if len(names) >= MOST_ENTRIES:
                    break
    except OSError:
        return []
    return names
