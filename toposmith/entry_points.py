"""Records of other packages: what is installed beside the program adds to its tables.

A package names its record under an entry point of ``toposmith.<kind>`` (``docs/extending.md``).
Packages are looked for where the program itself is installed and nowhere else, so that no folder
that one works in can add code.
"""

from __future__ import annotations

import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@dataclass(frozen=True)
class Plugin:
    """A record of another package, or why it was left out.

    Parameters
    ----------
    kind : str
        What it adds to: ``exports``.
    name : str
        The name of its entry point; empty, as the kind, where the metadata cannot be read.
    package : str
        The package that brings it, with its version.
    place : str
        The folder that this is installed in.
    fault : str
        Why it was left out; empty where it was added.
    """

    kind: str
    name: str
    package: str
    place: str
    fault: str = ""

    @property
    def words(self) -> str:
        """Kind, name and package in one line, with the fault where there is one."""
        what = f"{self.kind} {self.name!r}" if self.kind else "metadata"
        said = f"plug-in of {self.package}: {what} ({self.place})"
        return f"{said}: left out: {self.fault}" if self.fault else said


PLUGINS: list[Plugin] = []
"""Every plug-in that was found, those that were left out among them."""

_TABLES = {
    "collectives": ("toposmith.collectives", "CollectiveRecord", "add_collective"),
    "dump_readers": ("toposmith.as_built.reading.file_formats", "DumpReader", "add_reader"),
    "exports": ("toposmith.exports.forms", "Form", "add_form"),
    "findings": ("toposmith.findings.finding", "AddedFinding", "add_finding"),
    "parts": ("toposmith.catalog.folders", "Path", "add_folder"),
    "templates": ("toposmith.templates.registry", "Template", "add_template"),
}
"""By kind the module of a table, what an entry point has to lead to, and what adds it."""


_unread: list[tuple[Plugin, EntryPoint | None]] | None = None


def load_plugins() -> list[Plugin]:
    """Add the records of all installed packages, once in a process; returns what was new.

    What starts a run calls this, when no module is half read: packages import what they need.
    """
    global _unread
    if _unread is None:
        _unread = sorted(_declared(), key=lambda one: one[0].words, reverse=True)
    begun = len(PLUGINS)
    while _unread:  # a package may ask for this, too, while it is read
        plugin, point = _unread.pop()
        fault = plugin.fault if point is None else _fault(plugin.kind, point)
        PLUGINS.append(replace(plugin, fault=fault))
    return PLUGINS[begun:]


def _fault(kind: str, point: EntryPoint) -> str:
    """Add the record of an entry point, or say why that cannot be."""
    try:
        if kind not in _TABLES:
            raise ValueError(f"there is no kind {kind!r}, but {', '.join(_TABLES)}")
        module, record, add = _TABLES[kind]
        table = import_module(module)
        found = point.load()
        if not isinstance(found, getattr(table, record)):
            raise TypeError(f"{point.value} is a {type(found).__name__}, not a {record}")
        getattr(table, add)(found)
    except (Exception, SystemExit) as error:  # of any kind: others' code does not end the program
        return _words(error)
    return ""


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def _declared() -> Iterator[tuple[Plugin, EntryPoint | None]]:
    """What the packages of this environment declare; None where their metadata cannot be read."""
    places = [Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")]
    beside = Path(__file__).parents[1]
    if not (beside / "pyproject.toml").exists():  # of a checkout, where designs are unpacked, too
        places.append(beside)
    for place in dict.fromkeys(places):
        for file in place.glob("*-info/entry_points.txt"):
            if b"[toposmith." in _bytes(file):
                yield from _declared_in(file, str(place))


def _declared_in(file: Path, place: str) -> Iterator[tuple[Plugin, EntryPoint | None]]:
    # takes as long as the rest of a command: imported only where there is need
    from importlib.metadata import PathDistribution

    try:
        found = PathDistribution(file.parent)
        package = f"{found.metadata['Name']} {found.version}"
        points = [one for one in found.entry_points if one.group.startswith("toposmith.")]
    except Exception as error:  # of any kind: they read others' files
        yield Plugin("", "", file.parent.name, place, _words(error)), None
        return
    for point in points:
        yield Plugin(point.group.partition(".")[2], point.name, package, place), point


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def refuse_twice(table: dict[str, Any], name: str) -> None:
    """Raise ValueError where a table has a record of this name: the first one stays."""
    if name in table:
        raise ValueError(f"there is a {name!r} already")
