"""Building: groups, links, and the steps taken."""

from __future__ import annotations

from toposmith.tui.actions.definition import Action
from toposmith.tui.asking import Act
from toposmith.tui.lazy_import import LazyFlow

BUILDING: tuple[Action, ...] = (
    Action(
        "add", ("a",), "add",
        "Choose a part in the parts panel; Enter puts it on the canvas as a group of devices",
        changes=True, rank=2,
        also_of=("design",),
        do=Act(lambda designer: designer.panels.show_parts(True)),
    ),
    Action(
        "fit", ("n",), "NICs",
        "Fit NICs into the slots of the selected group of nodes; shows which fit, and why others "
        "do not",
        needs="node", changes=True, rank=12,
        do=LazyFlow("flows.additions", "fit"),
    ),
    Action(
        "wire", ("w",), "wire",
        "Wire the selected group, or the one above the selected link: choose the other end with "
        "the arrows, Enter, then the number of cables, with the figure it gives shown before you "
        "accept",
        needs="item", changes=True, rank=3,
        do=LazyFlow("flows.additions", "wire"),
    ),
    Action(
        "more", ("plus", "equals_sign"), "more",
        "One device more in the selected group, or one cable more in the selected link",
        needs="item", changes=True, rank=4,
        do=LazyFlow("flows.changing", "step", 1),
    ),
    Action(
        "fewer", ("minus",), "fewer",
        "One device fewer in the selected group, or one cable fewer in the selected link",
        needs="item", changes=True, rank=10,
        do=LazyFlow("flows.changing", "step", -1),
    ),
    Action(
        "count", ("c",), "count",
        "Type how many devices the selected group has, or how many cables the selected link",
        needs="item", changes=True, rank=14,
        do=LazyFlow("flows.changing", "count"),
    ),
    Action(
        "edit", ("e",), "edit",
        "Change the selected group (part, count, axes, name, note) or link; with nothing selected "
        "the design (name, note, axes)",
        changes=True, rank=5,
        also_of=("group", "link", "design"),
        do=LazyFlow("flows.changing", "edit"),
    ),
    Action(
        "inside", ("z",), "inside",
        "Go into the selected group: a unit with its devices and ports, then one node or switch "
        "inside; Enter does so too, Escape comes out",
        needs="group", rank=17, title="Inside: unit, node, switch",
        do=Act(lambda designer: designer.selection.go_inside()),
    ),
    Action(
        "layer", ("L",), "layer",
        "Show one fabric alone (compute, storage, in-band), the next each time, then all again",
        rank=25, title="Layer: one fabric alone",
        also_of=("design",),
        do=Act(lambda designer: designer.selection.next_layer()),
    ),
    Action(
        "whole", ("1",), "whole",
        "Show the whole design, names and counts alone where more does not fit; again: all of it",
        rank=25, title="Fit to screen: the whole design",
        also_of=("design",),
        do=Act(lambda designer: designer.selection.turn_whole()),
    ),
    Action(
        "move", ("Z",), "move",
        "Move the selected group within its tier with the arrows; Enter puts it there",
        needs="group", changes=True, rank=26, title="Move the group on the canvas",
        do=Act(lambda designer: designer.selection.move_group()),
    ),
    Action(
        "reset_positions", ("O",), "places",
        "Let the layout place all groups again, where some were moved",
        changes=True, title="Places: arrange all groups again",
        do=Act(lambda designer: designer.selection.reset_positions()),
    ),
    Action(
        "rename", ("r",), "rename",
        "Give the selected group another name",
        needs="group", changes=True, rank=19,
        do=LazyFlow("flows.changing", "rename"),
    ),
    Action(
        "delete", ("x", "delete"), "delete",
        "Delete the selected group with its links, or the selected link",
        needs="item", changes=True, rank=13,
        do=LazyFlow("flows.changing", "delete"),
    ),
    Action(
        "mark", ("space",), "mark",
        "Mark the selected group, or take its mark away; what is done next is done to all that "
        "are marked; with the mouse shift or ctrl and a click",
        needs="group", rank=25,
        do=Act(lambda designer: designer.selection.toggle_mark()),
    ),
    Action(
        "reshape", ("A",), "reshape",
        "Make the fabric rail-optimised or top-of-rack, divide it into planes, repeat it as "
        "several SUs, split a group, merge two, leave places empty",
        changes=True, rank=17, title="Reshape: rails, racks, planes, SUs, split, merge",
        also_of=("group", "design"),
        do=LazyFlow("flows.fabric_shape", "reshape"),
    ),
    Action(
        "recable", ("X",), "cables",
        "Mark a device or cables as slow, swap two cables, move the end of one, put one back, name "
        "what fails or is serviced together",
        changes=True, title="Single cables and devices: slow, swap, move, name a set",
        also_of=("group", "link"),
        do=LazyFlow("flows.deviations", "recable"),
    ),
    Action(
        "replace", ("R",), "replace part",
        "Replace a part of the marked groups, or wherever it is used, with the figures of each "
        "shown before",
        changes=True, title="Replace part of groups or everywhere",
        also_of=("group", "design"),
        do=LazyFlow("flows.replacements", "replace"),
    ),
    Action(
        "duplicate", ("d",), "duplicate",
        "Duplicate the selected or marked groups, with their wiring",
        needs="chosen", changes=True, rank=26,
        do=LazyFlow("flows.group_copies", "duplicate"),
    ),
    Action(
        "copy", ("y",), "copy",
        "Copy the selected or marked groups with the links among them, else the selected link, "
        "else the figures: for P, and as text to the clipboard of your terminal",
        rank=27, title="Copy groups, a link or the figures",
        also_of=("group", "link"),
        do=LazyFlow("flows.group_copies", "copy"),
    ),
    Action(
        "paste", ("P",), "paste",
        "Paste the groups that were copied, in this design or in another",
        changes=True, title="Paste groups",
        also_of=("design",),
        do=LazyFlow("flows.group_copies", "paste_copied"),
    ),
    Action(
        "find", ("g",), "go to",
        "Go to a group or link by a few letters of its name or part",
        rank=28, title="Go to a group or link",
        do=LazyFlow("flows.item_search", "find"),
    ),
    Action(
        "undo", ("u", "ctrl+z"), "undo",
        "Take the last change back, as often as you like; what D tries to fail comes back first",
        needs="undo", changes=True, rank=6,
        do=LazyFlow("flows.failure_trials", "undo"),
    ),
    Action(
        "redo", ("U", "ctrl+y"), "redo",
        "Make the change again that was taken back last",
        needs="redo", changes=True, rank=18,
        do=Act(lambda designer: designer.editing.redo()),
    ),
    Action(
        "history", ("H",), "history",
        "List every step; Enter goes back or forward to any of them",
        changes=True, rank=23,
        do=Act(lambda designer: designer.measurement.show_history()),
    ),
)  # fmt: skip
