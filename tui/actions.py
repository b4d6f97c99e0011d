"""Every action of the app, once: its keys, words and conditions.

Key bindings, footer, command palette and help are all made from this list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from textual.binding import Binding, BindingType

Place = Literal["designer", "welcome"]
Needs = Literal["nothing", "group", "chosen", "node", "item", "undo", "redo"]

NEEDS_WORDS: dict[Needs, str] = {
    "nothing": "",
    "group": "select a group first: arrows on the canvas, or click one",
    "chosen": "select a group first, or mark several (space)",
    "node": "select a group of nodes first: NICs go into nodes",
    "item": "select a group or a link first: arrows on the canvas, or click one",
    "undo": "nothing to undo",
    "redo": "nothing to redo",
}
"""What to say where an action cannot be done, by what it needs."""


@dataclass(frozen=True)
class Action:
    """Something a person can do.

    Parameters
    ----------
    id : str
        Its stable name.
    keys : tuple of str
        The keys that do it, the one to be shown first.
    label : str
        One or two words for the footer.
    help : str
        What it does, in a sentence.
    where : tuple of str
        The screens on which it works.
    needs : str
        What must be there for it to make sense.
    changes : bool
        Whether it changes the design or its file, which a review forbids.
    rank : int
        Its claim to a place in a narrow footer, 1 the highest; 0 keeps it out.
    title : str
        Its name in the command palette, where one or two words say too little.
    """

    id: str
    keys: tuple[str, ...]
    label: str
    help: str
    where: tuple[Place, ...] = ("designer",)
    needs: Needs = "nothing"
    changes: bool = False
    rank: int = 0
    title: str = ""

    @property
    def edits(self) -> bool:
        """Whether it changes the design itself, and not only its file."""
        return self.changes and self.id not in _KEEPS_DESIGN

    @property
    def palette_title(self) -> str:
        """Its name in the command palette."""
        return self.title or f"{self.label[0].upper()}{self.label[1:]}"

    @property
    def key_words(self) -> str:
        """The keys as a person reads them."""
        return ", ".join(_KEY_WORDS.get(key, key) for key in self.keys)

    @property
    def first_key(self) -> str:
        """The key that the footer shows."""
        return _KEY_WORDS.get(self.keys[0], self.keys[0])


_KEY_WORDS = {
    "plus": "+",
    "equals_sign": "=",
    "minus": "-",
    "question_mark": "?",
    "slash": "/",
    "space": "Space",
    "colon": ":",
    "comma": ",",
    "semicolon": ";",
    "vertical_line": "|",
    "ampersand": "&",
    "backslash": "\\",
    "f1": "F1",
    "delete": "Del",
}

ALWAYS = frozenset({"help", "redraw"})
"""What its keys do in every dialog, too."""

_KEEPS_DESIGN = frozenset({"add", "save", "save_as", "compare"})
"""Begins with a choice, or writes the design as it is."""

FOOTER_GAP = 2
"""Cells between two actions of the footer."""

_BOTH: tuple[Place, ...] = ("designer", "welcome")

ACTIONS: tuple[Action, ...] = (
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
    Action(
        "collective", ("m",), "collective",
        "Show the figures of the next collective: all-reduce, all-gather, reduce-scatter, "
        "broadcast, reduce, all-to-all, send/recv",
        rank=9,
    ),
    Action(
        "measure", ("M",), "measure",
        "Set what is measured: collective, message size, who takes part and where, NCCL's release, "
        "algorithm and protocol, SHARP, routing",
        rank=8, title="Measure: size, communicator, NCCL, routing",
    ),
    Action(
        "keep_measured", ("J",), "keep measured",
        "Write who takes part, as it is measured now, into the design's communicator block",
        changes=True, title="Keep measured communicator in the design",
    ),
    Action(
        "curve", ("v",), "curve",
        "Curve of busbw against size, in the place of the fabric, with the sizes where NCCL "
        "switches; the saved version lies below it where it differs",
        rank=11, title="Curve of busbw against size",
    ),
    Action(
        "findings", ("f",), "findings",
        "List everything that is wrong or worth knowing, with the figure and the way out; Enter "
        "goes to the place, w waives",
        rank=15,
    ),
    Action(
        "review", ("V",), "review",
        "The review: whether it is approved, who decided what, comments on groups and links; a "
        "there comments, x resolves, d decides",
        rank=26, title="Review: state, decisions, comments",
    ),
    Action(
        "comment", ("comma",), "comment",
        "Comment on the selected group or link, or with nothing selected on the design; kept "
        "beside the design's file, which stays as it is",
        rank=29, title="Comment on a group, a link or the design",
    ),
    Action(
        "decide", ("semicolon",), "decide",
        "Approve the design as it is, or request changes; recorded with the design's hash",
        title="Decide: approve, or request changes",
    ),
    Action(
        "differences", ("vertical_line",), "differences",
        "What differs from the saved version, another file or a revision of git, and what follows: "
        "figures, parts, findings; o there chooses",
        rank=28, title="Differences from another design",
    ),
    Action(
        "designs", ("ampersand",), "designs",
        "All designs of a folder in one table; Enter opens one, = lays two side by side",
        where=_BOTH, rank=24, title="Designs of a folder, side by side",
    ),
    Action(
        "fail", ("D",), "fail",
        "See all figures without one thing of the selected group or link: a NIC, a cable, a "
        "switch, a node; again brings it back. The design stays as it is",
        needs="item", rank=25,
    ),
    Action(
        "failures", ("F",), "failures",
        "What every single failure leaves of the bandwidth, worst first, in place of the fabric",
        rank=26,
    ),
    Action(
        "workload", ("t",), "workload",
        "Whether the design serves a model: its step as a picture, what each communication needs "
        "of the network and gets; e there changes the model",
        rank=27,
    ),
    Action(
        "layouts", ("Y",), "layouts",
        "All layouts of the workload's model on this cluster, the quickest first; Enter takes one",
        rank=28, title="Layouts of the workload, the quickest first",
    ),
    Action(
        "card", ("i",), "part card",
        "Show the card of the selected group's part: every figure with its source; in the parts "
        "panel the right arrow does",
        needs="group", rank=20,
    ),
    Action(
        "compare", ("C",), "compare parts",
        "Mark the selected group's part, or lay the marked part beside it; in the parts panel "
        "Space marks and = compares",
        rank=24,
    ),
    Action("parts", ("p",), "parts", "Show or hide the parts panel", rank=21),
    Action(
        "filter", ("slash",), "filter parts",
        "Filter the parts by name, vendor, speed or kind, as in: nv 400 sw; letters in order are "
        "enough",
    ),
    Action(
        "save", ("s", "ctrl+s"), "save",
        "Save the design; comments and order of a file written by hand stay",
        changes=True, rank=7,
    ),
    Action(
        "save_as", ("S",), "save as",
        "Save the design under another name",
        changes=True,
    ),
    Action(
        "bill", ("b",), "BOM",
        "Bill of materials as it stands: every box, NIC, cable and transceiver, sorted and "
        "filtered; w there writes it to a file",
        rank=16, title="BOM: the bill of materials",
    ),
    Action(
        "write_bill", ("B",), "write BOM",
        "Write the bill of materials to a file, in the form that its name ends in",
        title="Write BOM to a file",
    ),
    Action(
        "racks", ("K",), "racks",
        "Racks from the front in the place of the fabric: what stands in which U, power against "
        "the limit, heat, feeds; alike racks once",
        rank=27, title="Racks from the front, with power and heat",
    ),
    Action(
        "export", ("E",), "export",
        "Write the design for others: report, bill, cable schedule, elevations, drawings, graphs; "
        "asks for the form and the file",
        rank=24, title="Export: report, bill, cables, drawings",
    ),
    Action("open", ("o",), "open", "Open a design file", where=_BOTH, rank=17),
    Action(
        "new", ("N",), "new",
        "Begin with an empty canvas",
        where=_BOTH, changes=True, rank=22,
    ),
    Action(
        "template", ("T",), "template",
        "Fill an empty canvas from a template by a few questions: rail-optimised, top-of-rack, "
        "single switch, dual-plane, rail-only",
        changes=True, rank=18, title="Template: fill an empty canvas",
    ),
    Action(
        "start", ("W",), "welcome",
        "Go to the start: saved designs, recent files, recovered work",
    ),
    Action(
        "tour", ("G",), "tour",
        "A first tour on a real design, key by key; leaves it where it is on",
        where=_BOTH, rank=25, title="Tour: the first steps on a real design",
    ),
    Action(
        "redraw", ("backslash", "ctrl+l"), "redraw",
        "Draw the whole screen anew, after something else wrote to the terminal",
        where=_BOTH,
    ),
    Action(
        "palette", ("colon", "ctrl+p"), "do",
        "Find any action by its name",
        where=_BOTH, rank=1, title="Do any action",
    ),
    Action(
        "help", ("question_mark", "f1"), "help",
        "What can be done here, with which keys",
        where=_BOTH, rank=1,
    ),
    Action(
        "quit", ("q", "ctrl+q"), "quit",
        "Leave; asks first where something is not saved",
        where=_BOTH, rank=1,
    ),
)  # fmt: skip

_BY_ID = {action.id: action for action in ACTIONS}


def use_keys(keys: Mapping[str, tuple[str, ...]]) -> None:
    """Give actions other keys than their usual ones, in everything that is made from the list."""
    _BY_ID.update({one.id: replace(one, keys=keys.get(one.id, one.keys)) for one in ACTIONS})


def action(action_id: str) -> Action:
    """Return the action of this id."""
    return _BY_ID[action_id]


def actions_of(place: Place) -> list[Action]:
    """Return what can be done on a screen, in the order of the list."""
    return [_BY_ID[one.id] for one in ACTIONS if place in one.where]


def bindings_of(place: Place) -> list[BindingType]:
    """Key bindings of a screen; each has the action's id, so that it can be remapped."""
    return [
        Binding(
            ",".join(action.keys),
            f"do('{action.id}')",
            action.label,
            show=action.rank > 0,
            tooltip=action.help,
            id=f"{place}.{action.id}",
        )
        for action in actions_of(place)
    ]


def footer_actions(actions: Iterable[Action], width: int) -> list[Action]:
    """Choose the actions whose keys and labels fit on one line whole, the highest ranks first.

    Parameters
    ----------
    actions : iterable of Action
        What could be shown.
    width : int
        Cells of the line.

    Returns
    -------
    list of Action
        Those that fit, in the order of the registry.
    """
    shown = [action for action in actions if action.rank > 0]
    room = width + FOOTER_GAP  # none is needed behind the last
    chosen: set[str] = set()
    for candidate in sorted(shown, key=lambda action: action.rank):
        cells = footer_cells(candidate)
        if cells > room:
            continue
        room -= cells
        chosen.add(candidate.id)
    return [action for action in shown if action.id in chosen]


def footer_cells(action: Action) -> int:
    """Cells that an action takes in the footer, with the gap behind it."""
    return len(action.first_key) + 1 + len(action.label) + FOOTER_GAP
