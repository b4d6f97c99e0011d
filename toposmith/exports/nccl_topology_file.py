"""A node as NCCL's topology file, for ``NCCL_TOPO_FILE`` and other tools that read it.

Format: NVIDIA/nccl, tag v2.27.7-1, src/graph/xml.cc and topo.cc. Bus ids are placeholders, as no
part says them. What the format has no word for stands in attributes that NCCL does not look at, so
that :mod:`toposmith.catalog.nccl_xml` reads the same node back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from xml.etree import ElementTree

from toposmith.catalog import Catalog, Gpu, Nic, Node, PcieBranch
from toposmith.catalog.part_text import GPU_LINK_NAMES, gpu_link, slot_link, slot_room, uplink
from toposmith.catalog.topology_xml.words import (
    AMD_VENDOR,
    INTER_SOCKET,
    NVIDIA_VENDOR,
    PART,
    SLOT,
    SLOTS,
    cpu_words,
    inter_socket_GBps,
    link_words,
)
from toposmith.errors import ExportError
from toposmith.fabric.inside import nvlink_pairs
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.plain_text import visible

_SWITCH, _NVSWITCH = "0x060400", "0x068000"
_NVIDIA_GPU, _AMD_GPU = "0x030200", "0x120000"
_NIC = {"infiniband": "0x020700", "ethernet": "0x020000"}
# What NCCL writes for an NVSwitch that it cannot see, as in virtual machines and in racks.
_UNSEEN = "fffffff:ffff:ff"
_NVIDIA_NICS = "15b3"

_HEAD = (
    " {name}, written by Toposmith. Bus ids are placeholders: put in those of the machine before "
    "NCCL reads this, or it finds nothing there; and a file that is wrong makes NCCL slower. "
)


@dataclass(frozen=True)
class Fitted:
    """NICs in the slots of a group: the part, and how many slots from the first have one."""

    nic: Nic
    count: int


def node_xml(node: Node, catalog: Catalog, fitted: Mapping[str, Fitted] | None = None) -> str:
    """Write a node as an NCCL topology file.

    Parameters
    ----------
    node : Node
        The part.
    catalog : Catalog
        Where its GPU is found, and the NICs that come with it.
    fitted : mapping of str to Fitted, optional
        The NICs per slot group; by default those that come with the node. Slots without a NIC
        are written as network devices of which nothing is known.

    Returns
    -------
    str
        The XML text.

    Raises
    ------
    ExportError
        If no public format exists for the links of its GPUs.
    """
    if fitted is None:
        fitted = {
            name: Fitted(catalog.nic(slots.nic), slots.fitted)
            for name, slots in node.slots.items()
            if slots.nic and slots.fitted
        }
    gpu = catalog.gpu(node.gpu)
    if gpu.nvlink is not None and gpu.nvlink.kind not in ("nvlink", "xgmi"):
        link = GPU_LINK_NAMES[gpu.nvlink.kind]
        raise ExportError(f"how a topology file would have {link} of {gpu.name} is not public")
    return _Writing(node, gpu, fitted).text()


def group_xml(group: GroupPlan, catalog: Catalog) -> str:
    """Write a node of a design's group, with the NICs that the design fits.

    Raises
    ------
    ExportError
        If the group has no nodes, or no public format exists for the links of its GPUs.
    """
    if group.node is None:
        raise ExportError(f"{group.name}: no nodes, and only nodes have an inside to write")
    fitted = {
        name: Fitted(ports.nic, ports.nics)
        for name, ports in group.port_groups.items()
        if ports.nic is not None
    }
    return node_xml(group.node, catalog, fitted)


def design_xml(plan: Plan, catalog: Catalog, group: str | None = None) -> str:
    """Write a node of a design: of the named group, or of its only one.

    Raises
    ------
    ExportError
        If there is no such group, several without a name, or the node cannot be written.
    """
    nodes = [name for name, planned in plan.groups.items() if planned.node is not None]
    if group is None and len(nodes) != 1:
        what = "several groups of nodes" if nodes else "no nodes"
        raise ExportError(f"the design has {what}; name one: {', '.join(nodes) or 'none'}")
    wanted = group if group is not None else nodes[0]
    if wanted not in plan.groups:
        raise ExportError(f"no group {wanted!r}; groups of nodes are: {', '.join(nodes) or 'none'}")
    return group_xml(plan.groups[wanted], catalog)


@dataclass
class _Writing:
    """One file while it is written; buses and network devices are numbered in order."""

    node: Node
    gpu: Gpu
    fitted: Mapping[str, Fitted]
    buses: Iterator[int] = field(default_factory=lambda: count(1))
    nets: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self.gpu_buses = [self._bus() for _ in range(self.node.gpus)]

    def text(self) -> str:
        is_amd = self.gpu.compute_capability is None
        root = ElementTree.Element("system", version="2" if is_amd else "1")
        cpus = [self._cpu(root, socket) for socket in range(self.node.sockets)]
        switches: dict[int, ElementTree.Element] = {}
        for number in self._from_the_top():
            branch = self.node.branches[number]
            above = cpus[branch.socket] if branch.below is None else switches[branch.below]
            switches[number] = self._switch(above, branch) if branch.switch else above
            self._devices(switches[number], branch)
        ElementTree.indent(root, " ")
        # Two hyphens would end the comment.
        head = _HEAD.format(name=re.sub("-(?=-)", "- ", visible(self.node.name)))
        return f"<!--{head}-->\n{ElementTree.tostring(root, encoding='unicode')}\n"

    def _from_the_top(self) -> list[int]:
        """The branches, each after the one that it hangs below."""

        def depth(number: int) -> int:
            below = self.node.branches[number].below
            return 0 if below is None else 1 + depth(below)

        return sorted(range(len(self.node.branches)), key=depth)

    def _cpu(self, root: ElementTree.Element, socket: int) -> ElementTree.Element:
        node, rate = self.node, self.node.inter_socket_GBps
        words = cpu_words(node.cpu_vendor, rate)
        model = [int(words[name]) if name in words else None for name in ("familyid", "modelid")]
        if node.sockets > 1 and inter_socket_GBps(node.cpu_vendor, *model) != rate:
            words[INTER_SOCKET] = "unknown" if rate is None else f"{rate:g}"
        return ElementTree.SubElement(root, "cpu", {"numaid": str(socket), **words})

    def _switch(self, above: ElementTree.Element, branch: PcieBranch) -> ElementTree.Element:
        link = link_words(uplink(self.node, self.gpu, branch))
        return _pci(above, self._bus(), _SWITCH, link)

    def _devices(self, above: ElementTree.Element, branch: PcieBranch) -> None:
        for number in branch.gpus:
            self._gpu(above, number)
        for group, slots in branch.slots.items():
            for slot in slots:
                self._slot(above, group, slot)

    def _gpu(self, above: ElementTree.Element, number: int) -> None:
        gpu, link = self.gpu, link_words(gpu_link(self.node, self.gpu, number))
        is_amd = gpu.compute_capability is None
        kind = _AMD_GPU if is_amd else _NVIDIA_GPU
        ids = gpu.pci_ids or (f"{AMD_VENDOR if is_amd else NVIDIA_VENDOR}:",)
        pci = _pci(above, self.gpu_buses[number], kind, link, ids)
        words = {"dev": str(number)}
        words |= {"gcn": gpu.architecture or ""} if is_amd else {"sm": str(gpu.compute_capability)}
        words |= {"rank": str(number), "gdr": "1", PART: gpu.id}
        element = ElementTree.SubElement(pci, "gpu", words)
        for target, links, kind in self._links(number):
            name = "xgmi" if gpu.nvlink and gpu.nvlink.kind == "xgmi" else "nvlink"
            words = {"target": target, "count": str(links), "tclass": kind}
            ElementTree.SubElement(element, name, words)
        if gpu.c2c_GBps:
            ElementTree.SubElement(element, "c2c", bw=f"{1000 * gpu.c2c_GBps:.0f}", count="1")

    def _links(self, number: int) -> Iterator[tuple[str, int, str]]:
        """Targets of a GPU's links, how many lead there, and the class of the target."""
        fabric, port = self.node.nvlink, self.gpu.nvlink
        if fabric is None or port is None:
            return
        if fabric.shape != "nvswitch":
            kind = _AMD_GPU if port.kind == "xgmi" else _NVIDIA_GPU
            for a, b, links in nvlink_pairs(self.node, self.gpu):
                if number in (a, b):
                    yield self.gpu_buses[b if number == a else a], links, kind
            return
        if not fabric.switches or fabric.domain_gpus or fabric.switches > port.links:
            yield _UNSEEN, port.links, _NVSWITCH
            return
        each, more = divmod(port.links, fabric.switches)
        for switch in range(fabric.switches):
            yield f"ffff:{switch:02x}:00.0", each + (switch < more), _NVSWITCH

    def _slot(self, above: ElementTree.Element, group: str, slot: int) -> None:
        fitted = self.fitted.get(group)
        nic = fitted.nic if fitted and slot < fitted.count else None
        room = slot_room(self.node, group, slot)
        link = slot_link(self.node, nic, group, slot) if nic else room
        kind = _NIC[nic.protocols[0]] if nic else _NIC["ethernet"]
        pci = _pci(above, self._bus(), kind, link_words(link), nic.pci_ids if nic else ())
        pci.attrib |= {SLOTS: visible(group), SLOT: str(slot)}
        if nic is None:
            return
        pci.set(PART, nic.id)
        holder = ElementTree.SubElement(pci, "nic")
        for port in range(1, nic.ports + 1):
            ElementTree.SubElement(holder, "net", _net(nic, next(self.nets), port))

    def _bus(self) -> str:
        domain, bus = divmod(next(self.buses), 256)
        return f"{domain:04x}:{bus:02x}:00.0"


def _pci(
    above: ElementTree.Element,
    bus: str,
    kind: str,
    link: Mapping[str, str],
    ids: tuple[str, ...] = (),
) -> ElementTree.Element:
    words = {"busid": bus, "class": kind}
    for name, number in zip(("vendor", "device"), ids[0].split(":") if ids else (), strict=False):
        words |= {name: f"0x{number}"} if number else {}
    return ElementTree.SubElement(above, "pci", {**words, **link})


def _net(nic: Nic, device: int, port: int) -> dict[str, str]:
    """A port as NCCL's transports list it."""
    over_sockets = nic.transports[:1] == ("tcp",)
    is_nvidia = any(pci_id.startswith(_NVIDIA_NICS) for pci_id in nic.pci_ids)
    return {
        "name": f"mlx5_{device}" if is_nvidia else f"net{device}",
        "dev": str(device),
        "speed": str(1000 * nic.speed_gbit),
        "port": str(port),
        "latency": "0.000000",
        "guid": "0x0" if over_sockets else hex(device + 1),
        "maxconn": "131072",
        "gdr": "0" if over_sockets else "1",
    }
