"""Runs of nccl-tests on the real cluster, beside what the design predicts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from toposmith.documents.table import Table
from toposmith.measured.against import compare
from toposmith.measured.nccl_tests import read_log_file
from toposmith.measured.runs_table import measured_table
from toposmith.tui.flows.measurements import ask_log, keep_calibration
from toposmith.tui.views.own_keys import ESC, TABLE, OwnKeys
from toposmith.tui.views.table_view import TableView

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.measured.against import RunComparison
    from toposmith.tui.designer.designer import Designer
    from toposmith.tui.figures.shared_figures import Wanted


@dataclass(frozen=True)
class _Found:
    compared: tuple[RunComparison, ...] = ()
    left_out: tuple[str, ...] = ()


class MeasuredView(TableView):
    """Measured beside predicted busbw by size, and what would explain a gap."""

    NAME = "measured"
    OWN_KEYS = OwnKeys(
        "what was measured",
        (("o", "Open a log of nccl-tests"), ("c", "Write a calibration of it"), *TABLE, *ESC),
    )
    BORDER_TITLE = "Measured"
    KEYS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("o", "open a log"),
        ("c", "calibrate"),
        ("/", "filter"),
        ("<", "sort by"),
        (">", "sort by"),
        ("r", "reverse"),
        ("Esc", "fabric"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "open", "open a log", show=False),
        Binding("c", "calibrate", "calibrate", show=False),
    ]

    _compared: tuple[RunComparison, ...] = ()
    _log: Path | None = None
    _collective: str = ""

    def forget(self) -> None:
        """Another design was opened, which the log is not of."""
        self._log = None
        super().forget()

    def action_open(self) -> None:
        """Ask for a log, and compare with it from now on."""

        async def ask(designer: Designer) -> None:
            asked = await ask_log(designer, self._log)
            if asked is None:
                return
            self._log, self._collective = asked
            wanted, self._wanted = self._wanted, None
            if wanted is not None:
                self.follow(wanted, designer.editing.workbench.catalog)

        self.want(ask)

    def action_calibrate(self) -> None:
        """Keep what was measured, for later predictions."""
        compared = self._compared

        async def keep(designer: Designer) -> None:
            if compared:
                await keep_calibration(designer, compared)
            else:
                designer.messages.say("open a log first: o", "hint")

        self.want(keep)

    def compute(self, wanted: Wanted, catalog: Catalog) -> object:
        """The log read, and every run in it compared with the current design."""
        if self._log is None:
            return _Found()
        log = read_log_file(self._log)
        runs = (replace(run, collective=run.collective or self._collective) for run in log.runs)
        compared = tuple(compare(run, wanted.design, catalog) for run in runs)
        return _Found(compared, log.left_out)

    def table_of(self, found: object) -> Table:
        """Every size of every run."""
        assert isinstance(found, _Found)
        self._compared = found.compared
        return measured_table(found.compared, found.left_out)
