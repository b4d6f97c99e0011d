"""The fabrics that meet what a cluster has to be: design it for me."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message

from toposmith.documents.table import Row, Table
from toposmith.synthesis.fabric_search import Search
from toposmith.synthesis.fabrics_table import fabrics_table
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.figures.live_search import FoundFabrics, LiveSearch
from toposmith.tui.flows.requirements import ask_requirements, take_fabric
from toposmith.tui.views.own_keys import ESC, TABLE, OwnKeys
from toposmith.tui.views.table_view import TableView
from toposmith.tui.widgets.front_drawing import GAP, FrontDrawing, columns_beside

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.synthesis.fabric_requirements import Requirements
    from toposmith.synthesis.fabrics import Fabric
    from toposmith.synthesis.proposals import Proposal
    from toposmith.tui.designer.designer import Designer, Flow
    from toposmith.tui.figures.shared_figures import Wanted

MOST_ROWS = 24
"""Rows of the drawing beside the table at most."""
ROWS_BESIDE_DRAWING = 8
"""Rows that the cursor's line and its details take where the drawing is alone."""


class FabricsView(TableView):
    """Fabrics with figures and bills, found by search; the chosen one is previewed, then taken."""

    NAME = "fabrics"
    OWN_KEYS = OwnKeys(
        "the fabrics found",
        (
            ("Enter", "Preview the fabric; Enter again takes it, as one step"),
            ("n", "Ask for something else"),
            ("p", "Show the drawing of figures by cost alone, or the table again"),
            *TABLE,
            *ESC,
        ),
    )
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Enter", "preview"),
        ("n", "new needs"),
        ("p", "drawing"),
        *(key for key in TableView.KEYS if key[0] != "Enter"),
    )
    BORDER_TITLE = "Fabrics for what is needed"
    BESIDE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "ask_anew", "ask for something else", show=False),
        Binding("p", "plot", "the drawing alone, or the table", show=False),
    ]
    HEAD_SHARE = 5
    _proposals: tuple[Proposal, ...] = ()
    _here: frozenset[int] = frozenset()
    _plot_alone = False

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

    def action_plot(self) -> None:
        """Show the drawing alone, or the table again."""
        self._plot_alone = not self._plot_alone
        self._write_detail()
        if self._plot_alone and len(self._proposals) < 2:
            self.want(_say_too_few)

    def _write_detail(self) -> None:
        """What there is to say of the selected fabric, and where it lies among the others."""
        super()._write_detail()
        drawing, row, size = self.query_one(FrontDrawing), self.selected, self.content_size
        beside = size.width - self.columns - GAP
        alone = self._plot_alone and beside <= 0
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

    def ask(self, asked: Requirements, limits: str) -> None:
        """Search for something else from now on."""
        self.searched.ask(asked, limits)
        self._proposals = ()
        self.forget()

    def action_ask_anew(self) -> None:
        """Ask for something else."""
        self.want(partial(ask_requirements, self))

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

    def table_of(self, found: object) -> Table:
        """The fabrics."""
        assert isinstance(found, FoundFabrics)
        self._proposals, self._here = found.search.proposals, found.here
        return fabrics_table(found.search, here=found.here)

    @on(TableView.Chosen)
    def _take(self, event: TableView.Chosen) -> None:
        """Preview the chosen fabric, where it is another than the design."""
        event.stop()
        row: Row = event.row
        if not row.key.isdigit():
            self.want(_say_not_analysed)
        elif int(row.key) in self._here:
            self.want(_say_here)
        else:
            self.want(partial(_take, self._proposals[int(row.key)]), changes=True)


def _say_too_few(designer: Designer) -> None:
    designer.messages.say("a drawing of figures by cost needs two fabrics at least")


def _say_not_analysed(designer: Designer) -> None:
    designer.messages.say("this fabric is not analysed yet: the search goes on", "hint")


def _say_here(designer: Designer) -> None:
    designer.messages.say("the design is this fabric already")


def _take(proposal: Proposal, designer: Designer) -> Flow:
    return take_fabric(designer, proposal)


def design_it(designer: Designer) -> Flow | None:
    """Ask what is wanted, or show the fabrics that were found; from them, the fabric again."""
    view = designer.panels.view_of(FabricsView)
    if view.searched.asked or designer.panels.view is view:
        designer.panels.toggle_view(view.NAME)
        return None
    return ask_requirements(view, designer)
