"""How far published training runs of dense models were from predictions, by software and GPU.

``python -m bench.workloads.bands`` works the figures out, and writes ``published_step_bands.json``.
Kinds with runs of too few systems have no band; neither have figures that are known from one side
only, nor those that a run of one's own set, nor mixtures of experts, whose runs scatter too far.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from toposmith.analysis.prediction.error_band import (
    FEWEST_FOR_A_SHARE,
    FEWEST_SYSTEMS,
    HELD_OUT_RANGE,
)
from toposmith.workloads.block import Stack

GPUS: dict[Stack, tuple[tuple[int, int, str], ...]] = {
    "nvidia": ((80, 80, "A100"), (90, 90, "H100, H200"), (100, 109, "B200, GB200 and like")),
    "fsdp": ((80, 80, "A100"), (90, 90, "H100, H200")),
    "older": ((70, 70, "V100"), (80, 80, "A100")),
}
"""Compute capabilities, first and last, of GPUs with published runs of a stack, and their names."""

STACK_NAMES: dict[Stack, str] = {
    "nvidia": "NVIDIA's stack",
    "fsdp": "plain FSDP",
    "older": "software to 2022",
}
"""What stands for a stack on screen; ``older`` is Megatron-LM and its like without
FlashAttention."""


@dataclass(frozen=True)
class StepBand:
    """Where the rates of published runs fell around predictions of their kind.

    Parameters
    ----------
    low, high : float
        Of published over predicted rate, less one. From nine systems on what leaves out a tenth of
        such systems on each side; of fewer the lowest and the highest that was published.
    middle : float
        The median of all runs.
    runs : int
        How many.
    held_out : float
        Leaving out one system after the other: the share of its runs inside the band of the others.
    names : tuple of str
        The systems, by who published them.
    kind : str
        Which software, models and GPUs.
    """

    low: float
    high: float
    middle: float
    runs: int
    held_out: float
    names: tuple[str, ...]
    kind: str

    @property
    def is_span(self) -> bool:
        """Whether it is all that few systems published, and promises no share of others."""
        return len(self.names) < FEWEST_FOR_A_SHARE

    @property
    def supports_8_of_10(self) -> bool:
        """Whether some eight of ten runs on another such system can be expected inside."""
        low, high = HELD_OUT_RANGE
        return not self.is_span and low <= self.held_out <= high

    def rates(self, rate: float) -> tuple[float, float]:
        """The lowest and the highest rate of such runs."""
        return rate * (1 + self.low), rate * (1 + self.high)

    def times(self, time: float) -> tuple[float, float]:
        """The shortest and the longest time of such runs."""
        return time / (1 + self.high), time / (1 + self.low)


def band_kind(stack: Stack, generation: int) -> str:
    """Which kind of runs a prediction is compared with; empty for GPUs without published runs.

    Plain FSDP uses H100 less well than A100, so that its runs on these are kept apart.
    """
    gpus = next((name for first, last, name in GPUS[stack] if first <= generation <= last), "")
    if not gpus:
        return ""
    kind = f"dense models, {STACK_NAMES[stack]}"
    return f"{kind}, {gpus}" if stack == "fsdp" else kind


@cache
def published() -> dict[str, dict[str, Any]]:
    """Figures of every kind with published runs, as a :class:`StepBand` names them."""
    text = (files("toposmith.workloads") / "published_step_bands.json").read_text("utf-8")
    found: dict[str, dict[str, Any]] = json.loads(text)
    return found


def step_band(stack: Stack, generation: int) -> StepBand | None:
    """The band of a kind of runs; None where too few systems published any."""
    kind = band_kind(stack, generation)
    found = published().get(kind)
    if found is None or len(found["names"]) < FEWEST_SYSTEMS:
        return None
    return StepBand(**found | {"names": tuple(found["names"])}, kind=kind)
