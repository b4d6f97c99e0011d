"""What is really cabled, held against the design: differences, what they cost, what was done."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from toposmith.tui.actions.definition import turning_to
from toposmith.tui.views.own_keys import ESC, TABLE, Here
from toposmith.tui.views.table import Row, Table
from toposmith.tui.views.table_view import TableView

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.topology.as_built.survey import Survey, Surveyed
    from toposmith.tui.designer.designer import Designer, Flow
    from toposmith.tui.figures.figuring import Wanted


class AsBuiltView(TableView):
    """Every cable that is not where the design has it; one can be accepted, or marked to be moved.

    Ports at which something differs are marked inside units, nodes and switches.
    """

    NAME = "as_built"
    ACTION = turning_to(
        NAME, ("at",), "as built",
        "What is really cabled against the design: which cables to move, what each costs; o there "
        "opens what the fabric manager says, a second one shows what was done",
        room="review",
        rank=0, title="As built: what is really cabled, against the design",
    )  # fmt: skip
    HERE = Here(
        "what is cabled otherwise",
        (
            ("o", "Open what the fabric manager or the switches say; again, a later dump"),
            ("Enter", "Go to the port inside the fabric; @ comes back"),
            ("a", "Accept the difference into the design, with its group: one step, u undoes it"),
            ("A", "Accept all differences into the design, as one step"),
            ("m", "Mark it to be moved: the figure without it is said; again takes the mark away"),
            ("l", "Write the check list: txt, csv, xlsx or html"),
            ("n", "Give a map of names: what the dump calls each device, and the design"),
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
    ]

    _survey: Survey | None = None
    _surveyed: Surveyed | None = None
    _files = ""

    def forget(self) -> None:
        """Another design is worked on, which the dump is not of."""
        if self._survey is not None:
            self._survey.forget()
        self._surveyed = None
        self.want(_unmark)
        super().forget()

    def action_open(self) -> None:
        """Ask for a dump, and compare with it from now on."""

        async def ask(designer: Designer) -> None:
            from toposmith.tui.flows.comparing_cables import ask_dump

            asked = await ask_dump(designer, self._files)
            if asked is not None:
                self._files, dump = asked
                self._held.open(dump)
                self._again(designer)

        self.want(ask)

    def action_name(self) -> None:
        """Ask for a map of names, and compare anew."""

        async def ask(designer: Designer) -> None:
            from toposmith.tui.flows.comparing_cables import ask_names

            names = await ask_names(designer)
            if names is not None:
                self._held.names = names
                self._again(designer)

        self.want(ask)

    def action_accept(self) -> None:
        """Make the selected difference part of the design."""
        place = self._place
        if place is not None:
            self._accept([place])

    def action_accept_all(self) -> None:
        """Make all differences part of the design."""
        if self._surveyed is not None:
            self._accept([item.place for item in self._surveyed.items])

    def action_mark(self) -> None:
        """Mark the selected difference to be moved, or take the mark away."""
        place, surveyed = self._place, self._surveyed
        if place is None or surveyed is None:
            return
        if not surveyed.compared.differences[place].harmful:
            return
        self._held.toggle(surveyed, place)
        self.want(self._again)

    def action_write_list(self) -> None:
        """Write the check list."""
        surveyed = self._surveyed

        def write(designer: Designer) -> Flow:
            from toposmith.tui.flows.comparing_cables import write_check_list

            assert surveyed is not None
            return write_check_list(designer, surveyed)

        if surveyed is not None:
            self.want(write)

    def choose(self, row: Row) -> bool:
        """Go to the port that a line is about, inside the fabric."""
        from toposmith.tui.tables.cable_differences import place_of

        place, surveyed = place_of(row), self._surveyed
        if place is None or surveyed is None:
            return False
        ends = surveyed.corrections.ports(surveyed.compared.differences[place])
        if not ends:
            return False

        def go(designer: Designer) -> None:
            designer.panels.depths.go_to_port(ends[0])
            designer.panels.show_view(designer.panels.depths.NAME)

        self.want(go)
        return True

    def compute(self, wanted: Wanted, catalog: Catalog) -> object:
        """The dump held against the design as it stands."""
        from dataclasses import replace

        survey = self._held
        if survey.dump is None:
            return _NOTHING
        return survey.survey(
            wanted.design,
            lambda design: replace(wanted, design=design).evaluated(catalog),
            (wanted.request.collective,),
        )

    def show(self, found: object) -> None:
        """Show differences, and mark their ports inside the fabric."""
        if found is not None:
            self._surveyed = None if found is _NOTHING else found  # type: ignore[assignment]
            self.want(self._mark_ports)
        super().show(found)

    def table_of(self, found: object) -> Table:
        """Every difference."""
        from toposmith.tui.tables.cable_differences import NO_DUMP, differences_table

        if self._surveyed is None:
            return Table(empty=NO_DUMP)
        return differences_table(self._surveyed)

    @property
    def _held(self) -> Survey:
        if self._survey is None:
            from toposmith.topology.as_built.survey import Survey

            self._survey = Survey()
        return self._survey

    @property
    def _place(self) -> int | None:
        from toposmith.tui.tables.cable_differences import place_of

        return None if self.selected is None else place_of(self.selected)

    def _accept(self, places: list[int]) -> None:
        surveyed = self._surveyed

        def do(designer: Designer) -> None:
            from toposmith.tui.flows.comparing_cables import accept

            if surveyed is not None and places:
                accept(designer, self._held, surveyed, places)

        self.want(do, changes=True)

    def _again(self, designer: Designer) -> None:
        """Compute anew: the design is the same, what it is compared with is not."""
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            self.follow(wanted, designer.editing.workbench.catalog)

    def _mark_ports(self, designer: Designer) -> None:
        from toposmith.tui.tables.cable_differences import ends_of

        designer.panels.depths.mark({} if self._surveyed is None else ends_of(self._surveyed))


_NOTHING = object()
"""Stands for what was computed where no dump was opened."""


def _unmark(designer: Designer) -> None:
    designer.panels.depths.mark({})
