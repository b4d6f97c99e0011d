"""Changing what is selected, or the design itself: counts, names, notes, and taking away."""

from __future__ import annotations

from toposmith.design.document import Group
from toposmith.design.edits import (
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
from toposmith.synthesis.taper import ratio_of, read_ratio, set_oversubscription
from toposmith.text import joined, oversubscription, plural
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.additions import MAX_CABLES
from toposmith.tui.flows.axes import new_axis, repeat, resize_axis
from toposmith.tui.flows.prompts import ask_number, refusal_of
from toposmith.tui.flows.replacements import replace_in_groups
from toposmith.tui.parts.suggestions import cabling_words
from toposmith.tui.questions import Choice, Question


async def step(designer: Designer, by: int) -> None:
    """One device or cable more or fewer in what is selected."""
    design = designer.editing.design
    if len(names := designer.selection.chosen_groups) > 1:
        _step_all(designer, names, by)
    elif (name := next(iter(names), None)) is not None:
        count = design.groups[name].count + by
        if count < 1:
            designer.messages.say(f"{name} has only one; x deletes the group", "refused")
            return
        designer.editing.make(set_count(design, name, count))
    elif (index := designer.selection.link) is not None:
        cables = _cables(designer, index) + by
        if cables < 1:
            designer.messages.say("the link has only one cable; x deletes the link", "refused")
            return
        designer.editing.make(set_cables(design, index, cables))


def _step_all(designer: Designer, names: tuple[str, ...], by: int) -> None:
    """One device more or fewer in every one of several groups, as one step."""
    design = designer.editing.design
    for name in names:
        count = design.groups[name].count + by
        if count < 1:
            designer.messages.say(f"{name} has only one; x deletes the groups", "refused")
            return
        design = set_count(design, name, count).design
    designer.editing.make(
        Edit(design, f"{', '.join(names)}: one device {'more' if by > 0 else 'fewer'} each")
    )


async def count(designer: Designer) -> None:
    """Type how many devices, or how many cables."""
    design = designer.editing.design
    if designer.selection.chosen_groups:
        await _ask_count(designer, designer.selection.chosen_groups)
    elif (index := designer.selection.link) is not None:
        ends = " to each ".join(design.links[index].between)
        number = await ask_number(
            designer,
            f"cables from each {ends}",
            _cables(designer, index),
            highest=MAX_CABLES,
            edit=lambda cables: set_cables(designer.editing.design, index, cables),
            told=lambda cables: cabling_words(
                designer.editing.workbench.plan,
                designer.editing.workbench.catalog,
                set_cables(designer.editing.design, index, cables),
                index,
            ),
        )
        if number is not None:
            designer.editing.make(set_cables(designer.editing.design, index, number))


async def edit(designer: Designer) -> None:
    """Change the selected group or link, or the design where nothing is selected."""
    if (name := designer.selection.group) is not None:
        await _edit_group(designer, name)
    elif (index := designer.selection.link) is not None:
        await _edit_link(designer, index)
    else:
        await _edit_design(designer)


async def rename(designer: Designer) -> None:
    """Give the selected group another name."""
    name = designer.selection.group or ""
    new = await designer.questions.ask(
        Question(
            f"new name of {name}",
            name,
            "a letter, then letters, digits, - or _",
            check=refusal_of(lambda text: rename_group(designer.editing.design, name, text)),
        )
    )
    if new and designer.editing.make(rename_group(designer.editing.design, name, new)):
        designer.selection.select_group(new)


async def delete(designer: Designer) -> None:
    """Take the selected group or link away."""
    design = designer.editing.design
    if designer.selection.chosen_groups:
        designer.editing.make(remove_groups(design, designer.selection.chosen_groups))
    elif (index := designer.selection.link) is not None:
        designer.editing.make(remove_link(design, index))


async def _edit_group(designer: Designer, name: str) -> None:
    group = designer.editing.design.groups[name]
    per = ", ".join(group.per) or "nothing"
    choice = await designer.questions.choose(
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
        await replace_in_groups(designer, (name,))
    elif choice == "count":
        await _ask_count(designer, (name,))
    elif choice == "per":
        await repeat(designer, name)
    elif choice == "name":
        await rename(designer)
    elif choice == "note":
        await _ask_note(designer, group.note, name)


async def _edit_link(designer: Designer, index: int) -> None:
    link = designer.editing.design.links[index]
    cables = "even split" if link.cables is None else str(link.cables)
    choice = await designer.questions.choose(
        f"change {' - '.join(link.between)}",
        [
            Choice("count", f"cables: {cables}", "c"),
            *_ratio_choices(designer, index),
            Choice(
                "even",
                "cables: deal the ports evenly",
                "o",
                edit=lambda: set_cables(designer.editing.design, index, None),
            ),
            Choice("delete", "delete the link", "x"),
        ],
    )
    if choice == "count":
        await count(designer)
    elif choice == "ratio":
        await _ask_ratio(designer, index)
    elif choice == "even":
        designer.editing.make(set_cables(designer.editing.design, index, None))
    elif choice == "delete":
        await delete(designer)


def _ratio_choices(designer: Designer, index: int) -> list[Choice]:
    """The oversubscription of a link between tiers of switches."""
    ratio = ratio_of(designer.editing.workbench.evaluated.planned, index)
    if ratio is None:
        return []
    return [Choice("ratio", f"oversubscription: {oversubscription(float(ratio))}", "r")]


async def _ask_ratio(designer: Designer, index: int) -> None:
    """Type an oversubscription; cables and the switches above follow."""
    planned = designer.editing.workbench.evaluated.planned
    ratio = ratio_of(planned, index)

    def edit(text: str) -> Edit:
        return set_oversubscription(planned, index, read_ratio(text))

    answer = await designer.questions.ask(
        Question(
            f"oversubscription of {' - '.join(planned.design.links[index].between)}",
            oversubscription(float(ratio)) if ratio is not None else "1:1",
            "such as 2:1; cables and the switches above follow",
            check=refusal_of(edit),
            edit=edit,
            told=lambda text: "" if refusal_of(edit)(text) else edit(text).label.partition(": ")[2],
        )
    )
    if answer is not None:
        designer.editing.make(edit(answer))


async def _edit_design(designer: Designer) -> None:
    design = designer.editing.design
    choices = [
        Choice("name", f"name: {design.name or 'none'}", "n"),
        Choice("note", f"note: {design.note or 'none'}", "t"),
        Choice("axis", "new axis", "a"),
    ]
    choices += [Choice(f"={axis}", f"axis {axis}: {size:,}") for axis, size in design.axes.items()]
    choice = await designer.questions.choose("change the design (nothing is selected)", choices)
    if choice == "name":
        name = await designer.questions.ask(Question("name of the design", design.name))
        if name is not None:
            designer.editing.make(set_name(designer.editing.design, name))
    elif choice == "note":
        await _ask_note(designer, design.note, None)
    elif choice == "axis":
        await new_axis(designer)
    elif choice is not None:
        await resize_axis(designer, choice[1:])


async def _ask_count(designer: Designer, names: tuple[str, ...]) -> None:
    design = designer.editing.design
    group = design.groups[names[0]]
    number = await ask_number(
        designer,
        f"how many {_devices(group, names)}",
        group.count,
        edit=lambda count: set_counts(design, names, count),
    )
    if number is not None:
        designer.editing.make(set_counts(design, names, number))


async def _ask_note(designer: Designer, note: str | None, group: str | None) -> None:
    what = f"note of {group}" if group else "note of the design"
    text = await designer.questions.ask(Question(what, " ".join((note or "").split())))
    if text is not None:
        designer.editing.make(set_note(designer.editing.design, text or None, group=group))


def _cables(designer: Designer, index: int) -> int:
    """Cables of a link between two peers, as written or as dealt."""
    written = designer.editing.design.links[index].cables
    if written is not None:
        return written
    planned = (link for link in designer.editing.workbench.plan.links if link.index == index)
    return next((link.cables_per_pair for link in planned), 1)


def _devices(group: Group, names: tuple[str, ...]) -> str:
    """``nodes per su``; names that are no words stay as they are."""
    if len(names) > 1:
        return f"of {joined(names)} each"
    name = names[0]
    is_word = name.isalpha() and not name.endswith("s")
    return f"{plural(name) if is_word else f'of {name}'}{_each(group)}"


def _each(group: Group) -> str:
    return f" per {' and '.join(group.per)}" if group.per else ""
