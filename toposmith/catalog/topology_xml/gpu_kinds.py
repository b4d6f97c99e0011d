"""Which part the GPUs of a topology file are, or what can be said of one that no catalog has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toposmith.catalog.catalog import UnknownPart
from toposmith.catalog.imported import new_id
from toposmith.catalog.parts import Gpu
from toposmith.catalog.pieces import NvlinkPort, Pcie
from toposmith.catalog.topology_xml.gpu_links import JoinedGpus
from toposmith.catalog.topology_xml.notes import Reading
from toposmith.catalog.topology_xml.words import AMD_VENDOR, NVIDIA_VENDOR, PART
from toposmith.catalog.topology_xml.xml_devices import XmlDevice
from toposmith.catalog.topology_xml.xml_elements import XmlElement
from toposmith.plain_text import shown
from toposmith.text import counted

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
