"""What a design keeps after each single failure, worst first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toposmith.design.document import Design
from toposmith.documents.table import Note, Table, Tone
from toposmith.review.failures.maintenance import only_removable
from toposmith.review.failures.sweep import COLLECTIVES, Sweep, sweep
from toposmith.review.failures.sweep_in_words import (
    before_line,
    beside_notes,
    failures_table,
    survived_notes,
)
from toposmith.text import counted, percent
from toposmith.tui.flows.failure_trials import Trials, ask_pairs, ask_share, let_fail
from toposmith.tui.views.listing import Key, Listing, ViewJob

if TYPE_CHECKING:
    Found = tuple[Sweep, Design]
    from toposmith.tui.drawing.glyphs import Glyphs


def failure_table(sweep: Sweep, design: Design) -> Table:
    """The failures of a sweep, worst first, with what each leaves as a bar."""
    # a small screen shows the first lines only: what may stop a job, what was not looked at
    beside = beside_notes(sweep)
    head = [] if sweep.complete else [Note(_until_now(sweep), Tone.WARNING)]
    head += [note for note in beside if note.tone is Tone.BAD]
    if sweep.other_networks:
        head.append(Note(f"not looked at: {'; '.join(sweep.other_networks)}", Tone.WARNING))
    head.append(Note(before_line(sweep)))
    head += survived_notes(sweep)
    head += [note for note in beside if note.tone is not Tone.BAD]
    head += [Note(f"not looked at: {line}", Tone.QUIET) for line in sweep.unseen]
    if sweep.doubles:
        head.append(Note(f"pairs, worst first: {sweep.doubles_words}", Tone.QUIET))
    table = failures_table(sweep.worst_first, sweep, design=design)
    return replace(table, head=tuple(head))


def _until_now(sweep: Sweep) -> str:
    """That others may be worse than what is listed."""
    if sweep.to_come:
        return f"{counted(sweep.to_come, 'failure', 'are')} still to be looked at; Escape ends that"
    return "ended early: not all failures were looked at"


def _found(job: ViewJob) -> Found:
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
    if asked.keep is None:
        return failure_table(listed, design)
    table = failure_table(only_removable(listed, asked.keep), design)
    return replace(table, empty=f"nothing can be taken out with {percent(asked.keep)} kept; % all")


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
