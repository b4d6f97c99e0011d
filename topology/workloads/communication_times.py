"""The time of each communication of a step, and how much of it hides behind compute."""

from __future__ import annotations

from dataclasses import dataclass, replace

from topology.analysis.request import busbw_factor
from topology.workloads.block import Dimension
from topology.workloads.collective_times import CollectiveTimes
from topology.workloads.communications import Communication
from topology.workloads.splitting import Split


@dataclass(frozen=True)
class CommunicationTime:
    """One communication of a step on a design.

    Parameters
    ----------
    what : str
        In words.
    dimension, collective, kind, layout
        As in :class:`Communication`; the layout in words.
    ranks, groups : int
        Of one group, and groups that run at once.
    message_bytes, count
        Of one, and how many in a step.
    wire_bytes : float
        That each GPU sends in a step, as busbw counts.
    time_us : float
        Of one.
    total_s, hidden_s, exposed_s : float
        Of all in a step: as if alone, beside compute, and what the step waits for.
    window_s : float
        Compute that it could hide behind.
    busbw_GBps : float
        That the design gives.
    needed_GBps : float
        That would hide all of it.
    algorithm, limited_by : str
        What NCCL runs, and what holds it back.
    link : str
        The fullest class of links, empty where none limits.
    overlaps : bool
        Whether the workload runs it beside compute.
    """

    what: str
    dimension: Dimension
    collective: str
    kind: str
    layout: str
    ranks: int
    groups: int
    message_bytes: float
    count: float
    wire_bytes: float
    time_us: float
    total_s: float
    hidden_s: float
    exposed_s: float
    window_s: float
    busbw_GBps: float
    needed_GBps: float
    algorithm: str
    limited_by: str
    link: str
    overlaps: bool

    @property
    def satisfied(self) -> bool:
        """Whether the design gives what is needed to hide it."""
        return self.busbw_GBps >= self.needed_GBps

    @property
    def margin(self) -> float:
        """To spare as a share of what is needed; below 0 what is missing."""
        return self.busbw_GBps / self.needed_GBps - 1 if self.needed_GBps else float("inf")


def timed(
    asked: Communication, window_s: float, split: Split, times: CollectiveTimes
) -> CommunicationTime:
    """A communication with its time; it has the whole window for itself so far."""
    groups = times.groups(asked.collective, asked.layout, asked.kind)
    outcome = times.outcome(asked.collective, asked.layout, asked.kind, asked.message_bytes)
    total = outcome.time_us * 1e-6 * asked.count
    wire = asked.message_bytes * asked.count * busbw_factor(asked.collective, groups.size)
    overlaps = asked.dimension in split.block.overlap
    hidden = min(total, window_s) if overlaps else 0.0
    full = min(outcome.demands, key=lambda demand: demand.allows, default=None)
    return CommunicationTime(
        what=asked.what,
        dimension=asked.dimension,
        collective=asked.collective,
        kind=asked.kind,
        layout=str(asked.layout),
        ranks=groups.size,
        groups=groups.concurrent,
        message_bytes=asked.message_bytes,
        count=asked.count,
        wire_bytes=wire,
        time_us=outcome.time_us,
        total_s=total,
        hidden_s=hidden,
        exposed_s=total - hidden,
        window_s=window_s,
        busbw_GBps=outcome.busbw_GBps,
        needed_GBps=wire / window_s / 1e9 if window_s else float("inf"),
        algorithm=outcome.algorithm,
        limited_by=outcome.limited_by,
        link=full.link if full is not None and outcome.limited_by == "links" else "",
        overlaps=overlaps,
    )


_WITHIN = {
    "scores": ("both",),
    "first forward": ("forward", "both"),
    "last backward": ("backward", "both"),
    "forward": ("both",),
    "backward": ("both",),
    "both": (),
}
"""Which windows lie inside which."""


def sharing_windows(found: list[CommunicationTime], beside: list[str]) -> list[CommunicationTime]:
    """What remains of a window when what comes before in the list has hidden behind it.

    Groups of one dimension follow each other, so two that share a window share its time; other
    dimensions use other links or other times, and do not.
    """
    taken: dict[tuple[str, str], float] = {}
    shared: list[CommunicationTime] = []
    for each, where in zip(found, beside, strict=True):
        used = sum(
            time
            for (dimension, other), time in taken.items()
            if dimension == each.dimension and (other == where or where in _WITHIN[other])
        )
        hidden = min(each.hidden_s, max(0.0, each.window_s - used))
        taken[each.dimension, where] = taken.get((each.dimension, where), 0.0) + hidden
        shared.append(replace(each, hidden_s=hidden, exposed_s=each.total_s - hidden))
    return shared


def with_filling(each: CommunicationTime, split: Split, micro_batches: int) -> CommunicationTime:
    """Sends between stages: those that fill and drain the pipeline hide behind nothing."""
    if each.dimension != "pp":
        return each
    alone = min(each.total_s, 2 * (split.pp - 1) * each.time_us * 1e-6)
    exposed = max(each.exposed_s, alone)
    return replace(each, exposed_s=exposed, hidden_s=each.total_s - exposed)
