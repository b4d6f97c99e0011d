"""What a design keeps after each single failure, worst first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.review.failures.maintenance import only_removable
from toposmith.review.failures.sweep import COLLECTIVES, sweep
from toposmith.text import percent
from toposmith.tui.flows.failure_trials import Trials, ask_pairs, ask_share, let_fail
from toposmith.tui.tables.failure_rows import failure_table
from toposmith.tui.views.listing import Job, Key, Listing

if TYPE_CHECKING:
    from toposmith.design.document import Design
    from toposmith.documents.table import Table
    from toposmith.review.failures.sweep import Sweep
    from toposmith.tui.drawing.glyphs import Glyphs

    Found = tuple[Sweep, Design]


def _found(job: Job) -> Found:
    """Let everything fail once, then pairs; what is measured stands before other collectives."""
    wanted, pairs = job.wanted, job.asked.pairs
    found = sweep(
        wanted.evaluated(job.catalog).plan,
        job.catalog,
        wanted.request,
        collectives=tuple(dict.fromkeys((wanted.request.collective, *COLLECTIVES))),
        doubles=pairs or 0,
        every_pair=pairs is None,
        progress=job.went,
        run=job.limit.run,
        so_far=lambda make: job.so_far(lambda: (make(), wanted.design)),
    )
    return found, wanted.design


def _table(found: Found, asked: Trials, glyphs: Glyphs) -> Table:
    listed, design = found
    if asked.keep is not None:
        listed = only_removable(listed, asked.keep)
    return failure_table(listed, design)


def _title(asked: Trials, found: Found | None) -> str:
    title = "Failures, worst first"
    if asked.keep is not None:
        title = f"Can be taken out now, at least {percent(asked.keep)} kept"
    to_come = found[0].to_come if found is not None else 0
    return f"{title}; {to_come:,} still to be looked at" if to_come else title


FAILURES = Listing(
    "failures",
    _title,
    about="the failures",
    compute=_found,
    table=_table,
    begin=Trials,
    counts=lambda asked: asked.pairs,
    head_share=5,
    ends_early="stopping, with the failures looked at until now",
    keys=(
        Key(
            "D", "without it", "Show the whole design without it; again, with it",
            lambda on: let_fail(on.here, on.of) if on.row else None,
        ),
        Key(
            "2", "pairs",
            "Let pairs fail together: all of them, counted, or as many as you say",
            lambda on: ask_pairs(on.asked),
        ),
        Key(
            "percent_sign", "can go",
            "List what can be taken out now, with so much kept as you say; again, all",
            lambda on: ask_share(on.asked),
        ),
    ),
)  # fmt: skip
