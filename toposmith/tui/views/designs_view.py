"""All designs of a folder in one table, which fills while they are computed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from toposmith.cancellation import Stopped, go_on
from toposmith.crash import fault_words
from toposmith.design.other_files import designs_in
from toposmith.design.stored_files import load_file
from toposmith.documents.table import Cell, Column, Note, Table, Tone
from toposmith.errors import ToposmithError
from toposmith.evaluation.here import compared_here, policy_at_hand
from toposmith.parts_at_hand import PartsAtHand
from toposmith.review.design_table import ComparedDesign, designs_table
from toposmith.saved_designs import FOLDER
from toposmith.text import counted
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.views.listing import OF_TABLES, Listing
from toposmith.tui.views.table_view import TableView

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.review.design_table import ComparedDesign as DesignRow
    from toposmith.review.policy import Policy


_UNITS = "busbw (model) and its upper bound in GB/s per GPU; ratio: oversubscription"


DESIGNS = Listing(
    "designs", "Designs", about="the designs", table=lambda found, asked, glyphs: Table()
)


class DesignsView(TableView, listing=DESIGNS):
    """GPUs, figures, oversubscription, cost, power and findings of every design of a folder."""

    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Enter", "open"),
        ("Space", "mark"),
        ("=", "side by side"),
        ("s", "those that come along"),
        *OF_TABLES,
        ("Esc", "back"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "mark", "mark", show=False),
        Binding("equals_sign", "beside", "side by side", show=False),
        Binding("s", "saved", "designs that come along", show=False),
    ]

    @dataclass
    class BesideWanted(Message):
        """Two designs are to be put side by side."""

        one: Path
        other: Path

    def __init__(self, glyphs: Glyphs, parts: PartsAtHand | None = None) -> None:
        super().__init__(glyphs)
        self._parts = parts or PartsAtHand()
        self._folder = Path()
        self._found: list[DesignRow] = []
        self._of = 0
        self._trouble = ""
        self._marked: list[str] = []

    @property
    def folder(self) -> Path:
        """Whose designs are shown."""
        return self._folder

    def gather(self, folder: Path) -> None:
        """Compute every design of a folder; the table fills meanwhile."""
        self._folder, self._found, self._marked = folder, [], []
        self._of, self._trouble = 0, ""
        self._job.want(partial(self._look, folder), lambda found, trouble: self._show())
        self._show()

    def action_mark(self) -> None:
        """Mark the selected design, or take its mark away; the last two stay marked."""
        row = self.selected
        if row is None:
            return
        if row.key in self._marked:
            self._marked.remove(row.key)
        else:
            self._marked = [*self._marked, row.key][-2:]
        self._show()

    def action_beside(self) -> None:
        """Put the two marked designs side by side, or the marked one and the selected."""
        row = self.selected
        if len(self._marked) == 2:
            names = self._marked
        elif len(self._marked) == 1 and row is not None and row.key != self._marked[0]:
            names = [self._marked[0], row.key]
        else:
            self._trouble = "Space marks two designs to put side by side"
            self._show()
            return
        self.post_message(self.BesideWanted(self._folder / names[0], self._folder / names[1]))

    def action_saved(self) -> None:
        """Show the designs that come with the program."""
        self.gather(FOLDER)

    def _look(self, folder: Path) -> None:
        """In a thread: read and judge one design after the other."""
        try:
            files = designs_in(folder)
        except OSError as error:
            self._trouble = f"{folder}: {error.strerror or error}"
            return
        catalog = self._parts.load_what_can_be()
        policy, _ = policy_at_hand()
        for path in files:
            go_on()
            self.call_later(self._add, folder, _looked(path, catalog, policy), len(files))

    def _add(self, folder: Path, row: DesignRow, of: int) -> None:
        """Add a design to the table."""
        if folder is self._folder:
            self._of = of
            self._found.append(row)
            self._show()

    def _show(self) -> None:
        many = f"{len(self._found):,} of {counted(self._of, 'design')}" if self._of else "looking"
        done = not self.busy
        words = f"{self._folder}: {counted(self._of, 'design') if done else many}"
        head = [Note(words if done else f"{words} ...", Tone.PLAIN if done else Tone.ACCENT)]
        head.append(Note(_UNITS))
        if self._marked:
            head.append(Note(f"marked: {', '.join(self._marked)}", Tone.ACCENT))
        if self._trouble:
            head.append(Note(self._trouble, Tone.WARNING))
        self._table = replace(self._with_marks(designs_table(self._found)), head=tuple(head))
        self._fill()

    def _with_marks(self, table: Table) -> Table:
        """The table with a column of marks before all others."""
        marks = {True: self._glyphs.marked, False: ""}
        rows = tuple(
            replace(row, cells=(Cell(marks[there], int(there), Tone.ACCENT), *row.cells))
            for row in table.rows
            for there in [row.key in self._marked]
        )
        empty = "no designs (.yaml) here; s shows those that come along"
        return replace(table, columns=(Column(""), *table.columns), rows=rows, empty=empty)


def _looked(path: Path, catalog: Catalog, policy: Policy) -> DesignRow:
    """A design with its figures; why not, where it cannot be read or computed."""
    try:
        design = load_file(path).design
        return ComparedDesign(path.name, compared_here(path.name, design, catalog, policy=policy))
    except ToposmithError as failed:
        return ComparedDesign(path.name, None, str(failed).splitlines()[0])
    except Stopped:
        raise
    except Exception as fault:  # one design must not stop the others
        return ComparedDesign(path.name, None, fault_words(fault))
