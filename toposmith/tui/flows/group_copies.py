"""Copies of groups, and from one design into another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toposmith.design.edits import copy_groups, duplicate_groups, paste
from toposmith.design.writer import design_text
from toposmith.errors import EditError
from toposmith.text import counted
from toposmith.tui.asking import Act, Asking, FlowOutcome, Here, MadeEdit, Say, pick
from toposmith.tui.copying.copied_text import figures_text, link_text
from toposmith.tui.questions import Choice

if TYPE_CHECKING:
    from toposmith.design.document import Design


def copy(here: Here) -> FlowOutcome:
    """Copy the marked or selected groups with the links among them, else a link, else the figures.

    All of it goes to the terminal's clipboard as text; groups can be pasted here, too.
    """
    design, link = here.design, here.link
    if here.chosen:
        copied = copy_groups(design, here.chosen)
        wires = f" with {counted(len(copied.links), 'link')}" if copied.links else ""
        said = f"copied {', '.join(here.chosen)}{wires}; P pastes, in another design too; as text"
        return _copied(said, design_text(copied), copied)
    if link is not None:
        return _copied(f"copied {' - '.join(design.links[link].between)}", link_text(design, link))
    return _copied("copied the figures", figures_text(here.figures, here.glyphs))


def copy_line(text: str) -> FlowOutcome:
    """Copy a line of a table to the terminal's clipboard."""
    return _copied("copied the line", text)


def paste_copied(here: Here) -> FlowOutcome:
    """Add what was copied, in this design or in another one."""
    if here.copied is None:
        return Say("nothing was copied yet: y copies the marked groups")
    return MadeEdit(paste(here.design, here.copied), added=True)


def duplicate(here: Here) -> Asking:
    """Put a copy next to the marked groups, wired as they are where the ports allow it."""
    wired = duplicate_groups(here.design, here.chosen)
    try:
        here.bench.judge(wired)
    except EditError as refused:
        title = f"wired like its original it would be refused: {refused}"
        alone = Choice("alone", "duplicate it without links to the rest", "a")
        yield from pick(title, [alone])
        return MadeEdit(duplicate_groups(here.design, here.chosen, wired=False), added=True)
    return MadeEdit(wired, added=True)


def _copied(words: str, text: str, groups: Design | None = None) -> Act:
    """Copy a text out, and keep groups for pasting."""

    def do(designer: Any) -> None:
        if groups is not None:
            designer.workspace.keep_copied(groups)
        designer.messages.say(f"{words} {designer.workspace.copy_out(text)}")

    return Act(do)
