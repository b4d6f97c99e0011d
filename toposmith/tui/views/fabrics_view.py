"""The fabrics that meet what a cluster has to be: design it for me."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from toposmith.bill.terms import Terms, bill_prices
from toposmith.design.document import Design
from toposmith.errors import EditError
from toposmith.synthesis.fabric_search import Search, search
from toposmith.synthesis.fabrics_table import fabrics_table
from toposmith.synthesis.side_effects import same_as
from toposmith.tui.asking import Asking, FlowOutcome, Say
from toposmith.tui.flows.requirements import FabricNeeds, ask_requirements, take_fabric
from toposmith.tui.views.listing import Key, Listing, On, ViewJob
from toposmith.tui.views.table_view import TableView
from toposmith.tui.views.view import View
from toposmith.tui.widgets.front_drawing import GAP, FrontDrawing, columns_beside

if TYPE_CHECKING:
    from toposmith.documents.table import Table
    from toposmith.synthesis.analysed_fabrics import Proposal
    from toposmith.synthesis.fabrics import Fabric
    from toposmith.tui.drawing.glyphs import Glyphs

MOST_ROWS = 24
"""Rows of the drawing beside the table at most."""
ROWS_BESIDE_DRAWING = 8
"""Rows that the cursor's line and its details take where the drawing is alone."""


@dataclass(frozen=True)
class FoundFabrics:
    """What a search found, which of its fabrics the design is already, and which wait.

    ``waiting`` are fabrics that are not analysed yet; None once the search has ended.
    """

    search: Search
    here: frozenset[int] = frozenset()
    waiting: tuple[Fabric, ...] | None = None


def _found(job: ViewJob) -> FoundFabrics:
    """Search once for what was asked; the design makes no difference to it.

    Raises
    ------
    EditError
        If nothing was asked for yet.
    """
    asked, known = job.asked.requirements, job.asked.known
    if asked is None:
        raise EditError("no needs given yet: n asks how many nodes, and what they need")

    def tell(now: Sequence[Proposal], waiting: Sequence[Fabric]) -> None:
        so_far = Search(asked, tuple(now), complete=False)
        job.so_far(lambda: FoundFabrics(so_far, waiting=tuple(waiting)))

    if not known:
        found = search(
            asked,
            job.catalog,
            Terms(prices=bill_prices(Design(), job.catalog)),
            progress=lambda done, of: job.went(done, of) and not job.limit.ended,
            found=tell,
        )
        if not (found.complete or job.limit.ended or found.analysed):
            return FoundFabrics(found, same_as(job.wanted.design, found, job.catalog))
        known.append(found)
    return FoundFabrics(known[0], same_as(job.wanted.design, known[0], job.catalog))


def _table(found: FoundFabrics, asked: FabricNeeds, glyphs: Glyphs) -> Table:
    """The fabrics; what is not analysed yet is dimmed."""
    searching = found.waiting is not None
    return fabrics_table(
        found.search, here=found.here, waiting=found.waiting or (), searching=searching
    )


def _take(on: On) -> Asking | FlowOutcome:
    """Preview the chosen fabric, where it is another than the design."""
    if on.row is None:
        return None
    if on.of is None:
        return Say("this fabric is not analysed yet: the search goes on", "hint")
    if on.found is not None and int(on.row.key) in on.found.here:
        return Say("the design is this fabric already", "done")
    return take_fabric(on.here, on.of)


def _draw(on: On) -> FlowOutcome:
    """Show the drawing alone, or the table again."""
    if not on.asked.drawn and (on.found is None or len(on.found.search.proposals) < 2):
        return Say("a drawing of figures by cost needs two fabrics at least", "done")
    return FABRICS.again(replace(on.asked, drawn=not on.asked.drawn))


FABRICS: Listing = Listing(
    "fabrics",
    "Fabrics for what is needed",
    about="the fabrics found",
    compute=_found,
    table=_table,
    begin=FabricNeeds,
    counts=lambda asked: (asked.requirements, asked.limits),
    beside=False,
    head_share=5,
    ends_early="ending, with the fabrics analysed until now",
    keys=(
        Key(
            "enter", "preview", "Preview the fabric; Enter again takes it, as one step",
            _take,
            changes=True,
        ),
        Key(
            "n", "new needs", "Ask for something else",
            lambda on: ask_requirements(on.here, on.asked),
        ),
        Key(
            "p", "drawing",
            "Show the drawing of figures by cost alone, or the table again",
            _draw,
        ),
    ),
)  # fmt: skip


class FabricsView(TableView, listing=FABRICS):
    """Fabrics with figures and bills, found by search; a drawing stands next to the table."""

    @property
    def _proposals(self) -> tuple[Proposal, ...]:
        return () if self.found is None else self.found.search.proposals

    def compose(self) -> ComposeResult:
        """The table, and figures by cost beside it or in its place."""
        yield from super().compose()
        yield FrontDrawing()

    @property
    def columns(self) -> int:
        """Cells of a line of the table, which the drawing may stand beside."""
        width = self.content_size.width
        beside = columns_beside(width) if len(self._proposals) > 1 else 0
        return width - beside - GAP if beside else width

    def _write_detail(self) -> None:
        """What there is to say of the selected fabric, and where it lies among the others."""
        super()._write_detail()
        drawing, row, size = self.query_one(FrontDrawing), self.selected, self.content_size
        beside = size.width - self.columns - GAP
        alone = self.asked.drawn and beside <= 0
        if alone:
            room = (size.width, size.height - ROWS_BESIDE_DRAWING)
        else:
            room = (max(beside, 0), min(size.height, MOST_ROWS))
        chosen = int(row.key) if row is not None and row.key.isdigit() else None
        drawn = drawing.draw(
            self._proposals if alone or beside > 0 else (),
            chosen,
            room,
            beside=not alone,
            ascii_only=self._glyphs.ascii_only,
        )
        self.query_one(".table-head").display = not (alone and drawn)
        # the cursor stays on its row, which is all that is seen of the table then
        self._rows.styles.max_height = 2 if alone and drawn else None

    def forget(self) -> None:
        """Another design was opened: what a cluster has to be is asked apart from it."""
        View.forget(self)

    def show(self, found: object) -> None:
        """Show the fabrics; what is analysed comes first."""
        super().show(found)
        if self.busy and self.selected is not None and not self.selected.key.isdigit():
            self._rows.move_cursor(row=0)
