"""The graph inside a node: GPUs, NVSwitch, PCIe switches, CPU sockets and NIC slots.

All NVSwitches of a node are one vertex, since every GPU reaches each of them with an equal share
of its links.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

from toposmith.catalog import Catalog, Gpu, Nic, Node, Pcie
from toposmith.catalog.part_text import gpu_link, slot_room, slower, uplink, usual_gpu_link
from toposmith.fabric.plan import GroupPlan
from toposmith.units import line_rate_GBps

Vertex = tuple[str | int, ...]
"""``("gpu", 3)``, ``("nvswitch",)``, ``("pcie", 0)``, ``("cpu", 1)``, ``("slot", group, 3)``."""

NVSWITCH: Vertex = ("nvswitch",)
"""All NVSwitches that the GPUs of a node hang on; the trays of a rack share theirs."""

PCIE_LANE_GBPS = {1: 0.25, 2: 0.5, 3: 0.984615, 4: 1.969231, 5: 3.938462, 6: 7.5625}
"""Raw GB/s of one lane, one direction: 2.5 and 5 GT/s with 8b/10b, 8, 16, 32 GT/s with 128b/130b,
64 GT/s in flits (PCI Express base specifications 1.0 to 6.0; 6.0 as 121 GB/s for 16 lanes)."""

INTER_SOCKET_SHARE = 2 / 3
"""What two sockets exchange, in one direction, of an x16 slot of their generation, where a part
does not say it. Eight RTX PRO 6000 on two sockets send 42 of 63 GB/s across in an all-to-all of 512
MiB (18.4 GB/s of busbw, half of what four GPUs send; github.com/ai-dynamo/aiconfigurator,
systems/data); NCCL counts on 10 beside generation 3, 22 or 40 beside 5 (src/graph/topo.h)."""

_NOTHING_GBPS = 1e-9
"""Less than the MB/s in which capacities of cuts are counted."""


@dataclass(frozen=True)
class InsideEdge:
    """A link inside a node: the figure is GB/s of one direction, as the hardware is specified.

    ``tier`` is ``nvlink``, ``pcie`` or ``socket``; ``adapter`` for a NIC that takes less of its
    ports together than its PCIe slot carries.
    """

    a: Vertex
    b: Vertex
    GBps: float
    tier: str


def pcie_GBps(pcie: Pcie) -> float:
    """Raw GB/s of a PCIe link, one direction."""
    return PCIE_LANE_GBPS[pcie.generation] * pcie.width


def inside_edges(group: GroupPlan, catalog: Catalog) -> tuple[InsideEdge, ...]:
    """The links inside one node of the group, with its NICs as fitted."""
    node = group.node
    if node is None:
        return ()
    gpu = catalog.get(node.gpu)
    if not isinstance(gpu, Gpu):
        return ()
    nics = tuple(
        (name, ports.nics, ports.nic.pcie, shared_GBps(ports.nic))
        for name, ports in group.port_groups.items()
        if ports.nic is not None
    )
    return _edges(_Key(node, gpu, nics))


def rests_on_assumed(group: GroupPlan, catalog: Catalog, slots: str | None) -> bool:
    """Whether collectives over a slot group may use links between sockets of unknown rate."""
    if group.node is None or group.node.inter_socket_GBps is not None:
        return False
    used = collective_edges(inside_edges(group, catalog), slots)
    return any(edge.tier == "socket" for edge in used)


def with_nothing_assumed(group: GroupPlan) -> GroupPlan:
    """The group without links between sockets of unknown rate."""
    if group.node is None or group.node.inter_socket_GBps is not None:
        return group
    # parts are compared by their ids
    changed = {"id": f"{group.node.id} without sockets", "inter_socket_GBps": _NOTHING_GBPS}
    return replace(group, part=group.node.model_copy(update=changed))


def shared_GBps(nic: Nic) -> float:
    """GB/s of all ports of a NIC together at line rate; infinite without a limit of its own."""
    return float("inf") if nic.shared_gbit is None else line_rate_GBps(nic.together_gbit)


@lru_cache(maxsize=256)
def collective_edges(edges: tuple[InsideEdge, ...], slots: str | None) -> tuple[InsideEdge, ...]:
    """The links inside a node that collectives over one slot group use.

    NICs of other slot groups are left out. So is the path through the CPU where NVLink joins all
    GPUs and every NIC shares a PCIe switch with one: neither NCCL nor GPUDirect uses it then.
    """
    used = tuple(
        edge
        for edge in edges
        if all(end[0] != "slot" or end[1] == slots for end in (edge.a, edge.b))
    )
    with_gpu = {edge.b for edge in used if edge.a[0] == "gpu"}
    apart = any(
        edge.a[0] == "slot" and (edge.b[0] == "cpu" or edge.b not in with_gpu) for edge in used
    )
    if apart or not _joined_by_nvlink(used):
        return used
    return tuple(edge for edge in used if "cpu" not in (edge.a[0], edge.b[0]))


def _joined_by_nvlink(edges: tuple[InsideEdge, ...]) -> bool:
    """Whether every GPU reaches every other over NVLink, by way of others if need be."""
    near: dict[Vertex, list[Vertex]] = {}
    for edge in edges:
        if edge.tier == "nvlink":
            near.setdefault(edge.a, []).append(edge.b)
            near.setdefault(edge.b, []).append(edge.a)
    gpus = {end for edge in edges for end in (edge.a, edge.b) if end[0] == "gpu"}
    first = next(iter(gpus & set(near)), None)
    if first is None:
        return False
    reached, waiting = {first}, [first]
    while waiting:
        for peer in near[waiting.pop()]:
            if peer not in reached:
                reached.add(peer)
                waiting.append(peer)
    return gpus <= reached


@dataclass(frozen=True)
class _Key:
    """What the inside of a node depends on; parts are compared by their ids.

    Of NICs the slots, how many, their host link, and what all ports of one carry together.
    """

    node: Node
    gpu: Gpu
    nics: tuple[tuple[str, int, Pcie, float], ...]

    def __hash__(self) -> int:
        return hash((self.node.id, self.gpu.id, tuple(fitted[:2] for fitted in self.nics)))


@lru_cache(maxsize=256)
def _edges(key: _Key) -> tuple[InsideEdge, ...]:
    node, gpu = key.node, key.gpu
    edges: list[InsideEdge] = []
    fitted = {name: (count, pcie, shared) for name, count, pcie, shared in key.nics}
    for number, branch in enumerate(node.branches):
        cpu: Vertex = ("cpu", branch.socket)
        top: Vertex = ("pcie", number) if branch.switch else cpu
        if branch.switch:
            above: Vertex = cpu if branch.below is None else ("pcie", branch.below)
            edges.append(InsideEdge(top, above, pcie_GBps(uplink(node, gpu, branch)), "pcie"))
        edges += [
            InsideEdge(("gpu", index), top, pcie_GBps(gpu_link(node, gpu, index)), "pcie")
            for index in branch.gpus
        ]
        for name, slots in branch.slots.items():
            count, pcie, shared = fitted.get(name, (0, None, 0.0))
            if pcie is None:
                continue
            for slot in slots:
                if slot < count:
                    width = pcie_GBps(slower(pcie, slot_room(node, name, slot)))
                    tier = "pcie" if width <= shared else "adapter"
                    width = min(width, shared)
                    edges.append(InsideEdge(("slot", name, slot), top, width, tier))
    between = node.inter_socket_GBps or _inter_socket_by_generation(node, gpu)
    edges += [
        InsideEdge(("cpu", a), ("cpu", b), between, "socket")
        for a in range(node.sockets)
        for b in range(a + 1, node.sockets)
    ]
    return (*edges, *_nvlink_edges(node, gpu))


def _inter_socket_by_generation(node: Node, gpu: Gpu) -> float:
    slots = [slots.pcie.generation for slots in node.slots.values()]
    generation = max(slots, default=usual_gpu_link(node, gpu).generation)
    return INTER_SOCKET_SHARE * 16 * PCIE_LANE_GBPS[generation]


def _nvlink_edges(node: Node, gpu: Gpu) -> list[InsideEdge]:
    if node.nvlink is None or gpu.nvlink is None:
        return []
    per_link = gpu.nvlink.GBps_per_link
    if node.nvlink.shape == "nvswitch":
        whole = per_link * gpu.nvlink.links
        return [InsideEdge(("gpu", index), NVSWITCH, whole, "nvlink") for index in range(node.gpus)]
    return [
        InsideEdge(("gpu", a), ("gpu", b), per_link * links, "nvlink")
        for a, b, links in nvlink_pairs(node, gpu)
    ]


def nvlink_pairs(node: Node, gpu: Gpu) -> list[tuple[int, int, int]]:
    """The GPUs that NVLinks join directly, with the number of links; none behind NVSwitches."""
    if node.nvlink is None or gpu.nvlink is None or node.nvlink.shape == "nvswitch":
        return []
    usual = node.nvlink.links_per_pair or gpu.nvlink.links
    if node.nvlink.pairs:
        return [(pair[0], pair[1], (*pair, usual)[2]) for pair in node.nvlink.pairs]
    if node.nvlink.shape == "bridge":
        return []
    return [(a, b, usual) for a in range(node.gpus) for b in range(a + 1, node.gpus)]


@lru_cache(maxsize=4096)
def colour(
    edges: tuple[InsideEdge, ...], first: tuple[tuple[Vertex, int], ...]
) -> Mapping[Vertex, int]:
    """The coarsest stable colouring of a node's inside that respects the first colours.

    Two vertices of one colour have the same first colour and, for every colour and capacity, the
    same number of links to vertices of that colour (an equitable partition; Grohe, Kersting,
    Mladenov, Selman, "Dimension Reduction via Colour Refinement", ESA 2014).

    Parameters
    ----------
    edges : tuple of InsideEdge
        The inside of one node.
    first : tuple of (vertex, colour)
        A colour for each vertex that something outside distinguishes.

    Returns
    -------
    mapping
        A colour number per vertex.
    """
    near: dict[Vertex, list[tuple[Vertex, float]]] = {}
    for edge in edges:
        near.setdefault(edge.a, []).append((edge.b, edge.GBps))
        near.setdefault(edge.b, []).append((edge.a, edge.GBps))
    given = dict(first)
    for vertex in given:
        near.setdefault(vertex, [])
    colours = _numbered({v: (v[0], v[1] if v[0] == "slot" else None, given.get(v)) for v in near})
    while True:
        described = {
            vertex: (colours[vertex], tuple(sorted((colours[n], c) for n, c in neighbours)))
            for vertex, neighbours in near.items()
        }
        finer = _numbered(described)
        if len(set(finer.values())) == len(set(colours.values())):
            return MappingProxyType(finer)
        colours = finer


def _numbered(described: Mapping[Vertex, object]) -> dict[Vertex, int]:
    numbers: dict[object, int] = {}
    return {vertex: numbers.setdefault(seen, len(numbers)) for vertex, seen in described.items()}
