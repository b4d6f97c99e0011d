"""From the line rate of a port to the payload that it carries, by transport and MTU.

Line rates as printed (100, 200, 400 Gb/s) are net of encoding and forward error correction;
only packet headers are deducted here.
"""

from __future__ import annotations

from toposmith.catalog.parts import Transport
from toposmith.nccl.constants import NETWORK_SHARE

INFINIBAND_HEADERS = {"LRH": 8, "BTH": 12, "ICRC": 4, "VCRC": 2}
"""Bytes around the payload of a packet inside a subnet (InfiniBand Architecture Specification,
vol. 1, ch. 5 and 9). A message's first packet has 16 more of RETH, which large messages hide."""

ETHERNET_FRAME = {"preamble": 8, "Ethernet": 14, "FCS": 4, "gap": 12}
"""Bytes on an Ethernet link around what Ethernet carries (IEEE 802.3)."""

ROCE_HEADERS = ETHERNET_FRAME | {"IPv4": 20, "UDP": 8, "BTH": 12, "ICRC": 4}
"""RoCEv2 (InfiniBand Architecture Specification, annex A17; RFC 791; RFC 768)."""

TCP_HEADERS = {"IPv4": 20, "TCP": 20, "timestamps": 12}
"""Bytes of TCP/IP headers inside the MTU (RFC 791; RFC 9293; RFC 7323)."""

RDMA_MTUS = (256, 512, 1024, 2048, 4096)
"""Path MTUs of RDMA, payload bytes. Over Ethernet those beyond 1024 need jumbo frames."""

DEFAULT_RDMA_MTU = 4096
DEFAULT_TCP_MTU = 9000

TCP_SHARE = 0.94
"""Of the line rate that full frames of the usual MTU of 1500 bytes leave: 1448 of 1538."""

COPIED_GBPS_PER_GPU = 2.8
"""What one GPU sends, and takes in, over a network whose data go through the CPU's memory: NCCL's
proxy of each GPU, or the network plugin for it, copies them. Open curves of nodes with one GPU:
2.83 over EFA without GPUDirect (AWS g4dn.8xlarge; 3.1 of a g4dn.metal, which nothing was taken
from), and over TCP 2.0 (g4dn.8xlarge) and 3.85 with the four threads that NCCL takes on GCP
(NVIDIA/nccl issue 209, where 4.0 is the line rate)."""

COPIED_GBPS_PER_NODE = 4.0
"""The same for all GPUs of a node: 3.1 each way over TCP with four GPUs and four 200 Gb/s ports,
where NCCL's tables say a tree (CSCS Alps without its OFI plugin), and some 5 with eight on 100 Gb/s
(4 to 6: NVIDIA/nccl issue 450); about their geometric mean."""

COPIED_SOURCE = (
    f"{COPIED_GBPS_PER_GPU:g} GB/s a GPU and {COPIED_GBPS_PER_NODE:g} a node, uncertain: between "
    "published runs of 2.0 to 3.9 with one GPU, and 2 to 6 with several; the CPU, the sockets of a "
    "connection (NCCL_SOCKET_NTHREADS, NCCL_NSOCKS_PERTHREAD) and limits of clouds decide"
)
"""The source of these figures, shown with every figure computed from them."""


def payload_share(transport: Transport, mtu: int | None = None) -> float:
    """Share of the line rate that is payload, when full packets follow each other without a gap.

    ``mtu / (mtu + headers)`` for RDMA, whose MTU counts payload only; for TCP, whose MTU includes
    its headers, ``(mtu - 52) / (mtu + 38)``. For TCP it is the limit by headers, not what NCCL's
    sockets reach: see :func:`copied_GBps`.

    EFA, Slingshot, TCPX and TCPXO have headers of their own that are not public or depend on the
    offload. They get the share that NCCL's maintainers count on for any network, whatever the MTU.

    Parameters
    ----------
    transport : str
        As in :class:`toposmith.catalog.parts.Nic`.
    mtu : int, optional
        Bytes: the RDMA path MTU for InfiniBand and RoCE (4096 if not given), that of IP for TCP
        (9000 if not given).

    Raises
    ------
    ValueError
        If the transport has no such MTU.
    """
    if transport == "infiniband":
        return _rdma_share(transport, mtu, sum(INFINIBAND_HEADERS.values()))
    if transport == "roce":
        return _rdma_share(transport, mtu, sum(ROCE_HEADERS.values()))
    if transport == "tcp":
        return _tcp_share(DEFAULT_TCP_MTU if mtu is None else mtu)
    return NETWORK_SHARE


def copied_GBps(line_GBps: float, gpus: int) -> float:
    """GB/s per direction that NCCL reaches out of a node where the CPU copies all data.

    That is so over kernel TCP sockets, and over adapters that do not reach the memory of GPUs. Few
    runs were published (``COPIED_SOURCE``).

    Parameters
    ----------
    line_GBps : float
        Capacity of the node's ports together for such traffic, GB/s per direction.
    gpus : int
        GPUs of the communicator in the node.
    """
    return min(line_GBps, COPIED_GBPS_PER_GPU * gpus, COPIED_GBPS_PER_NODE)


def _rdma_share(transport: Transport, mtu: int | None, headers: int) -> float:
    payload = DEFAULT_RDMA_MTU if mtu is None else mtu
    if payload not in RDMA_MTUS:
        known = ", ".join(map(str, RDMA_MTUS))
        raise ValueError(f"{transport} has no MTU of {payload}; it has {known}")
    return payload / (payload + headers)


def _tcp_share(mtu: int) -> float:
    inside = sum(TCP_HEADERS.values())
    if mtu <= inside:
        raise ValueError(f"an MTU of {mtu} has no room for data after {inside} bytes of headers")
    return (mtu - inside) / (mtu + sum(ETHERNET_FRAME.values()))
