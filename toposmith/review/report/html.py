"""Blocks of a page as one HTML file: opens offline, runs nothing, obeys no text of a design."""

from __future__ import annotations

from toposmith.exports.report.markup import document, paragraph, safe, table
from toposmith.review.report.blocks import (
    Block,
    Heading,
    Page,
    Paragraph,
    Sentences,
)


def page_html(page: Page) -> str:
    """A whole page."""
    return document(page.title, *(f"{_block(block)}\n" for block in page.blocks))


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{safe(block.text)}</h{block.level}>"
    if isinstance(block, Paragraph):
        return paragraph(block.text)
    if isinstance(block, Sentences):
        return "<ul>" + "".join(f"<li>{safe(line)}</li>" for line in block.lines) + "</ul>"
    return table(block.head, block.rows, right=block.right)
