"""Codes of findings about protocols and speeds."""

from __future__ import annotations

from toposmith.topology.review.findings.codes.code import Code

PROTOCOLS: tuple[Code, ...] = (
    Code(
        "protocol-mismatch",
        "error",
        "InfiniBand to Ethernet",
        "the two ends share no protocol",
        "a NIC or a switch of the other's protocol",
    ),
    Code(
        "speed-mismatch",
        "error",
        "no common speed",
        "the two ends share no speed, or not the one asked for",
        "a NIC or a switch of the other's speed",
    ),
    Code(
        "nic-slowed",
        "warning",
        "NIC below its speed",
        "the switch runs slower ports than the NIC has",
        "a faster switch, or say speed: if it is meant",
    ),
    Code(
        "speed-lowered",
        "warning",
        "link set below what both ends run",
        "speed: holds a link below the fastest common speed, and does not split cages to reach "
        "more switches",
        "leave speed: out",
    ),
    Code(
        "provider-nic",
        "warning",
        "NIC of a cloud provider in a drawn fabric",
        "what is behind the NIC belongs to the provider and cannot be cabled by others",
        "a node with NICs that have cages",
    ),
)
