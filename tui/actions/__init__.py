"""Every action of the app, its keys and words; what an action does is a flow's."""

from toposmith.tui.actions.definition import ALWAYS, NEEDS_WORDS, Action, ActionScreen
from toposmith.tui.actions.every_action import (
    action,
    actions_of,
    all_actions,
    bindings_of,
    sections_of,
    use_keys,
)
from toposmith.tui.actions.footer import FOOTER_GAP, footer_actions, footer_cells

__all__ = [
    "ALWAYS",
    "FOOTER_GAP",
    "NEEDS_WORDS",
    "Action",
    "ActionScreen",
    "action",
    "actions_of",
    "all_actions",
    "bindings_of",
    "footer_actions",
    "footer_cells",
    "sections_of",
    "use_keys",
]
