"""Reviewing: findings, comments, differences and failures."""

from __future__ import annotations

from toposmith.tui.actions.definition import Action
from toposmith.tui.asking import Act
from toposmith.tui.lazy_import import LazyFlow

REVIEWING: tuple[Action, ...] = (
    Action(
        "comment", ("comma",), "comment",
        "Comment on the selected group or link, or with nothing selected on the design; kept "
        "next to the design's file, which stays unchanged",
        reach="review",
        rank=29, title="Comment on a group, a link or the design",
        also_of=("group", "link", "design"),
        do=LazyFlow("flows.review_flow", "comment"),
    ),
    Action(
        "decide", ("semicolon",), "decide",
        "Approve the current design, or request changes; recorded with the design's hash",
        reach="review",
        title="Decide: approve, or request changes",
        do=LazyFlow("flows.review_flow", "decide"),
    ),
    Action(
        "designs", ("ampersand",), "folder",
        "All designs of a folder in one table; Enter opens one, = compares two side by side",
        reach="files",
        rank=24, title="Designs of a folder, side by side",
        do=Act(lambda designer: designer.files.list_designs()),
        at_start=lambda start: start.open_design(),
    ),
    Action(
        "fail", ("D",), "fail",
        "See all figures without one thing of the selected group or link: a NIC, a cable, a "
        "switch, a node; again brings it back. The design is not changed",
        needs="item or failing", rank=25,
        do=LazyFlow("flows.failure_trials", "fail"),
    ),
)  # fmt: skip
