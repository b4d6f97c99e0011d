"""How far predictions were from published results, by transport and size of the message.

Percentages are the 10th and the 90th percentile of measured over predicted busbw, less one, over
all healthy published curves, as ``bench/measured.py`` prints them. What the published results do
not cover has no band.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

TransportClass = Literal["inside a node", "rdma", "efa", "tcp"]

SIZE_RANGES: tuple[tuple[int, int, str], ...] = (
    (0, 32 * 2**10, "below 32 KiB"),
    (32 * 2**10, 2**20, "32 KiB to 1 MiB"),
    (2**20, 64 * 2**20, "1 to 64 MiB"),
    (64 * 2**20, 2**30, "64 MiB to 1 GiB"),
    (2**30, 2**60, "1 GiB and more"),
)


@dataclass(frozen=True)
class ErrorBand:
    """Where most measured figures lay around the prediction.

    Parameters
    ----------
    low, high : float
        10th and 90th percentile of measured over predicted busbw, less one: -0.1 is 10 % below.
    curves : int
        Published curves behind it.
    where : str
        The transport and size range that it holds for.
    """

    low: float
    high: float
    curves: int
    where: str


FEWEST_CURVES = 3
"""Fewer published curves than that make no band."""

BANDS: dict[tuple[TransportClass, int], tuple[float, float, int]] = {
    ("inside a node", 0): (-0.17, 0.68, 62),
    ("inside a node", 1): (-0.3, 0.51, 65),
    ("inside a node", 2): (-0.16, 0.64, 66),
    ("inside a node", 3): (-0.16, 0.16, 66),
    ("inside a node", 4): (-0.04, 0.09, 23),
    ("rdma", 0): (-0.33, 0.81, 12),
    ("rdma", 1): (-0.41, 0.23, 16),
    ("rdma", 2): (-0.51, 0.35, 20),
    ("rdma", 3): (-0.42, 0.07, 24),
    ("rdma", 4): (-0.29, 0.17, 33),
    ("efa", 0): (-0.25, 1.43, 3),
    ("efa", 1): (-0.59, 0.51, 3),
    ("efa", 2): (-0.63, -0.28, 3),
    ("efa", 3): (-0.59, -0.12, 3),
    ("efa", 4): (-0.48, 0.07, 9),
    ("tcp", 0): (-0.81, -0.52, 2),
    ("tcp", 1): (-0.95, -0.68, 2),
    ("tcp", 2): (-0.91, -0.32, 3),
    ("tcp", 3): (-0.9, 0.35, 5),
    ("tcp", 4): (-0.29, -0.29, 1),
}
"""By class of transport and number of the size range: low, high, curves."""


def transport_class(transport: str | None) -> TransportClass | None:
    """The class of transports that bands are kept for; None where nothing was published."""
    classes: dict[str | None, TransportClass] = {
        None: "inside a node",
        "infiniband": "rdma",
        "roce": "rdma",
        "efa": "efa",
        "tcp": "tcp",
    }
    return classes.get(transport)


def size_range(message_bytes: int) -> int:
    """The number of the size range that a message is in."""
    return next(i for i, (low, high, _) in enumerate(SIZE_RANGES) if low <= message_bytes < high)


def error_band(transport: str | None, message_bytes: int) -> ErrorBand | None:
    """The band for a prediction, or None where published results do not cover it."""
    kind = transport_class(transport)
    if kind is None:
        return None
    at = size_range(message_bytes)
    found = BANDS.get((kind, at))
    if found is None or found[2] < FEWEST_CURVES:
        return None
    return ErrorBand(*found, f"{kind}, {SIZE_RANGES[at][2]}")
