"""What training asks of storage, and what the design's storage gives.

Targets: NVIDIA DGX SuperPOD H100 reference architecture (RA-11333-001 V11), table 6; published for
a node, one SU and four, GB/s, good / better / best. Between and beyond, by the number of SU.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from toposmith.catalog import Catalog, Storage
from toposmith.fabric.plan import Plan
from toposmith.units import line_rate_GBps
from toposmith.workloads.block import StorageBlock, TrainingBlock
from toposmith.workloads.fault import WorkloadError
from toposmith.workloads.model import Model
from toposmith.workloads.storage_fabric import StorageFabric, live_devices, storage_fabric
from toposmith.workloads.volumes import checkpoint_bytes, young_daly_s

LEVELS = ("good", "better", "best")
NODE_READ_GBPS = (4.0, 8.0, 40.0)
NODE_WRITE_GBPS = (2.0, 4.0, 20.0)
SU_READ_GBPS = (15.0, 40.0, 125.0)
SU_WRITE_GBPS = (7.0, 20.0, 62.0)
SU_NODES = 32
"""Nodes of a scalable unit of that reference architecture."""

TOKEN_BYTES = 4
"""Bytes of a token in a prepared data set: a 32-bit index (Megatron-LM, indexed_dataset.py)."""


@dataclass(frozen=True)
class StorageFound:
    """The storage of a design, all together.

    Parameters
    ----------
    where : str
        What states it.
    appliances : int
        How many; 0 where only rates are given.
    appliance_read_GBps, appliance_write_GBps : float or None
        Of all; None where the catalog does not know.
    opens_per_s : float or None
        Small files that all open and read a second, likewise.
    fabric : StorageFabric or None
        Between it and the nodes; None where it is in no group of the design.
    """

    where: str
    appliances: int
    appliance_read_GBps: float | None
    appliance_write_GBps: float | None
    opens_per_s: float | None = None
    fabric: StorageFabric | None = None

    @property
    def read_GBps(self) -> float | None:
        """GB/s that all nodes together can read, limited by storage and fabric; None if unknown."""
        return self._through(self.appliance_read_GBps)

    @property
    def write_GBps(self) -> float | None:
        """GB/s that all nodes together can write; None if unknown."""
        return self._through(self.appliance_write_GBps)

    @property
    def limited_by(self) -> tuple[str, ...]:
        """The links that let less through than storage reads; empty where it is the storage."""
        read, fabric = self.appliance_read_GBps, self.fabric
        return fabric.links if fabric and (read is None or fabric.GBps < read) else ()

    def _through(self, rate_GBps: float | None) -> float | None:
        if self.fabric is None or self.fabric.GBps == 0:
            return rate_GBps if self.fabric is None else 0.0
        return None if rate_GBps is None else min(rate_GBps, self.fabric.GBps)


@dataclass(frozen=True)
class StorageNeed:
    """What a run asks of storage beside what there is.

    Parameters
    ----------
    found : StorageFound or None
        None where neither design nor workload has any storage.
    loading_GBps : float or None
        To read the samples of each step in time; None without a time of the step.
    opening_per_s : float or None
        Files to open for them a second; 0 where samples are packed, None without a time.
    checkpoint_bytes : float
        Of one checkpoint.
    checkpoint_s : float or None
        To write one; None where the rate is unknown.
    restart_s : float or None
        To read one.
    interval_s : float or None
        Between checkpoints: as asked, else Young's and Daly's; None where failures are unknown.
    lost_share : float or None
        Of all time, that writing checkpoints takes where training waits for it.
    targets_read_GBps, targets_write_GBps : tuple of float
        Good, better, best for as many nodes.
    read_level, write_level : str or None
        The best target that is met, ``below good``, or None where rates are unknown.
    node_GBps : float or None
        Line rate of a node's storage ports; None where it has none.
    """

    found: StorageFound | None
    loading_GBps: float | None
    opening_per_s: float | None
    checkpoint_bytes: float
    checkpoint_s: float | None
    restart_s: float | None
    interval_s: float | None
    lost_share: float | None
    targets_read_GBps: tuple[float, ...]
    targets_write_GBps: tuple[float, ...]
    read_level: str | None
    write_level: str | None
    node_GBps: float | None


def storage_found(plan: Plan, catalog: Catalog, block: StorageBlock) -> StorageFound | None:
    """The storage that a workload names, else the storage groups of the design.

    Raises
    ------
    WorkloadError
        If the part named is no storage.
    """
    if block.part is not None:
        part = catalog.get(block.part)
        if not isinstance(part, Storage):
            known = ", ".join(each.id for each in catalog.of_kind("storage"))
            raise WorkloadError([f"storage.part: no storage {block.part!r} (known: {known})"])
        return _together({part.id: (part, block.count)})
    rates = (block.read_GBps, block.write_GBps, block.opens_per_s)
    if any(rate is not None for rate in rates):
        return StorageFound("the workload", 0, *rates)
    counts = live_devices(plan)
    found = {
        name: (group.storage, counts[name])
        for name, group in plan.groups.items()
        if group.storage is not None and counts[name]
    }
    return replace(_together(found), fabric=storage_fabric(plan)) if found else None


def _together(parts: Mapping[str, tuple[Storage, int]]) -> StorageFound:
    def total(rates: list[float | None]) -> float | None:
        known = [rate for rate in rates if rate is not None]
        return sum(known) if len(known) == len(rates) else None

    return StorageFound(
        ", ".join(f"{count} x {part.name}" for part, count in parts.values()),
        sum(count for _, count in parts.values()),
        total([None if p.read_GBps is None else p.read_GBps * n for p, n in parts.values()]),
        total([None if p.write_GBps is None else p.write_GBps * n for p, n in parts.values()]),
        total([None if p.opens_per_s is None else p.opens_per_s * n for p, n in parts.values()]),
    )


def storage_need(
    plan: Plan,
    catalog: Catalog,
    block: StorageBlock,
    model: Model,
    training: TrainingBlock,
    *,
    nodes: int,
    step_s: float | None,
) -> StorageNeed:
    """What a training run with steps of ``step_s``, if it has any, asks of storage."""
    found = storage_found(plan, catalog, block)
    sample = block.sample_bytes or training.sequence * TOKEN_BYTES
    size = checkpoint_bytes(model.parameters, training.optimiser_bytes)
    write_s = _time(size, found.write_GBps if found else None)
    restart_s = _time(size, found.read_GBps if found else None)
    interval = block.interval_s
    if interval is None and write_s is not None and block.mtbf_h is not None:
        interval = young_daly_s(write_s, block.mtbf_h * 3600)
    su = nodes / SU_NODES
    reads = targets(NODE_READ_GBPS, SU_READ_GBPS, nodes, su)
    writes = targets(NODE_WRITE_GBPS, SU_WRITE_GBPS, nodes, su)
    return StorageNeed(
        found,
        None if step_s is None else training.batch * sample / step_s / 1e9,
        None if step_s is None else training.batch * block.sample_files / step_s,
        size,
        write_s,
        restart_s,
        interval,
        _lost_share(write_s, interval, restart_s, block.mtbf_h),
        reads,
        writes,
        level(found.read_GBps if found else None, reads),
        level(found.write_GBps if found else None, writes),
        node_storage_GBps(plan),
    )


def _lost_share(
    write_s: float | None, interval_s: float | None, restart_s: float | None, mtbf_h: float | None
) -> float | None:
    """The share of all time that checkpoints and failures take; unknown where either is.

    Writing, and of every failure half an interval done again and reading the checkpoint (Daly 2006,
    Future Generation Computer Systems 22, 3, first order).
    """
    if write_s is None or not interval_s or mtbf_h is None or restart_s is None:
        return None
    writing = write_s / (interval_s + write_s)
    return min(1.0, writing + ((interval_s + write_s) / 2 + restart_s) / (mtbf_h * 3600))


def targets(
    node: tuple[float, ...], unit: tuple[float, ...], nodes: int, su: float
) -> tuple[float, ...]:
    """Targets for so many nodes: by the SU, and never more than all nodes together could use."""
    return tuple(min(a * nodes, b * max(su, 1 / SU_NODES)) for a, b in zip(node, unit, strict=True))


def level(rate_GBps: float | None, wanted: tuple[float, ...]) -> str | None:
    """The best target that a rate meets; None for an unknown rate."""
    if rate_GBps is None:
        return None
    met = [name for name, each in zip(LEVELS, wanted, strict=True) if rate_GBps >= each]
    return met[-1] if met else "below good"


def node_storage_GBps(plan: Plan) -> float | None:
    """Line rate of the storage ports of the node that has least; None where one has none."""
    rates: list[float] = []
    for group in plan.groups.values():
        if group.node is None or not group.node.gpus:
            continue
        ports = group.port_groups.get("storage")
        if ports is None or ports.nic is None:
            return None
        rates.append(ports.nics * line_rate_GBps(ports.nic.together_gbit))
    return min(rates, default=None)


def _time(size: float, rate_GBps: float | None) -> float | None:
    return size / (rate_GBps * 1e9) if rate_GBps else None
