"""The formats of a bill, by name, for the command and the app."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from toposmith.bill.sheet_form import bill_xlsx
from toposmith.bill.table_forms import bill_csv, bill_markdown
from toposmith.bill.yaml_form import bill_cyclonedx, bill_json, bill_yaml

if TYPE_CHECKING:
    from toposmith.bill.bill import Bill

BILL_ENDINGS = {
    "yaml": ".yaml",
    "csv": ".csv",
    "md": ".md",
    "json": ".json",
    "xlsx": ".xlsx",
    "cyclonedx": ".cdx.json",
}
"""The file suffix of each format, in the order in which they are offered."""

Writer = Callable[["Bill", Sequence[str]], bytes]


def bill_bytes(bill: Bill, form: str, bought: Sequence[str] = ()) -> bytes:
    """A bill in one of its forms.

    Parameters
    ----------
    bill : Bill
        What to write.
    form : str
        One of :data:`BILL_ENDINGS`.
    bought : sequence of str
        What bandwidth it buys and what that costs, for formats that people read.

    Returns
    -------
    bytes
        A workbook, or UTF-8.
    """
    return _WRITERS[form](bill, bought)


def form_of(name: str) -> str | None:
    """The format by a file's suffix; None where the suffix is unknown."""
    endings = {".yml": "yaml"} | {ending: form for form, ending in BILL_ENDINGS.items()}
    longest_first = sorted(endings, key=len, reverse=True)
    return next((endings[one] for one in longest_first if name.lower().endswith(one)), None)


def _yaml(bill: Bill, _: Sequence[str]) -> bytes:
    return bill_yaml(bill).encode()


def _json(bill: Bill, _: Sequence[str]) -> bytes:
    return bill_json(bill).encode()


def _csv(bill: Bill, _: Sequence[str]) -> bytes:
    return bill_csv(bill).encode()


def _markdown(bill: Bill, bought: Sequence[str]) -> bytes:
    return bill_markdown(bill, bought).encode()


def _workbook(bill: Bill, _: Sequence[str]) -> bytes:
    return bill_xlsx(bill)


def _cyclonedx(bill: Bill, _: Sequence[str]) -> bytes:
    return bill_cyclonedx(bill).encode()


_WRITERS: dict[str, Writer] = {
    "yaml": _yaml,
    "csv": _csv,
    "md": _markdown,
    "json": _json,
    "xlsx": _workbook,
    "cyclonedx": _cyclonedx,
}
