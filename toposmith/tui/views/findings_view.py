"""The findings in the middle of the screen: each with its figure, its fix and its waiver."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType

from toposmith.documents.table import Table
from toposmith.synthesis.next_change import fix_of_finding
from toposmith.tui.flows.review_flow import waive
from toposmith.tui.flows.search_results import take_found
from toposmith.tui.tables.findings import finding_of, findings_table
from toposmith.tui.views.own_keys import ESC, GO_THERE, TABLE, OwnKeys
from toposmith.tui.views.table_view import TableView

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.design.document import Design
    from toposmith.findings.finding import Finding
    from toposmith.review.sidecar.verdict import Review
    from toposmith.tui.designer.designer import Designer, Flow
    from toposmith.tui.figures.shared_figures import Wanted


@dataclass(frozen=True)
class _Found:
    findings: tuple[Finding, ...]
    design: Design


class FindingsView(TableView):
    """Everything that is wrong or worth knowing, errors first; Enter goes to the place.

    Findings are computed behind the figures, for the panels too; they are handed down here.
    """

    NAME = "findings"
    OWN_KEYS = OwnKeys(
        "the findings",
        (
            *GO_THERE,
            ("w", "Waive the finding, with a reason; on a waived one take that back"),
            *TABLE,
            *ESC,
        ),
    )
    BORDER_TITLE = "Findings"
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("Enter", "go there"),
        ("w", "waive"),
        *TableView.KEYS[:-2],
        TableView.KEYS[-1],
    )
    BINDINGS: ClassVar[list[BindingType]] = [Binding("w", "waive", "waive", show=False)]

    _found: _Found | None = None

    def show_said(
        self,
        review: Review,
        findings: tuple[Finding, ...] | None,
        design: Design,
        trouble: str,
    ) -> None:
        """Show the findings of a design."""
        if findings is None:
            return
        found = _Found(findings, design)
        if found != self._found:
            self._found = found
            self.show(found)

    def forget(self) -> None:
        """Another design was opened."""
        self._found = None
        super().forget()

    def follow(self, wanted: Wanted, catalog: Catalog) -> None:
        """Nothing is computed here."""

    def action_waive(self) -> None:
        """Accept the selected finding, with a reason; or let it count again."""
        row = self.selected
        finding = finding_of(row, self._found.findings) if row and self._found else None
        if finding is not None:
            self.want(partial(_waive, finding), changes=True)

    @on(TableView.Chosen)
    def _preview_fix(self, event: TableView.Chosen) -> None:
        """Preview the change that raises the figure of a finding; other findings have a place."""
        finding = finding_of(event.row, self._found.findings) if self._found else None
        if finding is not None and "change" in finding.computed_values:
            event.stop()
            self.want(partial(_take_fix, finding), changes=True)

    def table_of(self, found: object) -> Table:
        """The findings."""
        assert isinstance(found, _Found)
        return findings_table(found.findings, found.design, self._glyphs)


def _take_fix(finding: Finding, designer: Designer) -> Flow | None:
    found = designer.measurement.figures.next
    fix = fix_of_finding(finding, found.fixes.fixes) if found is not None else None
    return None if fix is None else take_found(designer, fix)


def _waive(finding: Finding, designer: Designer) -> Flow:
    return waive(designer, finding)
