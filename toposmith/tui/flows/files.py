"""Opening, saving and exporting, with every failure reported and nothing lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from toposmith.design.item_differences import differences
from toposmith.design.stored_files import FileChangedError
from toposmith.errors import DesignFileError, LockError, SaveError
from toposmith.review.sidecar.folder import sidecar_path
from toposmith.review.sidecar.single_file import single_file_path
from toposmith.tui.actions.every_action import action
from toposmith.tui.designer.designer import Designer
from toposmith.tui.keeping.session import (
    Session,
    is_same_file,
    new_session,
    open_session,
    tour_session,
)
from toposmith.tui.questions import Choice, Question


async def save(designer: Designer) -> bool:
    """Save to the design's file; asks for one where it has none."""
    if designer.editing.session.path is None:
        return await save_as(designer)
    return await _write(designer, None)


async def save_as(designer: Designer) -> bool:
    """Save to a file that is asked for; an existing one is not replaced unasked."""
    path = await ask_path(designer, "save as", designer.editing.session.save_path)
    return path is not None and await _write(designer, path)


async def open_file(designer: Designer) -> None:
    """Open another design; what was on the screen stays where that fails."""
    if not await may_leave(designer):
        return
    path = await designer.workspace.pick_file(designer.editing.session.save_path.parent)
    if path is None:
        return
    try:
        session = open_session(path)
    except DesignFileError as failed:
        await show_problems(designer, failed)
        return
    show(designer, session)
    designer.messages.say(f"opened {short_path(path)}")


async def new(designer: Designer) -> None:
    """Begin with an empty canvas."""
    if await may_leave(designer):
        show(designer, new_session())
        designer.messages.say("an empty canvas: a adds the first part")


async def tour(designer: Designer) -> None:
    """Begin the tour on its design, or leave it."""
    if leave_tour(designer):
        return
    if designer.workspace.tour_was_left:
        designer.workspace.go_on_with_tour()
    elif await may_leave(designer):
        show(designer, tour_session())


def leave_tour(designer: Designer) -> bool:
    """End the tour where it is on, and say so; what was built stays."""
    left = designer.workspace.leave_tour()
    if left:
        words = "the tour is over; what you built stays"
        more = f", {action('tour').first_key} goes on" if designer.workspace.tour_was_left else ""
        designer.messages.say(f"{words}: {action('save').first_key} saves it{more}", "hint")
    return left


def show(designer: Designer, session: Session) -> None:
    """Work on another design, the old one being saved or given up."""
    designer.editing.session.rescue.remove()
    designer.workspace.open(session)


async def show_problems(designer: Designer, failed: DesignFileError) -> None:
    """List every problem of a file that could not be read."""
    lines = failed.lines()
    designer.messages.say(f"{failed.source} was not opened; what was here stays", "failed")
    choices = [Choice(str(number), line) for number, line in enumerate(lines)]
    await designer.questions.choose(f"{failed.source} cannot be read:", choices, look=True)


async def may_leave(designer: Designer) -> bool:
    """Whether the design may go: it is saved, or its changes are given up."""
    if designer.editing.read_only or not designer.editing.unsaved:
        return True
    choice = await designer.questions.choose(
        f"{designer.editing.session.title} has changes that are not saved",
        [
            Choice("save", "save them", "s"),
            Choice("discard", "discard them", "d"),
            Choice("stay", "stay here", "c"),
        ],
    )
    if choice == "save":
        return await save(designer)
    return choice == "discard"


async def _write(designer: Designer, path: Path | None) -> bool:
    """Save, asking what to do where the file was changed meanwhile; says how it went."""
    bench = designer.editing.workbench
    overwrite = False
    while True:
        try:
            saved = designer.editing.session.save(bench.design, path, overwrite=overwrite)
        except FileChangedError as changed:
            choice = await _ask_about_change(
                designer, str(changed), path or designer.editing.session.save_path
            )
            if choice == "overwrite":
                overwrite = True
                continue
            if choice == "other":
                return await save_as(designer)
            if choice != "reload":
                there = (path or designer.editing.session.save_path).exists()
                words = "the file on disk stays as it is" if there else "there is no file on disk"
                designer.messages.say(f"not saved; {words}", "refused")
            return False
        except SaveError as failed:
            designer.messages.say(f"{failed}; S saves it elsewhere", "failed")
            return False
        break
    designer.editing.mark_saved()
    try:
        designer.editing.session.save_lock(bench.design)
    except LockError as failed:
        designer.messages.say(f"saved {short_path(saved)}, but {failed}", "failed")
        return True
    designer.messages.say(f"saved {short_path(saved)}")
    return True


