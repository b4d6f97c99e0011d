"""The cluster as NCCL sees it for one communicator: graphs, ranks, and transports."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from toposmith.analysis.jobs.communicator import Groups
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.prediction.calibration import (
    EFA_GPUDIRECT_FROM,
    FEW_GPUS,
    network_latency_us,
    wire_latency_us,
)
from toposmith.analysis.prediction.node_view import is_modelled, nccl_node
from toposmith.analysis.prediction.payload import TCP_SHARE, copied_GBps, payload_share
from toposmith.analysis.prediction.plugins import Leave, leave
from toposmith.analysis.request import Request, Routing
from toposmith.analysis.switch_tiers import tier_of_groups
from toposmith.analysis.traffic.rail_ways import rails_apart
from toposmith.catalog import Catalog, Gpu, Nic
from toposmith.catalog.part_text import GPU_LINK_NAMES
from toposmith.catalog.parts import Transport
from toposmith.fabric.nvlink_domains import over_switches
from toposmith.fabric.nvlink_links import share_that_meets, without_nvlinks
from toposmith.fabric.plan import GroupPlan
from toposmith.nccl.channel_packing import node_graphs, weakest
from toposmith.nccl.constants import NETWORK_SHARE
from toposmith.nccl.node import Channels, NcclNode, NodeGraphs, PathType, Ranks

COPIED_WITHOUT_GPUDIRECT: frozenset[Transport] = frozenset(("efa", "slingshot", "tcpx", "tcpxo"))
"""Networks whose plugins copy by the CPU what NICs cannot take from GPUs; over InfiniBand and RoCE
the GPU writes to the CPU's memory itself."""

ABOUT_EQUAL = 0.95
"""Channels of unlike nodes hold nobody back where the slowest are within the model's own error."""


