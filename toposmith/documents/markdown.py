"""Blocks of a page as Markdown; nothing in a design is taken for markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from toposmith.documents.table import Table
from toposmith.plain_text import visible


@dataclass(frozen=True)
class Heading:
    """A title; level 1 is the page's."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Sentences:
    """A list of sentences."""

    lines: tuple[str, ...]


Block: TypeAlias = Heading | Paragraph | Sentences | Table


@dataclass(frozen=True)
class Page:
    """A page with its title."""

    title: str
    blocks: tuple[Block, ...]


_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~!&])")


def as_markdown(text: str) -> str:
    """The text for a Markdown table: signs of the language are escaped."""
    return _MARKUP.sub(r"\\\1", visible(text))


def page_markdown(page: Page) -> str:
    """A whole page."""
    return "\n\n".join(filter(None, map(_block, page.blocks))) + "\n"


def table_markdown(table: Table) -> str:
    """A table; figures to the right."""
    table = table.in_words
    rule = ["---:" if column.right else "---" for column in table.columns]
    lines = (table.titles, *(row.words for row in table.rows))
    rows = [f"| {' | '.join(map(plain, line))} |" for line in lines]
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
