"""The errors that a user can correct: their base class, and those of designs.

ToposmithError
+-- CatalogError          no catalog could be made; one line for each fault
|   +-- ImportRefused     a file of another program from which no part can be made
+-- UnknownPart           a part id that the catalog does not hold (also a KeyError)
+-- DesignFileError       a design file that cannot be read: where, what was found, what is expected
+-- SaveError             a file that could not be written; the old one is untouched
|   +-- FileChangedError  it is no longer the file that was opened
+-- AskedError            a question with a field that has no answer
+-- EditError             a change that the design refuses; the design is unchanged
+-- NumberError           a number of a file from outside that is none, or too long
+-- NoSuchPlace            a place of the design that does not exist, or no longer
+-- RevisionError         a git revision, or a file in one, that does not exist
+-- SparesError           spares that are no numbers
+-- SigningError          invalid signatures of a bill
+-- WorkloadError         a workload that cannot run as it is written
+-- TooMuchWorkError      figures of so many different devices that they would take too long
+-- TooManyDevicesError   a table of so many devices that it would be too long to read
+-- UnreadableError       a dump or a sheet of cables that cannot be read, or is of another fabric
+-- NoDumpError           no dump is open that a design could be compared with
+-- ExportError           an export format that cannot express this design
+-- LogError              output of nccl-tests that holds no run
+-- NotOfThisDesign       a run that the design cannot have made
+-- JobError              a job among several that cannot run on the design
+-- LockError             a lock that cannot be read or applied
+-- NoCalibration         runs that cannot calibrate other predictions
"""

from __future__ import annotations

from dataclasses import dataclass


class ToposmithError(Exception):
    """Base of every error that a user can correct; its text can be shown as it is."""


class TooMuchWorkError(ToposmithError):
    """Work on so many devices, or such different ones, that it would take too long."""

    def __init__(
        self,
        why: str = "too many devices that differ from each other: expected groups over axes "
        "instead of groups of one, and fewer selectors and single cables",
    ) -> None:
        super().__init__(why)


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
    """A file that could not be written; what was there is untouched, or the text says where."""


class EditError(ToposmithError):
    """A change that the design refuses, with the reason and the nearest one that works."""


class ExportError(ToposmithError):
    """A design that an export format cannot express, or not with these names."""


class LockError(ToposmithError):
    """A lock that cannot be read or applied: the line, and what to do."""
