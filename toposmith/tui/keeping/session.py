"""The file that a design lives in: opened, saved, exported; nothing here knows a screen."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from toposmith.errors import DesignFileError, Problem
from toposmith.saved_designs import FOLDER
from toposmith.tui.keeping import recent_files, recovery
from toposmith.tui.keeping.journal import Head
from toposmith.user_folders import is_there

if TYPE_CHECKING:
    from toposmith.design.document import Design
    from toposmith.design.stored_files import LoadedFile
    from toposmith.workbench import Workbench

# Documents and their files are imported in the functions that use them: they need pydantic and
# YAML, which the first frame does not wait for.

UNTITLED = "untitled.yaml"


@dataclass(frozen=True)
class Earlier:
    """What was done in a run that was recovered: its steps, the current one, what was saved."""

    steps: list[tuple[str, Design]]
    position: int
    saved: Design


@dataclass
class Session:
    """Where a design came from and where it goes.

    Parameters
    ----------
    design : Design
        The design as it was opened.
    path : Path or None
        The file it is saved to; None while it has none.
    text : str or None
        The file as it was read, so that saving keeps its comments.
    fingerprint : str or None
        The file's content as it was read; a file that changed since is not overwritten unasked.
    proposed : str
        The file name to propose while there is no path.
    unsaved : bool
        Whether the design exists nowhere else, as one whose file is gone.
    earlier : Earlier or None
        What was done in the run that was recovered.
    tour : bool
        Whether the design is there for the tour.
    begins_with : str
        The action to begin with; empty for none.
    against : (str, Design) or None
        A design to compare with at once, with its name.
    signed : dict of str to str
        What bills of the design are signed with.
    known_locks : set of str
        Texts of the lock beside it that this program has read or written, which a save may replace.
    made_lock : bool
        Whether there was no lock before this program saved one: then undoing that takes it away.
    """

    design: Design
    path: Path | None = None
    text: str | None = None
    fingerprint: str | None = None
    proposed: str = UNTITLED
    unsaved: bool = False
    earlier: Earlier | None = None
    tour: bool = False
    begins_with: str = ""
    against: tuple[str, Design] | None = None
    signed: dict[str, str] = field(default_factory=dict)
    known_locks: set[str] = field(default_factory=set)
    made_lock: bool = False
    rescue: recovery.Rescue = field(default_factory=recovery.Rescue)

    @property
    def title(self) -> str:
        """The file name for the header."""
        return self.path.name if self.path else self.proposed

    @property
    def save_path(self) -> Path:
        """Where the design is saved to, or would be."""
        return self.path or Path.cwd() / self.proposed

    def save(self, design: Design, path: Path | None = None, *, overwrite: bool = False) -> Path:
        """Write the design to its file, or to another one that becomes its file.

        Raises
        ------
        FileChangedError
            If the file was changed elsewhere since it was read and ``overwrite`` is not set.
        SaveError
            If the file cannot be written; the old one is untouched.
        """
        # here and below: pydantic and YAML, which the first frame does not wait for
        from toposmith.design.stored_files import NO_FILE, save_file
        from toposmith.design.writer import design_text, with_schema_line

        target = path or self.save_path
        text = design_text(design, self.text)
        if self.text is None:
            text = with_schema_line(text, target.parent)
        own = is_same_file(target, self.path)
        expected = self.fingerprint if own and not overwrite else None
        if not own and not overwrite and not is_there(target):
            expected = NO_FILE  # a file saved at this very moment is not overwritten
        self.fingerprint = save_file(target, text, expected_fingerprint=expected)
        self.path, self.text, self.unsaved = target, text, False
        self.rescue.remove()
        recent_files.remember(target)
        return target

    def save_lock(self, design: Design) -> None:
        """Write the lock of the design that was saved, where an edit has changed it.

        The first lock of a design goes with the edit that made it.

        Raises
        ------
        LockError
            If that cannot be; the lock on disk is untouched.
        """
        if design.binding is None and not self.made_lock:
            return
        from toposmith.lock.binding import save_binding, take_away

        if design.binding is not None:
            self.made_lock = self.made_lock or not self.known_locks
            save_binding(design.binding, self.save_path, self.known_locks)
        else:
            take_away(self.save_path, self.known_locks)

    def resume(self, bench: Workbench) -> None:
        """Give a workbench the steps of the run that was recovered."""
        if self.earlier is not None:
            bench.resume(self.earlier.steps, self.earlier.position, self.earlier.saved)

    def journal(self, bench: Workbench) -> Path | None:
        """Note in the journal what is new on the workbench; returns it where there is one.

        Raises
        ------
        OSError
            Where the journal cannot be written.
        """
        if not (bench.dirty or self.unsaved or self.rescue.path):
            return None
        saved = None if self.unsaved else bench.saved_design
        bound = None if saved is None else saved.binding
        head = Head(
            None if self.path is None else str(self.path.absolute()),
            self.fingerprint,
            self.proposed,
            self.text,
            None if saved is None else self.rescue.text_of(saved),
            None if bound is None else bound.digest,
        )
        steps = [(step.label, step.design) for step in bench.steps]
        return self.rescue.note(head, steps, bench.position, saved)


def new_session() -> Session:
    """Begin with nothing."""
    from toposmith.design.document import Design

    return Session(Design(), proposed=_unused(UNTITLED))


def open_session(path: Path) -> Session:
    """Open a design file; one that comes with the program is a sample and is never saved to.

    Raises
    ------
    DesignFileError
        With every problem of the file.
    """
    loaded = _loaded(path)  # first: a link that leads to itself has no place
    if path.resolve().parent == FOLDER.resolve():
        return open_saved(path)
    recent_files.remember(path)
    session = Session(loaded.design, path, loaded.text, loaded.fingerprint)
    session.known_locks = _texts_of(loaded.design)
    return session


def open_beside(path: Path, other: Path | None) -> Session:
    """Open a design file with another to compare it with.

    Raises
    ------
    DesignFileError
        With every problem of either file.
    """
    session = open_session(path)
    if other is not None:
        session.against = (other.name, _loaded(other).design)
    return session


def open_against(path: Path, against: tuple[str, Design] | None) -> Session:
    """Open a design file with a design that is there already to compare it with."""
    session = open_session(path)
    session.against = against
    return session


def open_saved(path: Path) -> Session:
    """Open a design that comes with the program; saving it asks for a file of one's own."""
    loaded = _loaded(path)
    return Session(loaded.design, None, loaded.text, None, proposed=_unused(path.name))


