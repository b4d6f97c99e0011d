"""Opening, saving and exporting, with every failure said and nothing lost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from toposmith.topology.design.differences import differences
from toposmith.topology.design.storage import FileChangedError
from toposmith.topology.errors import DesignFileError, SaveError
from toposmith.tui.desk import Desk
from toposmith.tui.keeping.session import (
    Session,
    is_same_file,
    new_session,
    open_session,
    open_tour,
)
from toposmith.tui.questions import Choice, Question
from toposmith.tui.widgets.path_suggester import PathSuggester


async def save(desk: Desk) -> bool:
    """Save to the design's file; asks for one where it has none."""
    if desk.session.path is None:
        return await save_as(desk)
    return await _write(desk, None)


async def save_as(desk: Desk) -> bool:
    """Save to a file that is asked for; an existing one is not replaced unasked."""
    path = await ask_path(desk, "save as", desk.session.save_path)
    return path is not None and await _write(desk, path)


async def open_file(desk: Desk) -> None:
    """Open another design; what was on the screen stays where that fails."""
    if not await may_leave(desk):
        return
    path = await desk.pick_file(desk.session.save_path.parent)
    if path is None:
        return
    try:
        session = open_session(path)
    except DesignFileError as failed:
        await show_problems(desk, failed)
        return
    show(desk, session)
    desk.say(f"opened {short_path(path)}")


async def new(desk: Desk) -> None:
    """Begin with an empty canvas."""
    if await may_leave(desk):
        show(desk, new_session())
        desk.say("an empty canvas: a adds the first part")


async def tour(desk: Desk) -> None:
    """Begin the tour on its design, or leave it."""
    if desk.leave_tour():
        desk.say("the tour is over; this design is yours to play with", "hint")
    elif await may_leave(desk):
        show(desk, open_tour())


def show(desk: Desk, session: Session) -> None:
    """Work on another design, the old one being saved or given up."""
    desk.session.rescue.remove()
    desk.show_session(session)


async def show_problems(desk: Desk, failed: DesignFileError) -> None:
    """List every problem of a file that could not be read."""
    lines = failed.lines()
    desk.say(f"{failed.source} was not opened; what was here stays", "failed")
    choices = [Choice(str(number), line) for number, line in enumerate(lines)]
    await desk.choose(f"{failed.source} cannot be read:", choices, look=True)


async def may_leave(desk: Desk) -> bool:
    """Whether the design may go: it is saved, or the person gives its changes up."""
    unsaved = desk.workbench.dirty or desk.session.unsaved
    if desk.workbench.read_only or not unsaved:
        return True
    choice = await desk.choose(
        f"{desk.session.title} has changes that are not saved",
        [
            Choice("save", "save them", "s"),
            Choice("discard", "discard them", "d"),
            Choice("stay", "stay here", "c"),
        ],
    )
    if choice == "save":
        return await save(desk)
    return choice == "discard"


async def _write(desk: Desk, path: Path | None) -> bool:
    """Save, asking what to do where somebody else changed the file; says how it went."""
    bench = desk.workbench
    overwrite = False
    while True:
        try:
            saved = desk.session.save(bench.design, path, overwrite=overwrite)
        except FileChangedError as changed:
            choice = await _ask_about_change(desk, str(changed), path or desk.session.save_path)
            if choice == "overwrite":
                overwrite = True
                continue
            if choice == "other":
                return await save_as(desk)
            if choice != "reload":
                there = (path or desk.session.save_path).exists()
                words = "the file on disk stays as it is" if there else "there is no file on disk"
                desk.say(f"not saved; {words}", "refused")
            return False
        except SaveError as failed:
            desk.say(f"{failed}; S saves it elsewhere", "failed")
            return False
        break
    if not bench.read_only:
        bench.mark_saved()
    desk.refresh_state()
    desk.say(f"saved {short_path(saved)}")
    return True


def _ways_on(*, is_there: bool) -> list[Choice]:
    """What can be done about a file that somebody else changed, or took away."""
    ways = [
        Choice("other", "save this design under another name", "a"),
        Choice("stay", "save nothing for now", "c"),
    ]
    if not is_there:
        return [Choice("overwrite", "write it anew with this design", "w"), *ways]
    return [
        Choice("difference", "show what differs", "d"),
        Choice("overwrite", "overwrite it with this design", "w"),
        ways[0],
        Choice("reload", "open the file as it is now; this design is given up", "r"),
        ways[1],
    ]


async def _ask_about_change(desk: Desk, what: str, path: Path) -> str | None:
    """Ask what to do where somebody else changed the file; the difference as often as wanted."""
    while True:
        choice = await desk.choose(what, _ways_on(is_there=path.exists()))
        if choice not in ("difference", "reload"):
            return choice
        try:
            session = open_session(path)
        except DesignFileError as failed:
            await show_problems(desk, failed)
            continue
        if choice == "reload":
            show(desk, session)
            desk.say(f"opened {short_path(path)} as it is now")
            return choice
        lines = differences(session.design, desk.workbench.design)
        listed = [Choice(str(number), line) for number, line in enumerate(lines)]
        same = [Choice("same", "nothing: only its comments or its layout were changed")]
        title = "from the file as it is now to this design:"
        await desk.choose(title, listed or same, look=True)


async def ask_path(
    desk: Desk, label: str, proposed: Path, *, spared: Sequence[Path] = ()
) -> Path | None:
    """Where to write; None where the person went back, or keeps the file that is there.

    ``spared`` are files that are never replaced, not even where the person would have it so.
    """

    def check(text: str) -> str:
        if not text.strip():
            return "a file name is needed"
        return spared_words(text.strip(), spared)

    text = await desk.ask(
        Question(
            label,
            short_path(proposed),
            "right arrow completes a name",
            check=check,
            suggester=PathSuggester(),
        )
    )
    if text is None:
        return None
    try:
        path = Path(text).expanduser()
        if path.is_dir():
            path = path / proposed.name
        asks = path.exists() and not is_same_file(path, desk.session.path)
    except (OSError, ValueError, RuntimeError) as error:
        desk.say(f"{text}: {error}", "failed")
        return None
    if asks:
        choice = await desk.choose(
            f"{path} exists already",
            [Choice("replace", "replace it", "r"), Choice("keep", "keep it, write nothing", "c")],
        )
        if choice != "replace":
            desk.say(f"nothing was written; {path} stays as it is", "refused")
            return None
    return path


def files_of(session: Session) -> tuple[Path, ...]:
    """The files that a design lives in, which no export may replace: its own, and its review."""
    if session.path is None:
        return ()
    from toposmith.topology.review.sidecar.file import sidecar_path

    return session.path, sidecar_path(session.path)


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
    """Whether both are one file, by whatever way one gets there: links, dots, hard links."""
    if path.exists() and other.exists():
        return path.samefile(other)
    return path.resolve() == other.resolve()


def short_path(path: Path) -> str:
    """A path as a person would type it here."""
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


async def go_to_start(desk: Desk) -> None:
    """Go to the start: saved designs, recent files, recovered work."""
    if await may_leave(desk):
        desk.session.rescue.remove()
        desk.go_to_start()


async def quit_app(desk: Desk) -> None:
    """Leave the app, asking first where something is not saved."""
    if await may_leave(desk):
        desk.session.rescue.remove()
        desk.leave()
