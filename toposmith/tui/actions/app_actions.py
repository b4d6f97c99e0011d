"""The app itself."""

from __future__ import annotations

from toposmith.tui.actions.definition import Action
from toposmith.tui.asking import Act

APP: tuple[Action, ...] = (
    Action(
        "redraw", ("backslash", "ctrl+l"), "redraw",
        "Redraw the screen, after something else wrote to the terminal",
        do=Act(lambda designer: designer.workspace.redraw()),
        at_start=lambda start: start.redraw(),
    ),
    Action(
        "palette", ("colon", "ctrl+p"), "do",
        "Find any action by its name",
        rank=1, title="Do any action",
        do=Act(lambda designer: designer.workspace.show_palette()),
        at_start=lambda start: start.show_palette(),
    ),
    Action(
        "help", ("question_mark", "f1"), "help",
        "What can be done here, with which keys",
        rank=1,
        do=Act(lambda designer: designer.workspace.show_help()),
        at_start=lambda start: start.show_help(),
    ),
    Action(
        "quit", ("q", "ctrl+q"), "quit",
        "Leave; asks first where something is not saved",
        rank=1,
        do=Act(lambda designer: designer.files.quit()),
        at_start=lambda start: start.leave(),
    ),
)  # fmt: skip
