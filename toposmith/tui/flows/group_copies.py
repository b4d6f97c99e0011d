"""Groups beside themselves, and from one design into another."""

from __future__ import annotations

from toposmith.design.edits import Edit, copy_groups, duplicate_groups, paste
from toposmith.design.writer import design_text
from toposmith.errors import EditError
from toposmith.text import counted
from toposmith.tui.copying.copied_text import figures_text, link_text
from toposmith.tui.designer.designer import Designer
from toposmith.tui.questions import Choice


def copy(designer: Designer) -> None:
    """Copy the marked or selected groups with the links among them, else a link, else the figures.

    All of it goes to the terminal's clipboard as text; groups can be pasted here, too.
    """
    names, link, design = (
        designer.selection.chosen_groups,
        designer.selection.link,
        designer.editing.design,
    )
    if names:
        copied = copy_groups(design, names)
        designer.workspace.keep_copied(copied)
        how = designer.workspace.copy_out(design_text(copied))
        wires = f" with {counted(len(copied.links), 'link')}" if copied.links else ""
        said = f"copied {', '.join(names)}{wires}; P pastes, in another design too"
        designer.messages.say(f"{said}; as text {how}")
        return
    if link is not None:
        what, text = " - ".join(design.links[link].between), link_text(design, link)
    else:
        what, text = "the figures", figures_text(designer.measurement.figures, designer.glyphs)
    designer.messages.say(f"copied {what} {designer.workspace.copy_out(text)}")


async def copy_line(designer: Designer, text: str) -> None:
    """Copy a line of a table to the terminal's clipboard."""
    designer.messages.say(f"copied the line {designer.workspace.copy_out(text)}")


async def paste_copied(designer: Designer) -> None:
    """Add what was copied, in this design or in another one."""
    copied = designer.workspace.copied
    if copied is None:
        designer.messages.say("nothing was copied yet: y copies the marked groups", "refused")
        return
    _make_and_mark(designer, paste(designer.editing.design, copied))


async def duplicate(designer: Designer) -> None:
    """Put a copy beside the marked groups, wired as they are where the ports allow it."""
    design, names = designer.editing.design, designer.selection.chosen_groups
    wired = duplicate_groups(design, names)
    refusal = _refusal(designer, wired)
    if not refusal:
        _make_and_mark(designer, wired)
        return
    alone = duplicate_groups(design, names, wired=False)
    chosen = await designer.questions.choose(
        f"wired like its original it would be refused: {refusal}",
        [Choice("alone", "duplicate it without links to the rest", "a", edit=lambda: alone)],
    )
    if chosen is not None:
        _make_and_mark(designer, alone)


def _refusal(designer: Designer, edit: Edit) -> str:
    try:
        designer.editing.workbench.judge(edit)
    except EditError as refused:
        return str(refused)
    return ""


def _make_and_mark(designer: Designer, edit: Edit) -> None:
    """Make an edit; the groups that it added are selected, several are marked."""
    before = designer.editing.design.groups
    if not designer.editing.make(edit):
        return
    added = tuple(name for name in edit.design.groups if name not in before)
    if added:
        designer.selection.select_group(added[0])
    designer.selection.mark_groups(added if len(added) > 1 else ())
