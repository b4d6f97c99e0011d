"""The growth from another design to this one, in steps."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType

from toposmith.documents.table import Row, Table
from toposmith.synthesis.growth_plan import Growth, growth
from toposmith.synthesis.growth_table import growth_table
from toposmith.tui.flows.growth import ask_floor, begin_elsewhere, show_step
from toposmith.tui.views.differences_view import DifferencesView
from toposmith.tui.views.own_keys import ESC, TABLE, OwnKeys
from toposmith.tui.views.table_view import TableView

if TYPE_CHECKING:
    from toposmith.analysis.request import Collective
    from toposmith.catalog import Catalog
    from toposmith.design.document import Design
    from toposmith.tui.designer.designer import Designer
    from toposmith.tui.drawing.glyphs import Glyphs
    from toposmith.tui.figures.shared_figures import Wanted


class GrowthView(TableView):
    """Steps with the figures after and during each; Enter shows the fabric after one."""

    NAME = "growth"
    OWN_KEYS = OwnKeys(
        "the steps of growth",
        (
            ("Enter", "Preview the fabric as it is cabled after the step; Enter again takes it"),
            ("n", "Say the figures that have to hold all the time"),
            ("o", "Begin at another design: its saved version, a file, a revision of git"),
            *TABLE,
            *ESC,
        ),
    )
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Enter", "preview"),
        ("n", "floor"),
        ("o", "begin at"),
        *(key for key in TableView.KEYS if key[0] != "Enter"),
    )
    BORDER_TITLE = "Growth, step by step"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "floor", "what has to hold", show=False),
        Binding("o", "begin", "begin at another design", show=False),
    ]
    _start: tuple[str, Design] | None = None
    _found: Growth | None = None

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.floor: dict[Collective, float] = {}
        self.least_gpus = 0

    def begin_at(self, start: tuple[str, Design] | None) -> None:
        """Begin at another design from now on, or with None at the saved version."""
        self._start = start
        self._wanted = None

    def hold(self, floor: dict[Collective, float], least_gpus: int = 0) -> None:
        """Plan with another floor from now on."""
        self.floor, self.least_gpus = floor, least_gpus
        self._wanted = None

    def forget(self) -> None:
        """Another design was opened."""
        self._start = None
        super().forget()

    def action_floor(self) -> None:
        """Ask which figures have to hold."""
        self.want(partial(ask_floor, self))

    def action_begin(self) -> None:
        """Ask where it begins."""
        self.want(partial(begin_elsewhere, self))

    def compute(self, wanted: Wanted, catalog: Catalog) -> object:
        """Plan the steps."""
        after = wanted.evaluated(catalog, priced=True)
        design = self._start[1] if self._start else wanted.saved or wanted.design
        before = replace(
            after,
            design=design,
            shared=None,
            source=self._start[0] if self._start else "saved version",
        )
        return growth(
            before,
            after,
            self.floor,
            least_gpus=self.least_gpus,
            keep_going=lambda: self.went(wanted, 0, 1),
        )

    def table_of(self, found: object) -> Table:
        """The steps."""
        assert isinstance(found, Growth)
        self._found = found
        table = growth_table(found)
        where = "choose with o where to begin: the saved version, a file, a revision of git"
        return replace(table, empty=f"{table.empty}. Edit the design, or {where}")

    @on(TableView.Chosen)
    def _show_step(self, event: TableView.Chosen) -> None:
        """Preview the fabric after the chosen step."""
        event.stop()
        row: Row = event.row
        if self._found is not None:
            self.want(partial(show_step, self._found, int(row.key)), changes=True)


def turn_to_growth(designer: Designer) -> None:
    """Show the steps from the design that it is compared with; from there, the fabric again."""
    against = designer.panels.view_of(DifferencesView).against
    if against is not None:
        designer.panels.view_of(GrowthView).begin_at(against)
    designer.panels.toggle_view(GrowthView.NAME)
