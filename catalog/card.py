"""A part as text: the rows of its card and its one line in a list."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog import part_text
from toposmith.catalog.checks import part_warnings
from toposmith.catalog.library import Catalog
from toposmith.catalog.part_numbers import family_of, ordered_as, whole_number
from toposmith.catalog.parts import (
    AnyPart,
    Cable,
    Cages,
    Fibre,
    Gpu,
    Nic,
    Node,
    Part,
    Pdu,
    Rack,
    Slots,
    Storage,
    Switch,
    Transceiver,
)
from toposmith.text import UNKNOWN, plain_number

UNVERIFIED = "unverified"

_CPU_VENDORS = {"amd": "AMD", "intel": "Intel", "arm": "Arm"}

# A row before its mark: the field it shows, its label, its value.
_Row = tuple[str, str, str]


def part_card(part: AnyPart, catalog: Catalog) -> list[tuple[str, str, str]]:
    """Describe a part row by row.

    Parameters
    ----------
    part : AnyPart
        The part to show.
    catalog : Catalog
        Where the GPU and the NICs of a node get their names from.

    Returns
    -------
    list of tuple of str
        Label with its unit, value or "unknown", and a mark: the figure's own source where it has
        one, "unverified" before it where the place may be wrong, empty where the part's source
        holds. That source is a row of its own near the end, after what other sources print and
        what to mind.
    """
    rows = [(label, value, _mark(part, field)) for field, label, value in _rows(part, catalog)]
    rows += [("Disagrees", f"{field}: {said}", "") for field, said in part.conflicts.items()]
    rows += [("Mind", warning, "") for warning in part_warnings(part, catalog)]
    rows.append(("Source", part.source, ""))
    if part.note:
        rows.append(("Note", part.note, ""))
    return rows


def one_line(part: AnyPart, catalog: Catalog | None = None) -> str:
    """Say in a few words what a part is, such as ``64 x 400 Gb/s, OSFP``.

    With a catalog, a node's GPUs and NICs show by name and rate instead of by id.
    """
    match part:
        case Gpu():
            memory = f"{plain_number(part.memory_gb)} GB" if part.memory_gb else "memory unknown"
            return f"{memory}, {part_text.nvlinks(part)}"
        case Nic():
            port = f"{part.ports} x {part.speed_gbit} Gb/s"
            cage = "unknown cage" if part.cage == "unknown" else part_text.cage_name(part.cage)
            return f"{port}, {cage}, PCIe {part.pcie.generation}"
        case Switch():
            port = f"{part.ports} x {part.native.speed_gbit} Gb/s"
            return f"{port}, {part_text.cage_name(part.cages.cage)}"
        case Node():
            return f"{part.gpus} x {_name(part.gpu, catalog)}, {_compute_nics(part, catalog)}"
        case Cable():
            reach = plain_number(part.reach_m)
            return f"{part_text.cable_ends(part)}, {part.medium.upper()} to {reach} m"
        case Transceiver():
            port = f"{part.ports} x {part.speed_gbit} Gb/s"
            reach = plain_number(part.reach_m)
            return f"{port}, {part_text.cage_name(part.cage)}, {part.fibre} to {reach} m"
        case Fibre():
            split = "1 to 2, " if part.ends_b == 2 else ""
            reach = plain_number(part.reach_m)
            return f"{split}{part.connector}, {part.fibre} to {reach} m"
        case Storage():
            rates = [part.read_GBps, part.write_GBps]
            read, write = map(plain_number, rates)
            return f"reads {read}, writes {write} GB/s, {_ports(part, catalog)}"
        case Rack():
            return f"{plain_number(part.units)} U, {plain_number(part.max_load_kg)} kg"
        case Pdu():
            outlets = ", ".join(f"{count} x {kind}" for kind, count in part.outlets.items())
            return f"{plain_number(part.rating_w)} W, {outlets}"


def _mark(part: Part, field: str) -> str:
    """Say where a figure is from when that is not simply the part's source."""
    steps = field.split(".")
    # What is said of "slots" holds for "slots.compute" too.
    paths = [".".join(steps[:n]) for n in range(len(steps), 0, -1)]
    own = next((part.sources[path] for path in paths if path in part.sources), "")
    doubt = UNVERIFIED if any(path in part.unverified for path in paths) else ""
    return ": ".join(filter(None, [doubt, own]))


