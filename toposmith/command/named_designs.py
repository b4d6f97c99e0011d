"""The design that a command-line word names: a file, or a saved design."""

from __future__ import annotations

import os
from pathlib import Path

from toposmith.saved_designs import saved_path


def names_a_design(word: str) -> bool:
    """Whether a word of the command line is a file or a saved design rather than a command."""
    if word.startswith("-") and word != "-":
        return False
    looks_like_file = word == "-" or os.sep in word or Path(word).suffix in (".yaml", ".yml")
    return looks_like_file or Path(word).exists() or saved_path(word) is not None


def path_of(file: str) -> Path:
    """The file of this name; the saved design where there is no such file, or only a folder."""
    path = Path(file)
    saved = saved_path(file)
    if saved is None or path.is_dir():
        return saved or path
    return path if path.exists() or path.is_symlink() else saved
