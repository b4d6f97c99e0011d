"""All layouts of a model on this cluster, the quickest first."""

from __future__ import annotations

from toposmith.tui.flows.workload_edit import take_layout
from toposmith.tui.views.listing import Key, Listing, ViewJob
from toposmith.workloads.block import workload_of
from toposmith.workloads.layout_search import Variants, search
from toposmith.workloads.layouts_table import layouts_table
from toposmith.workloads.model import WorkloadError


def _found(job: ViewJob) -> object:
    """Time every layout.

    Raises
    ------
    WorkloadError
        If the design has no workload.
    """
    wanted = job.wanted
    if not wanted.design.workload:
        raise WorkloadError(["the design has no workload: t, then e, asks for one"])
    asked = True

    def progress(done: int, of: int) -> None:
        nonlocal asked
        if done % 8 == 0 or done == of:
            asked = job.went(done, of)

    return search(
        wanted.evaluated(job.catalog).plan,
        job.catalog,
        workload_of(wanted.design.workload),
        progress=progress,
        cancelled=lambda: not asked,
        request=wanted.request,
        variants=Variants(job.asked, job.asked),
    )


LAYOUTS: Listing = Listing(
    "layouts",
    "Layouts, the quickest first",
    about="the layouts",
    compute=_found,
    table=lambda found, asked, glyphs: layouts_table(found, glyphs.marked),
    begin=bool,
    beside=False,
    keys=(
        Key(
            "enter", "take it", "Take the layout for the workload",
            lambda on: take_layout(on.here, on.of.split) if on.of else None,
        ),
        Key(
            "v", "recompute and ZeRO too",
            "Try recomputation and ZeRO stages too, or leave them unchanged",
            lambda on: LAYOUTS.again(not on.asked),
        ),
    ),
)  # fmt: skip
