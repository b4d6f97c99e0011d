"""What is really cabled, compared with the design: differences, what they cost, what was done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from toposmith.documents.table import Row, Table
from toposmith.tui.flows.comparing_cables import CableComparison
from toposmith.tui.views.own_keys import ESC, TABLE, OwnKeys
from toposmith.tui.views.table_view import TableView

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.tui.designer.designer import Designer
    from toposmith.tui.figures.shared_figures import Wanted


class AsBuiltView(TableView):
    """Every cable that is not where the design has it; one can be accepted, or marked to be moved.

    Ports at which something differs are marked inside units, nodes and switches.
    """

    NAME = "as_built"
    OWN_KEYS = OwnKeys(
        "what is cabled otherwise",
        (
            ("o", "Open what the fabric manager or the switches say; again, a later dump"),
            ("Enter", "Go to the port inside the fabric; @ comes back"),
            ("a", "Accept the difference into the design, with its group: one step, u undoes it"),
            ("A", "Accept all differences into the design, as one step"),
            ("m", "Mark it to be moved: the figure without it is said; again takes the mark away"),
            ("l", "Write the check list: txt, csv, xlsx or html"),
            ("n", "Give a map of names: what the dump calls each device, and the design"),
            ("j", "Add a job to the design: slow cables say whether they hold it back"),
            *TABLE,
            *ESC,
        ),
    )
    BORDER_TITLE = "As built"
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("o", "open"),
        ("a", "accept"),
        ("m", "mark"),
        ("l", "check list"),
        ("Enter", "go there"),
        ("A", "accept all"),
        ("n", "names"),
        ("j", "a job"),
        *TableView.KEYS[:4],
        TableView.KEYS[-1],
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "open", "open a dump", show=False),
        Binding("a", "accept", "accept", show=False),
        Binding("A", "accept_all", "accept all", show=False),
        Binding("m", "mark", "mark", show=False),
        Binding("l", "write_list", "check list", show=False),
        Binding("n", "name", "names", show=False),
        Binding("j", "job", "a job", show=False),
    ]

    _comparison: CableComparison | None = None

    def forget(self) -> None:
        """Another design was opened, which the dump is not of."""
        self._comparison = None
        self.want(_unmark)
        super().forget()

    def action_open(self) -> None:
        """Ask for a dump, and compare with it from now on."""
        self._ask(self._held.open)

    def action_name(self) -> None:
        """Ask for a map of names, and compare anew."""
        self._ask(self._held.take_names)

    def action_job(self) -> None:
        """Add a job to the design: slow cables say whether they hold it back."""
        self.want(self._held.add_job, changes=True)

    def action_accept(self) -> None:
        """Make the selected difference part of the design."""
        place = self._place
        if place is not None:
            self.want(partial(self._held.accept, places=(place,)), changes=True)

    def action_accept_all(self) -> None:
        """Make all differences part of the design."""
        self.want(self._held.accept_all, changes=True)

    def action_mark(self) -> None:
        """Mark the selected difference to be moved, or take the mark away."""
        place = self._place
        if place is not None and self._held.toggle(place):
            self.want(self._again)

    def action_write_list(self) -> None:
        """Write the check list."""
        if self._held.surveyed is not None:
            self.want(self._held.write_list)

    def choose(self, row: Row) -> bool:
        """Go to the port that a line is about, inside the fabric."""
        end = None if (place := _place_of(row)) is None else self._held.first_end(place)
        if end is None:
            return False

        def go(designer: Designer) -> None:
            designer.panels.depths.go_to_port(end)
            designer.panels.show_view(designer.panels.depths.NAME)

        self.want(go)
        return True

    def compute(self, wanted: Wanted, catalog: Catalog) -> object:
        """The dump compared with the current design."""
        return self._held.survey_of(wanted, catalog)

    def show(self, found: object) -> None:
        """Show differences, and mark their ports inside the fabric."""
        if found is not None:
            self._held.take(found)
            self.want(self._held.mark_ports)
        super().show(found)

    def table_of(self, found: object) -> Table:
        """Every difference."""
        return self._held.table

    @property
    def _held(self) -> CableComparison:
        if self._comparison is None:
            self._comparison = CableComparison()
        return self._comparison

    @property
    def _place(self) -> int | None:
        return None if self.selected is None else _place_of(self.selected)

    def _ask(self, ask: Callable[[Designer], Awaitable[bool]]) -> None:
        """Ask for something, and compare anew where an answer came."""

        async def do(designer: Designer) -> None:
            if await ask(designer):
                self._again(designer)

        self.want(do)

    def _again(self, designer: Designer) -> None:
        """Compute anew: the design is the same, what it is compared with is not."""
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            self.follow(wanted, designer.editing.workbench.catalog)


def _place_of(row: Row) -> int | None:
    """The place in the differences of a line; None where it is of an earlier dump."""
    return int(row.key) if row.key.isdigit() else None


def _unmark(designer: Designer) -> None:
    designer.panels.depths.mark({})
