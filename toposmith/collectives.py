"""The collectives: one record each, from which all other modules read.

A record suffices for figures, bounds, options of the command and of the app, names and
reports. To add one, add its record to :data:`COLLECTIVES`; ``docs/extending.md`` says what each
field means.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, assert_never, get_args

from toposmith.entry_points import refuse_twice

NcclCollective = Literal["all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce"]
"""The collectives that NCCL's tuner chooses algorithms for."""

LARGEST_MESSAGE_BYTES = 2**50
NO_SIZE = "is no size of 1 byte to 1024 TiB; write it like"

Exchange = Literal["pairs", "neighbours"]
"""Exchanges without a tuner: every rank sends to every other, or each to the next."""

Runs = NcclCollective | Exchange
"""How a collective moves its data."""

Wiring = Literal["all_reduce", "all_gather", "all_to_all", "cuts"]
"""What bounds it: of which collective the optimum over the wiring is its own, or the cuts around
one GPU and one node alone."""


@dataclass(frozen=True)
class CollectiveRecord:
    """The definition of one collective.

    Parameters
    ----------
    id : str
        Its key in JSON and on the command line, ``all_reduce``.
    name : str
        Its usual spelling, ``all-reduce``.
    busbw_factor : callable
        Busbw over algbw for two ranks or more (NVIDIA/nccl-tests, doc/PERFORMANCE.md).
    size_is : str
        What nccl-tests counts as its message size.
    runs : str
        The collective of NCCL's tuner whose algorithms it uses, or an exchange; no other is
        accepted.
    bound : str
        Which bound over the wiring is its own.
    entering : callable
        Data that has to enter a node for one group, as a function of its ranks in all and in the
        node, in units of busbw times time.
    group : str
        The kind of group that usually runs it: ``dp``, ``ep``, ``pp``.
    program : str
        Its test program in nccl-tests, without ``_perf``; empty where there is none, so that no
        log can be of it.
    reduces, rooted, checked_in_place : bool
        What the program's table shows: whether it names a reduction, whether it names a root, and
        whether values in place are checked.
    """

    id: str
    name: str
    busbw_factor: Callable[[int], float]
    size_is: str
    runs: Runs
    bound: Wiring
    entering: Callable[[int, int], float]
    group: str = "dp"
    program: str = ""
    reduces: bool = False
    rooted: bool = False
    checked_in_place: bool = True

    def __post_init__(self) -> None:
        for field, value, known in (
            ("runs", self.runs, (*get_args(NcclCollective), *get_args(Exchange))),
            ("bound", self.bound, get_args(Wiring)),
        ):
            if value not in known:
                raise ValueError(f"{self.id}: {field} is {value!r}, not one of {', '.join(known)}")

    @property
    def tuned(self) -> NcclCollective | None:
        """The collective of NCCL's tuner that it runs as; None for exchanges."""
        match self.runs:
            case "pairs" | "neighbours":
                return None
            case "all_reduce" | "all_gather" | "reduce_scatter" | "broadcast" | "reduce":
                return self.runs
            case never:
                assert_never(never)


def _all(_ranks: int) -> float:
    return 1.0


def _others(ranks: int) -> float:
    return (ranks - 1) / ranks


def _twice_the_others(ranks: int) -> float:
    return 2 * (ranks - 1) / ranks


def _whole(_ranks: int, _members: int) -> float:
    return 1.0


def _shards_of_others(ranks: int, members: int) -> float:
    return (ranks - members) / (ranks - 1)


def _from_all_outside(ranks: int, members: int) -> float:
    # each of the node's ranks receives from all ranks outside
    return members * (ranks - members) / (ranks - 1)


_BUFFER = "the buffer of one rank"
_GATHERED = "the gathered buffer of all ranks"

COLLECTIVES: dict[str, CollectiveRecord] = {
    record.id: record
    for record in (
        CollectiveRecord(
            *("all_reduce", "all-reduce", _twice_the_others, _BUFFER),
            *("all_reduce", "all_reduce", _shards_of_others),
            program="all_reduce",
            reduces=True,
        ),
        CollectiveRecord(
            *("all_gather", "all-gather", _others, _GATHERED),
            *("all_gather", "all_gather", _shards_of_others),
            program="all_gather",
        ),
        CollectiveRecord(
            *("reduce_scatter", "reduce-scatter", _others, "the buffer before it is scattered"),
            *("reduce_scatter", "all_gather", _shards_of_others),
            program="reduce_scatter",
            reduces=True,
        ),
        CollectiveRecord(
            *("broadcast", "broadcast", _all, _BUFFER),
            *("broadcast", "cuts", _whole),
            program="broadcast",
            rooted=True,
        ),
        CollectiveRecord(
            *("reduce", "reduce", _all, _BUFFER),
            *("reduce", "cuts", _whole),
            program="reduce",
            reduces=True,
            rooted=True,
        ),
        CollectiveRecord(
            *("all_to_all", "all-to-all", _others, "what one rank sends to all ranks together"),
            *("pairs", "all_to_all", _from_all_outside, "ep"),
            program="alltoall",
            checked_in_place=False,
        ),
        CollectiveRecord(
            *("send_recv", "send/recv", _all, "what one rank sends to the next"),
            *("neighbours", "cuts", _whole, "pp"),
            program="sendrecv",
            checked_in_place=False,
        ),
    )
}
"""By id, in the order in which they are offered."""


def programs() -> dict[str, str]:
    """The collective that each nccl-tests program measures; the first one that names it."""
    found: dict[str, str] = {}
    for each in COLLECTIVES.values():
        if each.program:
            found.setdefault(each.program, each.id)
    return found


def collective_name(id: str) -> str:
    """A collective in its usual spelling."""
    record = COLLECTIVES.get(id)
    return record.name if record is not None else id


def busbw_factor(collective: str, ranks: int) -> float:
    """Busbw over algbw (NVIDIA/nccl-tests, doc/PERFORMANCE.md); 0 for a single rank."""
    return COLLECTIVES[collective].busbw_factor(ranks) if ranks > 1 else 0.0


def add_collective(record: CollectiveRecord) -> None:
    """Add a collective, such as one of a plug-in.

    Raises
    ------
    ValueError
        Where there is one of its id.
    """
    refuse_twice(COLLECTIVES, record.id)
    COLLECTIVES[record.id] = record
