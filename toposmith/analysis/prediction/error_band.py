"""How far published results were from predictions, by kind of system and size of the message.

``python -m bench.measured`` computes the figures and writes those of ``published_bands.json``.
Only healthy runs count in which nothing was forced or reduced in network switches, on
systems of that kind. Where too few systems have published results there is no band, nor for a
system of no such kind.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Any, Literal

from toposmith.collectives import COLLECTIVES
from toposmith.text import counted, message_size, percent

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
    found = published()["exchanges"]
    return found and ReachedExchanges(**found | {"names": tuple(found["names"])})


def size_range(message_bytes: int) -> int:
    """The number of the size range that a message is in."""
    return next(i for i, (low, high, _) in enumerate(SIZE_RANGES) if low <= message_bytes < high)


@cache
def published() -> dict[str, Any]:
    """The bands by kind and size range, named by :func:`band_name`, and what exchanges reached.

    Of a band: ``low`` and ``high`` of measured over predicted busbw less one, ``curves``, the share
    of results of systems left out that lie inside (``held_out``), the ``systems``, the GPUs of the
    largest run, how many systems ran each collective, and the GPUs that share a NIC where that is
    most. ``exchanges`` are the fields of :class:`ReachedExchanges`, or None.
    """
    kept = files("toposmith.analysis.prediction") / "published_bands.json"
    return dict(json.loads(kept.read_text("utf-8")))


def band_name(kind: BandClass, at: int) -> str:
    """``TCP, 1 to 64 MiB``: a kind of system and the number of a size range."""
    return f"{kind}, {SIZE_RANGES[at][2]}"


def _band(kind: BandClass, message_bytes: int) -> dict[str, Any]:
    """The published band of a kind and size; empty where nothing is published."""
    return dict(published()["bands"].get(band_name(kind, size_range(message_bytes)), {}))


def systems_published(kind: BandClass, message_bytes: int) -> int:
    """How many systems of a kind have published results of such sizes."""
    return len(_band(kind, message_bytes).get("systems", ()))


def all_below(kind: BandClass, message_bytes: int) -> tuple[float, float, int] | None:
    """Published over predicted where too few systems published, and all are far below.

    Returns
    -------
    tuple of (float, float, int) or None
        The lowest and the highest share, and the number of systems; None where one is near, or
        where there is a band.
    """
    systems = systems_published(kind, message_bytes)
    if not 0 < systems < FEWEST_SYSTEMS:
        return None
    found = _band(kind, message_bytes)
    return (1 + found["low"], 1 + found["high"], systems) if found["high"] <= -FAR_BELOW else None


def systems_that_ran(kind: BandClass, message_bytes: int, collective: str) -> int:
    """The number of these systems with published results of a collective."""
    return int(_band(kind, message_bytes).get("ran", {}).get(collective, 0))


def coverage_words(kind: BandClass, collective: str) -> str:
    """Which sizes of a collective are published of such systems, and of how many."""
    counts = [systems_that_ran(kind, low, collective) for low, _, _ in SIZE_RANGES]
    name = COLLECTIVES[collective].name
    if not any(counts):
        return f"published of {kind}: no {name}"
    most = max(_band(kind, low).get("most_gpus", 0) for low, _, _ in SIZE_RANGES)
    alike = [(count, [at for at, _ in same]) for count, same in groupby(enumerate(counts), _count)]
    spans = ", ".join(f"{count or 'none'} {_sizes(at[0], at[-1])}" for count, at in alike)
    return f"published of {kind}, up to {most} GPUs: systems with {name}: {spans}"


def _count(numbered: tuple[int, int]) -> int:
    return numbered[1]


def _sizes(first: int, last: int) -> str:
    """``from 1 MiB to 1 GiB``: the sizes of some ranges that follow each other."""
    low, high = message_size(SIZE_RANGES[first][0]), message_size(SIZE_RANGES[last][1])
    if last == len(SIZE_RANGES) - 1:
        return f"from {low} on" if first else "at any size"
    return f"from {low} to {high}" if first else f"below {high}"


def gpus_a_nic(kind: BandClass, message_bytes: int) -> float:
    """The most GPUs that share a NIC in these systems; 0 where none is used."""
    return float(_band(kind, message_bytes).get("gpus_a_nic", 0.0))


def error_band(kind: BandClass, message_bytes: int, collective: str) -> ErrorBand | None:
    """The band for a prediction, or None where too few systems have published such results.

    All results of a kind and size make one band, with any algorithm. Where none of a collective is
    published, it has no band.
    """
    ran = systems_that_ran(kind, message_bytes, collective)
    if systems_published(kind, message_bytes) < FEWEST_SYSTEMS or not ran:
        return None
    found = _band(kind, message_bytes)
    return ErrorBand(
        found["low"],
        found["high"],
        found["curves"],
        len(found["systems"]),
        band_name(kind, size_range(message_bytes)),
        found["held_out"],
        tuple(found["systems"]),
        found["most_gpus"],
        ran,
    )
