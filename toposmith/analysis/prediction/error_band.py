"""How far published results were from predictions, by kind of system and size of the message.

``python -m bench.measured`` computes the figures and writes those of ``published_bands.py``.
Only healthy runs count in which nothing was forced or reduced in network switches, on
systems of that kind. Where too few systems have published results there is no band, nor for a
system of no such kind.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from toposmith.analysis.prediction.published_bands import BANDS, EXCHANGES, SYSTEMS
from toposmith.text import counted, percent

BandClass = Literal[
    "inside an NVSwitch node",
    "two whole NVSwitch nodes over RDMA",
    "three and more whole NVSwitch nodes over RDMA",
    "one GPU of each node over RDMA",
    "whole NVSwitch nodes over EFA",
    "whole NVSwitch nodes over Slingshot",
    "whole NVSwitch nodes over GPUDirect-TCPX",
    "whole NVSwitch nodes over GPUDirect-TCPXO",
    "EFA without GPUDirect",
    "TCP",
    "inside a node with NVLink but no NVSwitch",
    "several nodes with NVLink but no NVSwitch over RDMA",
    "inside a node without NVLink",
    "several nodes without NVLink over RDMA",
]
"""Kinds of systems with a band of their own."""

SIZE_RANGES: tuple[tuple[int, int, str], ...] = (
    (0, 32 * 2**10, "below 32 KiB"),
    (32 * 2**10, 2**20, "32 KiB to 1 MiB"),
    (2**20, 64 * 2**20, "1 to 64 MiB"),
    (64 * 2**20, 2**30, "64 MiB to 1 GiB"),
    (2**30, 2**60, "1 GiB and more"),
)

ESTIMATE = "estimate"
"""What an all-to-all between nodes is: the exchange at payload rate, without losses."""

FEWEST_SYSTEMS = 3
"""The fewest systems that give a band."""

FEWEST_TO_AGREE = 2
FAR_BELOW = 0.1
"""Where all results of so many systems are so far below, the prediction is ``at most``; with one
system it is only noted."""

FEWEST_FOR_A_SHARE = 9
"""From so many systems on a band claims a share: the lowest and the highest of n such systems
leave out the next with a chance of 2 / (n + 1), 20 % of nine (order statistics: David and Nagaraja,
"Order Statistics", 3rd ed., section 7.3)."""

HELD_OUT_RANGE = (0.7, 0.9)
"""Where the share of results of systems left out that lie inside supports "8 of 10"."""


@dataclass(frozen=True)
class ErrorBand:
    """Where measured figures fell around the prediction.

    Parameters
    ----------
    low, high : float
        Of measured over predicted busbw, less one: -0.1 is 10 % below. Where there are nine systems
        and more, what leaves out 10 % of such systems on each side; else the lowest and the highest
        published result. ``high`` goes no further than the bound of what runs.
    curves, systems : int
        Published curves behind it, and the systems that they are of.
    where : str
        The kind of system and the size range that it holds for.
    held_out : float
        Leaving out one system after the other: the share of its results that lies in the band of
        the others, the mean over the systems.
    names : tuple of str
        The systems.
    most_gpus : int
        Of the largest run among the results.
    ran : int
        Systems that published results of the requested collective; the others ran others.
    """

    low: float
    high: float
    curves: int
    systems: int
    where: str
    held_out: float
    names: tuple[str, ...] = ()
    most_gpus: int = 0
    ran: int = 0

    @property
    def is_span(self) -> bool:
        """Whether it is only the range of few systems, and claims no share of others."""
        return self.systems < FEWEST_FOR_A_SHARE

    @property
    def supports_8_of_10(self) -> bool:
        """Whether some eight of ten results of another such system can be expected inside."""
        low, high = HELD_OUT_RANGE
        return not self.is_span and low <= self.held_out <= high

    def below(self, highest: float) -> ErrorBand:
        """The band with its upper end capped: figures above a bound are impossible."""
        return replace(self, low=min(self.low, highest), high=min(self.high, highest))


@dataclass(frozen=True)
class ReachedExchanges:
    """What published all-to-alls between nodes reached of their prediction, from 64 MiB on.

    Parameters
    ----------
    low, high : float
        The lowest and the highest median of a system, measured over predicted busbw.
    names : tuple of str
        The systems.
    most_nodes : int
        Of the largest run.
    """

    low: float
    high: float
    names: tuple[str, ...]
    most_nodes: int

    @property
    def words(self) -> str:
        """``published runs of 3 systems, up to 8 nodes, reached 71 to 96 % of it``."""
        nodes = counted(self.most_nodes, "node")
        if len(self.names) == 1:
            return f"the one published system, of {nodes}, reached {percent(self.low)} of it"
        reach = f"{self.low * 100:.0f} to {percent(self.high)}"
        return f"published runs of {len(self.names)} systems, up to {nodes}, reached {reach} of it"


def reached_by_exchanges() -> ReachedExchanges | None:
    """What published all-to-alls between nodes reached; None where none is published."""
    return None if EXCHANGES is None else ReachedExchanges(*EXCHANGES)


def size_range(message_bytes: int) -> int:
    """The number of the size range that a message is in."""
    return next(i for i, (low, high, _) in enumerate(SIZE_RANGES) if low <= message_bytes < high)


def systems_published(kind: BandClass, message_bytes: int) -> int:
    """How many systems of a kind have published results of such sizes."""
    found = BANDS.get((kind, size_range(message_bytes)))
    return len(found[4]) if found else 0


def all_below(kind: BandClass, message_bytes: int) -> tuple[float, float, int] | None:
    """Published over predicted where too few systems published, and all are far below.

    Returns
    -------
    tuple of (float, float, int) or None
        The lowest and the highest share, and the number of systems; None where one is near, or
        where there is a band.
    """
    found = BANDS.get((kind, size_range(message_bytes)))
    if found is None or len(found[4]) >= FEWEST_SYSTEMS:
        return None
    low, high = found[:2]
    return (1 + low, 1 + high, len(found[4])) if high <= -FAR_BELOW else None


def systems_that_ran(kind: BandClass, message_bytes: int, collective: str) -> int:
    """The number of these systems with published results of a collective."""
    found = BANDS.get((kind, size_range(message_bytes)))
    return found[6].get(collective, 0) if found else 0


def gpus_a_nic(kind: BandClass, message_bytes: int) -> float:
    """The most GPUs that share a NIC in these systems; 0 where none is used."""
    found = BANDS.get((kind, size_range(message_bytes)))
    return found[7] if found else 0.0


def error_band(kind: BandClass, message_bytes: int, collective: str) -> ErrorBand | None:
    """The band for a prediction, or None where too few systems have published such results.

    All results of a kind and size make one band, with any algorithm. Where none of a collective is
    published, it has no band.
    """
    at = size_range(message_bytes)
    ran = systems_that_ran(kind, message_bytes, collective)
    if systems_published(kind, message_bytes) < FEWEST_SYSTEMS or not ran:
        return None
    low, high, curves, held_out, members, most_gpus, *_ = BANDS[kind, at]
    names = tuple(SYSTEMS[member] for member in members)
    where = f"{kind}, {SIZE_RANGES[at][2]}"
    return ErrorBand(low, high, curves, len(names), where, held_out, names, most_gpus, ran)
