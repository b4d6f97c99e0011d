"""The words of NCCL's topology files, for reading and writing them.

Source: NVIDIA/nccl, tag v2.27.7-1, src/graph/xml.cc, xml.h, topo.cc and topo.h; RCCL's additions
from ROCm/rccl, tools/topo_expl/models.
"""

from __future__ import annotations

from collections.abc import Iterable

from toposmith.catalog.links import pcie_gbit
from toposmith.catalog.pieces import CpuVendor, Pcie

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
