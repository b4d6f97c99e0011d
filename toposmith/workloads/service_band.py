"""How far published times of services under load were from predictions, by load and GPU.

``python -m bench.workloads.service_bands`` works the figures out, and writes
``published_service_bands.py``. Where fewer than three systems were published there is no band.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from toposmith.analysis.prediction.error_band import FEWEST_SYSTEMS
from toposmith.workloads.published_service_bands import BANDS

Time = Literal["ttft", "tpot"]
Of = Literal["p50", "p99", "mean"]

GPUS = ((90, 90, "H100, H200"), (100, 109, "B200, GB200 and like"))
"""Compute capabilities, first and last, of GPUs with published services, and their names."""


@dataclass(frozen=True)
class ServiceBand:
    """Where published times fell around predictions of their kind: all that was published.

    Parameters
    ----------
    time, of : str
        To the first token or per output token; and of that the percentile or the mean.
    low, high, middle : float
        Of published over predicted time: the least, the most, and the median.
    runs : int
        How many.
    held_out : float
        Leaving out one system after the other: the share of its runs inside the band of the others.
    names : tuple of str
        The systems, by who published them.
    """

    time: Time
    of: Of
    low: float
    high: float
    middle: float
    runs: int
    held_out: float
    names: tuple[str, ...]


def gpus_of_band(generation: int) -> str:
    """What stands for GPUs of a compute capability; empty without published services."""
    return next((name for first, last, name in GPUS if first <= generation <= last), "")


def service_bands(arrivals: str, generation: int) -> tuple[ServiceBand, ...]:
    """The bands of a kind of load on such GPUs; a trace has those of a rate."""
    closed = arrivals == "closed"
    kinds: tuple[Of, ...] = ("mean",) if closed else ("p50", "p99")
    load, gpus = "concurrency" if closed else "rate", gpus_of_band(generation)
    times: tuple[Time, ...] = ("ttft", "tpot")
    asked = (
        (time, of, BANDS.get(f"{load}, {gpus}, {time} {of}")) for time in times for of in kinds
    )
    return tuple(
        ServiceBand(time, of, *found)
        for time, of, found in asked
        if found is not None and len(found[5]) >= FEWEST_SYSTEMS
    )
