"""The findings in the middle of the screen: each with its figure, its fix and its waiver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from toposmith.topology.findings.finding import Finding
from toposmith.tui.figures.figuring import Wanted
from toposmith.tui.tables.findings import finding_of, findings_table
from toposmith.tui.views.table import Table
from toposmith.tui.views.table_view import TableView

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.topology.design.document import Design


@dataclass(frozen=True)
class _Found:
    findings: tuple[Finding, ...]
    design: Design


class FindingsView(TableView):
    """Everything that is wrong or worth knowing, errors first; Enter goes to the place.

    Findings are computed behind the figures, for the panels too; they are handed down here.
    """

    NAME = "findings"
    BORDER_TITLE = "Findings"
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Enter", "go there"),
        ("w", "waive"),
        *TableView.KEYS[:-2],
        TableView.KEYS[-1],
    )
    BINDINGS: ClassVar[list[BindingType]] = [Binding("w", "waive", "waive", show=False)]

    class WaiveWanted(Message):
        """A finding is to be accepted, or to count again."""

        def __init__(self, finding: Finding) -> None:
            self.finding = finding
            super().__init__()

    _found: _Found | None = None

    def show_findings(self, findings: tuple[Finding, ...], design: Design) -> None:
        """Show the findings of a design."""
        found = _Found(findings, design)
        if found != self._found:
            self._found = found
            self.show(found)

    def forget(self) -> None:
        """Another design is worked on."""
        self._found = None
        super().forget()

    def follow(self, wanted: Wanted, catalog: Catalog) -> None:
        """Nothing is computed here."""

    def action_waive(self) -> None:
        """Accept the selected finding, with a reason; or let it count again."""
        row = self.selected
        finding = finding_of(row, self._found.findings) if row and self._found else None
        if finding is not None:
            self.post_message(self.WaiveWanted(finding))

    def table_of(self, found: object) -> Table:
        """The findings."""
        assert isinstance(found, _Found)
        return findings_table(found.findings, found.design, self._glyphs)
