"""The rows of one price list, from CSV or YAML, each with its line; figures stay text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from toposmith.catalog.part_file import LARGEST_FILE, PartFile, read_up_to
from toposmith.catalog.plain_text import shown, visible

PRICE_FIELDS = ("part", "price", "currency", "date", "source")


@dataclass(frozen=True)
class PriceRow:
    """One price as written; ``place`` is file and line, with nothing that a terminal obeys."""

    place: str
    fields: dict[str, str]


def price_rows(path: Path) -> tuple[list[PriceRow], list[str]]:
    """Read the rows of a price list, and what is wrong with the file."""
    try:
        text = read_up_to(path, LARGEST_FILE)
    except OSError as error:
        return [], [visible(f"{path}:1: cannot be read: {error.strerror or error}")]
    if path.suffix.lower() in (".yaml", ".yml"):
        return _yaml_rows(str(path), text)
    if len(text) > LARGEST_FILE:
        return [], [visible(f"{path}:1: more than the {LARGEST_FILE} bytes allowed")]
    try:
        lines = text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = text.count(b"\n", 0, error.start) + 1
        return [], [visible(f"{path}:{number}: no UTF-8 text; save the list as CSV in UTF-8")]
    return _csv_rows(str(path), lines)


def _csv_rows(name: str, text: str) -> tuple[list[PriceRow], list[str]]:
    header = text.partition("\n")[0]
    delimiter = ";" if header.count(";") > header.count(",") else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[PriceRow] = []
    names: list[str] = []
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if not names:
                    names = [cell.strip().lower() for cell in cells]
                    if missing := [wanted for wanted in PRICE_FIELDS if wanted not in names]:
                        return [], [_no_columns(name, line, missing)]
                else:
                    fields = dict(zip(names, cells, strict=False))
                    rows.append(PriceRow(visible(f"{name}:{line}"), fields))
            line = reader.line_num + 1
    except csv.Error as error:
        return rows, [visible(f"{name}:{line}: not readable as CSV: {error}")]
    return rows, [] if names else [_no_columns(name, 1, list(PRICE_FIELDS))]


def _no_columns(name: str, line: int, missing: list[str]) -> str:
    wanted = ", ".join(PRICE_FIELDS)
    return visible(f"{name}:{line}: no column {', '.join(missing)}; the columns are {wanted}")


def _yaml_rows(name: str, text: bytes) -> tuple[list[PriceRow], list[str]]:
    # Everything stays text: 1250.10 as a number would become 1250.1, and 2025-03-31 a date.
    file = PartFile(name, text, loader=_TextLoader, wanted="a list of prices")
    rows: list[PriceRow] = []
    for number, entry in file.entries():
        place = visible(f"{name}:{file.line(number)}")
        if isinstance(entry, dict):
            rows.append(PriceRow(place, dict(_texts(entry))))
        else:
            why = f"price number {number + 1}: fields were expected, found {shown(entry)}"
            file.complain(file.line(number), why)
    return rows, file.problems


def _texts(entry: dict[Any, Any]) -> Iterator[tuple[str, str]]:
    for key, value in entry.items():
        yield str(key), value if isinstance(value, str) else shown(value)


_TextLoader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
