"""A rule: which words may stand beside which figure, and why."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.labels.facts import Facts
from tests.labels.pages import Asked, Page, of_json

Breaks = Callable[["Walk"], Iterator["Broken"]]
Holds = Callable[[Facts, Page], bool]


@dataclass(frozen=True)
class Broken:
    """A place where a rule is broken, with what stands there."""

    place: str
    found: str

    def __str__(self) -> str:
        found = self.found if len(self.found) <= _LONGEST else f"{self.found[:_LONGEST]} ..."
        return f"{self.place}: {found}"


_LONGEST = 180


@dataclass(frozen=True)
class Walk:
    """All pages of one design, and what is true of it."""

    name: str
    facts: Facts
    pages: list[Page]

    def of(self, *shows: str) -> Iterator[Page]:
        """The pages that show all of this."""
        wanted = set(shows)
        return (page for page in self.pages if wanted <= page.shows)

    def analysis(self, collective: str, size_bytes: int) -> dict[str, Any]:
        """What a program reads of a question: figures, not their labels."""
        for page in self.of("analysis", "json"):
            if page.asked == Asked(collective, size_bytes) and isinstance(page.data, dict):
                return page.data
        return {}

    @property
    def halves_are_apart(self) -> bool:
        """Whether nothing joins one half of the nodes to the other."""
        return self.analysis("all_reduce", Asked().size_bytes).get("bisection_GBps") == 0


@dataclass(frozen=True)
class Example:
    """Pages made up for one of the designs."""

    design: str
    pages: tuple[Page, ...]


def on(design: str, *pages: Page) -> Example:
    return Example(design, pages)


def text(words: str, *shows: str, asked: Asked | None = None) -> Page:
    """A page as a person reads it."""
    return Page("made up", words, frozenset(shows), asked=asked or Asked())


def data(said: Any, *shows: str, asked: Asked | None = None) -> Page:
    """A page as a program reads it."""
    words, found = of_json(json.dumps(said))
    return Page("made up --json", words, frozenset({"json", *shows}), found, asked or Asked())


@dataclass(frozen=True)
class Rule:
    """A row of the table.

    Parameters
    ----------
    name : str
        What it is called where it is broken.
    words : str
        The words, and the figure beside them.
    stand : str
        When they may or must stand there.
    why : str
        The reason.
    breaks : callable
        Finds the places of a walk that break it.
    honest, lies : tuple of Example
        Pages that keep it and pages that break it: a rule that finds nothing in a lie could not
        fail.
    """

    name: str
    words: str
    stand: str
    why: str
    breaks: Breaks
    honest: tuple[Example, ...] = field(default=(), repr=False)
    lies: tuple[Example, ...] = field(default=(), repr=False)


def never(pattern: str, *shows: str, unless: Holds, but: str = "") -> Breaks:
    """The words may not stand on such pages unless the condition holds; ``but`` is none."""
    words, other = re.compile(pattern), re.compile(but or "(?!)")

    def breaks(walk: Walk) -> Iterator[Broken]:
        for page in walk.of(*shows):
            if unless(walk.facts, page):
                continue
            for text in _wholes(page):
                found = words.search(other.sub("", text))
                if found:
                    yield Broken(page.place, around(other.sub("", text), found))

    return breaks


def must(pattern: str, *shows: str, where: Holds, beside: str = "") -> Breaks:
    """The words must stand on such pages where the condition holds, if what is beside them does."""
    words = re.compile(pattern)
    about = re.compile(beside) if beside else None

    def breaks(walk: Walk) -> Iterator[Broken]:
        for page in walk.of(*shows):
            if not where(walk.facts, page):
                continue
            found = about.search(page.flat) if about else None
            if about and not found:
                continue
            if not words.search(page.flat):
                said = around(page.flat, found) if found else page.flat[:80]
                yield Broken(page.place, f"nowhere {pattern!r}; {said}")

    return breaks


def _wholes(page: Page) -> list[str]:
    """The pieces of a page in which words belong together: lines, or what is wrapped as one."""
    return [page.flat] if "app" in page.shows else page.lines


def around(text: str, found: re.Match[str], cells: int = 50) -> str:
    """What stands around a match, so that one sees what it is about."""
    start, end = max(0, found.start() - cells), found.end() + cells
    return " ".join(text[start:end].split())


def always(_facts: Facts, _page: Page) -> bool:
    return True


def in_data(data: Any, key: str) -> Iterator[Any]:
    """Every value under a key, however deep."""
    if isinstance(data, dict):
        for name, value in data.items():
            if name == key:
                yield value
            yield from in_data(value, key)
    elif isinstance(data, list):
        for value in data:
            yield from in_data(value, key)


def three_digits(value: float) -> str:
    """A figure as people write it: 189, 50.1, 1.69."""
    return (
        f"{value:.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"
    )
