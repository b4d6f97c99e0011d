"""Reviewing: findings, comments, differences and failures."""

from __future__ import annotations

from toposmith.tui.actions.definition import EVERYWHERE, Action

REVIEWING: tuple[Action, ...] = (
    Action(
        "findings", ("f",), "findings",
        "List everything that is wrong or worth knowing, with the figure and the fix; Enter "
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
        where=EVERYWHERE, rank=24, title="Designs of a folder, side by side",
    ),
    Action(
        "fail", ("D",), "fail",
        "See all figures without one thing of the selected group or link: a NIC, a cable, a "
        "switch, a node; again brings it back. The design stays as it is",
        needs="item or failing", rank=25,
    ),
    Action(
        "failures", ("F",), "failures",
        "What every single failure leaves of the bandwidth, worst first, in place of the fabric",
        rank=26,
    ),
)  # fmt: skip