def search_session() -> Session:
    """Begin with what the cluster has to be."""
    session = new_session()
    session.begins_with = "fabrics"
    return session


def template_session() -> Session:
    """Begin with a template."""
    session = new_session()
    session.begins_with = "template"
    return session


def tour_session() -> Session:
    """Begin the tour with nothing: all of it is built on the way."""
    session = new_session()
    session.proposed, session.tour = _unused("tour.yaml"), True
    return session


def open_recovered(rescued: recovery.Rescued) -> Session:
    """Open unsaved work of an earlier run, with its steps; its journal stays until it is saved.

    Raises
    ------
    DesignFileError
        Where the journal holds what this version cannot read.
    """
    from toposmith.design.stored_files import price_lists_beside
    from toposmith.lock.binding import Binding, binding_beside, lock_path

    there, head = rescued.told, rescued.told.head
    try:
        steps = [(step.label, recovery.design_of(step.design)) for step in there.steps]
        saved = recovery.design_of(head.saved) if head.saved else steps[0][1]
    except ValueError as error:
        raise DesignFileError(str(rescued.path), [Problem(str(error))]) from None
    origin = rescued.origin if rescued.origin and rescued.origin.exists() else None
    binding = binding_beside(origin) if origin else None
    place = str(lock_path(origin)) if origin else ""
    own = {step.lock for step in there.steps if step.lock is not None}
    bound: dict[str | None, Binding | None] = {
        text: Binding(place, text) if text else None for text in own
    }
    bound[None] = binding
    lists = price_lists_beside(origin) if origin else ()
    steps = [
        (label, design.bound_to(bound[step.lock]).priced_by(lists))
        for step, (label, design) in zip(there.steps, steps, strict=True)
    ]
    saved = saved.bound_to(binding).priced_by(lists)
    proposed = rescued.origin.name if rescued.origin else head.proposed or UNTITLED
    session = Session(
        steps[there.position][1],
        origin,
        head.text,
        head.fingerprint,
        proposed,
        unsaved=head.saved is None or origin != rescued.origin,
        earlier=Earlier(steps, there.position, saved),
    )
    if not own or (binding is not None and binding.digest == head.lock):
        session.known_locks = _texts_of(saved)  # else the file went on without this work
    session.made_lock = "" in own
    session.rescue.adopt(rescued.path)
    return session


def _texts_of(design: Design) -> set[str]:
    """The text of the lock of a design, where it has one."""
    return set() if design.binding is None else {design.binding.text}


def is_same_file(path: Path, other: Path | None) -> bool:
    """Whether two paths name the same place."""
    return other is not None and path.expanduser().absolute() == other.absolute()


def _loaded(path: Path) -> LoadedFile:
    from toposmith.design.stored_files import load_file

    return load_file(path)


def _unused(name: str) -> str:
    """Return ``name``, or the same with the first number that no file here bears."""
    wanted = Path(name)
    number = 2
    found = wanted
    while found.exists():
        found = wanted.with_name(f"{wanted.stem}-{number}{wanted.suffix}")
        number += 1
    return str(found)