def _rows(part: AnyPart, catalog: Catalog) -> Iterator[_Row]:
    yield "name", "Name", part.name
    yield "vendor", "Vendor", part.vendor
    yield from _numbers(part)
    match part:
        case Gpu():
            yield from _gpu(part)
        case Nic():
            yield from _nic(part)
        case Switch():
            yield from _switch(part)
        case Node():
            yield from _node(part, catalog)
        case Cable():
            yield from _cable(part)
        case Transceiver():
            yield from _transceiver(part)
        case Fibre():
            yield "fibre", "Fibre", part.fibre
            yield "connector", "Connector", part.connector
            yield "ends_b", "Far ends", str(part.ends_b)
            if part.lengths_m:
                yield "lengths_m", "Lengths, m", _lengths(part)
            yield "reach_m", "Reach, m", plain_number(part.reach_m)
        case Storage():
            yield "read_GBps", "Reads, GB/s", plain_number(part.read_GBps)
            yield "write_GBps", "Writes, GB/s", plain_number(part.write_GBps)
            yield from _slot_groups(part.slots, catalog)
        case Rack():
            yield from _rack(part)
        case Pdu():
            yield from _pdu(part)
    if isinstance(part, Node | Switch | Storage | Pdu):
        yield "rack_units", "Height, U", plain_number(part.rack_units)
        yield "weight_kg", "Weight, kg", plain_number(part.weight_kg)
    elif isinstance(part, Rack):
        yield "weight_kg", "Weight, kg", plain_number(part.weight_kg)
        return
    if isinstance(part, Node | Switch):
        supplies = part_text.power_supplies(part.power_supplies)
        yield "power_supplies", "Power supplies", supplies
    yield "power_w", "Power, W", plain_number(part.power_w)
    if part.power_typical_w is not None:
        yield "power_typical_w", "Typical power, W", plain_number(part.power_typical_w)
    if isinstance(part, Switch) and part.power_w is not None:
        with_modules = part_text.yes_no(part.power_includes_modules)
        yield "power_includes_modules", "Power with modules", with_modules


def _numbers(part: AnyPart) -> Iterator[_Row]:
    """The part number, or the family and the numbers of the lengths that are known."""
    family = family_of(part)
    number = ordered_as(whole_number(part), family) or UNKNOWN
    named = isinstance(part, Cable | Fibre) and part.family is not None
    yield "family" if named else "part_number", "Part number", number
    if isinstance(part, Cable | Fibre) and part.part_numbers:
        yield "part_numbers", "Of each length", _by_length(part.part_numbers)
    if part.ordering_number is not None:
        yield "ordering_number", "Ordering number", part.ordering_number
    if isinstance(part, Cable | Fibre) and part.ordering_numbers:
        yield "ordering_numbers", "Ordering numbers", _by_length(part.ordering_numbers)
    if isinstance(part, Switch) and part.airflow is not None:
        yield "airflow", "Air blows", part.airflow
    if isinstance(part, Switch) and part.other_airflow_number is not None:
        yield "other_airflow_number", "Blowing the other way", part.other_airflow_number
    if part.end_of_sale is not None:
        yield "end_of_sale", "No longer sold", f"on {part.end_of_sale}"


def _by_length(numbers: dict[float, str]) -> str:
    return ", ".join(f"{length:g} m {number}" for length, number in sorted(numbers.items()))


def _gpu(gpu: Gpu) -> Iterator[_Row]:
    if gpu.compute_capability is not None:
        generation, minor = divmod(gpu.compute_capability, 10)
        yield "compute_capability", "Compute capability", f"{generation}.{minor}"
    if gpu.architecture is not None:
        yield "architecture", "Architecture", gpu.architecture
    yield "memory_gb", "Memory, GB", plain_number(gpu.memory_gb)
    yield "memory_TBps", "Memory bandwidth, TB/s", plain_number(gpu.memory_TBps)
    yield "bf16_dense_tflops", "BF16 dense, TFLOPS", plain_number(gpu.bf16_dense_tflops)
    for key, name in (("fp8", "FP8"), ("fp4", "FP4"), ("int8", "INT8")):
        if (peak := getattr(gpu, f"{key}_dense_tflops")) is not None:
            yield (
                f"{key}_dense_tflops",
                f"{name} dense, T{'OPS' if key == 'int8' else 'FLOPS'}",
                plain_number(peak),
            )
    xgmi = gpu.nvlink is not None and gpu.nvlink.kind == "xgmi"
    links = "xGMI" if xgmi else "NVLink"
    yield "nvlink", f"{links}, one direction", part_text.nvlinks(gpu)
    if gpu.c2c_GBps is not None:
        yield "c2c_GBps", "To its CPU, GB/s", plain_number(gpu.c2c_GBps)
    yield "pcie", "Host link", part_text.pcie(gpu.pcie)


