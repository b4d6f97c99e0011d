"""Groups beside themselves, and from one design into another."""

from __future__ import annotations

from toposmith.text import counted
from toposmith.topology.design.edits import Edit, copy_groups, duplicate_groups, paste
from toposmith.topology.design.writing import design_text
from toposmith.topology.errors import EditError
from toposmith.tui.copying.text import link_text
from toposmith.tui.desk import Desk
from toposmith.tui.questions import Choice


def copy(desk: Desk) -> None:
    """Copy the marked or selected groups with the links among them, else a link, else the figures.

    All of it goes to the terminal's clipboard as text; groups can be pasted here, too.
    """
    names, link, design = desk.chosen_groups, desk.selected_link, desk.workbench.design
    if names:
        copied = copy_groups(design, names)
        desk.keep_copied(copied)
        how = desk.copy_out(design_text(copied))
        wires = f" with {counted(len(copied.links), 'link')}" if copied.links else ""
        said = f"copied {', '.join(names)}{wires}; P pastes, in another design too"
        desk.say(f"{said}; as text {how}")
        return
    if link is not None:
        what, text = " - ".join(design.links[link].between), link_text(design, link)
    else:
        what, text = "the figures", desk.figures_text
    desk.say(f"copied {what} {desk.copy_out(text)}")


async def paste_copied(desk: Desk) -> None:
    """Add what was copied, in this design or in another one."""
    copied = desk.copied
    if copied is None:
        desk.say("nothing was copied yet: y copies the marked groups", "refused")
        return
    _make_and_mark(desk, paste(desk.workbench.design, copied))


async def duplicate(desk: Desk) -> None:
    """Put a copy beside the marked groups, wired as they are where the ports allow it."""
    design, names = desk.workbench.design, desk.chosen_groups
    wired = duplicate_groups(design, names)
    refusal = _refusal(desk, wired)
    if not refusal:
        _make_and_mark(desk, wired)
        return
    alone = duplicate_groups(design, names, wired=False)
    chosen = await desk.choose(
        f"wired like its original it would be refused: {refusal}",
        [Choice("alone", "duplicate it without links to the rest", "a", edit=lambda: alone)],
    )
    if chosen is not None:
        _make_and_mark(desk, alone)


def _refusal(desk: Desk, edit: Edit) -> str:
    try:
        desk.workbench.judge(edit)
    except EditError as refused:
        return str(refused)
    return ""


def _make_and_mark(desk: Desk, edit: Edit) -> None:
    """Make an edit; the groups that it added are selected, several are marked."""
    before = desk.workbench.design.groups
    if not desk.make(edit):
        return
    added = tuple(name for name in edit.design.groups if name not in before)
    if added:
        desk.select_group(added[0])
    desk.mark_groups(added if len(added) > 1 else ())
