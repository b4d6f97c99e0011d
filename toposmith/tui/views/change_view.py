"""The change order: from what lies there to this design, in steps."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from toposmith.documents.table import Table
from toposmith.lock.acts_in_words import change_table
from toposmith.lock.change_plan import ChangePlan, begun_at, change_to
from toposmith.tui.flows.change import ask_floor, begin_elsewhere
from toposmith.tui.views.differences_view import DifferencesView
from toposmith.tui.views.own_keys import ESC, GO_THERE, TABLE, OwnKeys
from toposmith.tui.views.table_view import TableView

if TYPE_CHECKING:
    from toposmith.analysis.request import Collective
    from toposmith.catalog import Catalog
    from toposmith.design.document import Design
    from toposmith.tui.designer.designer import Designer
    from toposmith.tui.drawing.glyphs import Glyphs
    from toposmith.tui.figures.shared_figures import Wanted


class ChangeView(TableView):
    """Steps with the figures after and during each; below the table every act of one."""

    NAME = "change"
    OWN_KEYS = OwnKeys(
        "the change order",
        (
            ("n", "Say the figures that have to hold all the time"),
            ("o", "Begin at another design: its saved version, a file, a revision of git"),
            *GO_THERE,
            *TABLE,
            *ESC,
        ),
    )
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("n", "floor"),
        ("o", "begin at"),
        *TableView.KEYS,
    )
    BORDER_TITLE = "Change order, step by step"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "floor", "what has to hold", show=False),
        Binding("o", "begin", "begin at another design", show=False),
    ]
    _start: tuple[str, Design] | None = None

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self.floor: dict[Collective, float] = {}
        self.least_gpus = 0

    def begin_at(self, start: tuple[str, Design] | None) -> None:
        """Begin at another design from now on, or with None at the lock, else the saved version."""
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
        """Plan the steps, from another design, from the lock, or from the saved version."""
        after = wanted.evaluated(catalog, priced=True)
        design = wanted.design
        if self._start is not None or design.lock is None:
            source, old = self._start or ("saved version", wanted.saved or design)
            after = begun_at(after, source, replace(after, design=old, shared=None))
        return change_to(
            after,
            self.floor,
            least_gpus=self.least_gpus,
            keep_going=lambda: self.went(wanted, 0, 1),
        )

    def table_of(self, found: object) -> Table:
        """The steps."""
        assert isinstance(found, ChangePlan)
        table = change_table(found)
        where = "choose with o where to begin: the saved version, a file, a revision of git"
        return replace(table, empty=f"{table.empty}. Edit the design, or {where}")


def turn_to_change(designer: Designer) -> None:
    """Show the steps from the design that it is compared with; from there, the fabric again."""
    against = designer.panels.view_of(DifferencesView).against
    if against is not None:
        designer.panels.view_of(ChangeView).begin_at(against)
    designer.panels.toggle_view(ChangeView.NAME)
