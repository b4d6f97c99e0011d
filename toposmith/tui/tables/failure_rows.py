"""What a design keeps after each single failure, as a table."""

from __future__ import annotations

from dataclasses import replace

from toposmith.design.document import Design
from toposmith.documents.table import Note, Table, Tone
from toposmith.review.failures.sweep import Sweep
from toposmith.review.failures.sweep_in_words import (
    AFTER_RESTART,
    before_line,
    beside_notes,
    failures_table,
    survival_notes,
)
from toposmith.text import counted


def failure_table(sweep: Sweep, design: Design) -> Table:
    """The failures of a sweep, worst first, with what each leaves as a bar."""
    # a small screen shows the first lines only: what may stop a job, what nobody looked at, in one
    # line, and what is left
    beside = beside_notes(sweep)
    head = [] if sweep.complete else [Note(_until_now(sweep), Tone.WARNING)]
    head += [note for note in beside if note.tone is Tone.BAD]
    if sweep.other_networks:
        head.append(Note(f"not looked at: {'; '.join(sweep.other_networks)}", Tone.WARNING))
    head += survival_notes(sweep, together=True)
    head.append(Note(before_line(sweep)))
    head += [note for note in beside if note.tone is not Tone.BAD]
    head += [Note(f"not looked at: {line}", Tone.QUIET) for line in sweep.unseen]
    if sweep.singles:
        head.append(Note(AFTER_RESTART, Tone.QUIET))
    if sweep.doubles:
        head.append(Note(f"pairs, worst first: {sweep.doubles_words}", Tone.QUIET))
    table = failures_table(sweep.worst_first, sweep, design=design)
    return replace(table, head=tuple(head))


def _until_now(sweep: Sweep) -> str:
    """That others may be worse than what is listed."""
    if sweep.to_come:
        return f"{counted(sweep.to_come, 'failure', 'are')} still to be looked at; Escape ends that"
    return "ended early: not all failures were looked at"
