"""What flows may ask of the designer: questions, edits, sessions, undo and the way out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from topology.design.arranging import reset_positions, set_position
from topology.design.document import Design
from topology.design.edits import Edit
from topology.design.view import read_view
from topology.errors import DesignFileError, EditError
from tui.canvas.canvas import GroupItem, LinkItem
from tui.canvas.layers import layers_of, next_layer
from tui.copying.clipboard import clipboard_of
from tui.copying.text import figures_text
from tui.depths.depth_view import DepthView
from tui.drawing.glyphs import Glyphs
from tui.keeping.recovery import rescued_designs
from tui.keeping.session import Session, is_same_file
from tui.parts.at_hand import PartsAtHand
from tui.questions import Choice, Question
from tui.screens.designer_figures import DesignerFigures
from tui.screens.help import HERE, HelpScreen, Here
from tui.screens.open_file import OpenFileScreen
from tui.screens.place import Finished, Opening, Unreadable
from tui.terminal.osc52 import copy_out
from tui.tour.panel import TourPanel
from tui.tour.steps import Seen
from tui.widgets.export_jobs import ExportJob, ExportJobs
from tui.widgets.key_bar import KeyBar
from tui.widgets.message_line import Tone
from tui.widgets.parts_panel import PartsPanel
from tui.wording import counted, first_sentence

AUTOSAVE_SECONDS = 20.0
_PICK_KEYS = (("Arrows", "choose the other end"), ("Enter", "wire"), ("Esc", "back"))


class DesignerDesk(DesignerFigures):
    """The main screen without its keys: what flows ask of it.

    Parameters
    ----------
    opening : callable
        Returns the session to begin with; called after the first paint.
    glyphs : Glyphs
        The signs to draw with.
    read_only : bool
        Whether the design is open for review.
    greeting : str
        What to say at the beginning.
    parts : PartsAtHand, optional
        Where parts are looked for; without it those of the program and the user's own.
    """

    def __init__(
        self,
        opening: Opening,
        *,
        glyphs: Glyphs,
        read_only: bool = False,
        greeting: str = "",
        parts: PartsAtHand | None = None,
    ) -> None:
        super().__init__(glyphs=glyphs, read_only=read_only)
        self._parts_at_hand = parts or PartsAtHand()
        self._opening = opening
        self._greeting = greeting
        self._picked: asyncio.Future[str | None] | None = None
        self._journal_failed = False
        self._typed_ahead: list[str] = []

    def on_mount(self) -> None:
        """Paint first; read the design and the catalog after that."""
        self.canvas.border_title = "Fabric"
        self.set_interval(AUTOSAVE_SECONDS, self.autosave)
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        try:
            session = self._opening()
        except DesignFileError as failed:
            self.post_message(Unreadable(failed))
            return
        self.show_session(session)
        if session.design.groups:
            self.select_group(next(iter(session.design.groups)))
        faults = self.workbench.catalog.faults
        if faults:
            found = f"{counted(len(faults), 'fault')} in part files (f lists them): {faults[0]}"
            self.say(found, "minded")
        elif self._greeting:
            self.say(self._greeting)
        elif self._read_only:
            self.say(
                "open for review: f lists the findings, i shows a part, m the next collective, "
                "v the curve"
            )
        elif not session.design.groups:
            self.say("an empty canvas: a adds the first part, ? says what else can be done", "hint")
        elif self._has_unsaved_twin(session):
            self.say("an earlier run left unsaved work of this file: W lists it", "refused")
        elif session.design.note:
            self.say(first_sentence(session.design.note, self.size.width - 4), "hint")
        self.begun()

    def _has_unsaved_twin(self, session: Session) -> bool:
        path = session.path
        return path is not None and any(
            is_same_file(rescued.origin, path) for rescued in rescued_designs() if rescued.origin
        )

    def begun(self) -> None:
        """The design is there."""

    # What flows ask of this screen

    @property
    def selected_group(self) -> str | None:
        """The group that is selected on the canvas."""
        item = self.canvas.selected
        return item.name if isinstance(item, GroupItem) else None

    @property
    def chosen_groups(self) -> tuple[str, ...]:
        """The groups that are marked, else the one that is selected."""
        return self.canvas.marked or tuple(filter(None, [self.selected_group]))

    @property
    def copied(self) -> Design | None:
        """The groups that were copied last, in this design or another."""
        return clipboard_of(self.app).copied

    def keep_copied(self, copied: Design) -> None:
        """Keep copied groups for pasting."""
        clipboard_of(self.app).copied = copied

    @property
    def selected_link(self) -> int | None:
        """The link that is selected on the canvas."""
        item = self.canvas.selected
        return item.index if isinstance(item, LinkItem) else None

    @property
    def asking(self) -> bool:
        """Whether a question is waiting for its answer."""
        return self._questions.is_open

    async def ask(self, question: Question) -> str | None:
        """Ask for something to be typed; None where the person went back."""
        return await self._questions.ask(question)

    async def choose(
        self, title: str, choices: list[Choice], *, look: bool = False, at: str = ""
    ) -> str | None:
        """Let the person choose; None where they went back."""
        return await self._questions.choose(title, choices, look=look, at=at)

    async def find(
        self, title: str, choices: Sequence[Choice], *, hint: str = "", at: str = ""
    ) -> str | None:
        """Let the person choose among many by a few letters; None where they went back."""
        return await self._questions.find(title, choices, hint=hint, at=at)

    async def pick_target(self, source: str) -> str | None:
        """Let the person pick the other end of a wire on the canvas."""
        picked: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._picked = picked
        self.show_fabric()
        self.canvas.pick_target(source)
        self.query_one(KeyBar).show_mode(_PICK_KEYS)
        self.say(f"wire {source} to ...", "hint")
        try:
            return await picked
        finally:
            if self._picked is picked and self.is_running:
                self._picked = None
                self.refresh_keys()

    def make(self, edit: Edit) -> bool:
        """Make an edit and show what it does; says why where it is refused."""
        try:
            self.workbench.apply(edit)
        except EditError as refused:
            self.say(str(refused), "refused")
            return False
        self.say(edit.label)
        self._to_tell = edit.label
        self._show_design()
        return True

    def say(self, text: str, tone: Tone = "done") -> None:
        """Say what happened; what an edit did is not told over it."""
        self._to_tell = ""
        super().say(text, tone)

    def go_inside(self) -> None:
        """Go into the selected group."""
        if self.selected_group is not None and self.view is not self.depths:
            self.depths.enter_group(self.selected_group)
            self.show_view(DepthView.NAME)

    def next_layer(self) -> None:
        """Show the next fabric alone, and after the last all of them."""
        plan = self.workbench.plan
        layer = next_layer(plan, self.canvas.shown_layer)
        if layer is None and not layers_of(plan):
            self.say("no nodes yet: there are no fabrics to show alone", "hint")
            return
        self.canvas.show_layer(layer)
        self._draw(self._figures.analysis)
        self._refresh_header()
        self.say(f"the {layer} fabric alone; L shows the next" if layer else "all fabrics", "hint")

    def move_group(self) -> None:
        """Let the selected group be moved with the arrows."""
        if self.selected_group is not None:
            self.show_fabric()
            self.canvas.move_group(self.selected_group)
            self.refresh_keys()

    def put_group(self, group: str, columns: int) -> None:
        """Keep where a group was moved to."""
        self.make(set_position(self.workbench.design, group, columns))

    def reset_positions(self) -> None:
        """Let the layout place all groups again."""
        if read_view(self.workbench.design).positions:
            self.make(reset_positions(self.workbench.design))
        else:
            self.say("no group was moved", "hint")

    def select_group(self, name: str) -> None:
        """Select a group on the canvas."""
        if self.view is not None:
            self.show_view(None)
        self.canvas.select(GroupItem(name))

    def mark_groups(self, names: tuple[str, ...]) -> None:
        """Mark these groups on the canvas and no others."""
        self.canvas.mark(names)

    def toggle_mark(self) -> None:
        """Mark the selected group for what is done next, or take its mark away."""
        if self.selected_group is not None:
            self.canvas.toggle_mark(self.selected_group)
            marked = self.canvas.marked
            words = f"marked: {', '.join(marked)}; + - c x d y R do it to all" if marked else ""
            self.say(words or "nothing is marked any longer", "hint")

    def select_link(self, index: int) -> None:
        """Select a link on the canvas."""
        if self.view is not None:
            self.show_view(None)
        self.canvas.select(LinkItem(index))

    def show_session(self, session: Session) -> None:
        """Work on another design."""
        from topology.workbench import Workbench

        catalog = self._parts_at_hand.load_what_can_be()
        bench = Workbench(session.design, catalog, read_only=self._read_only)
        session.resume(bench)
        self._begin_with(bench, session)
        self.query_one(PartsPanel).show(bench.catalog)
        self.leave_tour()
        self._show_design()
        if session.tour and not self._read_only:
            self.mount(TourPanel(self._seen_by_tour), before="#message")

    def leave_tour(self) -> bool:
        """End the tour; returns whether it was on."""
        on = self.query(TourPanel)
        found = bool(on)
        on.remove()
        return found

    def _seen_by_tour(self) -> Seen | None:
        if self._bench is None or not self.is_attached:
            return None
        return Seen(
            self.selected_group,
            self.workbench.design,
            self.workbench.request.collective,
            None if self.view is None else self.view.NAME,
            self.asking,
            self.app.screen is not self,
        )

    def redraw(self) -> None:
        """Draw the whole screen anew."""
        self.app.call_later(self.app.run_action, "redraw")

    def copy_out(self, text: str) -> str:
        """Copy text to the clipboard of the terminal; returns how."""
        return copy_out(text, self.app.copy_to_clipboard)

    @property
    def figures_text(self) -> str:
        """The figures as text."""
        return figures_text(self._figures, self.glyphs)

    async def pick_file(self, folder: Path) -> Path | None:
        """Let the person pick a design file."""
        return await self.app.push_screen_wait(OpenFileScreen(folder, self.glyphs))

    def start_export(self, job: ExportJob) -> None:
        """Write a file beside the screen, and say how it went."""
        self.query_one(ExportJobs).start(job)

    def picture(self) -> str:
        """The screen as it is, as SVG."""
        return self.app.export_screenshot(title=self.session.title)

    def show_help(self) -> None:
        """Show what can be done here."""
        self.app.push_screen(HelpScreen("designer", self._here))

    @property
    def _here(self) -> Here:
        """The panel that the keys go to."""
        if self.asking:
            return HERE["question"]
        for name in ("parts", "measure", "live"):
            if self.query_one(f"#{name}").has_focus_within:
                return HERE[name]
        view = self.view
        if view is not None and view.has_focus_within:
            return HERE.get(view.NAME) or Here(f"the {view.NAME}", view.KEYS)
        return HERE["canvas"]

    def go_to_start(self) -> None:
        """Show the welcome screen."""
        self.post_message(Finished())

    def leave(self) -> None:
        """End the app."""
        self.app.exit(return_code=0)

    def undo(self) -> None:
        """Take the last change back."""
        step = self.workbench.undo()
        self.say(f"undone: {step}" if step else "nothing to undo", "done" if step else "hint")
        self._show_design()

    def redo(self) -> None:
        """Make the change again that was taken back last."""
        step = self.workbench.redo()
        self.say(f"redone: {step}" if step else "nothing to redo", "done" if step else "hint")
        self._show_design()

    def go_to_step(self, position: int) -> None:
        """Go to a step of the history and show it."""
        self.workbench.go_to(position)
        self.say(f"at step {position}: {self.workbench.steps[position].label}")
        self._show_design()

    def autosave(self) -> Path | None:
        """Journal what is new; returns the journal where there is unsaved work in it."""
        if self._bench is None or self._bench.read_only:
            return None
        try:
            kept = self.session.journal(self._bench)
        except OSError as error:
            if not self._journal_failed:  # said once, not at every key
                why = error.strerror or str(error)
                self.say(f"unsaved work cannot be kept for recovery ({why}): save it (s)", "failed")
            self._journal_failed = True
            return None
        self._journal_failed = False
        return kept if self._bench.dirty or self.session.unsaved else None

    def _show_design(self) -> None:
        """Journal the step before anything is made of it; the disk may take its time."""
        if self.autosave() is not None:
            flush = self.session.rescue.flush
            self.run_worker(flush, thread=True, group="journal", exit_on_error=False)
        super()._show_design()

    def on_unmount(self) -> None:
        """Leave the journal, where there is one, to the next run."""
        self.session.rescue.close()
