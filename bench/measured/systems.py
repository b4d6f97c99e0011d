"""A published system as a design: parts made from its description, wired to one ideal switch.

Nothing here is fitted to a system. What a description leaves out is filled by rule: the CPU by the
generation of the GPUs, two A100 or one later GPU on a PCIe switch, NICs spread over the GPUs.
"""

from __future__ import annotations

import re

from bench.measured.records import MeasuredCurve
from toposmith.analysis.request import Request
from toposmith.catalog import (
    Cages,
    Catalog,
    Gpu,
    Nic,
    Node,
    NvlinkFabric,
    NvlinkPort,
    Pcie,
    PcieBranch,
    PortMode,
    Slots,
    Switch,
)
from toposmith.catalog.parts import CpuVendor, Protocol, Transport
from toposmith.design.document import Design, Group, Link
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.nccl.nccl_version import NEWEST, OLDEST, NcclVersion, parse_version

_COMMON = {"vendor": "as published", "source": "as published"}

GPUS: dict[str, tuple[int | None, int, int, float, CpuVendor]] = {
    "V100": (70, 2, 6, 25, "intel"),
    "T4": (75, 0, 0, 0, "intel"),
    "A100": (80, 3, 12, 25, "amd"),
    "A800": (80, 3, 8, 25, "amd"),
    "L40S": (89, 0, 0, 0, "intel"),
    "H100": (90, 4, 18, 25, "intel"),
    "H200": (90, 4, 18, 25, "intel"),
    "H20": (90, 4, 18, 25, "intel"),
    "H800": (90, 4, 8, 25, "intel"),
    "GH200": (90, 4, 18, 25, "arm"),
    "B200": (100, 5, 18, 50, "intel"),
    "B300": (103, 5, 18, 50, "intel"),
    "GB200": (100, 5, 18, 50, "arm"),
    "GB300": (103, 5, 18, 50, "arm"),
    "RTX-PRO-6000": (120, 0, 0, 0, "intel"),
    "GB10": (121, 0, 0, 0, "arm"),
    "MI300X": (None, 4, 7, 64, "amd"),
    "MI325X": (None, 4, 7, 64, "amd"),
    "MI355X": (None, 4, 7, 76.8, "amd"),
}
"""Compute capability, NVLink generation, links and GB/s of each (one direction), maker of the CPU;
AMD's links are xGMI."""

HYBRID_CUBE_MESH = (
    *((0, 1, 1), (0, 2, 1), (0, 3, 2), (0, 4, 2), (1, 2, 2), (1, 3, 1), (1, 5, 2), (2, 3, 2)),
    *((2, 6, 1), (3, 7, 1), (4, 5, 1), (4, 6, 1), (4, 7, 2), (5, 6, 2), (5, 7, 1), (6, 7, 2)),
)
"""NVLinks of a DGX-1 with V100 GPUs (NVIDIA DGX-1 system architecture white paper)."""

BLACKWELL = 100
"""Compute capability from which on GPUs are of that generation."""

_BOTH_SOCKETS_FROM = 5
"""More GPUs than that are spread over two sockets."""


