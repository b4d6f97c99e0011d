"""Building: groups, links, and the steps taken."""

from __future__ import annotations

from toposmith.tui.actions.definition import Action

BUILDING: tuple[Action, ...] = (
    Action(
        "add", ("a",), "add",
        "Choose a part in the parts panel; Enter puts it on the canvas as a group of devices",
        changes=True, rank=2,
    ),
    Action(
        "fit", ("n",), "NICs",
        "Fit NICs into the slots of the selected group of nodes; shows which fit, and why others "
        "do not",
        needs="node", changes=True, rank=12,
    ),
    Action(
        "wire", ("w",), "wire",
        "Wire the selected group: choose the other end with the arrows, Enter, then the number of "
        "cables, with the figure it gives shown before you accept",
        needs="group", changes=True, rank=3,
    ),
    Action(
        "more", ("plus", "equals_sign"), "more",
        "One device more in the selected group, or one cable more in the selected link",
        needs="item", changes=True, rank=4,
    ),
    Action(
        "fewer", ("minus",), "fewer",
        "One device fewer in the selected group, or one cable fewer in the selected link",
        needs="item", changes=True, rank=10,
    ),
    Action(
        "count", ("c",), "count",
        "Type how many devices the selected group has, or how many cables the selected link",
        needs="item", changes=True, rank=14,
    ),
    Action(
        "edit", ("e",), "edit",
        "Change the selected group (part, count, axes, name, note) or link; with nothing selected "
        "the design (name, note, axes)",
        changes=True, rank=5,
    ),
    Action(
        "inside", ("z",), "inside",
        "Go into the selected group: a unit with its devices and ports, then one node or switch "
        "inside; Enter does so too, Escape comes out",
        needs="group", rank=17, title="Inside: unit, node, switch",
    ),
    Action(
        "layer", ("L",), "layer",
        "Show one fabric alone (compute, storage, in-band), the next each time, then all again",
        rank=25, title="Layer: one fabric alone",
    ),
    Action(
        "move", ("Z",), "move",
        "Move the selected group within its tier with the arrows; Enter puts it there",
        needs="group", changes=True, rank=26, title="Move the group on the canvas",
    ),
    Action(
        "reset_positions", ("O",), "places",
        "Let the layout place all groups again, where some were moved",
        changes=True, title="Places: lay all groups out again",
    ),
    Action(
        "rename", ("r",), "rename",
        "Give the selected group another name",
        needs="group", changes=True, rank=19,
    ),
    Action(
        "delete", ("x", "delete"), "delete",
        "Delete the selected group with its links, or the selected link",
        needs="item", changes=True, rank=13,
    ),
    Action(
        "mark", ("space",), "mark",
        "Mark the selected group, or take its mark away; what is done next is done to all that "
        "are marked; with the mouse shift or ctrl and a click",
        needs="group", rank=25,
    ),
    Action(
        "reshape", ("A",), "reshape",
        "Make the fabric rail-optimised or top-of-rack, divide it into planes, repeat it as "
        "several SUs, split a group, merge two, leave slots empty",
        changes=True, rank=17, title="Reshape: rails, racks, planes, SUs, split, merge",
    ),
    Action(
        "replace", ("R",), "replace part",
        "Replace a part of the marked groups, or wherever it is used, with the figures of each "
        "shown before",
        changes=True, title="Replace part of groups or everywhere",
    ),
    Action(
        "duplicate", ("d",), "duplicate",
        "Put a copy beside the selected or marked groups, wired as they are",
        needs="chosen", changes=True, rank=26,
    ),
    Action(
        "copy", ("y",), "copy",
        "Copy the selected or marked groups with the links among them, else the selected link, "
        "else the figures: for P, and as text to the clipboard of your terminal",
        rank=27, title="Copy groups, a link or the figures",
    ),
    Action(
        "paste", ("P",), "paste",
        "Paste the groups that were copied, in this design or in another",
        changes=True, title="Paste groups",
    ),
    Action(
        "find", ("g",), "go to",
        "Go to a group or link by a few letters of its name or part",
        rank=28, title="Go to a group or link",
    ),
    Action(
        "undo", ("u", "ctrl+z"), "undo",
        "Take the last change back, as often as you like",
        needs="undo", changes=True, rank=6,
    ),
    Action(
        "redo", ("U", "ctrl+y"), "redo",
        "Make the change again that was taken back last",
        needs="redo", changes=True, rank=18,
    ),
    Action(
        "history", ("H",), "history",
        "List every step; Enter goes back or forward to any of them",
        changes=True, rank=23,
    ),
)  # fmt: skip
