"""Devices: GPU servers with GPUs and NICs, switches, trays of NVSwitches, storage."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog import part_text
from toposmith.catalog.catalog import Catalog
from toposmith.catalog.kinds.record import (
    CardRow,
    PartKind,
    Speeds,
    body_rows,
    known_number,
    management_row,
    nic_rate,
    number_rows,
    optics_rows,
    part_name,
    power_rows,
    slot_rows,
)
from toposmith.catalog.part_checks import (
    fitted_nics,
    gpu_faults,
    nic_faults,
    node_faults,
    slot_faults,
    slower_slots,
    switch_faults,
)
from toposmith.catalog.part_power import rack_system_of
from toposmith.catalog.part_text import pcie_gbit
from toposmith.catalog.parts import Gpu, Module, Nic, Node, NvlinkSwitch, Storage, Switch
from toposmith.catalog.pieces import Cages
from toposmith.catalog.platforms import platform_warnings
from toposmith.text import counted, plain_number

_CPU_VENDORS = {"amd": "AMD", "intel": "Intel", "arm": "Arm"}


def _node_line(node: Node, catalog: Catalog | None) -> str:
    return f"{node.gpus} x {part_name(node.gpu, catalog)}, {_compute_nics(node, catalog)}"


def _compute_nics(node: Node, catalog: Catalog | None) -> str:
    slots = node.slots.get("compute")
    if slots is None:
        return "no compute NICs"
    if slots.nic is None or not slots.fitted:
        return f"{slots.count} open NIC slots"
    return f"{slots.fitted} x {nic_rate(slots.nic, catalog)}"


def _node_rows(node: Node, catalog: Catalog) -> list[CardRow]:
    gpu = catalog.get(node.gpu)
    kind = gpu.nvlink.kind if isinstance(gpu, Gpu) and gpu.nvlink else "nvlink"
    return [
        *number_rows(node),
        ("gpu", "GPUs", f"{node.gpus} x {part_name(node.gpu, catalog)}"),
        ("nvlink", part_text.GPU_LINK_NAMES[kind], part_text.nvlink_fabric(node, kind)),
        *slot_rows(node.slots, catalog),
        ("sockets", "CPU sockets", str(node.sockets)),
        ("cpu_vendor", "CPU vendor", _CPU_VENDORS[node.cpu_vendor]),
        ("inter_socket_GBps", "Between sockets, GB/s", plain_number(node.inter_socket_GBps)),
        (
            "gpu_pcie",
            "GPU slots",
            part_text.pcie(node.gpu_pcie) if node.gpu_pcie is not None else None,
        ),
        (
            "gpu_links",
            "GPUs on slower links",
            part_text.slower_links(node.gpu_links) if node.gpu_links else None,
        ),
        *(("branches", "PCIe branch", part_text.pcie_branch(branch)) for branch in node.branches),
        (
            "id",
            "Sold in racks",
            f"{system.nodes} in {system.name} ({system.id})"
            if (system := rack_system_of(node.id, catalog)) is not None
            else None,
        ),
        management_row(node.management_ports),
        *body_rows(node),
        ("cooling", "Cooled by", node.cooling),
        ("airflow", "Air blows", node.airflow),
        ("power_supplies", "Power supplies", part_text.power_supplies(node.power_supplies)),
        *power_rows(node),
    ]


def _node_warnings(node: Node, catalog: Catalog) -> Iterator[str]:
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
    _node_line,
    _node_rows,
    faults=node_faults,
    warnings=_node_warnings,
    names=lambda node: (node.gpu, *fitted_nics(node.slots)),
    described=_described,
    bill_rank=0,
    placed=True,
    racked=True,
)


def _nic_line(nic: Nic, _catalog: Catalog | None) -> str:
    port = f"{nic.ports} x {nic.speed_gbit} Gb/s"
    cage = "unknown cage" if nic.cage == "unknown" else part_text.cage_name(nic.cage)
    return f"{port}, {cage}, PCIe {nic.pcie.generation}"


def _nic_rows(nic: Nic, _catalog: Catalog) -> list[CardRow]:
    return [
        *number_rows(nic),
        ("ports", "Ports", str(nic.ports)),
        ("speed_gbit", "Port speed, Gb/s", f"{nic.speed_gbit} ({part_text.rate_name(nic)})"),
        ("shared_gbit", "All ports together, Gb/s", known_number(nic.shared_gbit)),
        ("cage", "Cage", part_text.cage(nic)),
        *(optics_rows(nic) if nic.cage != "virtual" else ()),
        ("protocols", "Protocols", part_text.protocols(nic.protocols)),
        ("transports", "Collectives use", part_text.transports(nic)),
        ("pcie", "Host link", part_text.pcie(nic.pcie)),
        ("latency_ns", "Latency, ns", plain_number(nic.latency_ns)),
        *power_rows(nic),
    ]


def _nic_warnings(nic: Nic, catalog: Catalog) -> Iterator[str]:
    """Ports that together outrun their slot, a platform that is not written as others are."""
    yield from platform_warnings(nic, catalog)
    if nic.ports * nic.speed_gbit > pcie_gbit(nic.pcie) >= nic.speed_gbit:
        gives = part_text.pcie_capacity(nic.pcie)
        yield f"pcie: {nic.ports} ports of {nic.speed_gbit} Gb/s share {gives}"


NICS = PartKind(
    Nic,
    "NICs",
    _nic_line,
    _nic_rows,
    faults=lambda nic, _catalog: nic_faults(nic),
    warnings=_nic_warnings,
    speeds=lambda nic: ([(protocol, nic.speed_gbit) for protocol in nic.protocols], ()),
    bill_rank=3,
)


def _switch_line(switch: Switch, _catalog: Catalog | None) -> str:
    port = f"{switch.ports} x {switch.native.speed_gbit} Gb/s"
    return f"{port}, {part_text.cage_name(switch.cages.cage)}"


def _switch_rows(switch: Switch, catalog: Catalog) -> list[CardRow]:
    return [
        *number_rows(switch, _air(switch)),
        ("protocol", "Protocol", part_text.protocols([switch.protocol])),
        ("cages", "Cages", _cages(switch.cages)),
        ("cages.modes", "Ports of a cage, Gb/s", _modes(switch.cages)),
        ("cages.modes", "Native ports, Gb/s", f"{switch.ports} x {switch.native.speed_gbit}"),
        *(
            ("more_cages", "Other cages, Gb/s", f"{_cages(cages)}, each {_modes(cages)}")
            for cages in switch.more_cages
        ),
        *optics_rows(switch),
        (
            "max_ports",
            "Ports at most",
            str(switch.max_ports) if switch.max_ports is not None else None,
        ),
        ("pipelines", "Logical ports at most", _logical_ports(switch)),
        ("capacity_gbit", "Capacity, Gb/s, one direction", plain_number(switch.capacity_gbit)),
        ("latency_ns", "Latency, ns", plain_number(switch.latency_ns)),
        ("asic", "Switch chip", switch.asic),
        ("sharp", "SHARP", part_text.yes_no(switch.sharp))
        if switch.protocol == "infiniband"
        else ("buffer_mb", "Shared buffer, MB", plain_number(switch.buffer_mb)),
        ("adaptive_routing", "Adaptive routing", part_text.yes_no(switch.adaptive_routing)),
        management_row(switch.management_ports),
        *body_rows(switch),
        *(
            ("modules", "Ordered with", f"{count} x {part_name(module, catalog)}")
            for module, count in switch.modules.items()
        ),
        ("power_supplies", "Power supplies", part_text.power_supplies(switch.power_supplies)),
        *power_rows(switch),
        (
            "power_includes_modules",
            "Power with modules",
            part_text.yes_no(switch.power_includes_modules) if switch.power_w is not None else None,
        ),
    ]


def _air(switch: Switch) -> list[CardRow]:
    return [
        ("airflow", "Air blows", switch.airflow),
        ("other_airflow_number", "Blowing the other way", switch.other_airflow_number),
    ]


def _logical_ports(switch: Switch) -> str | None:
    at = switch.pipelines
    return None if at is None else f"{at.max_ports} of each {counted(at.cages, 'cage')}"


def _cages(cages: Cages) -> str:
    return f"{cages.count} x {part_text.cage(cages)}"


def _modes(cages: Cages) -> str:
    return ", ".join(f"{mode.ports} x {mode.speed_gbit}" for mode in cages.modes)


def _switch_speeds(switch: Switch) -> Speeds:
    own, *others = ((switch.protocol, mode.speed_gbit) for mode in switch.cages.modes)
    return [own], others


def _module_faults(switch: Switch, catalog: Catalog) -> Iterator[str]:
    """Modules have to be there, and its line cards to have the cages of the switch."""
    cages = 0
    for name, count in switch.modules.items():
        module = catalog.get(name)
        if not isinstance(module, Module):
            yield f"modules: {name} is no module of this catalog"
        elif module.cages is not None:
            cages += count * module.cages
    if cages and cages != switch.cages.count:
        yield f"modules: line cards have {cages} cages, the switch has {switch.cages.count}"


SWITCHES = PartKind(
    Switch,
    "Switches",
    _switch_line,
    _switch_rows,
    faults=lambda switch, catalog: [*switch_faults(switch), *_module_faults(switch, catalog)],
    warnings=platform_warnings,
    names=lambda switch: switch.modules,
    numbers=lambda switch: (switch.other_airflow_number or "",),
    speeds=_switch_speeds,
    bill_rank=1,
    placed=True,
    racked=True,
)


def _tray_line(tray: NvlinkSwitch, _catalog: Catalog | None) -> str:
    name = (
        "NVLinks"
        if tray.protocol == "nvlink"
        else f"{part_text.GPU_LINK_NAMES[tray.protocol]} lanes"
    )
    links = f"{tray.ports} {name} of {plain_number(tray.GBps_per_link)} GB/s"
    return f"{links}, {tray.cages.count} cages to another rack" if tray.cages else links


def _tray_rows(tray: NvlinkSwitch, _catalog: Catalog) -> list[CardRow]:
    cages = f"{_cages(tray.cages)}, {_modes(tray.cages)} Gb/s" if tray.cages else None
    return [
        *number_rows(tray),
        ("protocol", "Protocol", part_text.GPU_LINK_NAMES[tray.protocol]),
        ("ports", "NVLinks or lanes", str(tray.ports)),
        ("GBps_per_link", "one of them, GB/s, one direction", plain_number(tray.GBps_per_link)),
        ("chips", "NVSwitch chips", plain_number(tray.chips)),
        ("cages", "Cages to another rack", cages),
        management_row(tray.management_ports),
        *body_rows(tray),
        *power_rows(tray),
    ]


NVLINK_SWITCHES = PartKind(
    NvlinkSwitch,
    "NVLink switches",
    _tray_line,
    _tray_rows,
    bill_rank=1,
    placed=True,
    racked=True,
)


def _gpu_line(gpu: Gpu, _catalog: Catalog | None) -> str:
    memory = f"{plain_number(gpu.memory_gb)} GB" if gpu.memory_gb else "memory unknown"
    return f"{memory}, {part_text.nvlinks(gpu)}"


def _gpu_rows(gpu: Gpu, _catalog: Catalog) -> list[CardRow]:
    links = part_text.GPU_LINK_NAMES[gpu.nvlink.kind if gpu.nvlink else "nvlink"]
    return [
        *number_rows(gpu),
        (
            "compute_capability",
            "Compute capability",
            f"{gpu.compute_capability / 10:.1f}" if gpu.compute_capability is not None else None,
        ),
        ("architecture", "Architecture", gpu.architecture),
        ("memory_gb", "Memory, GB", plain_number(gpu.memory_gb)),
        ("memory_TBps", "Memory bandwidth, TB/s", plain_number(gpu.memory_TBps)),
        ("bf16_dense_tflops", "BF16 dense, TFLOPS", plain_number(gpu.bf16_dense_tflops)),
        ("fp16_dense_tflops", "FP16 dense, TFLOPS", known_number(gpu.fp16_dense_tflops)),
        ("fp8_dense_tflops", "FP8 dense, TFLOPS", known_number(gpu.fp8_dense_tflops)),
        ("fp4_dense_tflops", "FP4 dense, TFLOPS", known_number(gpu.fp4_dense_tflops)),
        ("int8_dense_tflops", "INT8 dense, TOPS", known_number(gpu.int8_dense_tflops)),
        ("nvlink", f"{links}, one direction", part_text.nvlinks(gpu)),
        ("c2c_GBps", "To its CPU, GB/s", known_number(gpu.c2c_GBps)),
        ("pcie", "Host link", part_text.pcie(gpu.pcie)),
        *power_rows(gpu),
    ]


GPUS = PartKind(Gpu, "GPUs", _gpu_line, _gpu_rows, faults=lambda gpu, _catalog: gpu_faults(gpu))


def _storage_line(storage: Storage, catalog: Catalog | None) -> str:
    read, write = plain_number(storage.read_GBps), plain_number(storage.write_GBps)
    return f"reads {read}, writes {write} GB/s, {_ports(storage, catalog)}"


def _ports(storage: Storage, catalog: Catalog | None) -> str:
    """The ports that a storage part is sold with, or the slots that wait for NICs."""
    held = []
    for slots in storage.slots.values():
        if slots.nic is None or not slots.fitted:
            held.append(f"{slots.count} open NIC slots")
            continue
        nic = catalog.get(slots.nic) if catalog else None
        ports = slots.fitted * (nic.ports if isinstance(nic, Nic) else 1)
        held.append(f"{ports} x {nic_rate(slots.nic, catalog)}")
    return ", ".join(held)


def _storage_rows(storage: Storage, catalog: Catalog) -> list[CardRow]:
    return [
        *number_rows(storage),
        ("read_GBps", "Reads, GB/s", plain_number(storage.read_GBps)),
        ("write_GBps", "Writes, GB/s", plain_number(storage.write_GBps)),
        ("opens_per_s", "Opens small files, 1/s", plain_number(storage.opens_per_s)),
        ("creates_per_s", "Creates files, 1/s", plain_number(storage.creates_per_s)),
        *slot_rows(storage.slots, catalog),
        management_row(storage.management_ports),
        *body_rows(storage),
        *power_rows(storage),
    ]


def _faults(storage: Storage, catalog: Catalog) -> Iterator[str]:
    for group, slots in storage.slots.items():
        yield from slot_faults(f"slots.{group}", slots, catalog)


STORAGE = PartKind(
    Storage,
    "Storage",
    _storage_line,
    _storage_rows,
    faults=_faults,
    warnings=lambda storage, catalog: slower_slots(storage.slots, catalog),
    names=lambda storage: fitted_nics(storage.slots),
    bill_rank=2,
    placed=True,
    racked=True,
)
