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
    set_wanted,
)
from toposmith.synthesis.wiring_ways import ratio_of, read_ratio, set_oversubscription
from toposmith.text import joined, oversubscription, plural
from toposmith.tui.asking import (
    Asking,
    FlowOutcome,
    Here,
    MadeEdit,
    Say,
    TextQuestion,
    ask,
    number,
    pick,
)
from toposmith.tui.flows.additions import MAX_CABLES
from toposmith.tui.flows.axis_questions import new_axis, repeat, resize_axis
from toposmith.tui.flows.replacements import replace_in_groups
from toposmith.tui.parts.suggestions import cabling_words
from toposmith.tui.questions import Choice


def step(here: Here, by: int) -> FlowOutcome:
    """One device or cable more or fewer in what is selected."""
    if here.chosen:
        return _step_groups(here, by)
    if here.link is None:
        return None
    cables = _cables(here, here.link) + by
    if cables < 1:
        return Say("the link has only one cable; x deletes the link")
    return set_cables(here.design, here.link, cables)


def _step_groups(here: Here, by: int) -> FlowOutcome:
    """One device more or fewer in every one of the chosen groups, as one step."""
    edit = Edit(here.design, "")
    for name in here.chosen:
        count = here.design.groups[name].count + by
        if count < 1:
            groups = "groups" if len(here.chosen) > 1 else "group"
            return Say(f"{name} has only one; x deletes the {groups}")
        edit = set_count(edit.design, name, count)
    if len(here.chosen) == 1:
        return edit
    how = "more" if by > 0 else "fewer"
    return Edit(edit.design, f"{', '.join(here.chosen)}: one device {how} each")


def count(here: Here) -> Asking:
    """Type how many devices, or how many cables."""
    design, index = here.design, here.link
    if here.chosen:
        return (yield from _ask_count(here, here.chosen))
    if index is None:
        return None

    def told(cables: int) -> str:
        return cabling_words(here.plan, here.catalog, set_cables(design, index, cables), index)

    ends = " to each ".join(design.links[index].between)
    now = _cables(here, index)
    many = yield from number(f"cables from each {ends}", now, highest=MAX_CABLES, told=told)
    return set_cables(design, index, many)


def edit(here: Here) -> Asking:
    """Change the selected group or link, or the design where nothing is selected."""
    if here.group is not None:
        return (yield from _edit_group(here, here.group))
    if here.link is not None:
        return (yield from _edit_link(here, here.link))
    return (yield from _edit_design(here))


def rename(here: Here) -> Asking:
    """Give the selected group another name."""
    name = here.group or ""

    def read(text: str) -> tuple[str, Edit]:
        return text.strip(), rename_group(here.design, name, text.strip())

    hint = "a letter, then letters, digits, - or _"
    new, made = yield from ask(TextQuestion(f"new name of {name}", name, read, hint))
    return MadeEdit(made, group=new)


def delete(here: Here) -> FlowOutcome:
    """Take the selected groups or link away."""
    if here.chosen:
        return remove_groups(here.design, here.chosen)
    return None if here.link is None else remove_link(here.design, here.link)


def _edit_group(here: Here, name: str) -> Asking:
    group = here.design.groups[name]
    choice = yield from pick(
        f"change {name}",
        [
            Choice("part", f"part: {group.part}", "p"),
            Choice("count", f"count: {group.count:,}{_each(group)}", "c"),
            Choice("per", f"repeats over: {', '.join(group.per) or 'nothing'}", "o"),
            Choice("name", f"name: {name}", "n"),
            Choice("note", f"note: {group.note or 'none'}", "t"),
        ],
        leads=True,
    )
    match choice:
        case "part":
            return (yield from replace_in_groups(here, (name,)))
        case "count":
            return (yield from _ask_count(here, (name,)))
        case "per":
            return (yield from repeat(here, name))
        case "name":
            return (yield from rename(here))
    return (yield from _ask_note(here, group.note, name))


def _edit_link(here: Here, index: int) -> Asking:
    link = here.design.links[index]
    planned = here.bench.evaluated.planned
    ratio = ratio_of(planned, index)
    cables = "even split" if link.cables is None else str(link.cables)
    choices = [Choice("count", f"cables: {cables}", "c")]
    if ratio is not None:  # between tiers of switches
        choices.append(Choice("ratio", f"oversubscription: {oversubscription(float(ratio))}", "r"))
    choices += [
        Choice("even", "cables: deal the ports evenly", "o"),
        Choice("parts", f"parts: {link.wants.words or 'as the bill chooses'}", "p"),
        Choice("delete", "delete the link", "x"),
    ]
    choice = yield from pick(f"change {' - '.join(link.between)}", choices)
    if choice == "count":
        return (yield from count(here))
    if choice == "even":
        return set_cables(here.design, index, None)
    if choice == "delete":
        return delete(here)
    if choice == "parts":
        return (yield from _ask_parts(here, index))
    return (
        yield from ask(
            TextQuestion(
                f"oversubscription of {' - '.join(link.between)}",
                oversubscription(float(ratio)) if ratio is not None else "1:1",
                lambda text: set_oversubscription(planned, index, read_ratio(text.strip())),
                "such as 2:1; cables and the switches above follow",
                lambda made: made.label.partition(": ")[2],
            )
        )
    )


def _ask_parts(here: Here, index: int) -> Asking:
    link = here.design.links[index]
    return (
        yield from ask(
            TextQuestion(
                f"parts of {' - '.join(link.between)}",
                link.wants.words,
                lambda text: set_wanted(here.design, index, text),
                "such as medium copper; cable ID; module ID, module ID; empty: the bill chooses",
            )
        )
    )


def _edit_design(here: Here) -> Asking:
    design = here.design
    choices = [
        Choice("name", f"name: {design.name or 'none'}", "n"),
        Choice("note", f"note: {design.note or 'none'}", "t"),
        Choice("axis", "new axis", "a"),
    ]
    choices += [Choice(f"={axis}", f"axis {axis}: {size:,}") for axis, size in design.axes.items()]
    choice = yield from pick("change the design (nothing is selected)", choices, leads=True)
    if choice == "name":
        name = yield from ask(TextQuestion("name of the design", design.name, str))
        return set_name(design, name)
    if choice == "note":
        return (yield from _ask_note(here, design.note, None))
    if choice == "axis":
        return (yield from new_axis(here))
    return (yield from resize_axis(here, choice[1:]))


def _ask_count(here: Here, names: tuple[str, ...]) -> Asking:
    group = here.design.groups[names[0]]
    many = yield from number(f"how many {_devices(group, names)}", group.count)
    return set_counts(here.design, names, many)


def _ask_note(here: Here, note: str | None, group: str | None) -> Asking:
    what = f"note of {group}" if group else "note of the design"
    text = yield from ask(TextQuestion(what, " ".join((note or "").split()), str))
    return set_note(here.design, text or None, group=group)


def _cables(here: Here, index: int) -> int:
    """Cables of a link between two peers, as written or as dealt."""
    written = here.design.links[index].cables
    if written is not None:
        return written
    planned = (link for link in here.plan.links if link.index == index)
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
