"""What a flow may ask of the screen that it runs on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from toposmith.topology.design.document import Design
from toposmith.topology.design.edits import Edit
from toposmith.topology.findings.finding import Finding
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.keeping.reviews import ReviewFile
from toposmith.tui.keeping.session import Session
from toposmith.tui.questions import Choice, Question
from toposmith.tui.widgets.message_line import Tone

if TYPE_CHECKING:
    from toposmith.topology.workbench import Step, Workbench
    from toposmith.tui.widgets.export_jobs import ExportJob


class Desk(Protocol):
    """The designer as its flows see it."""

    session: Session
    glyphs: Glyphs

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is wrong or worth knowing about the design."""
        ...

    @property
    def workbench(self) -> Workbench:
        """The design under work."""
        ...

    @property
    def selected_group(self) -> str | None:
        """The group that is selected on the canvas."""
        ...

    @property
    def chosen_groups(self) -> tuple[str, ...]:
        """The groups that are marked, else the one that is selected."""
        ...

    @property
    def copied(self) -> Design | None:
        """The groups that were copied last."""
        ...

    @property
    def selected_link(self) -> int | None:
        """The link that is selected on the canvas."""
        ...

    async def ask(self, question: Question) -> str | None:
        """Ask for something to be typed; None where the person went back."""
        ...

    async def choose(
        self, title: str, choices: list[Choice], *, look: bool = False, at: str = ""
    ) -> str | None:
        """Let the person choose; None where they went back."""
        ...

    async def find(
        self, title: str, choices: Sequence[Choice], *, hint: str = "", at: str = ""
    ) -> str | None:
        """Let the person choose among many by a few letters; None where they went back."""
        ...

    async def choose_step(self, title: str, listed: Callable[[], list[Choice]]) -> str | None:
        """Let the person choose a step of the history; None where they went back."""
        ...

    def step_words(self, step: Step) -> str:
        """The figure after a step of the history in words."""
        ...

    async def pick_target(self, source: str) -> str | None:
        """Let the person pick the other end of a wire on the canvas."""
        ...

    def make(self, edit: Edit) -> bool:
        """Make an edit and show what it does; says why where it is refused."""
        ...

    def say(self, text: str, tone: Tone = "done") -> None:
        """Say what happened."""
        ...

    def select_group(self, name: str) -> None:
        """Select a group on the canvas."""
        ...

    def mark_groups(self, names: tuple[str, ...]) -> None:
        """Mark these groups on the canvas and no others."""
        ...

    @property
    def figures_text(self) -> str:
        """The figures as text."""
        ...

    def copy_out(self, text: str) -> str:
        """Copy text to the clipboard of the terminal; returns how."""
        ...

    def keep_copied(self, copied: Design) -> None:
        """Keep copied groups for pasting."""
        ...

    def go_to_step(self, position: int) -> None:
        """Go to a step of the history and show it."""
        ...

    def select_link(self, index: int) -> None:
        """Select a link on the canvas."""
        ...

    def show_session(self, session: Session) -> None:
        """Work on another design."""
        ...

    async def pick_file(self, folder: Path) -> Path | None:
        """Let the person pick a design file."""
        ...

    def measure_again(self) -> None:
        """Show the figures of what is to be measured now."""
        ...

    def let_fail(self, selectors: tuple[str, ...]) -> None:
        """Show all figures without these things; with none of them, of the whole design again."""
        ...

    def start_export(self, job: ExportJob) -> None:
        """Write a file beside the screen, and say how it went."""
        ...

    def picture(self) -> str:
        """The screen as it is, as SVG."""
        ...

    review_file: ReviewFile

    def keep_review(self, kept: ReviewFile) -> None:
        """Show what was said in the review."""
        ...

    def reload_review(self) -> None:
        """Read the review's file again."""
        ...

    def compare_with(self, source: str, design: Design | None) -> None:
        """Show what differs from another design, or with None from the saved version."""
        ...

    async def pick_design(self, folder: Path) -> tuple[Path, Path | None] | None:
        """Let the person pick one of the designs of a folder, or two to lay side by side."""
        ...

    def show_view(self, name: str | None) -> None:
        """Show a view in the place of the fabric, or with None the fabric again."""
        ...

    def refresh_state(self) -> None:
        """Show what is saved and what is not."""
        ...

    def leave_tour(self) -> bool:
        """End the tour; returns whether it was on."""
        ...

    def go_to_start(self) -> None:
        """Show the welcome screen."""
        ...

    def leave(self) -> None:
        """End the app."""
        ...
