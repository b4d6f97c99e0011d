"""The review of a design in the middle of the screen: its state, who decided what, comments."""

from __future__ import annotations

from collections.abc import Sequence

from toposmith.design.document import Design
from toposmith.design.named_places import named_places
from toposmith.documents.table import Cell, Column, Note, Row, Table, Tone
from toposmith.findings.finding import Finding, findings_words, head_tone
from toposmith.review.sidecar.verdict import Comment, Review
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.flows.review_flow import comment, decide, reply, settle
from toposmith.tui.keeping.reviews import state_tone
from toposmith.tui.views.listing import Key, Listing

_COLUMNS = (
    Column("id"),
    Column("state"),
    Column("place", wide=26, fill=10),
    Column("comment", fill=24, wraps=True),
    Column("author", rank=2, wide=24),
    Column("date", rank=3),
)


def review_table(
    review: Review,
    findings: Sequence[Finding] | None,
    design: Design,
    trouble: str,
    glyphs: Glyphs,
) -> Table:
    """The state of a review above its comments.

    Parameters
    ----------
    review : Review
        Their texts.
    findings : sequence of Finding or None
        Of the design; None while they are being computed.
    design : Design
        Where comments have their places.
    trouble : str
        Why the review cannot be read; empty where it can.
    glyphs : Glyphs
        The signs to draw with.
    """
    ordered = sorted(review.comments, key=lambda one: not one.open)
    rows = tuple(_row(one, design, glyphs) for one in ordered)
    empty = "no comments yet: a makes one"
    return Table(_COLUMNS, rows, tuple(_head(review, findings, trouble)), empty)


def _head(review: Review, findings: Sequence[Finding] | None, trouble: str) -> list[Note]:
    if trouble:
        return [Note(trouble, Tone.BAD), Note("nothing can be added until it is mended")]
    head = [Note(review.words[0].upper() + review.words[1:], state_tone(review))]
    head += [Note(fault, Tone.BAD) for fault in review.faults]
    for decision in review.decisions:
        tone = Tone.QUIET if decision.stale else Tone.PLAIN
        head += [Note(line, tone) for line in (decision.words, *decision.remarks)]
    if review.pinned is not None and review.pinned.words:
        then = ", ".join(f"{name} {figure}" for name, figure in review.pinned.figures.items())
        head.append(Note(f"{review.pinned.moved}; figures then: {then}", Tone.WARNING))
    if findings is None:
        head.append(Note("findings are being computed ...", Tone.QUIET))
    else:
        head.append(Note(f"{findings_words(findings)} (f lists them)", head_tone(findings)))
    return head


def _row(one: Comment, design: Design, glyphs: Glyphs) -> Row:
    tone = Tone.PLAIN if one.open else Tone.DIM
    state = f"{glyphs.warning} open" if one.open else f"{glyphs.done} resolved"
    place = f"{one.place} (gone)" if one.gone else one.place
    place = f"{one.place} (was {one.was})" if one.was else place
    answered = f" (+{len(one.replies)})" if one.replies else ""
    text = f"{' '.join(one.text.split())}{answered}"
    cells = (
        Cell(one.mark, one.mark, tone),
        Cell(state, int(not one.open), Tone.WARNING if one.open else tone),
        Cell(place, place, tone),
        Cell(text, text, tone),
        Cell(one.author, one.author, tone),
        Cell(one.date, one.date, tone),
    )
    gone = ("the design has no such place any more",) if one.gone else ()
    replies = tuple(f"{each.author}, {each.date}: {each.text}" for each in one.replies)
    settled = (f"resolved by {one.settled_by}",) if one.settled_by else ()
    said = (one.text, *replies, *settled)
    detail = (f"{one.author}, {one.date}, on {one.place}:", *said, *gone)
    groups, links = named_places(one.place, design)
    return Row(one.id, cells, detail, groups, links)


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
            "d", "decide", "Decide: approve the current design, or request changes",
            lambda on: decide(on.here),
        ),
    ),
)  # fmt: skip
