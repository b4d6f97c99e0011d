"""What pages are made of, in any form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from toposmith.documents.table import Table


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
