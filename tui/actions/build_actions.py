"""Building: groups, links, and the steps taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.tui.actions.definition import Action

if TYPE_CHECKING:
    from toposmith.tui.designer.designer import Designer, Flow


def _fit(designer: Designer) -> Flow:
    from toposmith.tui.flows.additions import fit

    return fit(designer)


def _wire(designer: Designer) -> Flow:
    from toposmith.tui.flows.additions import wire

    return wire(designer)


def _more(designer: Designer) -> Flow:
    from toposmith.tui.flows.changing import step

    return step(designer, 1)


def _fewer(designer: Designer) -> Flow:
    from toposmith.tui.flows.changing import step

    return step(designer, -1)


def _count(designer: Designer) -> Flow:
    from toposmith.tui.flows.changing import count

    return count(designer)


def _edit(designer: Designer) -> Flow:
    from toposmith.tui.flows.changing import edit

    return edit(designer)


def _rename(designer: Designer) -> Flow:
    from toposmith.tui.flows.changing import rename

    return rename(designer)


def _delete(designer: Designer) -> Flow:
    from toposmith.tui.flows.changing import delete

    return delete(designer)


def _reshape(designer: Designer) -> Flow:
    from toposmith.tui.flows.fabric_shape import reshape

    return reshape(designer)


def _recable(designer: Designer) -> Flow:
    from toposmith.tui.flows.deviations import recable

    return recable(designer)


def _replace(designer: Designer) -> Flow:
    from toposmith.tui.flows.replacements import replace

    return replace(designer)


def _duplicate(designer: Designer) -> Flow:
    from toposmith.tui.flows.group_copies import duplicate

    return duplicate(designer)


def _copy(designer: Designer) -> None:
    from toposmith.tui.flows.group_copies import copy

    copy(designer)


def _paste(designer: Designer) -> Flow:
    from toposmith.tui.flows.group_copies import paste_copied

    return paste_copied(designer)


def _find(designer: Designer) -> Flow:
    from toposmith.tui.flows.item_search import find

    return find(designer)


def _history(designer: Designer) -> Flow:
    from toposmith.tui.flows.history import show_history

    return show_history(designer)


def _undo(designer: Designer) -> None:
    from toposmith.tui.flows.failure_trials import undo

    undo(designer)


BUILDING: tuple[Action, ...] = (
    Action(
        "add", ("a",), "add",
        "Choose a part in the parts panel; Enter puts it on the canvas as a group of devices",
        changes=True, rank=2,
        also_of=("design",),
        do=lambda designer: designer.panels.show_parts(True),
    ),
    Action(
        "fit", ("n",), "NICs",
        "Fit NICs into the slots of the selected group of nodes; shows which fit, and why others "
        "do not",
        needs="node", changes=True, rank=12,
        do=_fit,
    ),
    Action(
        "wire", ("w",), "wire",
        "Wire the selected group: choose the other end with the arrows, Enter, then the number of "
        "cables, with the figure it gives shown before you accept",
        needs="group", changes=True, rank=3,
        do=_wire,
    ),
    Action(
        "more", ("plus", "equals_sign"), "more",
        "One device more in the selected group, or one cable more in the selected link",
        needs="item", changes=True, rank=4,
        do=_more,
    ),
    Action(
        "fewer", ("minus",), "fewer",
        "One device fewer in the selected group, or one cable fewer in the selected link",
        needs="item", changes=True, rank=10,
        do=_fewer,
    ),
    Action(
        "count", ("c",), "count",
        "Type how many devices the selected group has, or how many cables the selected link",
        needs="item", changes=True, rank=14,
        do=_count,
    ),
    Action(
        "edit", ("e",), "edit",
        "Change the selected group (part, count, axes, name, note) or link; with nothing selected "
        "the design (name, note, axes)",
        changes=True, rank=5,
        also_of=("group", "link", "design"),
        do=_edit,
    ),
    Action(
        "inside", ("z",), "inside",
        "Go into the selected group: a unit with its devices and ports, then one node or switch "
        "inside; Enter does so too, Escape comes out",
        needs="group", rank=17, title="Inside: unit, node, switch",
        do=lambda designer: designer.selection.go_inside(),
    ),
    Action(
        "layer", ("L",), "layer",
        "Show one fabric alone (compute, storage, in-band), the next each time, then all again",
        rank=25, title="Layer: one fabric alone",
        also_of=("design",),
        do=lambda designer: designer.selection.next_layer(),
    ),
    Action(
        "whole", ("1",), "whole",
        "Show the whole design, names and counts alone where more does not fit; again: all of it",
        rank=25, title="Fit to screen: the whole design",
        also_of=("design",),
        do=lambda designer: designer.selection.turn_whole(),
    ),
    Action(
        "move", ("Z",), "move",
        "Move the selected group within its tier with the arrows; Enter puts it there",
        needs="group", changes=True, rank=26, title="Move the group on the canvas",
        do=lambda designer: designer.selection.move_group(),
    ),
    Action(
        "reset_positions", ("O",), "places",
        "Let the layout place all groups again, where some were moved",
        changes=True, title="Places: arrange all groups again",
        do=lambda designer: designer.selection.reset_positions(),
    ),
    Action(
        "rename", ("r",), "rename",
        "Give the selected group another name",
        needs="group", changes=True, rank=19,
        do=_rename,
    ),
    Action(
        "delete", ("x", "delete"), "delete",
        "Delete the selected group with its links, or the selected link",
        needs="item", changes=True, rank=13,
        do=_delete,
    ),
    Action(
        "mark", ("space",), "mark",
        "Mark the selected group, or take its mark away; what is done next is done to all that "
        "are marked; with the mouse shift or ctrl and a click",
        needs="group", rank=25,
        do=lambda designer: designer.selection.toggle_mark(),
    ),
    Action(
        "reshape", ("A",), "reshape",
        "Make the fabric rail-optimised or top-of-rack, divide it into planes, repeat it as "
        "several SUs, split a group, merge two, leave places empty",
        changes=True, rank=17, title="Reshape: rails, racks, planes, SUs, split, merge",
        also_of=("group", "design"),
        do=_reshape,
    ),
    Action(
        "recable", ("X",), "cables",
        "Mark a device or cables as slow, swap two cables, move the end of one, put one back, name "
        "what fails or is serviced together",
        changes=True, title="Single cables and devices: slow, swap, move, name a set",
        also_of=("group", "link"),
        do=_recable,
    ),
    Action(
        "replace", ("R",), "replace part",
        "Replace a part of the marked groups, or wherever it is used, with the figures of each "
        "shown before",
        changes=True, title="Replace part of groups or everywhere",
        also_of=("group", "design"),
        do=_replace,
    ),
    Action(
        "duplicate", ("d",), "duplicate",
        "Duplicate the selected or marked groups, with their wiring",
        needs="chosen", changes=True, rank=26,
        do=_duplicate,
    ),
    Action(
        "copy", ("y",), "copy",
        "Copy the selected or marked groups with the links among them, else the selected link, "
        "else the figures: for P, and as text to the clipboard of your terminal",
        rank=27, title="Copy groups, a link or the figures",
        also_of=("group", "link"),
        do=_copy,
    ),
    Action(
        "paste", ("P",), "paste",
        "Paste the groups that were copied, in this design or in another",
        changes=True, title="Paste groups",
        also_of=("design",),
        do=_paste,
    ),
    Action(
        "find", ("g",), "go to",
        "Go to a group or link by a few letters of its name or part",
        rank=28, title="Go to a group or link",
        do=_find,
    ),
    Action(
        "undo", ("u", "ctrl+z"), "undo",
        "Take the last change back, as often as you like; what D tries to fail comes back first",
        needs="undo", changes=True, rank=6,
        do=_undo,
    ),
    Action(
        "redo", ("U", "ctrl+y"), "redo",
        "Make the change again that was taken back last",
        needs="redo", changes=True, rank=18,
        do=lambda designer: designer.editing.redo(),
    ),
    Action(
        "history", ("H",), "history",
        "List every step; Enter goes back or forward to any of them",
        changes=True, rank=23,
        do=_history,
    ),
)  # fmt: skip
