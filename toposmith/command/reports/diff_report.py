"""What changed between two designs, as plain text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toposmith.documents.aligned_text import table_lines
from toposmith.plain_text import visible
from toposmith.review.differences.differences_table import differences_table

if TYPE_CHECKING:
    from toposmith.review.differences.consequences import Differences


def differences_report(found: Differences, notes: Sequence[str] = ()) -> str:
    """Changes, figures, parts and findings; ``notes`` are lines below them."""
    table = differences_table(found)
    blocks = [[visible(note.text) for note in table.head]]
    blocks += [table_lines(table)] if table.rows else []
    if notes:
        blocks.append([visible(words) for words in notes])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"
