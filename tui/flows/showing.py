"""Looking at the design: the next collective."""

from __future__ import annotations

from dataclasses import replace

from toposmith.topology.analysis.request import COLLECTIVES
from toposmith.tui.designer.designer import Designer
from toposmith.tui.wording import COLLECTIVE_NAMES


def next_collective(designer: Designer) -> None:
    """Measure the next collective."""
    bench = designer.editing.workbench
    at = COLLECTIVES.index(bench.request.collective)
    following = COLLECTIVES[(at + 1) % len(COLLECTIVES)]
    bench.request = replace(bench.request, collective=following)
    designer.measurement.measure_again()
    designer.messages.say(f"now {COLLECTIVE_NAMES[following]}; M chooses among all", "hint")
