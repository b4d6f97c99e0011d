"""State of one reading of a topology file: catalog, ids, and notes with their lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.imported import ImportRefused, file_name
from toposmith.catalog.topology_xml.xml_elements import refused
from toposmith.plain_text import visible


@dataclass
class Notes:
    """Notes about one file; a note about many lines is given once, at the first of them."""

    path: Path
    _lines: dict[str, list[int]] = field(default_factory=dict)

    def add(self, line: int, what: str) -> None:
        """Note something about a line."""
        self._lines.setdefault(what, []).append(line)

    def refusal(self, line: int, why: str) -> ImportRefused:
        """The exception that says why no part can be made from the file."""
        return refused(self.path, line, why)

    @property
    def found(self) -> list[str]:
        """The notes, each with file and line."""
        return [
            visible(f"{self.path}:{lines[0]}: {what}{_times(len(lines))}")
            for what, lines in self._lines.items()
        ]


@dataclass(frozen=True)
class Reading:
    """One reading of a file.

    Parameters
    ----------
    catalog : Catalog
        The parts that exist already.
    notes : Notes
        Collects what is noticed.
    node_id : str
        The id of the new node; those of its GPU and NICs begin with it.
    gpu : str or None
        The part id of the machine's GPU, where the caller gave one.
    """

    catalog: Catalog
    notes: Notes
    node_id: str
    gpu: str | None = None

    @property
    def source(self) -> str:
        """What parts give as their source."""
        return f"NCCL topology file {file_name(self.notes.path)}"


def _times(count: int) -> str:
    return f" ({count} times)" if count > 1 else ""
