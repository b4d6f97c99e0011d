"""Reading a bill's file back to plain data, or reporting every fault with its place."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import yaml
from pydantic import ValidationError

from toposmith.bill.bill_file import BillFile
from toposmith.bill.table_forms import COLUMNS, SCOPE
from toposmith.bill.terms import OPTIONS, read_options
from toposmith.bill.yaml_form import BILL_VERSION, component_lines, stated_options, whole_line
from toposmith.catalog.workbook_text import WorkbookError, sheets_of
from toposmith.design.loader import Location, escaped, path_words, plain_file, shown
from toposmith.errors import DesignFileError, Problem
from toposmith.leaving_text import as_cell

_MOST_PROBLEMS = 20


BillForm = Literal["bill", "table", "cyclonedx"]


@dataclass(frozen=True)
class ReadBill:
    """A bill as read from a file.

    Parameters
    ----------
    source : str
        The file's name in messages.
    data : dict
        As :func:`~toposmith.bill.yaml_form.bill_data` gives it; of tables and CycloneDX
        only ``lines``, whose values are texts, and ``policy`` where they say their options.
    lines : tuple of int
        The line of the file where each line of the bill begins.
    form : {"bill", "table", "cyclonedx"}
        A whole bill, a CSV file or workbook, or CycloneDX; of the last two the lines are read.
    places : mapping
        Of YAML and JSON, the line of the file where each value begins, by its path of keys and
        numbers.
    sheets : mapping
        Of a workbook, the rows of all its sheets by their titles.
    """

    source: str
    data: dict[str, Any]
    lines: tuple[int, ...]
    form: BillForm
    places: Mapping[tuple[str | int, ...], int] = field(default_factory=dict)
    sheets: Mapping[str, list[list[str]]] = field(default_factory=dict)

    def line_of(self, *path: str | int) -> int | None:
        """The line of a value, or of what holds it; None where the file does not say."""
        return next(
            (
                self.places[path[:end]]
                for end in range(len(path), 0, -1)
                if path[:end] in self.places
            ),
            None,
        )


def read_bill(text: str, source: str) -> ReadBill:
    """Read a bill that this program wrote, in YAML, JSON, CSV or CycloneDX.

    Parameters
    ----------
    text : str
        The whole file.
    source : str
        How messages name the file; a name that ends in ``.csv`` is read as CSV.

    Raises
    ------
    DesignFileError
        Where it is no bill, or one of another version.
    """
    text = text.removeprefix("\ufeff")
    if source.lower().endswith(".csv") or text.startswith(COLUMNS[0] + ","):
        return _read_table(text, source)
    file = plain_file(text, source)
    if file.problems:
        raise DesignFileError(source, file.problems)
    if isinstance(file.data, dict) and file.data.get("bomFormat") == "CycloneDX":
        return _read_cyclonedx(file.data, file.root, source)
    if not isinstance(file.data, dict) or "toposmith_bill" not in file.data:
        found = "nothing" if file.data is None else shown(file.data)
        why = f"found {found}, expected a bill of materials that begins with "
        raise DesignFileError(source, [Problem(f"{why}`toposmith_bill: {BILL_VERSION}`", 1, 1)])
    version = file.data["toposmith_bill"]
    if version != BILL_VERSION or isinstance(version, bool):
        why = f"toposmith_bill: found {shown(version)}, this Toposmith reads {BILL_VERSION}"
        raise DesignFileError(source, [Problem(why, 1, 1)])
    try:
        # By way of JSON, so that types can be taken at their word.
        BillFile.model_validate_json(json.dumps(file.data), strict=True)
    except ValidationError as error:
        raise DesignFileError(source, _problems(file.root, error)) from None
    products = file.data.pop("products", {})
    file.data["lines"] = [whole_line(line, products) for line in file.data["lines"]]
    for number, line in enumerate(file.data["lines"]):
        if "name" not in line:
            node = _value(_value(file.root, "lines"), number)
            why = f"lines[{number}]: {shown(line['part'])} is not among the products of the bill"
            raise DesignFileError(source, [Problem(why, node.start_mark.line + 1, 1)])
    lines = _value(file.root, "lines")
    begin = tuple(node.start_mark.line + 1 for node in lines.value) if lines else ()
    return ReadBill(source, file.data, begin, "bill", dict(_places(file.root, ())))


def _places(
    node: yaml.Node | None, path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], int]]:
    """The line where every value begins, from 1; of the value of a key that of the key."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield (*path, key.value), key.start_mark.line + 1
            yield from _places(value, (*path, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            yield (*path, number), value.start_mark.line + 1
            yield from _places(value, (*path, number))


def _read_cyclonedx(data: dict[str, Any], root: yaml.Node | None, source: str) -> ReadBill:
    """The components of a CycloneDX document, each with its properties."""
    lines = component_lines(data)
    if lines is None:
        why = "a CycloneDX document that no bill was written to: components with "
        why += "`cdx:device:quantity` are needed"
        raise DesignFileError(source, [Problem(why, 1, 1)])
    components = _value(root, "components")
    begin = tuple(node.start_mark.line + 1 for node in components.value)
    stated = _stated(stated_options(data), 1, source)
    return ReadBill(source, {"lines": lines, **stated}, begin, "cyclonedx")


def _stated(options: str, line: int, source: str) -> dict[str, Any]:
    """The policy of a bill that says its options; nothing of one that says none."""
    try:
        policy = read_options(options)
    except ValueError as error:
        raise DesignFileError(source, [Problem(f"{OPTIONS}: {error}", line, 1)]) from None
    return {} if policy is None else {"policy": policy}


def read_bill_workbook(raw: bytes, source: str) -> ReadBill:
    """Read a bill that this program wrote as a workbook; of others' columns and sheets nothing.

    Raises
    ------
    DesignFileError
        Where it is no workbook, a damaged one, or none of its sheets lists a bill.
    """
    table: list[list[str]] = []
    said: dict[str, str] = {}
    try:
        sheets = {sheet.title: sheet.rows for sheet in sheets_of(raw)}
        for cells in sheets.values():
            if not table and cells and COLUMNS[0] in cells[0] and COLUMNS[1] in cells[0]:
                table = cells
            elif cells and cells[0][:2] == ["what", "value"]:
                said |= {row[0]: row[1] for row in cells if len(row) > 1}
    except WorkbookError as failed:
        raise DesignFileError(source, [Problem(str(failed), 1, 1)]) from None
    if not table:
        why = f"no sheet of this workbook is a bill, which has the columns {', '.join(COLUMNS[:3])}"
        raise DesignFileError(source, [Problem(f"{why} and so on", 1, 1)])
    scope = as_cell(f"{said.get('scope', '')}; {said.get('orderable', '')}")
    head = [*table[0], SCOPE, OPTIONS]
    said_of_all = scope, said.get(OPTIONS, "")
    filled = [
        [*row, *[""] * (len(table[0]) - len(row)), *said_of_all] if any(row) else []
        for row in table[1:]
    ]
    body = [(number, row) for number, row in enumerate(filled, start=2) if row]
    cells_of = (
        (number, [_as_csv(*one) for one in zip(head, _worked_out(head, row), strict=False)])
        for number, row in body
    )
    return replace(_table(head, cells_of, source), sheets=sheets)


_TRUTHS = {"1": "true", "0": "false"}
_OF_TRUTHS = ("orderable", "power_includes_modules")
_UNITS = {"price": "unit_price"} | {
    name: f"unit_{name}" for name in ("power_w", "rack_units", "weight_kg")
}
"""Columns that are a quantity of those others, as formulas in a workbook."""
_NUMBER = re.compile(r"-?\d+(\.\d*)?([eE][-+]?\d+)?")
_OF_TEXT = ("part", "part_number", "family", "name", "description", "price_date", "notes")


def _worked_out(head: list[str], row: list[str]) -> list[str]:
    """A row with what its formulas give, where their values were not saved with them."""
    named = dict(zip(head, row, strict=False))

    def value(column: str) -> float | None:
        text = named.get(column, "")
        return float(text) if _NUMBER.fullmatch(text) else None

    def worked(column: str, text: str) -> str:
        quantity, other = value("quantity"), value(_UNITS.get(column, "spares"))
        if not text.startswith("=") or column not in (*_UNITS, "order"):
            return text
        if quantity is None or other is None:
            return ""
        return repr(quantity * other if column in _UNITS else quantity + other)

    return [worked(*one) for one in zip(head, row, strict=False)]


def _as_csv(column: str, value: str) -> str:
    """The text of a workbook's cell as the CSV form has it."""
    if column in _OF_TRUTHS:
        return _TRUTHS.get(value, value)
    if column not in _OF_TEXT and _NUMBER.fullmatch(value):
        return f"{float(value):.15g}"
    return value if column in (SCOPE, OPTIONS) else as_cell(value)


def _read_table(text: str, source: str) -> ReadBill:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1

    def rows() -> Iterator[tuple[int, list[str]]]:
        nonlocal line
        for cells in reader:
            yield line, cells
            line = reader.line_num + 1

    try:
        cells = rows()
        _, head = next(cells, (1, None))
        if head is None:
            raise DesignFileError(source, [Problem("the file is empty, expected a bill", 1, 1)])
        return _table(head, cells, source)
    except csv.Error as error:
        raise DesignFileError(source, [Problem(f"no CSV: {error}", line, 1)]) from None


def _table(head: list[str], rows: Iterable[tuple[int, list[str]]], source: str) -> ReadBill:
    """Lines of a table; columns that people added are left alone."""
    if missing := [column for column in (*COLUMNS, SCOPE) if column not in head]:
        why = f"found the columns {shown(', '.join(head))}, a bill has {missing[0]}, too"
        raise DesignFileError(source, [Problem(why, 1, 1)])
    lines: list[dict[str, str]] = []
    begin: list[int] = []
    stated: dict[str, Any] = {}
    for number, cells in rows:
        if len(cells) != len(head):
            why = f"found {len(cells)} cells, expected {len(head)}"
            raise DesignFileError(source, [Problem(why, number, 1)])
        named = dict(zip(head, cells, strict=True))
        own = _stated(named.get(OPTIONS, ""), number, source)
        if lines and own != stated:
            why = f"{OPTIONS}: not those of the lines above; a bill is made with one set of them"
            raise DesignFileError(source, [Problem(why, number, 1)])
        stated = own
        lines.append({name: cell for name, cell in named.items() if name in (*COLUMNS, SCOPE)})
        begin.append(number)
    return ReadBill(source, {"lines": lines, **stated}, tuple(begin), "table")


def _problems(root: yaml.Node | None, error: ValidationError) -> list[Problem]:
    found = []
    for detail in error.errors(include_url=False, include_context=False)[:_MOST_PROBLEMS]:
        location: Location = detail["loc"]
        node = root
        for step in location:
            node = _value(node, step) or node
        line = node.start_mark.line + 1 if node is not None else None
        given = shown(detail["input"])
        said = {"missing": "missing", "extra_forbidden": "unknown key; leave it out"}.get(
            detail["type"], f"found {given}; {escaped(detail['msg'])}"
        )
        text = f"{path_words(location)}: {said}"
        found.append(Problem(text, line, node.start_mark.column + 1 if node is not None else None))
    return found


def _value(node: yaml.Node | None, step: str | int) -> Any:
    """The node under a key, or at a place of a list; None where there is none."""
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
        return node.value[step] if step < len(node.value) else None
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == step), None)
    return None
