"""Changing what is selected, or the design itself: counts, names, notes, and taking away."""

from __future__ import annotations

from toposmith.topology.design.document import Group
from toposmith.topology.design.edits import (
    Edit,
    remove_groups,
    remove_link,
    rename_group,
    set_cables,
    set_count,
    set_counts,
    set_name,
    set_note,
)
from toposmith.tui.desk import Desk
from toposmith.tui.flows.asking import ask_number, refusal_of
from toposmith.tui.flows.axes import new_axis, repeat, resize_axis
from toposmith.tui.flows.building import MAX_CABLES
from toposmith.tui.flows.replacing import replace_in_groups
from toposmith.tui.parts.proposals import cabling_words
from toposmith.tui.questions import Choice, Question


async def step(desk: Desk, by: int) -> None:
    """One device or cable more or fewer in what is selected."""
    design = desk.workbench.design
    if len(names := desk.chosen_groups) > 1:
        _step_all(desk, names, by)
    elif (name := next(iter(names), None)) is not None:
        count = design.groups[name].count + by
        if count < 1:
            desk.say(f"{name} has only one; x deletes the group", "refused")
            return
        desk.make(set_count(design, name, count))
    elif (index := desk.selected_link) is not None:
        cables = _cables(desk, index) + by
        if cables < 1:
            desk.say("the link has only one cable; x deletes the link", "refused")
            return
        desk.make(set_cables(design, index, cables))


def _step_all(desk: Desk, names: tuple[str, ...], by: int) -> None:
    """One device more or fewer in every one of several groups, as one step."""
    design = desk.workbench.design
    for name in names:
        count = design.groups[name].count + by
        if count < 1:
            desk.say(f"{name} has only one; x deletes the groups", "refused")
            return
        design = set_count(design, name, count).design
    desk.make(Edit(design, f"{', '.join(names)}: one device {'more' if by > 0 else 'fewer'} each"))


async def count(desk: Desk) -> None:
    """Type how many devices, or how many cables."""
    design = desk.workbench.design
    if desk.chosen_groups:
        await _ask_count(desk, desk.chosen_groups)
    elif (index := desk.selected_link) is not None:
        ends = " to each ".join(design.links[index].between)
        number = await ask_number(
            desk,
            f"cables from each {ends}",
            _cables(desk, index),
            highest=MAX_CABLES,
            edit=lambda cables: set_cables(desk.workbench.design, index, cables),
            told=lambda cables: cabling_words(
                desk.workbench.plan,
                desk.workbench.catalog,
                set_cables(desk.workbench.design, index, cables),
                index,
            ),
        )
        if number is not None:
            desk.make(set_cables(desk.workbench.design, index, number))


async def edit(desk: Desk) -> None:
    """Change the selected group or link, or the design where nothing is selected."""
    if (name := desk.selected_group) is not None:
        await _edit_group(desk, name)
    elif (index := desk.selected_link) is not None:
        await _edit_link(desk, index)
    else:
        await _edit_design(desk)


async def rename(desk: Desk) -> None:
    """Give the selected group another name."""
    name = desk.selected_group or ""
    new = await desk.ask(
        Question(
            f"new name of {name}",
            name,
            "a letter, then letters, digits, - or _",
            check=refusal_of(lambda text: rename_group(desk.workbench.design, name, text)),
        )
    )
    if new and desk.make(rename_group(desk.workbench.design, name, new)):
        desk.select_group(new)


async def delete(desk: Desk) -> None:
    """Take the selected group or link away."""
    design = desk.workbench.design
    if desk.chosen_groups:
        desk.make(remove_groups(design, desk.chosen_groups))
    elif (index := desk.selected_link) is not None:
        desk.make(remove_link(design, index))


async def _edit_group(desk: Desk, name: str) -> None:
    group = desk.workbench.design.groups[name]
    per = ", ".join(group.per) or "nothing"
    choice = await desk.choose(
        f"change {name}",
        [
            Choice("part", f"part: {group.part}", "p"),
            Choice("count", f"count: {group.count:,}{_each(group)}", "c"),
            Choice("per", f"repeats over: {per}", "o"),
            Choice("name", f"name: {name}", "n"),
            Choice("note", f"note: {group.note or 'none'}", "t"),
        ],
    )
    if choice == "part":
        await replace_in_groups(desk, (name,))
    elif choice == "count":
        await _ask_count(desk, (name,))
    elif choice == "per":
        await repeat(desk, name)
    elif choice == "name":
        await rename(desk)
    elif choice == "note":
        await _ask_note(desk, group.note, name)


async def _edit_link(desk: Desk, index: int) -> None:
    link = desk.workbench.design.links[index]
    cables = "even split" if link.cables is None else str(link.cables)
    choice = await desk.choose(
        f"change {' - '.join(link.between)}",
        [
            Choice("count", f"cables: {cables}", "c"),
            Choice(
                "even",
                "cables: deal the ports evenly",
                "o",
                edit=lambda: set_cables(desk.workbench.design, index, None),
            ),
            Choice("delete", "delete the link", "x"),
        ],
    )
    if choice == "count":
        await count(desk)
    elif choice == "even":
        desk.make(set_cables(desk.workbench.design, index, None))
    elif choice == "delete":
        await delete(desk)


async def _edit_design(desk: Desk) -> None:
    design = desk.workbench.design
    choices = [
        Choice("name", f"name: {design.name or 'none'}", "n"),
        Choice("note", f"note: {design.note or 'none'}", "t"),
        Choice("axis", "new axis", "a"),
    ]
    choices += [Choice(f"={axis}", f"axis {axis}: {size:,}") for axis, size in design.axes.items()]
    choice = await desk.choose("change the design (nothing is selected)", choices)
    if choice == "name":
        name = await desk.ask(Question("name of the design", design.name))
        if name is not None:
            desk.make(set_name(desk.workbench.design, name))
    elif choice == "note":
        await _ask_note(desk, design.note, None)
    elif choice == "axis":
        await new_axis(desk)
    elif choice is not None:
        await resize_axis(desk, choice[1:])


async def _ask_count(desk: Desk, names: tuple[str, ...]) -> None:
    design = desk.workbench.design
    group = design.groups[names[0]]
    number = await ask_number(
        desk,
        f"how many {', '.join(names)}{_each(group) if len(names) == 1 else ' each'}",
        group.count,
        edit=lambda count: set_counts(design, names, count),
    )
    if number is not None:
        desk.make(set_counts(design, names, number))


async def _ask_note(desk: Desk, note: str | None, group: str | None) -> None:
    what = f"note of {group}" if group else "note of the design"
    text = await desk.ask(Question(what, " ".join((note or "").split())))
    if text is not None:
        desk.make(set_note(desk.workbench.design, text or None, group=group))


def _cables(desk: Desk, index: int) -> int:
    """Cables of a link between two peers, as written or as dealt."""
    written = desk.workbench.design.links[index].cables
    if written is not None:
        return written
    planned = (link for link in desk.workbench.plan.links if link.index == index)
    return next((link.cables_per_pair for link in planned), 1)


def _each(group: Group) -> str:
    return f" per {' and '.join(group.per)}" if group.per else ""
