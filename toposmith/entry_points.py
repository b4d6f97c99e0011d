"""Records of other packages: what is installed beside the program adds to its tables.

A package names its record under an entry point of ``toposmith.<kind>`` (``docs/extending.md``).
Packages are looked for where the program itself is installed and nowhere else, so that no folder
that one works in can add code.
"""

from __future__ import annotations

import sysconfig
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
        The name of its entry point.
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
        said = f"plug-in of {self.package}: {self.kind} {self.name!r} ({self.place})"
        return f"{said}: left out: {self.fault}" if self.fault else said


PLUGINS: list[Plugin] = []
"""Every plug-in that was found, those that were left out among them."""

_TABLES = {
    "collectives": ("toposmith.collectives", "CollectiveRecord", "add_collective"),
    "dump_readers": ("toposmith.as_built.reading.file_formats", "DumpReader", "add_reader"),
    "exports": ("toposmith.exports.forms", "Form", "add_form"),
    "findings": ("toposmith.findings.codes", "AddedFinding", "add_finding"),
    "parts": ("toposmith.catalog.folders", "Path", "add_folder"),
    "templates": ("toposmith.templates.registry", "Template", "add_template"),
}
"""By kind the module of a table, what an entry point has to lead to, and what adds it."""


_unread: list[tuple[Plugin, EntryPoint]] | None = None


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
        PLUGINS.append(replace(plugin, fault=_fault(plugin.kind, point)))
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
        return f"{type(error).__name__}: {error}".partition("\n")[0]
    return ""


def _declared() -> tuple[tuple[Plugin, EntryPoint], ...]:
    named = [Path(sysconfig.get_path(name)) for name in ("purelib", "platlib")]
    folders = dict.fromkeys((*named, Path(__file__).parents[1]))
    # importlib.metadata takes as long as the rest of a command: read only where there is need
    files = [(place, file) for place in folders for file in place.glob("*-info/entry_points.txt")]
    places = dict.fromkeys(str(at) for at, file in files if b"[toposmith." in _bytes(file))
    if not places:
        return ()
    from importlib.metadata import distributions

    return tuple(
        (Plugin(point.group.partition(".")[2], point.name, f"{it.name} {it.version}", at), point)
        for at in places
        for it in distributions(path=[at])
        for point in it.entry_points
        if point.group.startswith("toposmith.")
    )


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def refuse_twice(table: dict[str, Any], name: str) -> None:
    """Raise ValueError where a table has a record of this name: the first one stays."""
    if name in table:
        raise ValueError(f"there is a {name!r} already")
