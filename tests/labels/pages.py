"""What somebody reads at one place of the program, as plain text, whatever form it has."""

from __future__ import annotations

import html
import io
import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from typing import Any

import openpyxl
import yaml

_BOX = re.compile("[│╭╮╰╯┌┐└┘━┏┓┗┛┃┤├▇▆▅▄▃▂▁]")


@dataclass(frozen=True)
class Asked:
    """What the figures of a page are for."""

    collective: str = "all_reduce"
    size_bytes: int = 8 * 2**30
    plain: bool = True
    """Whether nothing is forced or assumed: no algorithm, protocol, SHARP, release or routing."""
    solved: bool = False
    """Whether the exact optimum of an exchange was asked for."""


@dataclass(frozen=True)
class Page:
    """One page of the walk.

    Parameters
    ----------
    place : str
        The command and its options, or the place in the app.
    text : str
        What a person reads there.
    shows : set of str
        What it is about: ``figures``, ``bill``, ``racks``, ``findings``, ``failures``, ``review``,
        ``workload``, ``differences``, ``curve``, ``card``; and where it is: ``app``, ``json``.
    data : object
        What a program reads there, of JSON and YAML.
    asked : Asked
        What the figures are for.
    """

    place: str
    text: str
    shows: frozenset[str] = frozenset()
    data: Any = None
    asked: Asked = field(default_factory=Asked)

    @cached_property
    def flat(self) -> str:
        """The text on one line, without frames, so that what is wrapped can be found."""
        return " ".join(_BOX.sub(" ", self.text).split())

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @property
    def is_data(self) -> bool:
        return self.data is not None


def of_json(written: str) -> tuple[str, Any]:
    """JSON as lines of ``key: value``, so that words stand beside what they are about."""
    data = json.loads(written)
    return "\n".join(_said(data)), data


def of_yaml(written: str) -> tuple[str, Any]:
    return written, yaml.load(written, yaml.CSafeLoader)


def _said(value: Any, name: str = "") -> list[str]:
    if isinstance(value, dict):
        return [
            line for key, each in value.items() for line in _said(each, f"{name} {key}".strip())
        ]
    if isinstance(value, list):
        return [line for each in value for line in _said(each, name)]
    return [f"{name}: {value}"]


def of_markdown(written: str) -> str:
    return re.sub(r"\\([^\w\s])", r"\1", written)


def of_workbook(written: bytes) -> str:
    book = openpyxl.load_workbook(io.BytesIO(written), read_only=True)
    rows = [f"sheet {sheet.title}" for sheet in book.worksheets]
    for sheet in book.worksheets:
        for row in sheet.iter_rows(values_only=True):
            rows.append(" | ".join("" if cell is None else str(cell) for cell in row))
    return "\n".join(rows)


def of_html(written: str) -> str:
    reader = _Reader()
    reader.feed(written)
    text = html.unescape("".join(reader.said))
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.split("\n"))))


class _Reader(HTMLParser):
    """The text of HTML or SVG: a line for each block, cells apart by a bar."""

    _SILENT = frozenset({"style", "script"})
    _CELLS = frozenset({"td", "th"})
    _INLINE = frozenset({"b", "i", "em", "strong", "code", "span", "a", "tspan", "small"})

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in self._SILENT
        if tag not in self._INLINE:
            self.said.append(" | " if tag in self._CELLS else "\n")

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in self._SILENT
        if tag not in self._INLINE | self._CELLS:
            self.said.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.said.append(data.replace("\n", " "))
