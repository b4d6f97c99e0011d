"""The words of NCCL's topology files, for reading and writing them.

Source: NVIDIA/nccl, tag v2.27.7-1, src/graph/xml.cc, xml.h, topo.cc and topo.h; RCCL's additions
from ROCm/rccl, tools/topo_expl/models.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.own_part import ImportRefused, file_name
from toposmith.catalog.part_file import LARGEST_FILE, read_part_file
from toposmith.catalog.part_text import pcie_gbit
from toposmith.catalog.pieces import CpuVendor, Pcie
from toposmith.foreign_values import long_number
from toposmith.plain_text import shown, visible

# Elements of a PCI bus carry their class; the first digits say what they are.
SWITCH_CLASS = "0x0604"
GPU_CLASSES = ("0x03", "0x12")  # AMD's newer GPUs are "processing accelerators"
NIC_CLASS = "0x02"
INFINIBAND_CLASS = "0x0207"
NVSWITCH_CLASS = "0x0680"
CPU_BRIDGE_CLASS = "0x068001"  # NVLink into a POWER CPU

NVIDIA_VENDOR, AMD_VENDOR = "10de", "1002"

# Attributes that NCCL ignores; files that this program writes use them for what the format
# has no word for: the catalog part of a GPU or NIC, the slot group of a NIC and the slot's number,
# and what joins two sockets where that is not what NCCL takes from the CPU's model.
PART = "toposmith_part"
SLOTS = "toposmith_slots"
SLOT = "toposmith_slot"
INTER_SOCKET = "toposmith_inter_socket_GBps"

GIGATRANSFERS = {1: "2.5", 2: "5.0", 3: "8.0", 4: "16.0", 5: "32.0", 6: "64.0"}
"""Gigatransfers per second and lane, by PCIe generation, as the kernel writes them."""

WIDTHS = (1, 2, 4, 8, 12, 16, 32)

_X86_VENDORS: dict[str, CpuVendor] = {"GenuineIntel": "intel", "AuthenticAMD": "amd"}

# GB/s that NCCL assumes between two sockets, by the first model of family 6 that has it.
_INTEL_GBPS = {0xCF: 40.0, 0x8F: 22.0, 0x55: 10.0, 0: 6.0}
_AMD_GBPS, _ARM_GBPS = 16.0, 6.0
_INTEL_FAMILY = 6

# A CPU of each maker that has the rate which NCCL assumes between sockets: family and model.
_EXAMPLES: dict[tuple[CpuVendor, float], tuple[int, int]] = {
    ("intel", 40.0): (6, 207),
    ("intel", 22.0): (6, 143),
    ("intel", 10.0): (6, 85),
    ("intel", 6.0): (6, 79),
    ("amd", 16.0): (25, 17),
}


def cpu_vendor(arch: str, vendor: str) -> CpuVendor | None:
    """The maker of a CPU, or None where it is none of those that the catalog knows."""
    if arch in ("arm64", "aarch64"):
        return "arm"
    return _X86_VENDORS.get(vendor.strip())


def inter_socket_GBps(vendor: CpuVendor, family: int | None, model: int | None) -> float | None:
    """GB/s that NCCL assumes between two sockets; None where it needs a model that is unknown."""
    if vendor == "amd":
        return _AMD_GBPS
    if vendor == "arm":
        return _ARM_GBPS
    if family != _INTEL_FAMILY or model is None:
        return None
    return next(rate for first, rate in _INTEL_GBPS.items() if model >= first)


def cpu_words(vendor: CpuVendor, GBps: float | None) -> dict[str, str]:
    """The attributes of a CPU of this maker, with a model that has this rate between sockets."""
    if vendor == "arm":
        return {"arch": "arm64"}
    name = next(name for name, made in _X86_VENDORS.items() if made == vendor)
    words = {"arch": "x86_64", "vendor": name}
    example = _EXAMPLES.get((vendor, GBps or 0.0))
    if example:
        words |= {"familyid": str(example[0]), "modelid": str(example[1])}
    return words


def link_words(link: Pcie) -> dict[str, str]:
    """The attributes of a PCI element for the link between it and what is above it."""
    speed = f"{GIGATRANSFERS[link.generation]} GT/s PCIe"
    return {"link_speed": speed, "link_width": str(link.width)}


def link_of(speed: str, width: str) -> Pcie | None:
    """The link that two attributes describe; None where they name no known speed.

    A width that is missing or zero means 16 lanes, as in NCCL.
    """
    rate = speed.strip().partition("GT/s")[0].strip()
    lanes = int(width) if width.strip().isdecimal() else 0
    for generation, known in GIGATRANSFERS.items():
        if rate and rate.removesuffix(".0") == known.removesuffix(".0"):
            return Pcie(generation=generation, width=lanes if lanes in WIDTHS else 16)
    return None


def widest(links: Iterable[Pcie | None]) -> Pcie | None:
    """The fastest of these links; None where no speed is documented."""
    stated = [link for link in links if link is not None]
    if not stated:
        return None
    return Pcie(
        generation=max(link.generation for link in stated), width=max(link.width for link in stated)
    )


def narrowest_for(gbit: float) -> Pcie:
    """The oldest slot of 16 lanes that carries so many Gb/s, or the newest that there is."""
    slots = [Pcie(generation=generation) for generation in range(3, 7)]
    return next((slot for slot in slots if pcie_gbit(slot) >= gbit), slots[-1])


DEEPEST = 40  # elements inside each other; a GPU behind three switches is at 6
MOST_ELEMENTS = 20_000  # NCCL stops at some thousands
MOST_ATTRIBUTES = 32  # NCCL stops at 16
LONGEST_ATTRIBUTE = 1000  # NCCL stops at 255


@dataclass
class XmlElement:
    """One XML element; ``line`` is where it begins."""

    name: str
    attributes: dict[str, str]
    line: int
    children: list[XmlElement] = field(default_factory=list)

    def get(self, name: str) -> str:
        """An attribute without white space around it; empty where it is missing."""
        return self.attributes.get(name, "").strip()

    def all(self, *names: str) -> list[XmlElement]:
        """The children of these names."""
        return [child for child in self.children if child.name in names]


def read_elements(path: Path) -> XmlElement:
    """Read the tree of an XML file.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    XmlElement
        The outermost element.

    Raises
    ------
    ImportRefused
        When the file is too large, no XML, or has a document type; with file and line.
    """
    try:
        text = read_part_file(path)
    except OSError as error:
        raise refused(path, 1, f"cannot be read: {error.strerror or error}") from None
    if len(text) > LARGEST_FILE:
        raise refused(path, 1, f"more than the {LARGEST_FILE} bytes allowed")
    return _Reading(path).root(text)


def refused(path: Path, line: int, why: str) -> ImportRefused:
    """The exception that refuses a file at one of its lines."""
    return ImportRefused([visible(f"{path}:{line}: {why}")])


class _Reading:
    """One pass over a file; every handler may refuse it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open: list[XmlElement] = []
        self._root: XmlElement | None = None
        self._count = 0
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.EntityDeclHandler = self._entity

    def root(self, text: bytes) -> XmlElement:
        try:
            self._parser.Parse(text, True)
        except expat.ExpatError as error:
            why = f"not readable as XML: {expat.ErrorString(error.code)}"
            raise refused(self._path, error.lineno, why) from None
        except (ValueError, LookupError) as error:  # an unknown encoding
            raise self._refused(f"not readable as XML: {error}") from None
        assert self._root is not None  # a document has an element, or is no XML
        return self._root

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > MOST_ELEMENTS:
            raise self._refused(f"more than the {MOST_ELEMENTS} elements allowed")
        if len(self._open) >= DEEPEST:
            raise self._refused(f"elements nested more than {DEEPEST} deep")
        if len(attributes) > MOST_ATTRIBUTES:
            raise self._refused(f"more than the {MOST_ATTRIBUTES} attributes allowed")
        for key, value in attributes.items():
            if len(value) > LONGEST_ATTRIBUTE:
                raise self._refused(f"{shown(key)} is longer than {LONGEST_ATTRIBUTE} characters")
            if (fault := long_number(value)) is not None:
                raise self._refused(f"{shown(key)}: {fault}")
        element = XmlElement(name, attributes, self._parser.CurrentLineNumber)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self._root = element
        self._open.append(element)

    def _end(self, name: str) -> None:
        self._open.pop()

    def _doctype(self, *_: object) -> None:
        raise self._refused("a document type (DOCTYPE), which topology files do not need")

    def _entity(self, *_: object) -> None:
        raise self._refused("an entity, which topology files do not need")

    def _refused(self, why: str) -> ImportRefused:
        return refused(self._path, self._parser.CurrentLineNumber, why)


