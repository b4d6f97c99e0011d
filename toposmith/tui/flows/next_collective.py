"""The key that measures the next collective."""

from __future__ import annotations

from dataclasses import replace

from toposmith.collectives import COLLECTIVES, collective_name
from toposmith.tui.designer.designer import Designer


def next_collective(designer: Designer) -> None:
    """Measure the next collective."""
    bench = designer.editing.workbench
    known = tuple(COLLECTIVES)
    following = known[(known.index(bench.request.collective) + 1) % len(known)]
    bench.request = replace(bench.request, collective=following)
    designer.measurement.measure_again()
    designer.messages.say(f"now {collective_name(following)}; M chooses among all", "hint")
