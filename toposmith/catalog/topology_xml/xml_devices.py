"""The PCI tree of a topology file as devices: sockets, switches, GPUs and NICs with their links.

Switches are counted as NCCL counts them: Broadcom's, which show themselves as two levels, are one
(NVIDIA/nccl, src/graph/topo.cc, ncclTopoFlattenBcmSwitches). Beyond that, a bridge inside the tree
with one device behind it, such as those in the package of an AMD GPU, is no switch but a piece of
the link to that device.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from toposmith.catalog.part_text import slower
from toposmith.catalog.pieces import CpuVendor, Pcie
from toposmith.catalog.topology_xml.words import (
    AMD_VENDOR,
    GPU_CLASSES,
    INTER_SOCKET,
    NIC_CLASS,
    NVIDIA_VENDOR,
    NVSWITCH_CLASS,
    SWITCH_CLASS,
    Notes,
    XmlElement,
    cpu_vendor,
    inter_socket_GBps,
    link_of,
)
from toposmith.plain_text import shown

XmlKind = Literal["switch", "gpu", "nic"]


@dataclass(frozen=True)
class XmlDevice:
    """A switch, a GPU or a NIC; ``link`` is that to what is above it, None where not documented.

    ``words`` is what the file says of a GPU itself, ``nets`` what it says of a NIC's ports.
    """

    kind: XmlKind
    bus: str
    line: int
    link: Pcie | None
    element: XmlElement
    behind: tuple[XmlDevice, ...] = ()
    words: XmlElement | None = None
    nets: tuple[XmlElement, ...] = ()

    @property
    def pci_id(self) -> str:
        """Vendor and device, such as ``10de:2330``; empty where the file has none."""
        vendor, device = (_hex(self.element.get(name)) for name in ("vendor", "device"))
        return "" if vendor is None or device is None else f"{vendor:04x}:{device:04x}"


@dataclass(frozen=True)
class CpuSocket:
    """A CPU of the file, one for each NUMA domain; ``vendor`` is None where it is not stated."""

    line: int
    vendor: CpuVendor | None
    between_GBps: float | None
    devices: tuple[XmlDevice, ...] = ()


@dataclass
class Tree:
    """The sockets of a file, and PCI elements without a class."""

    sockets: list[CpuSocket]
    silent: list[XmlElement] = field(default_factory=list)

    def all(self, kind: XmlKind) -> list[XmlDevice]:
        """All devices of a kind, in the order of the file."""
        return [d for socket in self.sockets for d in _walk(socket.devices) if d.kind == kind]


def read_tree(root: XmlElement, notes: Notes) -> Tree:
    """Read the sockets of a file and the devices below them.

    Raises
    ------
    ImportRefused
        When it is no topology file, has no CPU, or has those of several hosts.
    """
    if root.name == "graphs":
        why = "a graph file, which holds what NCCL's search found; a topology file is wanted"
        raise notes.refusal(root.line, why)
    if root.name != "system":
        why = f"<system> was expected, found <{root.name}>; is it a topology file of NCCL?"
        raise notes.refusal(root.line, why)
    cpus = sorted(root.all("cpu"), key=lambda cpu: _number(cpu.get("numaid")) or 0)
    if not cpus:
        raise notes.refusal(root.line, "no <cpu>, so nothing hangs on anything")
    if len({cpu.get("host_hash") for cpu in cpus}) > 1:
        raise notes.refusal(root.line, "the CPUs of several hosts; a part is of one")
    tree = Tree([])
    tree.sockets = [_socket(cpu, tree, notes) for cpu in cpus]
    return tree


def _socket(cpu: XmlElement, tree: Tree, notes: Notes) -> CpuSocket:
    said = " ".join(filter(None, [cpu.get("arch"), cpu.get("vendor")]))
    vendor = cpu_vendor(cpu.get("arch"), cpu.get("vendor"))
    if said and vendor is None:
        why = f"a CPU of Intel, AMD or Arm was expected, found {shown(said)}"
        raise notes.refusal(cpu.line, why)
    between = None
    if stated := cpu.get(INTER_SOCKET):
        between = _rate(stated)
    elif vendor:
        family, model = _number(cpu.get("familyid")), _number(cpu.get("modelid"))
        between = inter_socket_GBps(vendor, family, model)
    devices = [_counted(device, notes) for device in _devices(cpu, tree, notes)]
    return CpuSocket(cpu.line, vendor, between, tuple(devices))


def _devices(above: XmlElement, tree: Tree, notes: Notes) -> list[XmlDevice]:
    """What hangs directly on a CPU or a switch."""
    found: list[XmlDevice] = []
    for element in above.children:
        if element.name == "pci":
            device = _device(element, tree, notes)
            found += [device] if device else []
        elif element.name == "nic":
            nets = tuple(element.all("net"))
            found.append(XmlDevice("nic", "", element.line, None, element, nets=nets))
        elif element.name == "pcilink":
            notes.add(element.line, "a link between two PCIe switches; left out")
    return _cards(found, notes)


def _device(element: XmlElement, tree: Tree, notes: Notes) -> XmlDevice | None:
    kind = _kind(element)
    bus, line = element.get("busid").lower(), element.line
    if kind is None:
        if not element.get("class"):
            tree.silent.append(element)
        elif not element.get("class").startswith(NVSWITCH_CLASS):
            what = f"{bus or 'a device'} of class {shown(element.get('class'))}"
            notes.add(line, f"{what} is no switch, GPU or NIC; left out")
        return None
    link = _link(element, notes)
    if kind == "gpu":
        words = next(iter(element.all("gpu")), None)
        return XmlDevice("gpu", bus, line, link, element, words=words)
    if kind == "nic":
        nets = tuple(net for nic in element.all("nic") for net in nic.all("net"))
        return XmlDevice("nic", bus, line, link, element, nets=nets)
    behind = tuple(_devices(element, tree, notes))
    return XmlDevice("switch", bus, line, link, element, behind) if behind else None


def _kind(element: XmlElement) -> XmlKind | None:
    """What a PCI element is: by what it holds, then by its class."""
    if element.all("gpu"):
        return "gpu"
    if element.all("nic"):
        return "nic"
    if element.all("pci"):
        return "switch"
    stated = element.get("class").lower()
    if stated.startswith(NIC_CLASS):
        return "nic"
    if stated.startswith(GPU_CLASSES):
        # The screen of a board's management controller is a display too.
        maker = _hex(element.get("vendor"))
        return "gpu" if maker in (None, int(NVIDIA_VENDOR, 16), int(AMD_VENDOR, 16)) else None
    return "switch" if stated.startswith(SWITCH_CLASS) else None


def _link(element: XmlElement, notes: Notes) -> Pcie | None:
    speed = element.get("link_speed")
    link = link_of(speed, element.get("link_width"))
    if link is None and speed:
        notes.add(element.line, f"{shown(speed)} is no PCIe speed; counted as not stated")
    return link


def _counted(device: XmlDevice, notes: Notes) -> XmlDevice:
    """A device without the levels behind it that are not switches of their own."""
    behind: list[XmlDevice] = []
    for inner in device.behind:
        if _is_second_level(device, inner):
            what = "a Broadcom switch that shows itself as two levels; counted as one"
            notes.add(inner.line, what)
            behind += inner.behind
        else:
            behind.append(inner)
    behind = [_through_bridge(_counted(inner, notes), notes) for inner in behind]
    if len(behind) == 1 and behind[0].kind == "switch":
        only = behind[0]
        return replace(only, link=_narrower(device.link, only.link))
    return replace(device, behind=tuple(behind))


def _through_bridge(device: XmlDevice, notes: Notes) -> XmlDevice:
    """The device behind a bridge that leads to it alone, with the narrower of both links."""
    if device.kind != "switch" or len(device.behind) != 1:
        return device
    inner = device.behind[0]
    notes.add(device.line, "a bridge with one device behind it; counted as part of its link")
    return replace(inner, link=_narrower(device.link, inner.link))


def _is_second_level(switch: XmlDevice, device: XmlDevice) -> bool:
    generation = _broadcom(switch, 0)
    return bool(generation) and device.kind == "switch" and _broadcom(device, 1) == generation


def _broadcom(switch: XmlDevice, level: int) -> int:
    """The PCIe generation of a Broadcom switch that shows itself as two levels, else 0."""
    names = ("vendor", "device", "subsystem_vendor", "subsystem_device")
    numbers = [_hex(switch.element.get(name)) or 0 for name in names]
    device = sum(number << shift for number, shift in zip(numbers, (48, 32, 16, 0), strict=True))
    masked = device & 0xFFFFFFFFFFFFF000
    if masked == 0x1000C0101000A000:
        return 4
    return 5 if masked == 0x1000C03010000000 | level * 0x1000 else 0


def _narrower(first: Pcie | None, second: Pcie | None) -> Pcie | None:
    return slower(first, second) if first else second


def _cards(devices: Iterable[XmlDevice], notes: Notes) -> list[XmlDevice]:
    """Devices with the PCI functions of one NIC merged: they are its ports."""
    cards: dict[str, XmlDevice] = {}
    for number, device in enumerate(devices):
        card, _, function = device.bus.rpartition(".")
        key = card if device.kind == "nic" and function.isdecimal() and card else f"#{number}"
        if key in cards:
            first = cards[key]
            cards[key] = replace(first, nets=first.nets + device.nets)
            notes.add(device.line, f"{device.bus} is another function of {first.bus}: one NIC")
        else:
            cards[key] = device
    return list(cards.values())


def _walk(devices: Iterable[XmlDevice]) -> Iterator[XmlDevice]:
    for device in devices:
        yield device
        yield from _walk(device.behind)


def _hex(text: str) -> int | None:
    try:
        return int(text, 16) if text else None
    except ValueError:
        return None


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def _rate(text: str) -> float | None:
    try:
        rate = float(text)
    except ValueError:
        return None
    return rate if 0 < rate < float("inf") else None
