"""Looking at the design: the next collective."""

from __future__ import annotations

from dataclasses import replace

from toposmith.topology.collectives import COLLECTIVES, collective_name
from toposmith.tui.desk import Desk


def next_collective(desk: Desk) -> None:
    """Measure the next collective."""
    bench = desk.workbench
    known = tuple(COLLECTIVES)
    following = known[(known.index(bench.request.collective) + 1) % len(known)]
    bench.request = replace(bench.request, collective=following)
    desk.measure_again()
    desk.say(f"now {collective_name(following)}; M chooses among all", "hint")
