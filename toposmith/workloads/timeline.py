"""A training step as a picture: what one GPU does after the other, and what runs beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from toposmith.workloads.training import TrainingStep

Lane = Literal["gpu", "network"]
State = Literal["compute", "slowed", "exposed", "hidden", "bubble"]


@dataclass(frozen=True)
class Segment:
    """A stretch of a step, seconds from its beginning.

    Micro-batches are drawn together: all forward passes, all backward passes. ``lane`` is ``gpu``
    for what the step consists of, ``network`` for what runs beside it.
    """

    lane: Lane
    state: State
    label: str
    start_s: float
    end_s: float


def timeline(step: TrainingStep) -> tuple[Segment, ...]:
    """The segments of a step, lane by lane; those of the GPU add up to the step."""
    shown: list[Segment] = []
    at = 0.0

    def then(state: State, label: str, time_s: float) -> None:
        nonlocal at
        if time_s > 0:
            shown.append(Segment("gpu", state, label, at, at + time_s))
            at += time_s

    starts: dict[str, float] = {}
    starts["forward"] = at
    then("compute", "forward", step.forward_s)
    starts["backward"] = at
    then("compute", "backward", step.backward_s)
    then("slowed", "compute, slowed by overlapping communication", step.slowed_s)
    for each in step.communication:
        then("exposed", f"{each.dimension}: {each.what}", each.exposed_s)
    then("bubble", "pipeline bubble", step.bubble_s)
    then("compute", "optimiser", step.optimiser_s)
    busy = dict(starts)
    for each in step.communication:
        if each.hidden_s <= 0:
            continue
        forward = "forward" in each.what or each.what.startswith("weights")
        beside = "forward" if forward and "backward" not in each.what else "backward"
        start = busy[beside]
        label = f"{each.dimension}: {each.what}"
        shown.append(Segment("network", "hidden", label, start, start + each.hidden_s))
        busy[beside] = start + each.hidden_s
    return tuple(shown)
