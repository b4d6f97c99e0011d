"""The smallest changes that raise the current figure, or what could be left out."""

from __future__ import annotations

from dataclasses import dataclass, replace

from toposmith.synthesis.fixes_table import fixes_table, spares_table
from toposmith.synthesis.left_out import Spares, what_can_be_left_out
from toposmith.synthesis.needs import AIMS, FIGURE
from toposmith.synthesis.next_change import next_change
from toposmith.tui.flows.search_results import take_found
from toposmith.tui.views.listing import Key, Listing, ViewJob


@dataclass(frozen=True)
class _Asked:
    lifting: str = "figure"
    sparing: bool = False

    @property
    def next_aim(self) -> _Asked:
        """The next that can be lifted; from what could be left out, the fixes again."""
        names = list(AIMS)
        return _Asked(names[(names.index(self.lifting) + (not self.sparing)) % len(names)])

    @property
    def title(self) -> str:
        """What is listed."""
        aim = AIMS[self.lifting]
        fixes = "Fixes" if aim is FIGURE else f"Fixes: {aim.title}"
        return "What could be left out" if self.sparing else f"{fixes}, the smallest first"


def _found(job: ViewJob) -> object:
    """Search the changes, and analyse each."""
    of = job.wanted.evaluated(job.catalog, priced=True)
    if job.asked.sparing:
        return what_can_be_left_out(of, failures=True, keep_going=lambda: job.went(0, 1))
    return next_change(of, AIMS[job.asked.lifting], progress=job.went)


FIXES: Listing = Listing(
    "fixes",
    lambda asked, found: asked.title,
    about="the fixes",
    compute=_found,
    table=lambda found, asked, glyphs: (
        spares_table(found)
        if isinstance(found, Spares)
        else fixes_table(found.fixes, found.spares)
    ),
    begin=_Asked,
    keys=(
        Key(
            "enter", "preview", "Preview the change; Enter again makes it",
            lambda on: take_found(on.here, on.of) if on.of else None,
            changes=True,
        ),
        Key(
            "v", "left out",
            "Show what could be left out while the figure holds, or the fixes again",
            lambda on: FIXES.again(replace(on.asked, sparing=not on.asked.sparing)),
        ),
        Key(
            "l", "lift",
            "Lift something else: the figure, what a failure leaves, the workload's margin",
            lambda on: FIXES.again(on.asked.next_aim),
        ),
    ),
)  # fmt: skip
