"""Nodes from NCCL topology files, such as ``NCCL_TOPO_DUMP_FILE`` writes on a machine.

The inside of the node is that of the machine: sockets, PCIe switches, the link of every GPU and
NIC, how the GPUs are joined. Height, weight and power are not in such a file and stay unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.netbox_switches import import_netbox
from toposmith.catalog.own_part import (
    Imported,
    ImportRefused,
    checked,
    file_name,
    new_id,
    refusing_invalid,
)
from toposmith.catalog.part_text import pcie as link_text
from toposmith.catalog.part_text import pcie_gbit, usual_gpu_link
from toposmith.catalog.parts import Node, Part
from toposmith.catalog.pieces import CpuVendor, PcieBranch
from toposmith.catalog.topology_xml.words import Notes, Reading, read_elements, widest
from toposmith.catalog.topology_xml.xml_devices import CpuSocket, Tree, XmlDevice, read_tree
from toposmith.catalog.topology_xml.xml_gpus import FoundGpus, find_gpus
from toposmith.catalog.topology_xml.xml_nics import FoundNics, find_nics
from toposmith.plain_text import visible

_USUAL_SOCKETS = 2
_NCCL_SOURCE = "NCCL src/graph/topo.h (github.com/NVIDIA/nccl at 5067397c)"


def import_nccl_xml(
    path: Path, catalog: Catalog, *, part_id: str | None = None, gpu: str | None = None
) -> Imported:
    """Make a node from an NCCL topology file.

    Parameters
    ----------
    path : Path
        The XML file.
    catalog : Catalog
        Where GPUs and NICs are looked for; what it does not have is made from the file.
    part_id : str, optional
        The id of the node; by default derived from the file's name.
    gpu : str, optional
        The GPU that the machine has, for files that do not say.

    Returns
    -------
    Imported
        New GPUs and NICs, the node last, and what was noticed in the file.

    Raises
    ------
    ImportRefused
        When the file is too large, no XML or no topology file; when it has no GPUs, GPUs of several
        kinds, or GPUs that it does not identify.
    """
    root = read_elements(path)
    notes = Notes(path)
    node_id = part_id or new_id(path.stem, catalog)
    reading = Reading(catalog, notes, node_id, gpu)
    with refusing_invalid(path):
        return _imported(read_tree(root, notes), reading)


def _imported(tree: Tree, reading: Reading) -> Imported:
    notes = reading.notes
    gpus = find_gpus(tree, reading)
    nics = find_nics(tree, reading)
    node = _node(tree, gpus, nics, reading)
    _look_at_uplinks(tree, notes)
    if len(tree.sockets) > _USUAL_SOCKETS:
        what = f"{len(tree.sockets)} CPUs, which may be NUMA domains: each counts as a socket"
        notes.add(tree.sockets[0].line, what)
    made: list[Part] = [*([gpus.part] if gpus.is_new else []), *nics.new, node]
    parts = checked(made, reading.catalog, str(notes.path))
    return Imported(parts, tuple(notes.found))


def _node(tree: Tree, gpus: FoundGpus, nics: FoundNics, reading: Reading) -> Node:
    between = _between(tree.sockets, reading)
    branches = _Branches(gpus, nics).of(tree)
    unverified = list(nics.unverified) + ([] if gpus.is_sure else ["gpu"])
    node = Node(
        id=reading.node_id,
        name=f"Machine of {file_name(reading.notes.path)}",
        vendor="unknown",
        gpu=gpus.part.id,
        gpus=len(gpus.devices),
        sockets=len(tree.sockets),
        cpu_vendor=_cpu_vendor(tree.sockets, reading),
        inter_socket_GBps=between,
        nvlink=gpus.fabric,
        gpu_pcie=gpus.slot,
        gpu_links=gpus.links,
        branches=branches,
        slots=nics.slots,
        source=reading.source,
        sources={"inter_socket_GBps": _NCCL_SOURCE} if between else {},
        unverified=tuple(unverified),
        note=_LACKS_LINKS if gpus.lacks_links else None,
    )
    return _without_usual_uplinks(node, gpus)


_LACKS_LINKS = (
    "The topology file states no NVLink or xGMI, which NCCL finds on the machine itself; without "
    "nvlink here the GPUs meet over PCIe."
)


def _look_at_uplinks(tree: Tree, notes: Notes) -> None:
    """Note switches whose own link is slower than that of a device behind them."""
    for switch in tree.all("switch"):
        behind = widest(device.link for device in switch.behind)
        if switch.link and behind and pcie_gbit(switch.link) < pcie_gbit(behind):
            own, fastest = link_text(switch.link), link_text(behind)
            what = f"a switch on {own} with a device on {fastest} behind it; taken as stated"
            notes.add(switch.line, what)


def _cpu_vendor(sockets: Sequence[CpuSocket], reading: Reading) -> CpuVendor:
    vendor = sockets[0].vendor
    for socket in sockets:
        if socket.vendor != vendor:
            raise reading.notes.refusal(socket.line, "CPUs of several makers in one machine")
    if vendor is None:
        why = "the CPU says neither arch nor vendor, so what joins its sockets is unknown"
        raise reading.notes.refusal(sockets[0].line, why)
    return vendor


def _between(sockets: Sequence[CpuSocket], reading: Reading) -> float | None:
    """What joins the sockets, as NCCL counts it by the CPU's model."""
    if len(sockets) < 2:
        return None
    rates = Counter(socket.between_GBps for socket in sockets)
    rate = max(rates, key=lambda one: (rates[one], one or 0))
    if len(rates) > 1:
        line = sockets[0].line
        reading.notes.add(line, f"CPUs of different models; {rate} GB/s between all of them")
    return rate


