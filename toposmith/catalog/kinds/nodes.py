"""GPU servers: GPUs inside, slots for NICs."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog import part_text
from toposmith.catalog.catalog import Catalog
from toposmith.catalog.kinds.common_rows import (
    body_rows,
    management_row,
    nic_rate,
    number_rows,
    part_name,
    power_rows,
    slot_rows,
)
from toposmith.catalog.kinds.record import CardRow, PartKind
from toposmith.catalog.node_checks import fitted_nics, node_faults, slower_slots
from toposmith.catalog.parts import Gpu, Node
from toposmith.catalog.racks_of_nodes import rack_system_of
from toposmith.text import plain_number

_CPU_VENDORS = {"amd": "AMD", "intel": "Intel", "arm": "Arm"}


def _line(node: Node, catalog: Catalog | None) -> str:
    return f"{node.gpus} x {part_name(node.gpu, catalog)}, {_compute_nics(node, catalog)}"


def _compute_nics(node: Node, catalog: Catalog | None) -> str:
    slots = node.slots.get("compute")
    if slots is None:
        return "no compute NICs"
    if slots.nic is None or not slots.fitted:
        return f"{slots.count} open NIC slots"
    return f"{slots.fitted} x {nic_rate(slots.nic, catalog)}"


def _rows(node: Node, catalog: Catalog) -> Iterator[CardRow]:
    yield from number_rows(node)
    gpu = catalog.get(node.gpu)
    kind = gpu.nvlink.kind if isinstance(gpu, Gpu) and gpu.nvlink else "nvlink"
    yield "gpu", "GPUs", f"{node.gpus} x {part_name(node.gpu, catalog)}"
    yield "nvlink", part_text.GPU_LINK_NAMES[kind], part_text.nvlink_fabric(node, kind)
    yield from slot_rows(node.slots, catalog)
    yield "sockets", "CPU sockets", str(node.sockets)
    yield "cpu_vendor", "CPU vendor", _CPU_VENDORS[node.cpu_vendor]
    yield "inter_socket_GBps", "Between sockets, GB/s", plain_number(node.inter_socket_GBps)
    if node.gpu_pcie is not None:
        yield "gpu_pcie", "GPU slots", part_text.pcie(node.gpu_pcie)
    if node.gpu_links:
        yield "gpu_links", "GPUs on slower links", part_text.slower_links(node.gpu_links)
    for branch in node.branches:
        yield "branches", "PCIe branch", part_text.pcie_branch(branch)
    if (system := rack_system_of(node.id, catalog)) is not None:
        yield "id", "Sold in racks", f"{system.nodes} in {system.name} ({system.id})"
    yield from management_row(node.management_ports)
    yield from body_rows(node)
    if node.cooling is not None:
        yield "cooling", "Cooled by", node.cooling
    if node.airflow is not None:
        yield "airflow", "Air blows", node.airflow
    yield "power_supplies", "Power supplies", part_text.power_supplies(node.power_supplies)
    yield from power_rows(node)


def _warnings(node: Node, catalog: Catalog) -> Iterator[str]:
    """GPUs and NICs that outrun what they sit in."""
    for gpu, link in sorted(node.gpu_links.items()):
        yield f"gpu_links: GPU {gpu} gets no more than the {part_text.pcie_capacity(link)}"
    yield from slower_slots(node.slots, catalog)


def _described(node: Node, catalog: Catalog) -> str:
    """The node with the NICs that it is sold with."""
    words = f"{node.gpus} x {part_name(node.gpu, catalog)}"
    built_in = [
        f"{slots.fitted} x {part_name(slots.nic or '', catalog)} ({group})"
        for group, slots in node.slots.items()
        if slots.fitted
    ]
    return f"{words}; built in: {', '.join(built_in)}" if built_in else words


NODES = PartKind(
    Node,
    "Nodes",
    _line,
    _rows,
    faults=node_faults,
    warnings=_warnings,
    names=lambda node: (node.gpu, *fitted_nics(node.slots)),
    described=_described,
    bill_rank=0,
    placed=True,
    racked=True,
)
