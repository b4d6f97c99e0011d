"""Opening, saving and leaving a design, with every failure reported and nothing lost.

What is asked here depends on what the disk says meanwhile, so each answer has its effect at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from toposmith.design.item_differences import differences
from toposmith.design.stored_files import FileChangedError
from toposmith.errors import DesignFileError, LockError, SaveError
from toposmith.tui.actions.every_action import action
from toposmith.tui.designer.editing import Editing
from toposmith.tui.designer.messages import Messages
from toposmith.tui.flows.path_questions import short_path
from toposmith.tui.keeping.session import (
    Session,
    is_same_file,
    new_session,
    open_beside,
    open_session,
    tour_session,
)
from toposmith.tui.questions import Choice, Question

if TYPE_CHECKING:
    from toposmith.tui.designer.workspace import Workspace
    from toposmith.tui.widgets.question_panel import QuestionPanel


class DesignFiles:
    """The design's file, and other designs in its place.

    Parameters
    ----------
    editing : Editing
        The design under work.
    messages, questions : Messages, QuestionPanel
        Where it is said how it went, and asked what to do.
    workspace : Workspace
        What opens other designs, and shows dialogs.
    """

    def __init__(
        self, editing: Editing, messages: Messages, questions: QuestionPanel, workspace: Workspace
    ) -> None:
        self._editing = editing
        self._messages = messages
        self._questions = questions
        self._workspace = workspace

    async def save(self) -> bool:
        """Save to the design's file; asks for one where it has none."""
        if self._editing.session.path is None:
            return await self.save_as()
        return await self._write(None)

    async def save_as(self, typed: str = "") -> bool:
        """Save to a file that is asked for; an existing one is not replaced unasked.

        Where that fails it is asked again, with what was ``typed`` to be mended.
        """
        proposed = self._editing.session.save_path
        text = await self._questions.ask(
            Question(
                "save as",
                typed or short_path(proposed),
                "right arrow completes a name",
                check=lambda text: "" if text.strip() else "a file name is needed",
                file=True,
            )
        )
        if text is None:
            return False
        try:
            path = Path(text).expanduser()
            path = path / proposed.name if path.is_dir() else path
            asks = path.exists() and not is_same_file(path, self._editing.session.path)
        except (OSError, ValueError, RuntimeError) as error:
            self._messages.say(f"{text}: {error}", "failed")
            return await self.save_as(text)
        if asks:
            keep = Choice("keep", "keep it, write nothing", "c")
            ways = [Choice("replace", "replace it", "r"), keep]
            if await self._questions.choose(f"{path} exists already", ways) != "replace":
                words = f"nothing was written; {path} stays unchanged"
                self._messages.say(words, "refused")
                return False
        return await self._write(path, typed=text)

    async def pick(self) -> Session | None:
        """Let another design file be picked; its problems are listed where it cannot be read."""
        path = await self._workspace.pick_file(self._editing.session.save_path.parent)
        return None if path is None else await self._opened(path)

    async def open_file(self) -> None:
        """Open another design; what was on the screen stays where that fails."""
        if await self.may_leave() and (session := await self.pick()) is not None:
            self.show(session)
            self._messages.say(f"opened {short_path(session.path or Path())}")

    async def list_designs(self) -> None:
        """Look at all designs of the folder; one is opened, or two are compared side by side."""
        picked = await self._workspace.pick_design(self._editing.session.save_path.parent)
        if picked is None or not await self.may_leave():
            return
        try:
            self.show(open_beside(*picked))
        except DesignFileError as failed:
            await self._show_problems(failed)

    async def new(self) -> None:
        """Begin with an empty canvas."""
        if await self.may_leave():
            self.show(new_session())
            self._messages.say("an empty canvas: a adds the first part")

    async def tour(self) -> None:
        """Begin the tour on its design, or leave it."""
        if self.leave_tour():
            return
        if self._workspace.tour_was_left:
            self._workspace.go_on_with_tour()
        elif await self.may_leave():
            self.show(tour_session())

    def leave_tour(self) -> bool:
        """End the tour where it is on, and say so; what was built stays."""
        left = self._workspace.leave_tour()
        if left:
            words = "the tour is over; what you built stays"
            more = f", {action('tour').first_key} goes on" if self._workspace.tour_was_left else ""
            self._messages.say(f"{words}: {action('save').first_key} saves it{more}", "hint")
        return left

    async def go_to_start(self) -> None:
        """Go to the start: saved designs, recent files, recovered work."""
        if await self.may_leave():
            self._editing.session.rescue.remove()
            self._workspace.go_to_start()

    async def quit(self) -> None:
        """Leave the app, asking first where something is not saved."""
        if await self.may_leave():
            self._editing.session.rescue.remove()
            self._workspace.leave()

    def show(self, session: Session) -> None:
        """Work on another design, the old one being saved or given up."""
        self._editing.session.rescue.remove()
        self._workspace.open(session)

    async def may_leave(self) -> bool:
        """Whether the design may go: it is saved, or its changes are given up."""
        if self._editing.read_only or not self._editing.unsaved:
            return True
        choice = await self._questions.choose(
            f"{self._editing.session.title} has changes that are not saved",
            [
                Choice("save", "save them", "s"),
                Choice("discard", "discard them", "d"),
                Choice("stay", "stay here", "c"),
            ],
        )
        return await self.save() if choice == "save" else choice == "discard"

    async def _opened(self, path: Path) -> Session | None:
        try:
            return open_session(path)
        except DesignFileError as failed:
            await self._show_problems(failed)
            return None

    async def _show_problems(self, failed: DesignFileError) -> None:
        """List every problem of a file that could not be read."""
        self._messages.say(f"{failed.source} was not opened; what was here stays", "failed")
        choices = [Choice(str(number), line) for number, line in enumerate(failed.lines())]
        await self._questions.choose(f"{failed.source} cannot be read:", choices, look=True)

    async def _write(self, path: Path | None, *, typed: str = "") -> bool:
        """Save, asking what to do where the file was changed meanwhile; says how it went."""
        session, design = self._editing.session, self._editing.design
        overwrite = False
        while True:
            try:
                saved = session.save(design, path, overwrite=overwrite)
            except FileChangedError as changed:
                choice = await self._ask_about_change(str(changed), path or session.save_path)
                if choice == "overwrite":
                    overwrite = True
                    continue
                if choice == "other":
                    return await self.save_as()
                if choice != "reload":
                    there = (path or session.save_path).exists()
                    kept = (
                        "the file on disk stays unchanged" if there else "there is no file on disk"
                    )
                    self._messages.say(f"not saved; {kept}", "refused")
                return False
            except SaveError as failed:
                elsewhere = "" if typed else "; S saves it elsewhere"
                self._messages.say(f"{failed}{elsewhere}", "failed")
                return await self.save_as(typed) if typed else False
            break
        self._editing.mark_saved()
        self._save_lock(saved)
        return True

    def _save_lock(self, saved: Path) -> None:
        try:
            self._editing.session.save_lock(self._editing.design)
        except LockError as failed:
            self._messages.say(f"saved {short_path(saved)}, but {failed}", "failed")
        else:
            self._messages.say(f"saved {short_path(saved)}")

    async def _ask_about_change(self, what: str, path: Path) -> str | None:
        """Ask what to do where the file was changed; the difference as often as wanted."""
        while True:
            choice = await self._questions.choose(what, _ways_on(is_there=path.exists()))
            if choice not in ("difference", "reload"):
                return choice
            session = await self._opened(path)
            if session is None:
                continue
            if choice == "reload":
                self.show(session)
                self._messages.say(f"opened {short_path(path)} from disk")
                return choice
            lines = differences(session.design, self._editing.design)
            listed = [Choice(str(number), line) for number, line in enumerate(lines)]
            same = [Choice("same", "nothing: only its comments or its layout were changed")]
            title = "from the file on disk to this design:"
            await self._questions.choose(title, listed or same, look=True)


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
        Choice("reload", "open the file on disk; this design is given up", "r"),
        ways[1],
    ]