@dataclass
class _Branches:
    """The branches of a node while it is built."""

    gpus: FoundGpus
    nics: FoundNics
    made: list[PcieBranch] = field(default_factory=list)

    def of(self, tree: Tree) -> tuple[PcieBranch, ...]:
        for number, socket in enumerate(tree.sockets):
            roots = [device for device in socket.devices if device.kind != "switch"]
            if roots:
                self.made.append(self._branch(number, roots, switch=None, below=None))
            self._switches(number, socket.devices, None)
        return tuple(self.made)

    def _switches(self, socket: int, devices: Sequence[XmlDevice], below: int | None) -> None:
        for device in devices:
            if device.kind == "switch":
                place = len(self.made)
                self.made.append(self._branch(socket, device.behind, switch=device, below=below))
                self._switches(socket, device.behind, place)

    def _branch(
        self,
        socket: int,
        devices: Sequence[XmlDevice],
        *,
        switch: XmlDevice | None,
        below: int | None,
    ) -> PcieBranch:
        numbers = {id(device): number for number, device in enumerate(self.gpus.devices)}
        slots: dict[str, tuple[int, ...]] = {}
        for group, slot in self._slots(devices):
            slots[group] = (*slots.get(group, ()), slot)
        return PcieBranch(
            socket=socket,
            switch=switch is not None,
            gpus=tuple(numbers[id(device)] for device in devices if device.kind == "gpu"),
            slots=slots,
            uplink=switch.link if switch else None,
            below=below,
        )

    def _slots(self, devices: Sequence[XmlDevice]) -> Iterator[tuple[str, int]]:
        for device in devices:
            if device.kind == "nic":
                yield self.nics.places[id(device)]


def _without_usual_uplinks(node: Node, gpus: FoundGpus) -> Node:
    """The node with only those uplinks stated that differ from its GPUs' links."""
    usual = usual_gpu_link(node, gpus.part)
    branches = tuple(
        branch.model_copy(update={"uplink": None}) if branch.uplink == usual else branch
        for branch in node.branches
    )
    return node.model_copy(update={"branches": branches})


def import_file(
    path: Path, catalog: Catalog, *, part_id: str | None = None, gpu: str | None = None
) -> Imported:
    """Make parts from a file: a node from an NCCL topology, a switch from a NetBox device type.

    Parameters
    ----------
    path : Path
        The file; ``*.xml`` is a topology file, ``*.yaml`` or ``*.yml`` a device type.
    catalog : Catalog
        Which parts there are already.
    part_id : str, optional
        The id of the part that the file describes; by default derived from the file.
    gpu : str, optional
        The part id of the GPU, for topology files that do not say which it is.

    Returns
    -------
    Imported
        The parts that the catalog does not have, what was noticed, and both as a part file.

    Raises
    ------
    ImportRefused
        When no part can be made from the file; each problem is file, line and reason.
    """
    ending = path.suffix.lower()
    if ending == ".xml":
        return import_nccl_xml(path, catalog, part_id=part_id, gpu=gpu)
    if ending not in (".yaml", ".yml"):
        why = "an NCCL topology file (.xml) or a NetBox device type (.yaml) was expected"
        raise ImportRefused([visible(f"{path}:1: {why}")])
    if gpu is not None:
        why = "a NetBox device type; only topology files of machines take a GPU"
        raise ImportRefused([visible(f"{path}:1: {why}")])
    return import_netbox(path, catalog, part_id=part_id)
