"""Network files of training simulators: ASTRA-sim's analytical network, and SimAI's topology.

ASTRA-sim: astra-network-analytical, ``input/*.yml`` and ``common/NetworkFunction.cpp``: its "GB/s"
are 2^30 bytes a second, so decimal figures are divided by 1.0737. SimAI: ns-3 topology as
``astra-sim-alibabacloud/inputs/topo/gen_Topo_Template.py`` writes it, with its default delays.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from toposmith.catalog import Gpu, Node
from toposmith.errors import ExportError
from toposmith.exports.neighbours.device_inventory import (
    DeviceInventory,
    InventoryDevice,
    NameRule,
    switch_tree,
)
from toposmith.fabric.nvlink_domains import is_joined, outside
from toposmith.racks.connections import connections, missing
from toposmith.text import counted
from toposmith.units import line_rate_GBps

GIB = 2**30 / 1e9
"""Bytes of a GiB in GB."""

_NVLINK_DELAY, _CABLE_DELAY = "0.000025ms", "0.0005ms"


def astra_sim(cluster: DeviceInventory) -> Iterator[str]:
    """``network.yml``: one dimension for the node, one for each tier that is thinner than below.

    Raises
    ------
    ExportError
        Where nodes differ, or parts of the fabric do: every dimension is regular there.
    """
    nodes = cluster.of_kind("node")
    part, _, nvlink_GBps = _one_kind(cluster, nodes)
    _require_whole(cluster)
    if cluster.design.network.along:
        raise ExportError(
            "switches are joined along an axis; astra-sim is written for tiers of switches alone, "
            "simai carries this design"
        )
    tree = switch_tree(cluster)
    if len(tree.roots) > 1 or tree.loose:
        raise ExportError("some nodes do not reach each other; ASTRA-sim's network is one")
    counts, speeds, notes = [part.gpus], [nvlink_GBps], ["NVLink of a GPU"]
    if all(is_joined(node.group) for node in nodes):
        group = nodes[0].group
        inside = prod(group.sizes[outside(group) :])
        counts, notes = [part.gpus * inside], ["NVLink of a GPU, in a rack"]
    else:
        inside = 1
    above, rates = _tiers(cluster, len(nodes), part)
    for count, GBps, note in zip(above, rates, (f"tier {n}" for n in range(1, 9)), strict=False):
        counts.append(count)
        speeds.append(GBps)
        notes.append(f"network of a GPU, {note}")
    if inside > 1:
        if counts[1] % inside:
            raise ExportError("the nodes of a leaf are not a multiple of an NVLink rack")
        counts[1] //= inside
    kept = [at for at, count in enumerate(counts) if count > 1]
    if not kept:
        raise ExportError("there is one GPU; ASTRA-sim wants more than one")
    cluster.lose("delays, which are 0, and protocol overhead")
    if sum(at > 0 for at in kept) > 1:
        cluster.lose(
            "that tiers share a GPU's network ports: every dimension has separate links there, "
            "so that an all-reduce takes less time"
        )
    yield "# ASTRA-sim, analytical network, written by toposmith; its GB/s are GiB/s.\n"
    for at in kept:
        yield f"# {notes[at]}: {speeds[at]:g} GB/s line rate is {speeds[at] / GIB:.6g} GiB/s\n"
    yield f"topology: [{', '.join('Switch' for _ in kept)}]\n"
    yield f"npus_count: [{', '.join(str(counts[at]) for at in kept)}]\n"
    yield f"bandwidth: [{', '.join(f'{speeds[at] / GIB:.6g}' for at in kept)}]  # GiB/s\n"
    yield f"latency: [{', '.join('0.0' for _ in kept)}]  # ns\n"


def _tiers(cluster: DeviceInventory, nodes: int, part: Node) -> tuple[list[int], list[float]]:
    """Counts and GB/s of a GPU of every tier that is thinner than the one below it."""
    plan, heights = cluster.plan, cluster.design.planned.heights
    tree = switch_tree(cluster)
    per_gpu: dict[int, float] = {}
    gone = missing(plan)
    for link in cluster.compute_links:
        low = min(heights[link.a.group], heights[link.b.group])
        many = sum(1 for _ in connections(plan, link, gone))
        rate = many * line_rate_GBps(link.speed_gbit) / (nodes * part.gpus)
        per_gpu[low] = per_gpu.get(low, 0.0) + rate
    units = [list(tree.roots)]
    while units[-1][0].below:
        units.append([below for unit in units[-1] for below in unit.below])
    counts: list[int] = []
    rates: list[float] = []
    held = 1
    for height, tier in enumerate(reversed(units)):
        sizes = {sum(1 for _ in unit.every_node()) for unit in tier}
        up = per_gpu.get(height + 1)
        thinner = up is not None and up < per_gpu[height] * (1 - 1e-9)
        if len(sizes) > 1 and thinner:
            raise ExportError(
                f"parts of the fabric have {min(sizes)} to {max(sizes)} nodes each; every "
                "dimension of ASTRA-sim has as many everywhere"
            )
        if not thinner and height + 1 < len(units):
            per_gpu[height + 1] = per_gpu[height]
            continue
        size = max(sizes)
        counts.append(size // held)
        rates.append(per_gpu[height])
        held = size
    return counts, rates


def _require_whole(cluster: DeviceInventory) -> None:
    """Refuse a fabric in which anything but whole nodes is absent, or anything down or slow."""
    plan = cluster.plan
    whole_nodes = all(
        not one.is_cable and one.first.ports is None and plan.groups[one.first.group].node
        for one in plan.absent
    )
    if plan.down or plan.slow or plan.single_cables or not whole_nodes:
        raise ExportError(
            "switches or single cables are absent, down, slow or recabled; every dimension of "
            "ASTRA-sim is uniform"
        )


def simai_topology(cluster: DeviceInventory) -> Iterator[str]:
    """The ns-3 topology: GPUs, an NVLink switch for each node, then the switches of the network.

    Raises
    ------
    ExportError
        If nodes differ, are not joined by NVSwitches, or the fabric is not whole.
    """
    nodes = cluster.of_kind("node")
    part, gpu, nvlink_GBps = _one_kind(cluster, nodes)
    plan = cluster.plan
    heights, slots = cluster.design.planned.heights, cluster.design.network.slots
    links = cluster.compute_links
    if len(links) < len(plan.every_link):
        cluster.lose("networks other than the compute network")
    at = {one.place: number for number, one in enumerate(nodes)}
    gpus = len(nodes) * part.gpus
    first_switch = gpus + len(nodes)
    switches = [one for one in cluster.devices if one.is_switch and one.group.name in heights]
    number = {one.place: first_switch + count for count, one in enumerate(switches)}
    per_gpu = {}
    for group, ports in slots.items():
        held = plan.groups[group].port_groups[ports]
        if held.ports % part.gpus:
            raise ExportError(
                f"{group} has {counted(held.ports, 'network port')} for "
                f"{counted(part.gpus, 'GPU')}; in SimAI every GPU has as many"
            )
        per_gpu[group] = held.ports // part.gpus
    gone = missing(plan)
    many = sum(1 for link in links for _ in connections(plan, link, gone))
    kind = NameRule("SimAI", signs="A-Za-z0-9", longest=16).name(gpu.id.split("-")[0].upper())
    if plan.down or plan.slow:
        cluster.lose("what is down or slow: all cables run here")
    yield (
        f"{first_switch + len(switches)} {part.gpus} {len(nodes)} {len(switches)} "
        f"{gpus + many} {kind}\n"
    )
    yield " ".join(str(one) for one in range(gpus, first_switch + len(switches))) + "\n"
    nvlink = f"{nvlink_GBps * 8:g}Gbps {_NVLINK_DELAY} 0\n"
    for one in range(gpus):
        yield f"{one} {gpus + one // part.gpus} {nvlink}"

    def end(group: str, instance: int, port: int) -> int:
        if group in per_gpu:
            return at[group, instance] * part.gpus + port // per_gpu[group]
        return number[group, instance]

    for link in links:
        tail = f"{link.speed_gbit}Gbps {_CABLE_DELAY} 0\n"
        for a, b, port_a, port_b in connections(plan, link, gone):
            ends = sorted((end(link.a.group, a, port_a), end(link.b.group, b, port_b)))
            yield f"{ends[0]} {ends[1]} {tail}"


def _one_kind(cluster: DeviceInventory, nodes: list[InventoryDevice]) -> tuple[Node, Gpu, float]:
    """The part of all nodes, its GPU, and GB/s of NVLink of one."""
    parts = {one.part.id: one.part for one in nodes if isinstance(one.part, Node)}
    if not parts:
        raise ExportError("there are no nodes with GPUs")
    if len(parts) > 1:
        raise ExportError(f"nodes of several kinds ({', '.join(parts)}); here all are of one kind")
    (part,) = parts.values()
    if part.nvlink is None or part.nvlink.shape != "nvswitch":
        raise ExportError(f"the GPUs of {part.name} are not joined by NVSwitches")
    gpu = cluster.design.catalog.get(part.gpu)
    if not isinstance(gpu, Gpu) or gpu.nvlink is None:
        raise ExportError(f"the catalog has no NVLink of the GPU {part.gpu}")
    return part, gpu, gpu.nvlink.GBps
