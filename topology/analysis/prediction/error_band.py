"""How far published results lay from predictions, by kind of system and size of the message.

Percentages are the 10th and the 90th percentile of measured over predicted busbw, less one, every
system with the same weight, as ``python -m bench.measured`` prints them. Counted are healthy runs
in which nothing was forced or reduced in switches of the network. What too few systems have
published has no band, and neither has what is of no such kind.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

BandClass = Literal[
    "inside an NVSwitch node",
    "whole NVSwitch nodes over RDMA",
    "whole NVSwitch nodes over EFA",
    "whole NVSwitch nodes over TCP",
]
BAND_CLASSES: tuple[BandClass, ...] = (
    "inside an NVSwitch node",
    "whole NVSwitch nodes over RDMA",
    "whole NVSwitch nodes over EFA",
    "whole NVSwitch nodes over TCP",
)

SIZE_RANGES: tuple[tuple[int, int, str], ...] = (
    (0, 32 * 2**10, "below 32 KiB"),
    (32 * 2**10, 2**20, "32 KiB to 1 MiB"),
    (2**20, 64 * 2**20, "1 to 64 MiB"),
    (64 * 2**20, 2**30, "64 MiB to 1 GiB"),
    (2**30, 2**60, "1 GiB and more"),
)

FEWEST_SYSTEMS = 5
"""Fewer systems than that make no band."""

HELD_OUT_RANGE = (0.7, 0.9)
"""Where the share of results of systems left out that lie inside supports "8 of 10"."""


@dataclass(frozen=True)
class ErrorBand:
    """Where most measured figures lay around the prediction.

    Parameters
    ----------
    low, high : float
        10th and 90th percentile of measured over predicted busbw, less one: -0.1 is 10 % below;
        ``high`` goes no further than the bound of what runs.
    curves, systems : int
        Published curves behind it, and the systems that they are of.
    where : str
        The kind of system and the size range that it holds for.
    held_out : float
        Leaving out one system after the other: the share of its results that lies in the band of
        the others, the mean over the systems.
    """

    low: float
    high: float
    curves: int
    systems: int
    where: str
    held_out: float

    @property
    def supports_8_of_10(self) -> bool:
        """Whether some eight of ten results of another such system can be expected inside."""
        low, high = HELD_OUT_RANGE
        return low <= self.held_out <= high

    def below(self, highest: float) -> ErrorBand:
        """The band with its upper end at most there; figures above a bound cannot be."""
        return replace(self, low=min(self.low, highest), high=min(self.high, highest))


Found = tuple[float, float, int, int, float]
"""Low, high, curves, systems, share of results of systems left out that lie inside."""

BANDS: dict[tuple[BandClass, int], Found] = {
    ("inside an NVSwitch node", 0): (-0.19, 0.52, 47, 7, 0.71),
    ("inside an NVSwitch node", 1): (-0.58, 0.21, 51, 10, 0.72),
    ("inside an NVSwitch node", 2): (-0.29, 0.48, 51, 10, 0.73),
    ("inside an NVSwitch node", 3): (-0.12, 0.12, 53, 12, 0.76),
    ("inside an NVSwitch node", 4): (-0.04, 0.01, 15, 12, 0.78),
    ("whole NVSwitch nodes over RDMA", 0): (-0.3, 0.07, 6, 5, 0.74),
    ("whole NVSwitch nodes over RDMA", 1): (-0.29, 0.24, 6, 5, 0.68),
    ("whole NVSwitch nodes over RDMA", 2): (-0.21, 0.16, 9, 6, 0.76),
    ("whole NVSwitch nodes over RDMA", 3): (-0.21, 0.09, 9, 6, 0.79),
    ("whole NVSwitch nodes over RDMA", 4): (-0.04, 0.05, 15, 9, 0.69),
    ("whole NVSwitch nodes over EFA", 0): (-0.27, 1.04, 2, 2, 0.0),
    ("whole NVSwitch nodes over EFA", 1): (-0.97, -0.33, 2, 2, 0.4),
    ("whole NVSwitch nodes over EFA", 2): (-0.63, -0.31, 2, 2, 0.0),
    ("whole NVSwitch nodes over EFA", 3): (-0.61, 0.08, 2, 2, 0.0),
    ("whole NVSwitch nodes over EFA", 4): (-0.47, 0.1, 6, 3, 0.4),
}
"""By kind of system and number of the size range."""


def transport_class(transport: str | None) -> BandClass | None:
    """The class of whole NVSwitch nodes over a transport; inside one where that is None."""
    classes: dict[str | None, BandClass] = {
        None: "inside an NVSwitch node",
        "infiniband": "whole NVSwitch nodes over RDMA",
        "roce": "whole NVSwitch nodes over RDMA",
        "efa": "whole NVSwitch nodes over EFA",
        "tcp": "whole NVSwitch nodes over TCP",
    }
    return classes.get(transport)


def size_range(message_bytes: int) -> int:
    """The number of the size range that a message is in."""
    return next(i for i, (low, high, _) in enumerate(SIZE_RANGES) if low <= message_bytes < high)


def error_band(kind: BandClass, message_bytes: int) -> ErrorBand | None:
    """The band for a prediction, or None where too few systems have published such results."""
    at = size_range(message_bytes)
    found = BANDS.get((kind, at))
    if found is None or found[3] < FEWEST_SYSTEMS:
        return None
    low, high, curves, systems, held_out = found
    return ErrorBand(low, high, curves, systems, f"{kind}, {SIZE_RANGES[at][2]}", held_out)
