"""What is said of the things in a node: the part, its links with what they carry, their loads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toposmith.catalog import Catalog, Node
from toposmith.fabric.inside import Vertex
from toposmith.fabric.plan import Plan
from toposmith.fabric.slow_gpus import gpu_share
from toposmith.text import UNKNOWN, bandwidth, rates
from toposmith.tui.canvas.trunk_figures import TrunkFigure, figure_of
from toposmith.tui.depths.device_ports import Port
from toposmith.tui.depths.node_inside import Inside
from toposmith.tui.depths.place_loads import Loads, load_words
from toposmith.tui.depths.places import DeviceInstance
from toposmith.tui.depths.port_text import port_words


@dataclass(frozen=True)
class NodeWords:
    """Texts about one node.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    catalog : Catalog
        For the GPUs.
    device : DeviceInstance
        The node.
    loads : Loads
        What is known of loads.
    inside : Inside
        What is in the node.
    ports : mapping of (str, int) to list of Port
        The ports of every NIC, by slot group and slot.
    """

    plan: Plan
    catalog: Catalog
    device: DeviceInstance
    loads: Loads
    inside: Inside
    ports: Mapping[tuple[str, int], list[Port]]

    def ports_of(self, vertex: Vertex) -> list[Port]:
        """The ports of a NIC."""
        return self.ports.get((str(vertex[1]), int(vertex[2])), [])

    def nic_pcie(self, vertex: Vertex) -> TrunkFigure | None:
        """The load of a NIC's PCIe link; what the NIC's ports carry passes through it."""
        known = self.loads.of_inside(self.device.group, "NIC PCIe", "NIC through CPU")
        pcie = self.inside.rate(vertex, "pcie")
        if known is not None or not pcie:
            return known
        cabled = [port for port in self.ports_of(vertex) if port.state == "cabled"]
        figures = [self.loads.of_link(port.jack.link.index) for port in cabled if port.jack.link]
        carried = [figure.GBps for figure in figures if figure is not None]
        if not carried or len(carried) < len(cabled):
            return None
        total = sum(GBps for GBps in carried if GBps is not None)
        return figure_of(total, pcie, total / pcie)

    def nvlink_name(self) -> str:
        """What joins the GPUs."""
        node = self._node
        assert node is not None and node.nvlink is not None
        if self.inside.behind_nvswitch:
            switches = node.nvlink.switches
            return f"NVSwitch x {switches}" if switches else "NVSwitch"
        return "NVLink mesh" if node.nvlink.shape == "mesh" else "NVLink bridges"

    def _figure(self, *kinds: str) -> str:
        return load_words(self.loads.of_inside(self.device.group, *kinds))

    def nvlink(self) -> tuple[str, ...]:
        """Of the NVLinks of all GPUs."""
        first = self.inside.nvlink[0]
        many = len(self.inside.nvlink)
        what = "GPUs" if self.inside.behind_nvswitch else "pairs of GPUs"
        speeds = {edge.GBps for edge in self.inside.nvlink}
        rate = bandwidth(first.GBps) if len(speeds) == 1 else rates(min(speeds), max(speeds), "to")
        joins = f"{self.nvlink_name()}: joins {many} {what}, {rate} per direction each"
        return joins, f"a GPU's NVLink: {self._figure('NVLink')}"

    def gpu(self, vertex: Vertex) -> tuple[str, ...]:
        """Of a GPU."""
        nvlink = self.inside.rate(vertex, "nvlink")
        pcie = self.inside.rate(vertex, "pcie")
        links = f"NVLink {bandwidth(nvlink)}, {self._figure('NVLink')}" if nvlink else "no NVLink"
        part = self.catalog.get(self._node.gpu) if self._node is not None else None
        model = part.name if part is not None else UNKNOWN
        group = self.plan.groups[self.device.group]
        at = dict(zip(group.axes, self.device.values, strict=True))
        share = gpu_share(self.plan, (group.name, at), int(vertex[1]))
        slow = f"; slow: computes at {100 * share:g} %" if share < 1 else ""
        return (
            f"GPU {vertex[1]}, {model}: {links}",
            f"PCIe {bandwidth(pcie)}, {self._figure('GPU PCIe')}{slow}",
        )

    def hub(self, vertex: Vertex) -> tuple[str, ...]:
        """Of a PCIe switch."""
        hub = next(hub for hub in self.inside.hubs if hub.vertex == vertex)
        on = [f"GPU {v[1]}" for v in hub.gpus] + [f"{v[1]} {v[2]}" for v in hub.slots]
        above = hub.above
        to = (
            f"CPU {above[1]}"
            if above and above[0] == "cpu"
            else f"PCIe switch {above and above[1]}"
        )
        return (
            f"PCIe switch {vertex[1]}: {', '.join(on) or 'nothing fitted'}",
            f"uplink to {to}: {bandwidth(hub.uplink_GBps)}, load {UNKNOWN}",
        )

    def nic(self, vertex: Vertex) -> tuple[str, ...]:
        """Of a NIC and its ports."""
        slots = self.plan.groups[self.device.group].port_groups[str(vertex[1])]
        name = slots.nic.name if slots.nic else UNKNOWN
        words = [f"{vertex[1]} {vertex[2]}, {name}: {self._pcie(vertex)}"]
        for port in self.ports_of(vertex):
            words.append("; ".join(port_words(self.plan, self.device, port, self.loads)))
        return tuple(words)

    def _pcie(self, vertex: Vertex) -> str:
        if shared := self.inside.rate(vertex, "adapter"):
            return f"all its ports together {bandwidth(shared)}"
        pcie = self.inside.rate(vertex, "pcie")
        return (
            f"PCIe {bandwidth(pcie)}, {load_words(self.nic_pcie(vertex))}"
            if pcie
            else (f"PCIe {UNKNOWN}")
        )

    def cpu(self, vertex: Vertex) -> tuple[str, ...]:
        """Of a socket."""
        others = [e for e in self.inside.edges if e.tier == "socket" and vertex in (e.a, e.b)]
        if not others:
            return (f"CPU {vertex[1]}: the only socket",)
        rate = others[0].GBps
        load = self._figure("sockets", "NIC sockets")
        return (f"CPU {vertex[1]}: {bandwidth(rate)} to each other socket, {load}",)

    @property
    def _node(self) -> Node | None:
        return self.plan.groups[self.device.group].node
