"""Asking where to write, and which files are never replaced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from toposmith.errors import ToposmithError
from toposmith.review.sidecar.folder import sidecar_path
from toposmith.tui.asking import Asks, FlowEnded, Here, Say, TextQuestion, ask, pick
from toposmith.tui.keeping.session import Session, is_same_file
from toposmith.tui.questions import Choice


def path_to(
    here: Here,
    label: str,
    proposed: Path,
    *,
    spared: Sequence[Path] = (),
    kept: Callable[[Path], str] | None = None,
) -> Asks[Path]:
    """Where to write; a file that is there is replaced only where the user agrees.

    ``spared`` are files that are never replaced, not even where the user agrees to it. With
    ``kept`` a folder is meant; it says why one that is there is not written to, if so.

    Raises
    ------
    FlowEnded
        Where the user does not agree.
    """
    folder = kept is not None

    def read(text: str) -> Path:
        text = text.strip()
        if not text:
            raise ToposmithError("a file name is needed")
        if why := _kept_words(text, kept) if kept else spared_words(text, spared):
            raise ToposmithError(why)
        try:
            path = Path(text).expanduser()
            return path / proposed.name if path.is_dir() and not folder else path
        except (OSError, ValueError, RuntimeError) as error:
            raise ToposmithError(f"{text}: {error}") from error

    hint, there = "right arrow completes a name", short_path(proposed)
    path = yield from ask(TextQuestion(label, there, read, hint, file=True))
    full = path.exists() and not (folder and not any(path.iterdir()))
    if full and not is_same_file(path, here.session.path):
        ways = [Choice("replace", "replace it", "r"), Choice("keep", "keep it, write nothing", "c")]
        if (yield from pick(f"{path} exists already", ways)) != "replace":
            raise FlowEnded(Say(f"nothing was written; {path} stays unchanged"))
    return path


def files_of(session: Session) -> tuple[Path, ...]:
    """The files that a design lives in, which no export may replace: its own, and its review."""
    if session.path is None:
        return ()
    return session.path, sidecar_path(session.path)


def _kept_words(text: str, kept: Callable[[Path], str]) -> str:
    """Why a folder is not written over; empty where it may be."""
    try:
        folder = Path(text).expanduser()
        why = kept(folder) if folder.exists() else ""
    except (OSError, ValueError, RuntimeError):
        return ""  # said where it is written
    return f"{folder.name} {why}" if why else ""


def spared_words(text: str, spared: Sequence[Path]) -> str:
    """Why a file is not written over; empty where it may be."""
    try:
        path = Path(text).expanduser()
        held = next((one for one in spared if _is_one_file(path, one)), None)
    except (OSError, ValueError, RuntimeError):
        return ""  # said where it is written
    if held is None:
        return ""
    what = "the design itself" if held == spared[0] else "the review of this design"
    return f"{held.name} is {what}, which an export does not replace; choose another name"


def _is_one_file(path: Path, other: Path) -> bool:
    """Whether both are one file, by any path or link, or one is in the other."""
    if other.is_dir() and other.resolve() in path.resolve().parents:
        return True
    if path.exists() and other.exists():
        return path.samefile(other)
    return path.resolve() == other.resolve()


def short_path(path: Path) -> str:
    """A path as it would be typed here."""
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)