def _nic(nic: Nic) -> Iterator[_Row]:
    yield "ports", "Ports", str(nic.ports)
    yield "speed_gbit", "Port speed, Gb/s", f"{nic.speed_gbit} ({part_text.rate_name(nic)})"
    if nic.shared_gbit is not None:
        yield "shared_gbit", "All ports together, Gb/s", plain_number(nic.shared_gbit)
    yield "cage", "Cage", part_text.cage(nic)
    yield "protocols", "Protocols", part_text.protocols(nic.protocols)
    yield "transports", "Collectives use", part_text.transports(nic)
    yield "pcie", "Host link", part_text.pcie(nic.pcie)
    yield "latency_ns", "Latency, ns", plain_number(nic.latency_ns)


def _switch(switch: Switch) -> Iterator[_Row]:
    yield "protocol", "Protocol", part_text.protocols([switch.protocol])
    yield "cages", "Cages", f"{switch.cages.count} x {part_text.cage(switch.cages)}"
    yield "cages.modes", "Ports of a cage, Gb/s", _modes(switch.cages)
    yield "cages.modes", "Native ports, Gb/s", f"{switch.ports} x {switch.native.speed_gbit}"
    for cages in switch.more_cages:
        more = f"{cages.count} x {part_text.cage(cages)}, each {_modes(cages)}"
        yield "more_cages", "Other cages, Gb/s", more
    if switch.max_ports is not None:
        yield "max_ports", "Ports at most", str(switch.max_ports)
    if switch.pipelines is not None:
        limit = f"{switch.pipelines.max_ports} of each {switch.pipelines.cages} cages"
        yield "pipelines", "Logical ports at most", limit
    yield "capacity_gbit", "Capacity, Gb/s, one direction", plain_number(switch.capacity_gbit)
    yield "latency_ns", "Latency, ns", plain_number(switch.latency_ns)
    if switch.asic is not None:
        yield "asic", "Switch chip", switch.asic
    if switch.protocol == "infiniband":  # Ethernet switches have no SHARP to be unknown
        yield "sharp", "SHARP", part_text.yes_no(switch.sharp)
    else:
        yield "buffer_mb", "Shared buffer, MB", plain_number(switch.buffer_mb)
    yield "adaptive_routing", "Adaptive routing", part_text.yes_no(switch.adaptive_routing)


def _modes(cages: Cages) -> str:
    return ", ".join(f"{mode.ports} x {mode.speed_gbit}" for mode in cages.modes)


def _node(node: Node, catalog: Catalog) -> Iterator[_Row]:
    gpu = catalog.get(node.gpu)
    xgmi = isinstance(gpu, Gpu) and gpu.nvlink is not None and gpu.nvlink.kind == "xgmi"
    yield "gpu", "GPUs", f"{node.gpus} x {_name(node.gpu, catalog)}"
    yield "nvlink", "xGMI" if xgmi else "NVLink", part_text.nvlink_fabric(node)
    yield from _slot_groups(node.slots, catalog)
    yield "sockets", "CPU sockets", str(node.sockets)
    yield "cpu_vendor", "CPU vendor", _CPU_VENDORS[node.cpu_vendor]
    yield "inter_socket_GBps", "Between sockets, GB/s", plain_number(node.inter_socket_GBps)
    if node.gpu_pcie is not None:
        yield "gpu_pcie", "GPU slots", part_text.pcie(node.gpu_pcie)
    if node.gpu_links:
        yield "gpu_links", "GPUs on slower links", part_text.slower_links(node.gpu_links)
    for branch in node.branches:
        yield "branches", "PCIe branch", part_text.pcie_branch(branch)


