"""What changed between two designs, as plain text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toposmith.documents.aligned_text import table_lines
from toposmith.plain_text import visible
from toposmith.review.differences.differences_in_words import NO_COMMON, headline, sections

if TYPE_CHECKING:
    from toposmith.review.differences.consequences import Differences


def differences_report(found: Differences, pins: Sequence[str] = ()) -> str:
    """Changes, figures, parts and findings; ``pins`` lists what changed since the pins."""
    names = f"{visible(found.old.source)} -> {visible(found.new.source)}"
    blocks = [[names, visible(headline(found))]]
    if found.nothing_in_common:
        blocks.append([NO_COMMON])
    if found.differ:
        blocks += [[title, *table_lines(table)] for title, table in sections(found)]
    if found.worse:
        blocks.append([f"worse: {visible(', '.join(found.worse))}"])
    if pins:
        blocks.append([f"pinned: {visible(words)}" for words in pins])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"
