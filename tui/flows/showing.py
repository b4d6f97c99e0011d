"""Looking at the design: the next collective."""

from __future__ import annotations

from dataclasses import replace

from toposmith.text import COLLECTIVE_NAMES
from toposmith.topology.analysis.request import COLLECTIVES
from toposmith.tui.desk import Desk


def next_collective(desk: Desk) -> None:
    """Measure the next collective."""
    bench = desk.workbench
    at = COLLECTIVES.index(bench.request.collective)
    following = COLLECTIVES[(at + 1) % len(COLLECTIVES)]
    bench.request = replace(bench.request, collective=following)
    desk.measure_again()
    desk.say(f"now {COLLECTIVE_NAMES[following]}; M chooses among all", "hint")
