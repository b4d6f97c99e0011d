"""The design files of a folder."""

from __future__ import annotations

from pathlib import Path

BESIDE = (".bom.yaml", ".policy.yaml")
"""Ends of the names of files beside designs that are not designs."""


def designs_in(folder: Path) -> list[Path]:
    """The design files of a folder by name; raises OSError where it cannot be read."""
    inside = sorted(path for path in folder.iterdir() if path.suffix in (".yaml", ".yml"))
    return [path for path in inside if not path.name.endswith(BESIDE)]
