"""The GPUs of a topology file: their order, their part, their PCIe links, how they are joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toposmith.catalog.links import slower
from toposmith.catalog.part_text import pcie as link_text
from toposmith.catalog.parts import Gpu
from toposmith.catalog.pieces import NvlinkFabric, Pcie
from toposmith.catalog.topology_xml.gpu_kinds import (
    gpu_kind,
    has_other_links,
    known_gpu,
    new_gpu,
    with_links,
)
from toposmith.catalog.topology_xml.gpu_links import joined_gpus
from toposmith.catalog.topology_xml.notes import Reading
from toposmith.catalog.topology_xml.widths import widest
from toposmith.catalog.topology_xml.xml_devices import Tree, XmlDevice
from toposmith.plain_text import shown

NO_LINKS_STATED = (
    "no NVLink or xGMI is stated, though the GPU has it: NCCL finds it on the machine itself. Add "
    "nvlink to the node before you trust a figure; without it the GPUs meet over PCIe"
)


@dataclass(frozen=True)
class FoundGpus:
    """The GPUs of a machine.

    Parameters
    ----------
    devices : tuple of XmlDevice
        The first is GPU 0.
    part : Gpu
        What each of them is.
    is_new : bool
        Whether the catalog does not have that part.
    is_sure : bool
        Whether the file or the caller says which part it is.
    slot : Pcie or None
        The PCIe slot of all of them, where it is slower than they are.
    links : dict of int to Pcie
        Those whose own link is slower still.
    fabric : NvlinkFabric or None
        How they are joined.
    """

    devices: tuple[XmlDevice, ...]
    part: Gpu
    is_new: bool
    is_sure: bool
    slot: Pcie | None
    links: dict[int, Pcie]
    fabric: NvlinkFabric | None

    @property
    def lacks_links(self) -> bool:
        """Whether the GPUs have links of which the file says nothing."""
        return self.fabric is None and self.part.nvlink is not None


def find_gpus(tree: Tree, reading: Reading) -> FoundGpus:
    """Find the GPUs of a file; ImportRefused where there are none, or their model is unknown."""
    if not tree.all("gpu"):
        raise reading.notes.refusal(*_why_none(tree))
    devices = _in_order(tree.all("gpu"))
    kind = gpu_kind(devices, reading)
    joined = joined_gpus(devices, reading.notes)
    pcie = widest(device.link for device in devices)
    part, is_sure = known_gpu(kind, joined, reading)
    is_new = part is None or has_other_links(part, joined)
    if part is None:
        part = new_gpu(kind, pcie, joined, reading)
    elif joined and is_new:
        reading.notes.add(kind.line, f"{part.name} has other links; made a part with those stated")
        part = with_links(part, joined, reading)
    fabric = joined.fabric if joined and part.nvlink else None
    slot = _slot(part, pcie, reading, kind.line)
    own = {n: d.link for n, d in enumerate(devices) if d.link is not None and d.link != pcie}
    found = FoundGpus(tuple(devices), part, is_new, is_sure, slot, own, fabric)
    if found.lacks_links:
        reading.notes.add(kind.line, NO_LINKS_STATED)
    elif fabric is None and is_new and len(devices) > 1:
        what = "no NVLink or xGMI is stated; if the GPUs have it, add it to them and to the node"
        reading.notes.add(kind.line, what)
    return found


def _why_none(tree: Tree) -> tuple[int, str]:
    if not tree.silent:
        return tree.sockets[0].line, "no GPUs in this file"
    first, others = tree.silent[0], len(tree.silent) - 1
    return first.line, (
        f"no GPUs: {shown(first.get('busid'))} and {others} other PCI devices state no class, and "
        "nothing else distinguishes GPUs from NICs; such files describe one kind of virtual machine"
    )


def _in_order(devices: Sequence[XmlDevice]) -> list[XmlDevice]:
    """GPUs by their number; where not all have one, by bus, as CUDA numbers them."""
    numbers = [device.words.get("dev") if device.words else "" for device in devices]
    if all(number.isdecimal() for number in numbers) and len(set(numbers)) == len(numbers):
        order = sorted(range(len(devices)), key=lambda place: int(numbers[place]))
        return [devices[place] for place in order]
    return sorted(devices, key=lambda device: device.bus)


def _slot(part: Gpu, pcie: Pcie | None, reading: Reading, line: int) -> Pcie | None:
    """The slot of the GPUs, where it is slower than they are."""
    if pcie is None:
        return None
    trained = slower(part.pcie, pcie)
    if trained != pcie:
        said = f"{link_text(pcie)} is stated, but {part.name} has {link_text(part.pcie)}"
        reading.notes.add(line, f"{said}; counted as {link_text(trained)}")
    return trained if trained != part.pcie else None
