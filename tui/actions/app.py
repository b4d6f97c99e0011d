"""The app itself."""

from __future__ import annotations

from toposmith.tui.actions.definition import EVERYWHERE, Action

APP: tuple[Action, ...] = (
    Action(
        "redraw", ("backslash", "ctrl+l"), "redraw",
        "Draw the whole screen anew, after something else wrote to the terminal",
        where=EVERYWHERE,
    ),
    Action(
        "palette", ("colon", "ctrl+p"), "do",
        "Find any action by its name",
        where=EVERYWHERE, rank=1, title="Do any action",
    ),
    Action(
        "help", ("question_mark", "f1"), "help",
        "What can be done here, with which keys",
        where=EVERYWHERE, rank=1,
    ),
    Action(
        "quit", ("q", "ctrl+q"), "quit",
        "Leave; asks first where something is not saved",
        where=EVERYWHERE, rank=1,
    ),
)  # fmt: skip
