"""The keys of a panel or view by itself, in words: what help shows first there.

The bottom line has room for the most needed of these keys; here is every one of them.
"""

from __future__ import annotations

from dataclasses import dataclass

KeyWords = tuple[tuple[str, str], ...]
"""Keys, and what they do."""


@dataclass(frozen=True)
class OwnKeys:
    """A panel or view and its own keys, beyond the table of actions."""

    title: str
    rows: KeyWords


ESC: KeyWords = (("Esc", "Back to the canvas"),)
TABLE: KeyWords = (
    ("up, down, PgUp, PgDn, Home, End", "Go from line to line; its places light up on the canvas"),
    ("left, right", "See columns that have no room"),
    ("/", "Filter by words; Esc shows all lines again"),
    ("<, >", "Sort by the column before, or by the next"),
    ("r", "Reverse the order"),
    (".", "Read all that is said above and below the table, page by page, where it has no room"),
    ("y", "Copy the line as text, whole, to the terminal's clipboard"),
)
GO_THERE: KeyWords = (("Enter", "Go to the place that the line is about"),)
