"""The GPUs of a topology file: their order, their part, their PCIe links, how they are joined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from toposmith.catalog.catalog import UnknownPart
from toposmith.catalog.own_part import new_id
from toposmith.catalog.part_text import pcie as link_text
from toposmith.catalog.part_text import slower
from toposmith.catalog.parts import Gpu
from toposmith.catalog.pieces import NvlinkFabric, NvlinkPort, Pcie
from toposmith.catalog.topology_xml.words import (
    AMD_VENDOR,
    CPU_BRIDGE_CLASS,
    NVIDIA_VENDOR,
    NVSWITCH_CLASS,
    PART,
    Notes,
    Reading,
    XmlElement,
    widest,
)
from toposmith.catalog.topology_xml.xml_devices import Tree, XmlDevice
from toposmith.plain_text import shown
from toposmith.text import counted

_Pairs = dict[tuple[int, int], int]


@dataclass(frozen=True)
class JoinedGpus:
    """How GPUs are joined, and the most links that one of them has."""

    fabric: NvlinkFabric
    most: int


def joined_gpus(gpus: Sequence[XmlDevice], notes: Notes) -> JoinedGpus | None:
    """Find how GPUs are joined; None where the file states no links.

    Raises
    ------
    ImportRefused
        When GPUs are joined both directly and through NVSwitches.
    """
    place = {gpu.bus: number for number, gpu in enumerate(gpus) if gpu.bus}
    to_switches: list[Counter[str]] = []
    stated: dict[tuple[int, int], int] = {}
    for number, gpu in enumerate(gpus):
        switches: Counter[str] = Counter()
        for link in gpu.words.all("nvlink", "xgmi") if gpu.words else ():
            target, count = link.get("target").lower(), _count(link.get("count"))
            kind = link.get("tclass").lower()
            if kind.startswith(CPU_BRIDGE_CLASS):
                notes.add(link.line, "links into the CPU; left out")
            elif target in place:
                other = place[target]
                if other == number:
                    notes.add(link.line, "links of a GPU to itself; left out")
                else:
                    stated[number, other] = stated.get((number, other), 0) + count
            elif kind.startswith(NVSWITCH_CLASS) or not kind:
                switches[target] += count
            else:
                notes.add(link.line, "links to a GPU that is not in this file; left out")
        to_switches.append(switches)
    line = gpus[0].line
    if any(to_switches):
        if stated:
            raise notes.refusal(line, "GPUs joined both directly and through NVSwitches")
        return _switched(to_switches, notes, line)
    pairs = _pairs(stated, notes, line)
    return _direct(pairs, len(gpus)) if pairs else None


def _count(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 4 else 0


def _switched(to_switches: Sequence[Counter[str]], notes: Notes, line: int) -> JoinedGpus:
    counts = Counter(sum(switches.values()) for switches in to_switches)
    usual = max(counts, key=lambda links: (counts[links], links))
    if len(counts) > 1:
        each = ", ".join(
            f"{counted(links, 'link')} on {counted(many, 'GPU')}"
            for links, many in sorted(counts.items())
        )
        notes.add(line, f"not all GPUs have as many NVLinks ({each}); counted as {usual} each")
    switches = {target for found in to_switches for target in found}
    known = len(switches) if all(_is_bus(target) for target in switches) else None
    return JoinedGpus(NvlinkFabric(shape="nvswitch", switches=known), max(usual, 1))


def _is_bus(target: str) -> bool:
    """Whether a target is a device; a virtual machine, or a rack, shows all f."""
    return bool(target) and set(target) - set("f:.") != set()


def _pairs(stated: _Pairs, notes: Notes, line: int) -> _Pairs:
    """Links between two GPUs, each of which should state them."""
    pairs: _Pairs = {}
    for (a, b), count in stated.items():
        low, high = min(a, b), max(a, b)
        back = stated.get((b, a))
        if back != count and (low, high) not in pairs:
            links = counted(count, "link")
            said = f"GPU {a} states {links} to GPU {b}, which states {back or 'none'} back"
            notes.add(line, f"{said}; counted as {max(count, back or 0)}")
        pairs[low, high] = max(count, back or 0)
    return {pair: count for pair, count in sorted(pairs.items()) if count}


def _direct(pairs: _Pairs, gpus: int) -> JoinedGpus:
    used: Counter[int] = Counter()
    for pair, count in pairs.items():
        for gpu in pair:
            used[gpu] += count
    most, counts = max(used.values()), set(pairs.values())
    if len(counts) == 1:
        links = counts.pop()
        if len(pairs) == gpus * (gpus - 1) // 2 and gpus > 2:
            return JoinedGpus(NvlinkFabric(shape="mesh", links_per_pair=links), most)
        if all(count == links for count in used.values()) or gpus == 2:
            names = tuple(pairs)
            return JoinedGpus(NvlinkFabric(shape="bridge", links_per_pair=links, pairs=names), most)
    triples = tuple((a, b, count) for (a, b), count in pairs.items())
    return JoinedGpus(NvlinkFabric(shape="mesh", pairs=triples), most)


# RCCL's names before it wrote the compiler's: 906 and 908 are decimal, 910 stands for gfx90a.
_OLD_ARCHITECTURES = {"906": "gfx906", "908": "gfx908", "910": "gfx90a"}

# Generation and GB/s of one link and direction, by the first compute capability that has it
# (makers print both directions: 40, 50, 50, 28.1, 50 and 100 GB/s).
_NVLINK = {
    100: (5, 50.0),
    90: (4, 25.0),
    86: (3, 14.0625),
    80: (3, 25.0),
    70: (2, 25.0),
    60: (1, 20.0),
}
_XGMI = {
    "gfx908": (2, 46.0),
    "gfx90a": (3, 50.0),
    "gfx942": (4, 64.0),
    "gfx950": (4, 76.8),
}


@dataclass(frozen=True)
class GpuKind:
    """What a file says of the model of its GPUs, and on which line.

    ``named`` is the part id in files that this program wrote.
    """

    line: int
    named: str
    pci_id: str
    compute_capability: int | None
    architecture: str
    c2c_GBps: float | None = None

    @property
    def said(self) -> str:
        """The same in words."""
        capability = self.compute_capability
        stated = [self.pci_id, f"sm {capability}" if capability else "", self.architecture]
        return " ".join(filter(None, stated)) or "nothing"


def gpu_kind(devices: Sequence[XmlDevice], reading: Reading) -> GpuKind:
    """The model of the GPUs in a file; ImportRefused where there are several."""
    kinds: dict[tuple[object, ...], GpuKind] = {}
    for device in devices:
        kind = _kind(device)
        key = (kind.named, kind.pci_id, kind.compute_capability, kind.architecture)
        kinds.setdefault(key, kind)
    first, *others = kinds.values()
    if others:
        both = f"{shown(first.said)} and {shown(others[0].said)}"
        why = f"GPUs of several kinds ({both}); a node has one kind"
        raise reading.notes.refusal(others[0].line, why)
    return first


def known_gpu(
    kind: GpuKind, joined: JoinedGpus | None, reading: Reading
) -> tuple[Gpu | None, bool]:
    """The catalog part of the GPUs, and whether that is certain; ImportRefused for a wrong id."""
    if reading.gpu:
        try:
            return reading.catalog.gpu(reading.gpu), True
        except UnknownPart as error:
            raise reading.notes.refusal(kind.line, str(error)) from None
    gpus = [part for part in reading.catalog.of_kind("gpu") if isinstance(part, Gpu)]
    named = [gpu for gpu in gpus if gpu.id == kind.named]
    same = named or [gpu for gpu in gpus if kind.pci_id and kind.pci_id in gpu.pci_ids]
    if same:
        return same[0], True
    if kind.pci_id and (kind.compute_capability or kind.architecture):
        return None, True  # another device than those of the catalog
    alike = [gpu for gpu in gpus if _is_alike(gpu, kind) and not has_other_links(gpu, joined)]
    if len(alike) != 1:
        return None, True
    why = f"the only GPU of the catalog that fits {kind.said}"
    reading.notes.add(kind.line, f"GPUs taken for {alike[0].name}, {why}")
    return alike[0], False


def new_gpu(kind: GpuKind, pcie: Pcie | None, joined: JoinedGpus | None, reading: Reading) -> Gpu:
    """A GPU part from what the file says alone; ImportRefused where that is too little."""
    capability, architecture = kind.compute_capability, kind.architecture
    if capability is None and not architecture:
        raise reading.notes.refusal(
            kind.line,
            f"GPUs of which the file says {kind.said}: no sm, no gcn and no device id that the "
            "catalog knows. It is a hint for one sort of virtual machine; say which GPU that has",
        )
    maker = "AMD" if architecture else "NVIDIA"
    name = architecture or f"compute capability {(capability or 0) / 10:.1f}"
    port = _port(capability, architecture, joined.most) if joined else None
    if joined and port is None:
        why = f"the speed of a link of {name} is not documented; the links are left out"
        reading.notes.add(kind.line, why)
    what = f"the catalog has no GPU {kind.said}; made a part of what the file says"
    reading.notes.add(kind.line, what)
    is_device = kind.pci_id.partition(":")[0] in (NVIDIA_VENDOR, AMD_VENDOR)
    return Gpu(
        id=new_id(f"{reading.node_id}-gpu", reading.catalog),
        name=f"{maker} GPU, {name}",
        vendor=maker,
        compute_capability=capability,
        architecture=architecture or None,
        pcie=pcie or Pcie(generation=3),
        c2c_GBps=kind.c2c_GBps,
        nvlink=port,
        pci_ids=(kind.pci_id,) if is_device else (),
        source=reading.source,
        unverified=() if pcie else ("pcie",),
    )


def with_links(part: Gpu, joined: JoinedGpus, reading: Reading) -> Gpu:
    """A part of the catalog with as many links as the file states."""
    port = part.nvlink or _port(part.compute_capability, part.architecture or "", joined.most)
    if port is None:
        return part
    sources = {name: text for name, text in part.sources.items() if name != "pci_ids"}
    return part.model_copy(
        update={
            "id": new_id(f"{reading.node_id}-gpu", reading.catalog),
            "name": f"{part.name} with {counted(joined.most, 'link')}",
            "nvlink": port.model_copy(update={"links": joined.most}),
            "pci_ids": (),
            "sources": {**sources, "nvlink": reading.source},
            "unverified": tuple(n for n in part.unverified if n not in ("nvlink", "pci_ids")),
            "conflicts": {n: t for n, t in part.conflicts.items() if n != "nvlink"},
        }
    )


def has_other_links(gpu: Gpu, joined: JoinedGpus | None) -> bool:
    """Whether stated links cannot be those of a part."""
    if joined is None:
        return False
    if gpu.nvlink is None:
        return True
    if joined.fabric.shape == "nvswitch":
        return gpu.nvlink.links != joined.most
    return gpu.nvlink.links < joined.most


def _kind(device: XmlDevice) -> GpuKind:
    words = device.words
    gcn, sm = (words.get(name) if words else "" for name in ("gcn", "sm"))
    architecture = _OLD_ARCHITECTURES.get(gcn, gcn)
    is_amd = bool(architecture) or device.pci_id.startswith(AMD_VENDOR)
    # What RCCL writes as sm is the number of compute units.
    capability = int(sm) if not is_amd and sm.isdecimal() and 60 <= int(sm) <= 130 else None
    named = words.get(PART) if words else ""
    c2c = sum(map(_c2c, words.all("c2c"))) if words else 0
    return GpuKind(device.line, named, device.pci_id, capability, architecture, c2c or None)


def _c2c(element: XmlElement) -> float:
    """GB/s of a GPU's links to the CPU on its module, one direction; NCCL counts in MB/s."""
    rate, links = element.get("bw"), element.get("count") or "1"
    return int(rate) * int(links) / 1000 if rate.isdecimal() and links.isdecimal() else 0


def _is_alike(gpu: Gpu, kind: GpuKind) -> bool:
    if kind.compute_capability is not None:
        return gpu.compute_capability == kind.compute_capability
    return bool(kind.architecture) and gpu.architecture == kind.architecture


def _port(capability: int | None, architecture: str, links: int) -> NvlinkPort | None:
    """The links of a GPU by its generation; None where their speed is not documented."""
    if architecture:
        generation, rate = _XGMI.get(architecture, (0, 0.0))
        if not generation:
            return None
        return NvlinkPort(kind="xgmi", generation=generation, links=links, GBps_per_link=rate)
    found = next((port for first, port in _NVLINK.items() if (capability or 0) >= first), None)
    if found is None:
        return None
    return NvlinkPort(generation=found[0], links=links, GBps_per_link=found[1])


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