def as_design(curve: MeasuredCurve) -> tuple[Plan, Catalog] | str:
    """The system of a curve as a planned design, or what of it was not published.

    Nodes are those that a user draws: racks whose NVSwitches join nodes are their trays.
    """
    gpu = _gpu(curve)
    if gpu is None:
        return f"GPU {curve.text('gpu') or 'not given'}"
    nodes, gpus = curve.number("nodes", 1), curve.number("gpus_used_per_node", 8)
    if nodes * gpus != curve.number("gpus"):
        return f"{curve.number('gpus')} GPUs on {nodes} nodes, {gpus} of each"
    nic = _nic(curve)
    nics = _nics(curve, gpus)
    if nodes > 1 and transport_of(curve) is None:
        return f"network {curve.text('transport') or 'not given'}"
    if nodes > 1 and (nic is None or not nics):
        return "number or speed of its NICs not given"
    cpu = GPUS[_model(curve)][4]
    fitted = Slots(count=max(nics, 1), pcie=_pcie(curve), nic="nic", fitted=nics)
    slots = {"compute": fitted} if nic else {}
    node = Node(
        id="node",
        name="node",
        gpu="gpu",
        gpus=gpus,
        sockets=2 if gpus >= _BOTH_SOCKETS_FROM else 1,
        cpu_vendor=cpu,
        inter_socket_GBps=_sockets(curve, cpu),
        nvlink=_nvlink(curve, gpu, gpus),
        branches=_branches(curve, gpus, nics if nic else 0),
        slots=slots,
        **_COMMON,
    )
    domain = curve.number("nvlink_domain_gpus", gpus)
    racks = -(-nodes * gpus // domain) if domain > gpus else 1
    axes = {"rack": racks} if racks > 1 and nodes % racks == 0 else {}
    each = Group(part="node", per=tuple(axes), count=nodes // racks if axes else nodes)
    groups = {"node": each}
    links: tuple[Link, ...] = ()
    parts: list[Gpu | Node | Nic | Switch] = [gpu, node, *((nic,) if nic else ())]
    if nic is not None and nodes > 1:
        parts += [_switch(curve, nic, nodes * nics * nic.ports)]
        groups["fabric"] = Group(part="switch")
        links = (Link(between=("node.compute", "fabric")),)
    design = Design(name=curve.name, axes=axes, groups=groups, links=links)
    catalog = Catalog(parts)
    return plan_design(design, catalog), catalog


def request_of(curve: MeasuredCurve) -> Request:
    """What the run asked NCCL for."""
    return Request(
        collective=curve.collective,  # type: ignore[arg-type]
        version=_version(curve),
        algorithm=curve.forced if curve.forced not in ("", "sharp") else None,
        protocol=curve.protocols,
        sharp=curve.forced == "sharp",
    )


def transport_of(curve: MeasuredCurve) -> Transport | None:
    """How payload travelled, or None where that was not published.

    TCP is looked for first: over InfiniBand (IPoIB) it is TCP. Where two are named and nothing
    says which ran, none is known.
    """
    said = curve.text("transport").lower()
    if "tcpx" in said:
        return "tcpxo" if "tcpxo" in said else "tcpx"
    if "NCCL_IB_DISABLE=1" in curve.text("algo_env") or "ipoib" in said:
        return "tcp"
    known: tuple[tuple[str, Transport], ...] = (
        *(("efa", "efa"), ("cxi", "slingshot"), ("roce", "roce")),
        *((r"\bib\b", "infiniband"), ("rdma", "infiniband"), ("tcp", "tcp")),
    )
    over = said.removeprefix("mnnvl+").split(" ")[0]
    named = [transport for word, transport in known if re.search(word, over)]
    return named[0] if len(named) == 1 else None


def _version(curve: MeasuredCurve) -> NcclVersion:
    try:
        return parse_version(curve.text("nccl_version"))
    except ValueError:
        minor = curve.text("nccl_version").split(".")[1:2]
        return OLDEST if minor and minor[0].isdigit() and int(minor[0]) < OLDEST.minor else NEWEST


def _model(curve: MeasuredCurve) -> str:
    published = curve.text("gpu")
    return max((name for name in GPUS if published.startswith(name)), key=len, default="")


def _gpu(curve: MeasuredCurve) -> Gpu | None:
    name = _model(curve)
    if not name:
        return None
    capability, generation, links, rate, _ = GPUS[name]
    port = NvlinkPort(generation=generation, links=links, GBps_per_link=rate) if links else None
    return Gpu(
        id="gpu",
        name=name,
        compute_capability=capability,
        architecture=None if capability else "gfx942",
        memory_gb=1,
        pcie=_pcie(curve),
        nvlink=port,
        **_COMMON | ({} if capability else {"vendor": "AMD"}),
    )


def _pcie(curve: MeasuredCurve) -> Pcie:
    return Pcie(generation=curve.number("pcie_gen", 4))


def _nics(curve: MeasuredCurve, gpus: int) -> int:
    """NICs of a node that its GPUs in use can reach at full rate.

    As many as the source says; else as if the first GPUs of the node ran.
    """
    if curve.number("nics_used_per_node"):
        return curve.number("nics_used_per_node")
    installed, per_node = curve.number("nics_per_node"), curve.number("gpus_per_node", 8)
    return max(1, installed * gpus // per_node // _ports(curve)) if installed else 0


def _ports(curve: MeasuredCurve) -> int:
    """Ports of one adapter: two NICs for each GPU are the ports of dual-port adapters.

    Those of AWS are devices of their own, which its plugin joins.
    """
    twice = curve.number("nics_per_node") == 2 * curve.number("gpus_per_node", 8)
    return 2 if twice and transport_of(curve) != "efa" else 1


def _nic(curve: MeasuredCurve) -> Nic | None:
    transport, speed = transport_of(curve), curve.number("nic_gbps")
    if transport is None or not speed:
        return None
    protocol: Protocol = "infiniband" if transport == "infiniband" else "ethernet"
    return Nic(
        id="nic",
        name="NIC",
        ports=_ports(curve),
        speed_gbit=speed,
        cage="osfp",
        lanes=4,
        protocols=(protocol,),
        transports=(transport,),
        pcie=_pcie(curve),
        **_COMMON,
    )


def _switch(curve: MeasuredCurve, nic: Nic, ports: int) -> Switch:
    mode = PortMode(ports=1, speed_gbit=nic.speed_gbit)
    return Switch(
        id="switch",
        name="switch",
        protocol=nic.protocols[0],
        cages=Cages(count=ports, cage="osfp", lanes=4, modes=(mode,)),
        sharp=curve.forced == "sharp",
        **_COMMON,
    )


def _nvlink(curve: MeasuredCurve, gpu: Gpu, gpus: int) -> NvlinkFabric | None:
    how, per_node = curve.text("intra_node"), curve.number("gpus_per_node", 8)
    if gpu.nvlink is None or gpus < 2:
        return None
    domain = curve.number("nvlink_domain_gpus", per_node)
    if how == "nvswitch":
        return NvlinkFabric(shape="nvswitch", domain_gpus=domain if domain > per_node else None)
    if how == "nvlink-mesh" and per_node == 8:
        pairs = tuple(pair for pair in HYBRID_CUBE_MESH if max(pair[:2]) < gpus)
        return NvlinkFabric(shape="mesh", pairs=pairs)
    if how in ("nvlink-mesh", "xgmi-mesh") or (how == "nvlink-bridge" and domain > 2):
        return NvlinkFabric(shape="mesh", links_per_pair=gpu.nvlink.links // (domain - 1))
    if how == "nvlink-bridge":
        return NvlinkFabric(
            shape="bridge", pairs=tuple((first, first + 1) for first in range(0, gpus - 1, 2))
        )
    return None


def _branches(curve: MeasuredCurve, gpus: int, nics: int) -> tuple[PcieBranch, ...]:
    """GPUs on PCIe switches with their share of the NICs; on the CPU where there is no NVLink."""
    name = _model(curve)
    switched = curve.text("intra_node") in ("nvswitch", "nvlink-mesh", "xgmi-mesh")
    together = 2 if name in ("A100", "A800", "V100") or not switched else 1
    sockets = 2 if gpus >= _BOTH_SOCKETS_FROM else 1
    branches: list[PcieBranch] = []
    for first in range(0, gpus, together):
        members = tuple(range(first, min(first + together, gpus)))
        mine = tuple(n for n in range(nics) if n * gpus // max(nics, 1) in members)
        branches.append(
            PcieBranch(
                socket=first * sockets // gpus,
                switch=switched,
                gpus=members,
                slots={"compute": mine} if mine else {},
            )
        )
    return tuple(branches)


def _sockets(curve: MeasuredCurve, cpu: CpuVendor) -> float:
    """NCCL's constant for the way between sockets, by the CPUs of the GPU's time.

    Beside Blackwell those are Emerald Rapids and later (NVIDIA/nccl, src/graph/topo.h).
    """
    if cpu == "amd":
        return 16.0
    if (GPUS[_model(curve)][0] or 0) >= BLACKWELL:
        return 40.0
    return {3: 10.0, 4: 10.0, 5: 22.0}.get(curve.number("pcie_gen", 5), 40.0)
