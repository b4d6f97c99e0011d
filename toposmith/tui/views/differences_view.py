"""The design against another: its saved version, a file, or a revision of git."""

from __future__ import annotations

from toposmith.evaluation import recent
from toposmith.evaluation.here import compared_here, policy_at_hand
from toposmith.review.differences.consequences import differences
from toposmith.review.differences.differences_table import differences_table
from toposmith.tui.flows.other_designs import Against, compare_with
from toposmith.tui.views.listing import Key, Listing, ViewJob


def _found(job: ViewJob) -> object:
    """Both designs as they are, and how they differ."""
    wanted, catalog = job.wanted, job.catalog
    source, old = job.asked.other or ("saved version", wanted.saved or wanted.design)
    policy, _ = policy_at_hand()
    planned = recent.planned(old, catalog, keep=False)
    before = compared_here(source, old, catalog, policy=policy, shared=planned)
    if old == wanted.design and source == "saved version":
        return differences(before, before)
    # what was computed of it for the other pages is not computed again
    planned = recent.planned(wanted.design, catalog)
    now = compared_here("this design", wanted.design, catalog, policy=policy, shared=planned)
    return differences(before, now)


DIFFERENCES = Listing(
    "differences",
    "Differences",
    about="the differences",
    compute=_found,
    table=lambda found, asked, glyphs: differences_table(found),
    begin=Against,
    keys=(
        Key(
            "o", "against another", "Compare with another design", lambda on: compare_with(on.here)
        ),
    ),
)
