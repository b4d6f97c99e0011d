"""What passes from rank to rank without a tuner: exchanges, and chains of broadcast and reduce.

Constants of a ring's hop stand for a message's (NVIDIA/nccl, src/graph/tuning.cc).
"""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.nccl.graphs import Channels, PathType
from toposmith.nccl.nccl_version import NcclVersion
from toposmith.nccl.ranks import NcclProtocol, Ranks
from toposmith.nccl.releases import tables_for
from toposmith.nccl.tuner_tables import HopKind

LL_SHARE = 0.5
"""Every line of the LL protocol is half flags."""

EXCHANGE_PROTOCOLS: tuple[NcclProtocol, ...] = ("ll", "simple")


@dataclass(frozen=True)
class ExchangeCost:
    """Latency in µs of an exchange by a protocol, and the share of the links that is payload."""

    protocol: NcclProtocol
    latency_us: float
    share: float


def exchange_costs(
    channels: Channels, ranks: Ranks, version: NcclVersion
) -> tuple[ExchangeCost, ...]:
    """What an exchange costs by LL, which small messages take, and by Simple."""
    tables = tables_for(version)
    local: HopKind = "nvlink" if channels.intra_path is PathType.NVL else "pci"
    found: list[ExchangeCost] = []
    for protocol in EXCHANGE_PROTOCOLS:
        latency = tables.base_us["ring"][protocol] + tables.hop_us[local]["ring"][protocol]
        if ranks.nodes > 1:
            latency += tables.hop_us["network"]["ring"][protocol] + ranks.nic_latency_us
        found.append(ExchangeCost(protocol, latency, LL_SHARE if protocol == "ll" else 1.0))
    return tuple(found)


def chain_latency_us(
    channels: Channels, ranks: Ranks, protocol: NcclProtocol, version: NcclVersion
) -> float:
    """Microseconds until the first bytes of a broadcast are at the last rank of its chain."""
    tables = tables_for(version)
    local: HopKind = "nvlink" if channels.intra_path is PathType.NVL else "pci"
    inside = (ranks.ranks - ranks.nodes) * tables.hop_us[local]["ring"][protocol]
    hop = tables.hop_us["network"]["ring"][protocol] + ranks.nic_latency_us
    return tables.base_us["ring"][protocol] + inside + (ranks.nodes - 1) * hop
