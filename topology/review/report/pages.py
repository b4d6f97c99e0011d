"""Pages of a review: which blocks, in which order."""

from __future__ import annotations

from topology.review.differences.consequences import Differences
from topology.review.differences.wording import NO_COMMON, headline, sections
from topology.review.report.blocks import Block, Heading, Page, Words


def differences_page(found: Differences) -> Page:
    """What changed from one design to another."""
    title = f"Differences: {found.old.source} -> {found.new.source}"
    return Page(title, (Heading(title, 1), *differences_blocks(found)))


def differences_blocks(found: Differences) -> tuple[Block, ...]:
    """The differences without a title."""
    blocks: list[Block] = [Words(headline(found))]
    if found.nothing_in_common:
        blocks.append(Words(NO_COMMON))
    if found.differ:
        for title, table in sections(found):
            blocks += [Heading(title, 3), table]
    if found.worse:
        blocks.append(Words(f"Worse: {', '.join(found.worse)}."))
    return tuple(blocks)
