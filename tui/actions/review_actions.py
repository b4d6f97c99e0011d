"""Reviewing: findings, comments, differences and failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.tui.actions.definition import Action

if TYPE_CHECKING:
    from toposmith.tui.designer.designer import Designer, Flow


def _comment(designer: Designer) -> Flow:
    from toposmith.tui.flows.review_flow import comment

    return comment(designer)


def _decide(designer: Designer) -> Flow:
    from toposmith.tui.flows.review_flow import decide

    return decide(designer)


def _designs(designer: Designer) -> Flow:
    from toposmith.tui.flows.review_flow import list_designs

    return list_designs(designer)


def _fail(designer: Designer) -> Flow:
    from toposmith.tui.flows.failure_trials import fail

    return fail(designer)


REVIEWING: tuple[Action, ...] = (
    Action(
        "comment", ("comma",), "comment",
        "Comment on the selected group or link, or with nothing selected on the design; kept "
        "beside the design's file, which stays as it is",
        rank=29, title="Comment on a group, a link or the design",
        also_of=("group", "link", "design"),
        do=_comment,
    ),
    Action(
        "decide", ("semicolon",), "decide",
        "Approve the design as it is, or request changes; recorded with the design's hash",
        title="Decide: approve, or request changes",
        do=_decide,
    ),
    Action(
        "designs", ("ampersand",), "folder",
        "All designs of a folder in one table; Enter opens one, = compares two side by side",
        rank=24, title="Designs of a folder, side by side",
        do=_designs,
        at_start=lambda start: start.open_design(),
    ),
    Action(
        "fail", ("D",), "fail",
        "See all figures without one thing of the selected group or link: a NIC, a cable, a "
        "switch, a node; again brings it back. The design is not changed",
        needs="item or failing", rank=25,
        do=_fail,
    ),
)  # fmt: skip
