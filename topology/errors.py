"""Errors of designs: files that cannot be read or written, changes that are refused."""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.errors import ToposmithError as ToposmithError


@dataclass(frozen=True)
class Problem:
    """One fault of a file: its place (line and column count from 1), and what would be right."""

    text: str
    line: int | None = None
    column: int | None = None


class DesignFileError(ToposmithError):
    """A design file that cannot be read; carries every problem found, not only the first."""

    def __init__(self, source: str, problems: list[Problem]) -> None:
        self.source = source
        self.problems = problems
        super().__init__("\n".join(self.lines()))

    def lines(self) -> list[str]:
        """Each problem as ``file:line:column: text``."""
        shown: list[str] = []
        for problem in self.problems:
            place = self.source
            if problem.line is not None:
                place += f":{problem.line}:{problem.column or 1}"
            shown.append(f"{place}: {problem.text}")
        return shown


class SaveError(ToposmithError):
    """A file that could not be written; what was there before is untouched."""


class EditError(ToposmithError):
    """A change that the design refuses, with the reason and the nearest one that works."""


class ExportError(ToposmithError):
    """A design that an export format cannot express, or not with these names."""
