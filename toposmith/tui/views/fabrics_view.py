"""The fabrics that meet what a cluster has to be: design it for me."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textual import on
from textual.app import ComposeResult
from textual.message import Message

from toposmith.synthesis.fabric_search import Search
from toposmith.synthesis.fabrics_table import fabrics_table
from toposmith.tui.asking import Asking, Outcome, Say
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.figures.live_search import FoundFabrics, LiveSearch
from toposmith.tui.flows.requirements import Needs, ask_requirements, take_fabric
from toposmith.tui.views.listing import Key, Listing, On
from toposmith.tui.views.table_view import TableView
from toposmith.tui.views.view import View
from toposmith.tui.widgets.front_drawing import GAP, FrontDrawing, columns_beside

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.synthesis.fabric_requirements import Requirements
    from toposmith.synthesis.fabrics import Fabric
    from toposmith.synthesis.proposals import Proposal
    from toposmith.tui.figures.shared_figures import Wanted

MOST_ROWS = 24
"""Rows of the drawing beside the table at most."""
ROWS_BESIDE_DRAWING = 8
"""Rows that the cursor's line and its details take where the drawing is alone."""


def _take(on: On) -> Asking | Outcome:
    """Preview the chosen fabric, where it is another than the design."""
    if on.row is None:
        return None
    if on.of is None:
        return Say("this fabric is not analysed yet: the search goes on", "hint")
    if on.found is not None and int(on.row.key) in on.found.here:
        return Say("the design is this fabric already", "done")
    return take_fabric(on.here, on.of)


def _draw(on: On) -> Outcome:
    """Show the drawing alone, or the table again."""
    if not on.asked.drawn and (on.found is None or len(on.found.search.proposals) < 2):
        return Say("a drawing of figures by cost needs two fabrics at least", "done")
    return FABRICS.again(replace(on.asked, drawn=not on.asked.drawn))


FABRICS: Listing = Listing(
    "fabrics",
    "Fabrics for what is needed",
    about="the fabrics found",
    table=lambda found, asked, glyphs: fabrics_table(found.search, here=found.here),
    begin=Needs,
    counts=lambda asked: (asked.requirements, asked.limits),
    beside=False,
    head_share=5,
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

    _proposals: tuple[Proposal, ...] = ()

    class SoFar(Message):
        """The front as far as it is known while the search runs."""

        def __init__(
            self,
            asked: Requirements,
            proposals: tuple[Proposal, ...],
            waiting: tuple[Fabric, ...],
        ) -> None:
            self.asked = asked
            self.proposals = proposals
            self.waiting = waiting
            super().__init__()

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.searched = LiveSearch()

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

    def ask_for(self, asked: Any) -> None:
        """Search for something else from now on, where that is another."""
        if FABRICS.counts(asked) != FABRICS.counts(self.asked):
            self.searched.ask(asked.requirements, asked.limits)
            self._proposals = ()
        super().ask_for(asked)

    def forget(self) -> None:
        """Another design was opened: what a cluster has to be is asked apart from it."""
        View.forget(self)

    def action_leave(self) -> None:
        """End a running search, with what is there; else go back to the fabric."""
        if not self.searched.stop():
            super().action_leave()

    def compute(self, wanted: Wanted, catalog: Catalog) -> object:
        """The fabrics for what was asked, of which some may be the design."""
        return self.searched.run(
            wanted.design,
            catalog,
            go_on=lambda done, of: self.went(wanted, done, of),
            tell=lambda *so_far: self.post_message(self.SoFar(*so_far)),
        )

    def show(self, found: object) -> None:
        """Show what was found; while the search runs, what it has so far."""
        if found is None and self.searched.running and (self._proposals or self._table.rows):
            return
        if isinstance(found, FoundFabrics):
            self._proposals = found.search.proposals
        super().show(found)

    @on(SoFar)
    def _show_so_far(self, event: SoFar) -> None:
        """Fill the table while the search runs; what is not analysed yet is dimmed."""
        event.stop()
        if event.asked is self.searched.asked and not self.searched.is_known and self.busy:
            self._proposals = event.proposals
            so_far = Search(event.asked, event.proposals, complete=False)
            self._table = fabrics_table(so_far, waiting=event.waiting, searching=True)
            self._fill()
            if self.selected is not None and not self.selected.key.isdigit():
                self._rows.move_cursor(row=0)  # what is analysed comes first
