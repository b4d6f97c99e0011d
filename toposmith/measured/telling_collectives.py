"""Which collectives a table of nccl-tests can be of, where its log does not say.

A table shows whether it reduces and from which root, what busbw is over algbw
(NVIDIA/nccl-tests, doc/PERFORMANCE.md), and whether values in place were checked: of all-to-all and
send/recv nccl-tests never checks them (``src/alltoall.cu``, ``src/sendrecv.cu``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from toposmith.collectives import COLLECTIVES, programs

PRINTED_US = 0.5
"""Times are printed to a microsecond and better, rounded."""

SAME_FACTOR = 0.002
"""What busbw over algbw may be beside a collective's factor, the digits of busbw aside."""

PRINTED_GBPS = 0.006
"""Busbw is printed in hundredths, rounded: half of one, and a little."""

MOST_OPEN = 0.1
"""What the digits of a row may leave open of busbw over algbw."""

OTHER_FACTOR = 0.03
"""What it is more than that beside is surely another collective, or other ranks."""

MOST_RANKS = 4096
"""Numbers of ranks that are tried where a log lists no devices."""


@dataclass(frozen=True)
class Columns:
    """What the columns of a table say of its collective.

    Parameters
    ----------
    reduces : bool
        Whether they name a reduction.
    root : bool
        Whether they name a root.
    checked : bool or None
        Whether values in place were checked, where those out of place were; None where neither.
    """

    reduces: bool
    root: bool
    checked: bool | None = None


def collectives_of(
    columns: Columns,
    figures: Sequence[tuple[int, float, float]],
    ranks: int | None,
    *,
    within: float = SAME_FACTOR,
) -> tuple[str, ...]:
    """Which collectives a table can be of; none where it fits none.

    Parameters
    ----------
    columns : Columns
        What they say.
    figures : sequence of tuple
        Bytes, microseconds and busbw in GB/s of each row.
    ranks : int or None
        GPUs that took part, if known.
    within : float
        How far busbw over algbw may be from that of a collective, as a share of it.
    """
    factor, open_share = busbw_over_algbw(figures)
    ids = programs().values()
    return tuple(
        id
        for id, record in COLLECTIVES.items()
        if id in ids
        and record.reduces == columns.reduces
        and record.rooted == columns.root
        and (
            factor is None
            or any(
                abs(factor / record.busbw_factor(many) - 1) <= within + open_share
                for many in ([ranks] if ranks and ranks > 1 else range(2, MOST_RANKS))
            )
        )
    )


def clearest(columns: Columns, fitting: Sequence[str]) -> tuple[str, ...]:
    """What is left of the fitting collectives by which values were checked in place."""
    return tuple(
        id for id in fitting if columns.checked in (None, COLLECTIVES[id].checked_in_place)
    )


def busbw_over_algbw(figures: Iterable[tuple[int, float, float]]) -> tuple[float | None, float]:
    """Busbw over algbw by the row with the most digits, and what share of it these leave open.

    Rows are bytes, microseconds and busbw in GB/s; None where the digits of none tell enough.
    """
    rows = [
        (PRINTED_US / time_us + PRINTED_GBPS / busbw_GBps, busbw_GBps / (size / (time_us * 1e3)))
        for size, time_us, busbw_GBps in figures
        if size and time_us > 0 and busbw_GBps > 0
    ]
    left_open, factor = min(rows, default=(1.0, 0.0))
    return (factor, left_open) if left_open <= MOST_OPEN else (None, 0.0)


def by_file_name(source: str, fitting: Sequence[str]) -> str:
    """The one of several collectives that the name of a file has in it; empty where none or more.

    Parameters
    ----------
    source : str
        The file.
    fitting : sequence of str
        Collectives that its table can be of.
    """
    stem = PurePath(source).stem.lower().replace("-", "_")
    named = {
        collective
        for program, collective in programs().items()
        if collective in fitting and (program in stem or collective in stem)
    }
    return named.pop() if len(named) == 1 else ""
