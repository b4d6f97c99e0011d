"""Reference clusters that come with the program, opened from inside the app."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
"""Where they are: in the checkout, or in the installed package."""

MEASURED = FOLDER / "measured"
"""Systems with published results, in their notes; named ``measured/NAME``, and in no list."""


@dataclass(frozen=True)
class SavedDesign:
    """A saved design: its file, its short name, and the first line that the file gives itself."""

    path: Path
    name: str
    summary: str


def saved_designs() -> list[SavedDesign]:
    """All designs that come with the program, by file name."""
    return [SavedDesign(path, path.stem, _summary(path)) for path in sorted(FOLDER.glob("*.yaml"))]


def find_saved(name: str) -> SavedDesign | None:
    """The saved design of this short name, or None."""
    return next((design for design in saved_designs() if design.name == name), None)


def saved_path(name: str) -> Path | None:
    """The file of the saved design of this short name; None where there is none."""
    folder, _, measured = name.rpartition("/")
    if folder == MEASURED.name and (MEASURED / f"{measured}.yaml").is_file():
        return MEASURED / f"{measured}.yaml"
    saved = None if os.sep in name else find_saved(name)
    return saved.path if saved else None


def _summary(path: Path) -> str:
    """The design's name, read without parsing the whole file: the list must open at once."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("name:"):
            return line.partition(":")[2].strip()
    return path.stem
