"""The review of a design in the middle of the screen: its state, who decided what, comments."""

from __future__ import annotations

from toposmith.tui.flows.review_flow import comment, decide, reply, settle
from toposmith.tui.tables.comments import review_table
from toposmith.tui.views.listing import Key, Listing

REVIEW = Listing(
    "review",
    "Review",
    about="the review",
    said=lambda *said: said,
    table=lambda found, asked, glyphs: review_table(found[0], found[1], found[2], found[3], glyphs),
    keys=(
        Key("enter", "go there", "Go to the place that the line is about", lambda on: on.there),
        Key(
            "a", "comment", "Comment on the place that the line is about",
            lambda on: comment(on.here),
        ),
        Key(
            "R", "reply", "Reply to a comment", lambda on: reply(on.row.key) if on.row else None
        ),
        Key(
            "x", "resolve, reopen", "Resolve a comment, or reopen it",
            lambda on: settle(on.row.key) if on.row else None,
        ),
        Key(
            "d", "decide", "Decide: approve the design as it is, or request changes",
            lambda on: decide(on.here),
        ),
    ),
)  # fmt: skip
