"""The page of all edits and errors of the library, from their signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import toposmith
from docs.reference.tables import MADE, table


def _first_sentence(of: object) -> str:
    words = (inspect.getdoc(of) or "").partition("\n\n")[0]
    return re.sub(r":\w+:`(\w+)`", r"`\1`", words).replace("``", "`")


def _called(edit: object) -> str:
    """A function as it is called, without types."""
    signature = inspect.signature(edit)  # type: ignore[arg-type]
    plain = [each.replace(annotation=each.empty) for each in signature.parameters.values()]
    return str(signature.replace(parameters=plain, return_annotation=signature.empty))


def _edits() -> Iterator[tuple[str, str]]:
    for name in toposmith.edits.__all__:
        edit = getattr(toposmith.edits, name)
        if inspect.isfunction(edit):
            yield f"`{name}{_called(edit)}`", _first_sentence(edit)


def _errors() -> Iterator[tuple[str, str]]:
    for name in sorted(toposmith.__all__):
        error = getattr(toposmith, name)
        if inspect.isclass(error) and issubclass(error, toposmith.ToposmithError):
            yield f"`{name}`", _first_sentence(error)


def edits_page() -> str:
    """Every edit with what it does, and every error with what it says."""
    lines = [MADE, "", "# Every edit, every error", ""]
    lines += ["How they are used: [from Python](python.md).", "", "## Edits", ""]
    lines += ["Functions of `toposmith.edits`; links are counted from 0.", ""]
    lines += table(("call", "what it does"), _edits())
    lines += ["## Errors", ""]
    lines += table(("error", "when"), _errors())
    return "\n".join(lines)
