"""The cards of two parts compared side by side, row by row."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, zip_longest

from toposmith.catalog import Catalog, Part
from toposmith.catalog.card import UNVERIFIED, part_card

DOUBTS = ("Disagrees", "Mind")
"""Rows about conflicting or doubtful figures."""
ABOUT_THE_CARD = (*DOUBTS, "Source", "Note")
"""Rows about the card itself, which never count as differences."""


@dataclass(frozen=True)
class CardValue:
    """A value of a card, with its source where that is not the part's."""

    value: str
    mark: str = ""

    @property
    def doubtful(self) -> bool:
        """Whether the value is unverified."""
        return self.mark.startswith(UNVERIFIED)


@dataclass(frozen=True)
class ComparedRow:
    """A row of two cards; a cell is None where the card has no such row."""

    label: str
    one: CardValue | None
    other: CardValue | None

    @property
    def differs(self) -> bool:
        """Whether the parts differ here."""
        if self.label in ABOUT_THE_CARD:
            return False
        values = [cell.value if cell else None for cell in (self.one, self.other)]
        return values[0] != values[1]


def compared_rows(one: Part, other: Part, catalog: Catalog) -> list[ComparedRow]:
    """Align the cards of two parts; rows that only one has keep their place in it."""
    runs = [_runs(part, catalog) for part in (one, other)]
    labels = [[label for label, _ in part_runs] for part_runs in runs]
    rows: list[ComparedRow] = []
    matcher = SequenceMatcher(a=labels[0], b=labels[1], autojunk=False)
    for what, begin_a, end_a, begin_b, end_b in matcher.get_opcodes():
        if what == "equal":
            for (label, a), (_, b) in zip(
                runs[0][begin_a:end_a], runs[1][begin_b:end_b], strict=True
            ):
                rows += [ComparedRow(label, *pair) for pair in zip_longest(a, b)]
            continue
        for label, cells in runs[0][begin_a:end_a]:
            rows += [ComparedRow(label, cell, None) for cell in cells]
        for label, cells in runs[1][begin_b:end_b]:
            rows += [ComparedRow(label, None, cell) for cell in cells]
    return rows


def _runs(part: Part, catalog: Catalog) -> list[tuple[str, list[CardValue]]]:
    """The rows of a card, those of one label that follow each other together."""
    return [
        (label, [CardValue(value, mark) for _, value, mark in rows])
        for label, rows in groupby(part_card(part, catalog), key=lambda row: row[0])
    ]
