"""Blocks of a page as one HTML file: opens offline, runs nothing, obeys no text of a design."""

from __future__ import annotations

from toposmith.documents.page import (
    Block,
    Heading,
    Page,
    Paragraph,
    Sentences,
)
from toposmith.exports.report.markup import as_html, document, paragraph, safe


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
    return as_html(block)
