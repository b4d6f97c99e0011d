"""A table of text, the same in the terminal, in Markdown and in HTML."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TextTable:
    """Rows of text under a head; ``right`` are the columns of figures."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...] = ()
