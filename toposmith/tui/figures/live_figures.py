"""What the live panel shows, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposmith.analysis.request import Request
from toposmith.analysis.result import Analysis
from toposmith.findings.finding import Finding
from toposmith.tui.figures.effects import FigureSet
from toposmith.tui.figures.live_workload import LiveWorkload

if TYPE_CHECKING:
    from toposmith.synthesis.next_change import NextChange


@dataclass(frozen=True)
class LiveFigures:
    """What the live panel shows.

    Parameters
    ----------
    analysis : Analysis or None
        The figures of the current design; None while they are being computed.
    beside : Analysis or None
        The same for the collective shown beside it.
    before : Analysis or None
        The figures before the last change.
    saved : Analysis or None
        The figures of the saved version, where the design differs from it.
    findings : tuple of Finding
        What is wrong or worth knowing.
    judged : bool
        Whether a review was made of the design; without it findings are those of the engine alone.
    waiting : bool
        Whether these are earlier figures, while those of the current design are computed.
    trouble : str
        Why there are no figures, where computing them failed.
    note : str
        The design's own note.
    request : Request or None
        What was asked.
    saved_beside : Analysis or None
        The other collective in the saved version.
    trail : tuple of float or None
        The busbw after each of the last edits, GB/s, the present one last; None where unknown.
    workload : LiveWorkload or None
        What the design's workload gets of it; None where it has none.
    next : NextChange or None
        The fixes that were searched when the figures were there; None while there are none.
    searching : bool
        Whether fixes are being searched.
    """

    analysis: Analysis | None = None
    beside: Analysis | None = None
    before: Analysis | None = None
    saved: Analysis | None = None
    findings: tuple[Finding, ...] = ()
    judged: bool = False
    waiting: bool = False
    trouble: str = ""
    note: str = ""
    request: Request | None = None
    saved_beside: Analysis | None = None
    trail: tuple[float | None, ...] = ()
    workload: LiveWorkload | None = None
    next: NextChange | None = None
    searching: bool = False

    @property
    def outcome(self) -> FigureSet | None:
        """The figures that a change is compared with; None while they are not there."""
        workload = self.workload.figure if self.workload else None
        return None if self.analysis is None else FigureSet(self.analysis, self.beside, workload)
