"""The fabrics that meet what a cluster has to be: design it for me."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from toposmith.topology.bill.pricing import bill_prices
from toposmith.topology.bill.terms import Terms
from toposmith.topology.design.document import Design
from toposmith.topology.design.edits import Edit
from toposmith.topology.errors import EditError
from toposmith.topology.synthesis.fabric_search import Search, search
from toposmith.topology.synthesis.front_plot import front_plot
from toposmith.tui.flows.requiring import ask_requirements
from toposmith.tui.flows.taking import take
from toposmith.tui.tables.fabric_rows import fabrics_table
from toposmith.tui.views.own_keys import ESC, TABLE, Here
from toposmith.tui.views.table import Row, Table
from toposmith.tui.views.table_view import TableView

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.topology.synthesis.candidates import Requirements
    from toposmith.topology.synthesis.proposals import Proposal
    from toposmith.tui.designer.designer import Designer, Flow
    from toposmith.tui.figures.figuring import Wanted

PLOT_ROWS = 12
ROWS_BESIDE_PLOT = 18
ROWS_BESIDE_PLOT_ALONE = 8


class FabricsView(TableView):
    """Fabrics with figures and bills, found by search; the chosen one is previewed, then taken."""

    NAME = "fabrics"
    HERE = Here(
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
        ("n", "ask anew"),
        ("p", "drawing"),
        *(key for key in TableView.KEYS if key[0] != "Enter"),
    )
    BORDER_TITLE = "Fabrics for what is needed"
    BESIDE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "ask_anew", "ask for something else", show=False),
        Binding("p", "plot", "the drawing alone, or the table", show=False),
    ]
    limits = ""
    _asked: Requirements | None = None
    _known: Search | None = None
    _proposals: tuple[Proposal, ...] = ()
    _stopped = False
    _searching = False
    _plot_alone = False

    class SoFar(Message):
        """The front as far as it is known while the search goes on."""

        def __init__(self, asked: Requirements, proposals: tuple[Proposal, ...]) -> None:
            self.asked = asked
            self.proposals = proposals
            super().__init__()

    def compose(self) -> ComposeResult:
        """The table, and below it figures by cost."""
        yield from super().compose()
        yield Static("", classes="table-plot")

    def action_plot(self) -> None:
        """Show the drawing alone, or the table again."""
        self._plot_alone = not self._plot_alone
        self._write_detail()
        if self._plot_alone and len(self._proposals) < 2:
            self.want(_say_too_few)

    def _write_detail(self) -> None:
        """What there is to say of the selected fabric, and where it lies among the others."""
        super()._write_detail()
        row, size = self.selected, self.content_size
        at = int(row.key) if row is not None else len(self._proposals)
        alone = self._plot_alone and bool(self._proposals)
        room = size.height - (ROWS_BESIDE_PLOT_ALONE if alone else ROWS_BESIDE_PLOT)
        drawn = front_plot(
            self._proposals,
            size.width,
            room if alone else min(PLOT_ROWS, room),
            chosen=at if at < len(self._proposals) else None,
            ascii_only=self._glyphs.ascii_only,
        )
        plot = self.query_one(".table-plot", Static)
        plot.update(Content("\n").join(map(Content, drawn)))
        plot.display = bool(drawn)
        self.query_one(".table-head").display = not (alone and drawn)
        # the cursor stays on its row, which is all that is seen of the table then
        self._rows.styles.max_height = 2 if alone and drawn else None

    @property
    def asked(self) -> Requirements | None:
        """What was asked for last."""
        return self._asked

    def ask(self, asked: Requirements, limits: str) -> None:
        """Search for something else from now on."""
        self._asked, self.limits = asked, limits
        self._known, self._stopped, self._proposals = None, False, ()
        self.forget()

    def action_ask_anew(self) -> None:
        """Ask for something else."""
        self.want(partial(ask_requirements, self))

    def action_leave(self) -> None:
        """End a search that goes on, with what is there; else go back to the fabric."""
        if self._searching and not self._stopped:
            self._stopped = True
        else:
            super().action_leave()

    def compute(self, wanted: Wanted, catalog: Catalog) -> object:
        """Search once for what was asked; the design makes no difference to it."""
        asked = self._asked
        if asked is None:
            raise EditError("nothing was asked for yet: n asks how many nodes, and what they need")
        if self._known is not None and self._known.asked is asked:
            return self._known
        self._searching = True
        try:
            found = search(
                asked,
                catalog,
                Terms(prices=bill_prices(Design(), catalog)),
                progress=lambda done, of: self.went(wanted, done, of) and not self._stopped,
                found=lambda now: self._tell(asked, tuple(now)),
            )
        finally:
            self._searching = False
        if asked is self._asked and (found.complete or self._stopped or found.analysed):
            self._known = found
        return found

    def show(self, found: object) -> None:
        """Show what was found; while the search goes on, what it has so far."""
        if found is None and self._searching and self._proposals:
            return
        super().show(found)

    def _tell(self, asked: Requirements, now: tuple[Proposal, ...]) -> None:
        self.post_message(self.SoFar(asked, now))

    @on(SoFar)
    def _show_so_far(self, event: SoFar) -> None:
        """Fill the table while the search goes on."""
        event.stop()
        if event.asked is self._asked and self._known is None and self.busy:
            self._proposals = event.proposals
            so_far = Search(event.asked, event.proposals, complete=False)
            self._table = fabrics_table(so_far, searching=True)
            self._fill()

    def table_of(self, found: object) -> Table:
        """The fabrics."""
        assert isinstance(found, Search)
        self._proposals = found.proposals
        return fabrics_table(found)

    @on(TableView.Chosen)
    def _take(self, event: TableView.Chosen) -> None:
        """Preview the chosen fabric."""
        event.stop()
        row: Row = event.row
        self.want(partial(_take, self._proposals[int(row.key)]), changes=True)


def _say_too_few(designer: Designer) -> None:
    designer.messages.say("a drawing of figures by cost needs two fabrics at least")


def _take(proposal: Proposal, designer: Designer) -> Flow:
    now = designer.editing.design
    before, after = ({one.part for one in of.groups.values()} for of in (now, proposal.design))
    # a name that tells of parts that are there no more is no name of this design
    stale = any(part in (now.name or "") for part in before - after)
    name = proposal.design.name if stale or not now.name else now.name
    kept = {"name": name, "note": now.note, "view": None}
    made = proposal.design.model_copy(update=kept)
    label = f"design it: {proposal.candidate.words}, {proposal.candidate.part_words}"
    return take(designer, Edit(made, label))


def design_it(designer: Designer) -> Flow | None:
    """Ask what is wanted, or show the fabrics that were found; from them, the fabric again."""
    view = designer.panels.view_of(FabricsView)
    if view.asked or designer.panels.view is view:
        designer.panels.toggle_view(view.NAME)
        return None
    return ask_requirements(view, designer)