def _ways_on(*, is_there: bool) -> list[Choice]:
    """What can be done about a file that was changed or removed meanwhile."""
    ways = [
        Choice("other", "save this design under another name", "a"),
        Choice("stay", "save nothing for now", "c"),
    ]
    if not is_there:
        return [Choice("overwrite", "write this design to it again", "w"), *ways]
    return [
        Choice("difference", "show what differs", "d"),
        Choice("overwrite", "overwrite it with this design", "w"),
        ways[0],
        Choice("reload", "open the file as it is now; this design is given up", "r"),
        ways[1],
    ]


async def _ask_about_change(designer: Designer, what: str, path: Path) -> str | None:
    """Ask what to do where the file was changed meanwhile; the difference as often as wanted."""
    while True:
        choice = await designer.questions.choose(what, _ways_on(is_there=path.exists()))
        if choice not in ("difference", "reload"):
            return choice
        try:
            session = open_session(path)
        except DesignFileError as failed:
            await show_problems(designer, failed)
            continue
        if choice == "reload":
            show(designer, session)
            designer.messages.say(f"opened {short_path(path)} as it is now")
            return choice
        lines = differences(session.design, designer.editing.design)
        listed = [Choice(str(number), line) for number, line in enumerate(lines)]
        same = [Choice("same", "nothing: only its comments or its layout were changed")]
        title = "from the file as it is now to this design:"
        await designer.questions.choose(title, listed or same, look=True)


async def ask_path(
    designer: Designer,
    label: str,
    proposed: Path,
    *,
    spared: Sequence[Path] = (),
    kept: Callable[[Path], str] | None = None,
) -> Path | None:
    """Where to write; None where the question was cancelled, or the file there is kept.

    ``spared`` are files that are never replaced, not even where the user agrees to it. With
    ``kept`` a folder is meant; it says why one that is there is not written to, if so.
    """
    folder = kept is not None

    def check(text: str) -> str:
        if not text.strip():
            return "a file name is needed"
        return _kept_words(text.strip(), kept) if kept else spared_words(text.strip(), spared)

    text = await designer.questions.ask(
        Question(
            label,
            short_path(proposed),
            "right arrow completes a name",
            check=check,
            file=True,
        )
    )
    if text is None:
        return None
    try:
        path = Path(text).expanduser()
        if path.is_dir() and not folder:
            path = path / proposed.name
        full = path.exists() and not (folder and not any(path.iterdir()))
        asks = full and not is_same_file(path, designer.editing.session.path)
    except (OSError, ValueError, RuntimeError) as error:
        designer.messages.say(f"{text}: {error}", "failed")
        return None
    if asks:
        choice = await designer.questions.choose(
            f"{path} exists already",
            [Choice("replace", "replace it", "r"), Choice("keep", "keep it, write nothing", "c")],
        )
        if choice != "replace":
            designer.messages.say(f"nothing was written; {path} stays as it is", "refused")
            return None
    return path


def files_of(session: Session) -> tuple[Path, ...]:
    """The files that a design lives in, which no export may replace: its own, and its review."""
    if session.path is None:
        return ()
    return session.path, sidecar_path(session.path), single_file_path(session.path)


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


async def go_to_start(designer: Designer) -> None:
    """Go to the start: saved designs, recent files, recovered work."""
    if await may_leave(designer):
        designer.editing.session.rescue.remove()
        designer.workspace.go_to_start()


async def quit_app(designer: Designer) -> None:
    """Leave the app, asking first where something is not saved."""
    if await may_leave(designer):
        designer.editing.session.rescue.remove()
        designer.workspace.leave()
