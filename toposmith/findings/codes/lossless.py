"""Codes of findings about RoCE over Ethernet: hashing in two tiers, PFC headroom, incast."""

from __future__ import annotations

from toposmith.findings.codes.code import Code, Measure, Values

PFC_SOURCE = "pause quanta of IEEE 802.3 annex 31B"

ECN_SOURCE = "Zhu et al., SIGCOMM 2015; Azure/SONiC wiki, Enable ECN on lossless queues"

"""*Congestion Control for Large-Scale RDMA Deployments* (doi 10.1145/2785956.2787484) brings DCQCN
and how to set the thresholds of buffers for it; that ECN marks before PFC pauses on the same link
is asked for in so many words by SONiC."""

POLARISED_SOURCE = "Xu et al., USENIX ATC 2022; Qian et al., Alibaba HPN, SIGCOMM 2024"

"""*Hashing Design in Modern Networks*: switch chips have few uncorrelated hash functions, so that
tiers reuse them. *Alibaba HPN* (doi 10.1145/3651890.3672265): the few large flows of training make
it worse."""


def _headroom(v: Values) -> str:
    return (
        f"one lossless priority needs at least {v['port_kB']:.0f} kB a port for "
        f"{v['length_m']:.0f} m at {v['speed_gbit']} Gb/s ({PFC_SOURCE}): {v['total_MB']:.2g} of "
        f"the {v['buffer_MB']:g} MB that all ports of {v['switch']} share"
    )


LOSSLESS: tuple[Code, ...] = (
    Code(
        "ecmp-polarised",
        "info",
        "two tiers that may hash the same way",
        "switches of two tiers that hash by one function send what one tier chose together to the "
        "same links of the next",
        "a separate hash seed for each tier, or adaptive routing",
        text=(
            "hashes after {below} did: with the same hash and seed each of its switches uses "
            f"{{used}} of its {{uplinks}} uplinks ({POLARISED_SOURCE})"
        ),
        figure="{used} of {uplinks} uplinks",
        fix="give {group} another hash seed than {below}, or route adaptively",
    ),
    Code(
        "pfc-headroom",
        "info",
        "PFC headroom of the switch's buffer",
        "what arrives after a pause was sent has to find room in the buffer, or is lost",
        "shorter cables, fewer lossless ports, or a switch with more buffer",
        text=_headroom,
        figure="{percent:.0f}% of the buffer",
        measure=Measure("percent", "% of the buffer"),
    ),
    Code(
        "incast-needs-ecn",
        "info",
        "incast fills the buffer before PFC alone can help",
        "many senders into one port fill the switch's buffer; ECN has to slow them before",
        "ECN marking with DCQCN, its threshold below that of PFC",
        text=(
            "{senders:,} ports that send to one fill the {buffer_MB:g} MB of {switch} in "
            f"{{fills_us:.0f}} us: set ECN to mark before PFC pauses ({ECN_SOURCE})"
        ),
        figure="{fills_us:.0f} µs",
        measure=Measure("fills_us", "us", "less"),
    ),
)