def _slot_groups(groups: dict[str, Slots], catalog: Catalog) -> Iterator[_Row]:
    for group, slots in groups.items():
        yield f"slots.{group}", f"NIC slots, {group}", _slots(slots, catalog)
        if slots.links:
            slower = part_text.slower_links(slots.links)
            yield f"slots.{group}.links", f"Slower slots, {group}", slower
        if slots.cages:
            shared = (f"{cage} = {part_text.numbers(held)}" for cage, held in slots.cages.items())
            yield f"slots.{group}.cages", f"Cages, {group}", "; ".join(shared)


def _rack(rack: Rack) -> Iterator[_Row]:
    yield "units", "Height inside, U", plain_number(rack.units)
    yield "height_mm", "Height, mm", plain_number(rack.height_mm)
    yield "width_mm", "Width, mm", plain_number(rack.width_mm)
    yield "depth_mm", "Depth, mm", plain_number(rack.depth_mm)
    yield "max_load_kg", "Load at most, kg", plain_number(rack.max_load_kg)
    yield "max_power_w", "Power at most, W", plain_number(rack.max_power_w)


def _pdu(pdu: Pdu) -> Iterator[_Row]:
    yield "rating_w", "Delivers, W", plain_number(pdu.rating_w)
    yield "phases", "Phases", str(pdu.phases)
    yield "volts", "Voltage, V", plain_number(pdu.volts)
    yield "amps", "Current, A", plain_number(pdu.amps)
    for kind, count in pdu.outlets.items():
        yield "outlets", f"Outlets, {kind}", str(count)


def _cable(cable: Cable) -> Iterator[_Row]:
    yield "a", "Ends", part_text.cable_ends(cable)
    yield "medium", "Medium", cable.medium.upper()
    yield "protocols", "Protocols", part_text.protocols(cable.protocols)
    yield "lengths_m", "Lengths, m", _lengths(cable) or UNKNOWN
    yield "reach_m", "Reach, m", plain_number(cable.reach_m)


def _lengths(body: Cable | Fibre) -> str:
    return ", ".join(plain_number(length) for length in body.lengths_m)


def _transceiver(module: Transceiver) -> Iterator[_Row]:
    yield "ports", "Ports", str(module.ports)
    yield "speed_gbit", "Port speed, Gb/s", str(module.speed_gbit)
    yield "cage", "Cage", part_text.cage(module)
    yield "fibre", "Fibre", module.fibre
    if module.connector is not None:
        yield "connector", "Connector", module.connector
    yield "reach_m", "Reach, m", plain_number(module.reach_m)
    yield "protocols", "Protocols", part_text.protocols(module.protocols)


def _slots(slots: Slots, catalog: Catalog) -> str:
    free = f"{slots.count} x {part_text.pcie(slots.pcie)}"
    if slots.nic is None or not slots.fitted:
        return f"{free}, empty"
    return f"{free}, fitted with {slots.fitted} x {_name(slots.nic, catalog)}"


def _name(part_id: str, catalog: Catalog | None) -> str:
    part = catalog.get(part_id) if catalog else None
    return part.name if part else part_id


def _ports(storage: Storage, catalog: Catalog | None) -> str:
    """The ports that a storage part is sold with, or the slots that wait for NICs."""
    held = []
    for slots in storage.slots.values():
        if slots.nic is None or not slots.fitted:
            held.append(f"{slots.count} open NIC slots")
            continue
        nic = catalog.get(slots.nic) if catalog else None
        rate = part_text.rate_name(nic) if isinstance(nic, Nic) else slots.nic
        ports = slots.fitted * (nic.ports if isinstance(nic, Nic) else 1)
        held.append(f"{ports} x {rate}")
    return ", ".join(held)


def _compute_nics(node: Node, catalog: Catalog | None) -> str:
    slots = node.slots.get("compute")
    if slots is None:
        return "no compute NICs"
    if slots.nic is None or not slots.fitted:
        return f"{slots.count} open NIC slots"
    nic = catalog.get(slots.nic) if catalog else None
    return f"{slots.fitted} x {part_text.rate_name(nic) if isinstance(nic, Nic) else slots.nic}"