@dataclass
class Notes:
    """Notes about one file; a note about many lines is given once, at the first of them."""

    path: Path
    _lines: dict[str, list[int]] = field(default_factory=dict)

    def add(self, line: int, what: str) -> None:
        """Note something about a line."""
        self._lines.setdefault(what, []).append(line)

    def refusal(self, line: int, why: str) -> ImportRefused:
        """The exception that says why no part can be made from the file."""
        return refused(self.path, line, why)

    @property
    def found(self) -> list[str]:
        """The notes, each with file and line."""
        return [
            visible(f"{self.path}:{lines[0]}: {what}{_times(len(lines))}")
            for what, lines in self._lines.items()
        ]


@dataclass(frozen=True)
class Reading:
    """One reading of a file.

    Parameters
    ----------
    catalog : Catalog
        The parts that exist already.
    notes : Notes
        Collects what is noticed.
    node_id : str
        The id of the new node; those of its GPU and NICs begin with it.
    gpu : str or None
        The part id of the machine's GPU, where the caller gave one.
    """

    catalog: Catalog
    notes: Notes
    node_id: str
    gpu: str | None = None

    @property
    def source(self) -> str:
        """What parts give as their source."""
        return f"NCCL topology file {file_name(self.notes.path)}"


def _times(count: int) -> str:
    return f" ({count} times)" if count > 1 else ""
