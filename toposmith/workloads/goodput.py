"""The share of a month that a job trains: what stops it, by counts of parts and published rates.

Rates are those of ``failure_rates.yaml``, each with its source. A job needs all of its nodes, NICs
and their ways into the network; traffic of switches above the leaves, and of the cables between
switches, moves to others. A NIC with cables to two switches goes on with one of them (dual ToR).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import ceil, exp, inf, lgamma, log
from typing import TYPE_CHECKING, Any

from toposmith.analysis.network import ComputeNetwork
from toposmith.design.loader import plain_file
from toposmith.workloads.storage_demand import live_devices
from toposmith.workloads.volumes import young_daly_s

if TYPE_CHECKING:
    from toposmith.fabric.plan import Plan
    from toposmith.workloads.block import StorageBlock
    from toposmith.workloads.storage_demand import StorageNeed

ALL_THERE = 0.99
"""Share of the time that a job has all its nodes, for which spare nodes are counted."""

OF_NICS = ("cable of a NIC", "leaf")
"""Parts that no longer stop a job where every NIC has cables to two switches."""


@cache
def failure_rates() -> dict[str, Any]:
    """The published rates, as the file has them."""
    text = (files("toposmith.workloads") / "failure_rates.yaml").read_text("utf-8")
    found: dict[str, Any] = plain_file(text, "failure_rates.yaml").data
    return found


@dataclass(frozen=True)
class PartStops:
    """How often the failures of one kind of part stop a job.

    Parameters
    ----------
    part : str
        What fails.
    count : int
        How many of it the job needs.
    per_day : float
        Stops of all of them together.
    away : bool
        Whether a node is out of the job until it is repaired.
    """

    part: str
    count: int
    per_day: float
    away: bool


@dataclass(frozen=True)
class Stops:
    """How often a job on all nodes of a plan stops, by kind of part."""

    parts: tuple[PartStops, ...]

    @property
    def per_day(self) -> float:
        """Of all parts together."""
        return sum(each.per_day for each in self.parts)

    @property
    def mtbf_h(self) -> float:
        """Hours between stops; without end where nothing can stop."""
        return 24 / self.per_day if self.per_day else inf

    @property
    def nodes_away(self) -> float:
        """Nodes that are being repaired, on average."""
        days: float = failure_rates()["repair"]["days"]
        return days * sum(each.per_day for each in self.parts if each.away)

    @property
    def of_single_ways(self) -> float:
        """The share that a second switch at every NIC would save."""
        return sum(each.per_day for each in self.parts if each.part in OF_NICS) / self.per_day


def stops(plan: Plan) -> Stops:
    """How often a job on all nodes of a plan with GPUs stops."""
    network = ComputeNetwork(plan)
    world = network.world
    counts = Counter({"GPU": world.gpus, "node": world.nodes, "software": world.gpus})
    if world.nodes > 1:
        counts.update(_of_nics(network))
    found = []
    for rate in failure_rates()["failures"]:
        if count := counts[rate["part"]]:
            per_day = sum(rate["stops"].values()) / rate["among"] / rate["days"] * count
            found.append(PartStops(rate["part"], count, per_day, rate["away"]))
    return Stops(tuple(found))


def _of_nics(network: ComputeNetwork) -> Counter[str]:
    """NICs of a job, and of their cables and switches those that stand alone."""
    world, plan = network.world, network.plan
    counts, leaves = Counter[str](), set[str]()
    for name, nodes in world.nodes_of.items():
        if network.ports(plan.groups[name]) is None:
            continue
        block = next(block for block in world.blocks if block.group.name == name)
        for nic in network.devices.at_node((name, (*block.outer, block.runs[0][0]))):
            cables = sum(many for _, (_, many, _) in nic)
            switches = {switch for switch, _ in nic}
            counts["NIC"] += nodes if cables else 0
            counts["cable of a NIC"] += nodes if cables == 1 else 0
            leaves |= {switch for switch, _ in switches} if len(switches) == 1 else set()
    # leaves of nodes that the job leaves out stop nothing
    taken = world.nodes / sum(plan.groups[name].instances for name in world.nodes_of)
    live = live_devices(plan)
    counts["leaf"] = ceil(taken * sum(live[name] for name in leaves))
    return counts


@dataclass(frozen=True)
class LostTime:
    """What a job does not train in, as shares of all time.

    Writing checkpoints while training waits, and at every stop half an interval done again and the
    time until it runs (Daly 2006, Future Generation Computer Systems 22, 3, first order); and
    waiting for nodes where more are being repaired than there are spare ones.
    """

    writing: float
    again: float
    restarting: float
    waiting: float

    @property
    def trained(self) -> float:
        """What is left."""
        lost = min(1.0, self.writing + self.again + self.restarting)
        return (1 - lost) * (1 - self.waiting)


@dataclass(frozen=True)
class Goodput:
    """The share of a month that a job trains.

    Parameters
    ----------
    stops : Stops
        By counts of parts and published rates.
    mtbf_h : float
        Hours between stops: as given, else of the counts.
    interval_s : float or None
        Between checkpoints: as given, else Young's and Daly's; None where storage is unknown.
    restart_s : float
        From a stop until a checkpoint is read.
    spare_nodes : int
        As given, else as many as let the job have all its nodes for :data:`ALL_THERE` of the time.
    lost : LostTime
        What it does not train in; without checkpoints where storage is unknown.
    low, high : float
        What it trains at the rates of the published clusters that fail most and least; equal where
        the hours between stops are given.
    """

    stops: Stops
    mtbf_h: float
    interval_s: float | None
    restart_s: float
    spare_nodes: int
    lost: LostTime
    low: float
    high: float

    @property
    def knows_storage(self) -> bool:
        """Whether checkpoints are counted; without them the share is an upper limit."""
        return self.interval_s is not None


def goodput(found: Stops, need: StorageNeed, block: StorageBlock) -> Goodput:
    """What a job trains that writes its checkpoints to this storage."""
    mtbf_s = 3600 * (block.mtbf_h or found.mtbf_h)
    restart_s = block.restart_s or failure_rates()["restart"]["seconds"]
    away = found.nodes_away * found.mtbf_h * 3600 / mtbf_s

    def lost(times: float) -> tuple[int, LostTime]:
        """At so many times that rate of failures, with the spare nodes."""
        spares, there = _spare_nodes(away * times, block.spare_nodes)
        return spares, _lost(need, block.interval_s, mtbf_s / times, restart_s, 1 - there)

    each = [cluster["1000_node_days"] for cluster in failure_rates()["clusters"]]
    ends = (1.0, 1.0) if block.mtbf_h else (max(each) / each[0], min(each) / each[0])
    low, high = (lost(times)[1].trained for times in ends)
    interval_s = _interval_s(need, block.interval_s, mtbf_s)
    return Goodput(found, mtbf_s / 3600, interval_s, restart_s, *lost(1.0), low, high)


def _spare_nodes(mean: float, given: int | None) -> tuple[int, float]:
    """Spare nodes, enough for :data:`ALL_THERE` if not given, and the share of time they suffice.

    Failures come singly, so as many are away as a Poisson distribution says, however long each
    repair takes (Palm 1943; M/G/infinity).
    """
    share = exp(-mean)
    spares = 0
    while share < ALL_THERE if given is None else spares < given:
        spares += 1
        share += exp(spares * log(mean) - mean - lgamma(spares + 1))
    return spares, ALL_THERE if given is None else min(1.0, share)


def _interval_s(need: StorageNeed, given_s: float | None, mtbf_s: float) -> float | None:
    if need.checkpoint_s is None or need.restart_s is None:
        return None
    return given_s or young_daly_s(need.checkpoint_s, mtbf_s)


def _lost(
    need: StorageNeed, given_s: float | None, mtbf_s: float, restart_s: float, waiting: float
) -> LostTime:
    interval_s = _interval_s(need, given_s, mtbf_s)
    if interval_s is None:
        return LostTime(0.0, 0.0, restart_s / mtbf_s, waiting)
    assert need.checkpoint_s is not None and need.restart_s is not None
    cycle_s = interval_s + need.checkpoint_s
    starting = (restart_s + need.restart_s) / mtbf_s
    return LostTime(need.checkpoint_s / cycle_s, cycle_s / 2 / mtbf_s, starting, waiting)