@dataclass(frozen=True)
class NcclTopology:
    """The nodes of a communicator as NCCL detects them.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network.
    parts : Catalog
        For GPUs and NICs.
    request : Request
        The release of NCCL, and what it may use.
    groups : Groups
        The groups that take part.
    nic_factor : int
        Multiplies the NICs of every node, to evaluate more of them.
    """

    network: ComputeNetwork
    parts: Catalog
    request: Request
    groups: Groups
    nic_factor: int = 1

    @cached_property
    def catalog(self) -> Catalog:
        """The parts, GPUs with the NVLinks that are up."""
        return self.network.with_nvlinks_up(self.parts)

    @cached_property
    def not_modelled(self) -> tuple[str, str] | None:
        """A group whose GPU links have no public model, and their kind; None where all have."""
        for group in self.network.world.groups:
            gpu = self.catalog.get(group.node.gpu) if group.node else None
            if isinstance(gpu, Gpu) and gpu.nvlink and not is_modelled(gpu):
                return group.name, GPU_LINK_NAMES[gpu.nvlink.kind]
        return None

    @property
    def routing(self) -> Routing:
        """The requested routing, or else the design's own."""
        return self.request.routing.on(self.network.plan.design)

    @cached_property
    def nodes(self) -> dict[str, NcclNode]:
        """One node of each group that takes part, by the group's name."""
        found: dict[str, NcclNode] = {}
        for group in self.network.world.groups:
            node = nccl_node(
                self.network,
                self.catalog,
                group,
                self.request.version,
                members=self.groups.members,
                gpu_stride=self.groups.gpu_stride,
            )
            if node is not None:
                live = self._live(group)
                trays = self.network.world.trays
                many = (live * trays if live is not None else node.nics) * self.nic_factor
                plan = self.network.plan
                summing = share_that_meets(plan, group.name) if self.spans_racks(group) else 1.0
                node = replace(node, nics=many, summing_share=summing)
                found[group.name] = _joined(node) if "efa" in self.transports else node
        return found

    def spans_racks(self, group: GroupPlan) -> bool:
        """Whether communicators leave a rack over cables between NVLink switches."""
        link, groups = group.nvlink, self.groups
        if link is None or link.trunk is None or not over_switches(group):
            return False
        in_rack = group.sizes[-1] * (group.node.gpus if group.node else 0)
        members = groups.members_in(in_rack * link.racks)
        return groups.gpu_stride != 1 or in_rack % members != 0

    def _live(self, group: GroupPlan) -> int | None:
        """NICs that every node of a group has cabled."""
        live = self.network.live_of_group.get(group.name, ())
        return min(map(len, live), default=None)

    @cached_property
    def graphs(self) -> NodeGraphs | None:
        """The channels that hold for all ranks: those of the weakest node.

        None where the NVLink switches of some rack are all down, which leaves its GPUs unconnected.
        """
        if without_nvlinks(self.network.plan) is not None:
            return None
        one_node = self.groups.nodes == 1
        found = [
            node_graphs(node, self.request.version, one_node=one_node)
            for node in self.nodes.values()
        ]
        if not found or any(graphs is None for graphs in found):
            return None
        graphs = weakest([graphs for graphs in found if graphs is not None])
        return self._reduced_in_switches(graphs) if self.reduces else graphs

    @property
    def gpus_a_nic(self) -> float:
        """The most GPUs of a node that share a NIC; 0 inside a node."""
        if self.groups.nodes == 1:
            return 0.0
        return max((node.gpus / node.nics for node in self.nodes.values() if node.nics), default=0)

    @property
    def ring_path(self) -> PathType:
        """The type of the longest path between neighbouring GPUs of a ring in a node."""
        return PathType.LOC if self.graphs is None else self.graphs.ring.intra_path

    @property
    def leaves_nvlink(self) -> bool:
        """Whether a path between the GPUs of a node uses PCIe."""
        return self.graphs is None or self.ring_path > PathType.NVB

    @property
    def weakest_group(self) -> str | None:
        """The node group whose channels limit the others; None where all are about equal."""
        if len(self.nodes) < 2:
            return None
        one_node = self.groups.nodes == 1
        rates = {
            name: graphs.ring.count * graphs.ring.inter_GBps
            for name, node in self.nodes.items()
            if (graphs := node_graphs(node, self.request.version, one_node=one_node))
        }
        if not rates or min(rates.values()) > ABOUT_EQUAL * max(rates.values()):
            return None
        return min(rates, key=lambda name: rates[name])

    def _reduced_in_switches(self, graphs: NodeGraphs) -> NodeGraphs:
        heads = min(min(node.gpus, node.nics) for node in self.nodes.values())
        if not heads:
            return graphs
        ring = graphs.ring
        return replace(
            graphs,
            collnet=Channels(
                heads, ring.intra_GBps, ring.inter_GBps, ring.intra_path, ring.inter_path
            ),
        )

    @cached_property
    def reduces(self) -> bool:
        """Whether SHARP is asked for and every switch of the compute network has it."""
        names = tier_of_groups(self.network.plan, self.network.slots)
        switches = [self.network.plan.groups[name].switch for name in names]
        asked = self.request.sharp and not self.request.tcp
        return asked and all(switch.sharp for switch in switches if switch)

    @cached_property
    def ranks(self) -> Ranks:
        """The ranks as NCCL's tuner sees them."""
        gpus = [self.catalog.get(g.node.gpu) for g in self.network.world.groups if g.node]
        capabilities = {node.compute_capability for node in self.nodes.values()}
        makers = {node.cpu for node in self.nodes.values()}
        return Ranks(
            ranks=self.groups.size,
            nodes=self.groups.nodes,
            # RCCL's own tables are not documented; those of the NCCL release it forked from are
            # used
            compute_capability=min(capabilities, default=0) or 80,
            cpu=makers.pop() if len(makers) == 1 else "mixed",
            mixed_gpus=len({gpu.id for gpu in gpus if isinstance(gpu, Gpu)}) > 1,
            nvswitch=all(node.switched for node in self.nodes.values()),
            collnet=self.reduces,
            nic_per_rank=all(node.nics >= node.gpus for node in self.nodes.values()),
            nic_GBps=min((node.nic_GBps for node in self.nodes.values()), default=0.0),
            nic_latency_us=max((network_latency_us(g, t) for g, t in self._nics), default=0.0),
        )

    @property
    def wire_us(self) -> float:
        """Latency of a crossing between nodes beyond one over InfiniBand or RoCE, us."""
        return max(
            (wire_latency_us(nic, over, gpudirect=self.gpudirect) for nic, over in self._nics),
            default=0.0,
        )

    @cached_property
    def left(self) -> Leave | None:
        """What the network's software lets NCCL choose; None where NCCL drives the NICs itself.

        Settings are per process, so they also apply inside nodes.
        """
        capabilities = [node.compute_capability for node in self.nodes.values()]
        return leave(
            self.transports,
            gpudirect=self.gpudirect,
            compute_capability=min(capabilities, default=0),
            version=self.request.version,
        )

    @property
    def protocols(self) -> tuple[str, ...] | None:
        """The protocols that NCCL may use: as requested, else as a plugin allows; None for all."""
        if self.request.protocol is not None:
            return self.request.protocols
        return None if self.left is None else self.left.protocols

    @property
    def algorithms(self) -> tuple[str, ...] | None:
        """The algorithms that NCCL may use, as :attr:`protocols`."""
        if self.request.algorithm is not None:
            return self.request.algorithms
        return None if self.left is None else self.left.algorithms

    @cached_property
    def _nics(self) -> list[tuple[Nic, Transport]]:
        """The NICs that collectives use, each with how payload travels over it."""
        found: list[tuple[Nic, Transport]] = []
        for group in self.network.world.groups:
            ports = self.network.ports(group)
            if ports is None or ports.nic is None:
                continue
            for link in self.network.plan.links_of(group.name):
                if link.end_of(group.name).ports == ports.name:
                    over = "tcp" if self.request.tcp else ports.nic.transport(link.protocol)
                    found.append((ports.nic, over))
        return found

    def network_share(self) -> float:
        """Share of a cable's line rate that carries payload: the least of all transports in use.

        At most what NCCL reaches on any network (12 GB/s per 100 Gb/s).
        """
        return min((self._share(nic, transport) for nic, transport in self._nics), default=1.0)

    def _share(self, nic: Nic, transport: Transport) -> float:
        if transport == "tcp":
            return self._copied_share(TCP_SHARE)
        if transport in COPIED_WITHOUT_GPUDIRECT and not self.gpudirect:
            return self._copied_share(NETWORK_SHARE)
        mtu = self.request.mtu if transport in ("infiniband", "roce") else None
        return min(NETWORK_SHARE, payload_share(transport, mtu))

    @property
    def payload_of_cables(self) -> float:
        """Share of a cable's line rate that is payload, before any limit of CPU copies."""
        mtu = self.request.mtu
        shares = [
            payload_share(over, mtu if over in ("infiniband", "roce") else None)
            for over in self.transports
            if over != "tcp"
        ]
        return min([TCP_SHARE if "tcp" in self.transports else NETWORK_SHARE, *shares])

    def _copied_share(self, of_line: float) -> float:
        """Share of the line rate, less protocol headers, where the CPU copies all data."""
        shares = [of_line]
        for node in self.nodes.values():
            line = node.nics * node.nic_GBps
            gpus = node.gpus * self.groups.sharing  # those of all groups copy at once
            shares += [copied_GBps(of_line * line, gpus) / line] if line else []
        return min(shares)

    @property
    def held_by_sockets(self) -> bool:
        """Whether CPU copies over TCP limit below the line rate."""
        by_cpu = self._copied_share(TCP_SHARE)
        return "tcp" in self.transports and not math.isclose(by_cpu, TCP_SHARE)

    @property
    def slowest_transport(self) -> Transport | None:
        """The transport with the lowest payload share; None inside a node."""
        if self.groups.nodes == 1:
            return None
        return min(self._nics, key=lambda nic: self._share(*nic), default=(None, None))[1]

    @property
    def of_few_gpus(self) -> bool:
        """Whether a ring has so few GPUs of each node that its copies do not hide."""
        few = max((node.gpus for node in self.nodes.values()), default=0) <= FEW_GPUS
        return few and self.groups.sharing == 1 and not self.copied_by_cpu

    @property
    def copied_by_cpu(self) -> bool:
        """Whether traffic between nodes is staged in CPU memory."""
        copied = not self.gpudirect and COPIED_WITHOUT_GPUDIRECT & set(self.transports)
        return "tcp" in self.transports or bool(copied)

    @cached_property
    def gpudirect(self) -> bool:
        """Whether NICs reach the memory of GPUs: over EFA from A100 on (AWS, P4d announcement)."""
        if not self.request.gpudirect:
            return False
        capabilities = [node.compute_capability for node in self.nodes.values()]
        return "efa" not in self.transports or min(capabilities, default=0) >= EFA_GPUDIRECT_FROM

    @cached_property
    def keeps_rails(self) -> bool:
        """Whether an exchange stays on its rails: PXN goes over NVLink between the GPUs of a node.

        Without it a GPU sends by its own NIC, where that reaches those of the other rails (NVIDIA/
        nccl, src/graph/paths.cc); of parts of nodes that are their own groups it is not worked out.
        """
        nodes = self.nodes.values()
        if not self.request.pxn:
            return False
        alone = self.groups.nodes == 1 or not self.groups.is_world
        if alone or all(node.even for node in nodes):
            return True
        return not self.network.all_on_switches or any(rails_apart(self.network))

    @cached_property
    def not_calibrated(self) -> str:
        """Why the requested calibration does not apply to these figures; empty if it does."""
        calibration, nodes = self.request.calibration, self.groups.nodes
        if calibration is None:
            return "none"
        if not self.request.as_nccl_chooses:
            return "not used: the runs were as NCCL chooses, ideally routed, without SHARP"
        if nodes > 1 and self.groups.sharing > 1:
            return "not used: groups share the NICs of a node here"
        if parts_of(self.network) != calibration.parts:
            return f"not used: it is of {' and '.join(calibration.parts)}"
        runs = [run for run in calibration.runs if run.collective == self.request.collective]
        if not any((run.nodes == 1) == (nodes == 1) for run in runs):
            where = "inside one node" if nodes == 1 else "between nodes"
            return f"not used: no run of this collective {where}"
        return ""

    def measured_share(self, message_bytes: int) -> float | None:
        """Measured over predicted busbw at a size; None where no run covers it."""
        calibration = self.request.calibration
        if calibration is None or self.not_calibrated:
            return None
        nodes = self.groups.nodes
        run = calibration.run_for(self.request.collective, nodes, message_bytes)
        return None if run is None else run.share(message_bytes)

    @property
    def staging_is_free(self) -> bool:
        """Whether staging in CPU memory is not known to be slower than GPUDirect.

        Of Arm's CPUs only NVIDIA's Grace stands beside GPUs, which reach its memory by NVLink-C2C
        (450 GB/s each way: NVIDIA, Grace Hopper Superchip whitepaper).
        """
        over = set(self.transports) <= {"infiniband", "roce"}
        return over and all(node.cpu == "arm" for node in self.nodes.values())

    @cached_property
    def transports(self) -> tuple[Transport, ...]:
        """The transports in use between nodes, each once."""
        return tuple(dict.fromkeys(transport for _, transport in self._nics))


def parts_of(network: ComputeNetwork) -> tuple[str, ...]:
    """Ids of the parts of all nodes with GPUs and of the NICs that they use, in order."""
    found: set[str] = set()
    for group in network.world.groups:
        ports = network.ports(group)
        found |= {group.node.id} if group.node else set()
        found |= {ports.nic.id} if ports is not None and ports.nic is not None else set()
    return tuple(sorted(found))


def _joined(node: NcclNode) -> NcclNode:
    """A node whose NICs next to each GPU act as one, as with AWS's plugin.

    NCCL itself joins the ports of one adapter only (aws/aws-ofi-nccl, multi-rail; NVIDIA/nccl,
    src/transport/net_ib.cc).
    """
    if not node.gpus or node.nics <= node.gpus or node.nics % node.gpus:
        return node
    many = node.nics // node.gpus
    return replace(
        node,
        nics=node.gpus,
        nic_GBps=node.nic_GBps * many,
        slot_GBps=min(node.slot_GBps * many, node.pcie_GBps),
    )
