"""What a design keeps after each single failure, worst first."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from toposmith.documents.table import Table
from toposmith.review.failures.maintenance import only_removable
from toposmith.review.failures.sweep_in_words import selectors_of
from toposmith.text import percent
from toposmith.tui.figures.live_sweep import FoundFailures, LiveSweep
from toposmith.tui.flows.failure_trials import ask_pairs, ask_share, let_fail
from toposmith.tui.tables.failures import failure_table
from toposmith.tui.views.own_keys import ESC, GO_THERE, TABLE, OwnKeys
from toposmith.tui.views.table_view import TableView

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.tui.designer.designer import Designer, Flow
    from toposmith.tui.drawing.glyphs import Glyphs
    from toposmith.tui.figures.shared_figures import Wanted


SECONDS_BETWEEN_TABLES = 1.0
"""Seconds after which a running sweep shows what it has found since."""

TIMES_AS_LONG = 10
"""A table is shown so many times as long as writing it took, where that is more."""


class FailuresView(TableView):
    """Every class of things that can fail; one can be tried, and all figures are without it."""

    NAME = "failures"
    OWN_KEYS = OwnKeys(
        "the failures",
        (
            ("D", "Show the whole design without it; again, with it"),
            ("%", "List what can be taken out now, with so much kept as you say; again, all"),
            ("2", "Let pairs fail together: all of them, counted, or as many as you say"),
            *TABLE,
            *GO_THERE,
            *ESC,
        ),
    )
    BORDER_TITLE = "Failures, worst first"
    HEAD_SHARE = 5
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("D", "without it"),
        ("2", "pairs"),
        ("%", "can go"),
        *TableView.KEYS,
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("D", "fail", "without it", show=False),
        Binding("2", "pairs", "let pairs fail", show=False),
        Binding("percent_sign", "maintain", "what can be taken out", show=False),
    ]
    _keep: float | None = None
    _found: FoundFailures | None = None

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self._sweep = LiveSweep()

    def action_fail(self) -> None:
        """See all figures without what the selected line says."""
        row = self.selected
        if row is not None:
            self.want(partial(_let_fail, selectors_of(row)))

    def action_pairs(self) -> None:
        """Let pairs of things fail, too."""
        self.want(self._ask_pairs)

    def action_maintain(self) -> None:
        """List what can be taken out now, or all failures again."""
        if self._keep is None:
            self.want(self._ask_share)
        else:
            self.keep(None)

    def _ask_share(self, designer: Designer) -> Flow:
        return ask_share(designer, self)

    def keep(self, share: float | None) -> None:
        """List only what can be taken out with so much kept; all failures for None."""
        self._keep = share
        self._write_title()
        if self._found is not None:
            self.show(self._found)

    def _write_title(self) -> None:
        """Say what is listed, and how much of it is still to be computed."""
        title = self.BORDER_TITLE
        if self._keep is not None:
            title = f"Can be taken out now, at least {percent(self._keep)} kept"
        if self._found is not None and self._found.sweep.to_come:
            title += f"; {self._found.sweep.to_come:,} still to be looked at"
        self.border_title = title

    def _ask_pairs(self, designer: Designer) -> Flow:
        return ask_pairs(designer, self)

    def let_pairs_fail(self, many: int | None) -> None:
        """Sample so many pairs from now on, or compute all."""
        self._sweep.pairs = many
        self._wanted = None

    def follow(self, wanted: Wanted, catalog: Catalog) -> None:
        """Begin anew where something else is wanted."""
        if self._wanted != replace(wanted, failing=()):
            self._sweep.begin()
        super().follow(wanted, catalog)

    def forget(self) -> None:
        """Another design was opened."""
        self._sweep.pairs = 0
        self.keep(None)
        super().forget()

    def action_leave(self) -> None:
        """End a running sweep, with what is there; else go back to the fabric."""
        if self.busy and not self._sweep.ended:
            self._sweep.end()
            self.say_in_head("stopping, with the failures looked at until now")
        else:
            super().action_leave()

    def show_progress(self, done: int, of: int) -> None:
        """Draw the progress, unless it is being stopped."""
        if not self._sweep.ended:
            super().show_progress(done, of)

    def compute(self, wanted: Wanted, catalog: Catalog) -> object:
        """Let everything fail once, then pairs; with the request of the app."""
        return self._sweep.run(wanted, catalog, progress=partial(self.went, wanted))

    def _show_so_far(self, wanted: Wanted) -> None:
        """Show it now and then, as long as it is wanted and not all is there."""
        if not self.busy or wanted is not self._wanted or self._sweep.ended:
            return
        began = monotonic()
        found = self._sweep.news(wanted)
        if found is not None:
            self.show(found)
        pause = max(SECONDS_BETWEEN_TABLES, TIMES_AS_LONG * (monotonic() - began))
        self.set_timer(pause, partial(self._show_so_far, wanted))

    def show(self, found: object) -> None:
        """Show failures, or what can be taken out; with None, from now on as they are found."""
        assert found is None or isinstance(found, FoundFailures)
        self._found = found
        if found is None and self.busy and self._wanted is not None:
            self.set_timer(SECONDS_BETWEEN_TABLES, partial(self._show_so_far, self._wanted))
        self._write_title()
        super().show(found)

    def show_trouble(self, trouble: str) -> None:
        """Say why there are none, nor any still to come."""
        self._found = None
        self._write_title()
        super().show_trouble(trouble)

    def table_of(self, found: object) -> Table:
        """The failures with what is kept after each."""
        assert isinstance(found, FoundFailures)
        sweep = found.sweep
        if self._keep is not None:
            sweep = only_removable(sweep, self._keep)
        return failure_table(sweep, found.design)


def _let_fail(selectors: tuple[str, ...], designer: Designer) -> None:
    let_fail(designer, selectors)
