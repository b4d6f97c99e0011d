"""Parts of the catalog."""

from __future__ import annotations

from toposmith.tui.actions.definition import Action
from toposmith.tui.asking import Act
from toposmith.tui.lazy_import import LazyFlow

PARTS: tuple[Action, ...] = (
    Action(
        "card", ("i",), "part card",
        "Show the card of the selected group's part: every figure with its source; in the parts "
        "panel the right arrow does",
        needs="group", rank=20,
        do=Act(lambda designer: designer.parts.show_selected()),
    ),
    Action(
        "compare", ("C",), "compare parts",
        "Mark the selected group's part, or compare it with the marked part; in the parts panel "
        "Space marks and = compares",
        rank=24,
        do=Act(lambda designer: designer.parts.compare()),
    ),
    Action(
        "own-part", ("7",), "your own part",
        "Copy the part that is looked at, change its figures, say where they are from; it goes to "
        "a file of yours",
        rank=25,
        do=LazyFlow("flows.part_copies", "make_own_part"),
    ),
    Action(
        "parts", ("p",), "parts",
        "Show or hide the parts panel",
        rank=21,
        do=Act(lambda designer: designer.panels.toggle_parts()),
    ),
    Action(
        "filter", ("slash",), "filter parts",
        "Filter the parts by name, vendor, speed or kind, as in: nv 400 sw; letters in order are "
        "enough",
        do=Act(lambda designer: designer.panels.filter_parts()),
    ),
)  # fmt: skip
