"""The change order: from what lies there to this design, in steps."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toposmith.lock.acts_in_words import change_table
from toposmith.lock.change_plan import ChangePlan, begun_at, change_to
from toposmith.tui.flows.other_designs import Start, ask_floor, begin_elsewhere
from toposmith.tui.views.listing import Key, Listing, ViewJob

if TYPE_CHECKING:
    from toposmith.documents.table import Table
    from toposmith.tui.drawing.glyphs import Glyphs


def _found(job: ViewJob) -> ChangePlan:
    """Plan the steps, from another design, from the lock, or from the saved version."""
    after, start, design = (
        job.wanted.evaluated(job.catalog, priced=True),
        job.asked,
        job.wanted.design,
    )
    if start.at is not None or design.lock is None:
        source, old = start.at or ("saved version", job.wanted.saved or design)
        after = begun_at(after, source, replace(after, design=old, shared=None))
    least = start.least_gpus
    return change_to(after, dict(start.floor), least_gpus=least, keep_going=lambda: job.went(0, 1))


def _table(found: ChangePlan, asked: Start, glyphs: Glyphs) -> Table:
    table = change_table(found)
    where = "choose with o where to begin: the saved version, a file, a revision of git"
    return replace(table, empty=f"{table.empty}. Edit the design, or {where}")


CHANGE = Listing(
    "change",
    "Change order, step by step",
    about="the change order",
    compute=_found,
    table=_table,
    begin=Start,
    keys=(
        Key(
            "n", "floor", "Say the figures that have to hold all the time",
            lambda on: ask_floor(on.asked),
        ),
        Key(
            "o", "begin at",
            "Begin at another design: its saved version, a file, a revision of git",
            lambda on: begin_elsewhere(on.here, on.asked),
        ),
    ),
)  # fmt: skip
