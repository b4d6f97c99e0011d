"""Finding parts by a few letters, the likeliest first, and two cards side by side."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import groupby, zip_longest

from toposmith.catalog import Catalog, Gpu, Node, Part
from toposmith.catalog.card import UNVERIFIED, one_line, part_card
from toposmith.catalog.kinds import KINDS, Speed, kind_of
from toposmith.search_words import MEANS

_INFINIBAND = {100: "edr hdr100", 200: "hdr ndr200", 400: "ndr", 800: "xdr"}
_WORD = re.compile(r"[^\s/,:()]+")
_PIECE = re.compile(r"[a-z]+|[0-9.]+")

# Score of a query word: equal to a word of a field, a prefix of one, inside one.
_KIND = (10.0, 6.0, 3.0)
_NAMED = (8.0, 5.0, 3.0)  # name, id, vendor: what one calls a part by
_SPEED = (8.0, 2.0, 0.0)  # as good as a number in a name; "0" does not match inside 400
_SPLIT_SPEED = (4.0, 1.0, 0.0)
_TOLD = (2.0, 1.0, 0.5)  # everything else that its line says
_LOOSE = 1.0
_LOOSE_FROM = 3  # two letters in order are in almost every name

Order = Callable[[Part], float]
_Field = tuple[frozenset[str], tuple[float, float, float]]


def find_parts(parts: Iterable[Part], query: str, worse: Order = lambda _: 0) -> list[Part]:
    """Find the parts that match every word of a query, in any order of the words.

    A word matches where it is, begins or lies within one of the part's words, or where another word
    of the field for it does (:mod:`toposmith.search_words`); where no part has
    all of them, letters in order within the name are enough, but not digits, which name a model.
    Parts come grouped by kind, the kind with the likeliest part first, and within a kind the
    likeliest first. Without a query, kinds come in the order of
    :data:`toposmith.catalog.kinds.KINDS`, and parts as they were given.

    Parameters
    ----------
    parts : iterable of Part
        Where to look.
    query : str
        A few words or beginnings of words, such as ``nv 400 sw``.
    worse : callable, optional
        Sort key that puts a part behind others of its kind, however well it matches, and a kind
        behind others that match as well; 0 keeps the order.
    """
    words = query.lower().split()
    every = list(parts)
    scores = _scores(every, words, loose=False) or _scores(every, words, loose=True)
    found = [part for part in every if part.id in scores]
    best: dict[str, float] = {}
    for part in found:
        best[part.kind] = max(best.get(part.kind, 0.0), scores[part.id])
    kinds = list(KINDS)
    ranks = {part.id: worse(part) for part in found}
    first: dict[str, float] = {}
    for part in found:
        first[part.kind] = min(first.get(part.kind, ranks[part.id]), ranks[part.id])
    return sorted(
        found,
        key=lambda part: (
            -best[part.kind],
            first[part.kind],
            kinds.index(part.kind),
            ranks[part.id],
            -scores[part.id],
            len(part.name) if words else 0,
        ),
    )


def newest_first(catalog: Catalog) -> Order:
    """An order within a kind: what is sold before what is not, then by what it computes or carries.

    The catalog has no dates of birth; of each kind, what came later is the faster.
    """

    def older(part: Part) -> float:
        gpu = catalog.get(part.gpu) if isinstance(part, Node) else part
        figure = gpu.bf16_dense_tflops or 0.0 if isinstance(gpu, Gpu) else 0.0
        native, _ = kind_of(part).speeds(part)
        figure = figure or max((speed for _, speed in native), default=0)
        return (part.end_of_sale is not None) - figure / (figure + 1)

    return older


def _scores(parts: Iterable[Part], words: list[str], *, loose: bool) -> dict[str, float]:
    """The score of each matching part by id; parts that lack a word are left out."""
    found: dict[str, float] = {}
    for part in parts:
        fields = _fields(part) if words else ()
        worths = [
            max(_hit(word, field, worth) for field, worth in fields)
            or max(
                (_hit(one, *field) for one in MEANS.get(word, ()) for field in fields), default=0
            )
            or (_LOOSE if loose and _in_order(word, f"{part.name} {part.id}".lower()) else 0.0)
            for word in words
        ]
        if all(worths):
            found[part.id] = sum(worths)
    return found


def _hit(word: str, field: frozenset[str], worths: tuple[float, float, float]) -> float:
    whole, begun, inside = worths
    if word in field:
        return whole
    if begun and any(each.startswith(word) for each in field):
        return begun
    if inside and any(word in each for each in field):
        return inside
    return 0.0


def _in_order(letters: str, text: str) -> bool:
    """Whether the letters occur in the text in this order, the first where a word begins."""
    if len(letters) < _LOOSE_FROM or any(sign.isdigit() for sign in letters):
        return False  # a missing model number must not match another one with its digits
    for begin in re.finditer(rf"(?<![a-z0-9]){re.escape(letters[0])}", text):
        remaining = iter(text[begin.end() :])
        if all(letter in remaining for letter in letters[1:]):
            return True
    return False


@lru_cache(maxsize=4096)
def _split(text: str) -> frozenset[str]:
    """The words of a text, and the letters and the digits of each by themselves."""
    words = set(_WORD.findall(text))
    pieces = {piece for word in words for piece in _PIECE.findall(word)}
    return frozenset(words | {piece.strip(".") for piece in pieces})


def _fields(part: Part) -> tuple[_Field, ...]:
    """The words that a part is found by, in lower case, with the scores of each sort."""
    kind = kind_of(part)
    called = f"{part.id} {part.name} {part.vendor} {_numbers(part)}"
    native, others = kind.speeds(part)
    return (
        (_split(f"{part.kind} {kind.title}".lower()), _KIND),
        (_split(called.lower()), _NAMED),
        (_speed_words(native), _SPEED),
        (_speed_words(others), _SPLIT_SPEED),
        (_split(one_line(part).lower()), _TOLD),
    )


def _numbers(part: Part) -> str:
    """Every number that a part is ordered by, and the family of its lengths."""
    more = kind_of(part).numbers(part)
    return " ".join((part.part_number or "", part.ordering_number or "", *more))


def _speed_words(speeds: Iterable[Speed]) -> frozenset[str]:
    words: set[str] = set()
    for protocol, speed in speeds:
        words |= {protocol, f"{speed}", f"{speed}g", f"{speed}gb"}
        if protocol == "infiniband":
            words |= {"ib", *_INFINIBAND.get(speed, "").split()}
        else:
            words.add(f"{speed}gbe")
    return frozenset(words)


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
