"""Blocks of a page as Markdown; nothing in a design is taken for markup."""

from __future__ import annotations

from collections.abc import Iterable

from toposmith.bill.text_form import as_markdown
from toposmith.review.report.blocks import (
    Block,
    Heading,
    Page,
    Paragraph,
    Sentences,
)
from toposmith.review.text_table import TextTable


def page_markdown(page: Page) -> str:
    """A whole page."""
    return "\n\n".join(filter(None, map(_block, page.blocks))) + "\n"


def table_markdown(table: TextTable) -> str:
    """A table; figures to the right."""
    rule = ["---:" if column in table.right else "---" for column in range(len(table.head))]
    rows = [f"| {' | '.join(map(plain, row))} |" for row in (table.head, *table.rows)]
    return "\n".join((rows[0], f"| {' | '.join(rule)} |", *rows[1:]))


def list_markdown(lines: Iterable[str]) -> str:
    """A list."""
    return "\n".join(f"- {plain(line)}" for line in lines)


def plain(text: str) -> str:
    """Text without markup; no ``@name`` in it notifies anyone, and addresses stay text."""
    return as_markdown(text).replace("@", "&#64;").replace("://", ":&#47;&#47;")


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{'#' * block.level} {plain(block.text)}"
    if isinstance(block, Paragraph):
        return plain(block.text)
    if isinstance(block, Sentences):
        return list_markdown(block.lines)
    return table_markdown(block)
