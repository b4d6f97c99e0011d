"""Codes of findings about NICs."""

from __future__ import annotations

from toposmith.topology.review.findings.codes.code import Code

NICS: tuple[Code, ...] = (
    Code(
        "no-nic",
        "error",
        "slots without a NIC",
        "a link ends at slots in which no NIC is fitted",
        "fit NICs",
    ),
    Code(
        "slots-overfilled",
        "error",
        "more NICs than slots",
        "the node has fewer slots",
        "fit as many as there are slots",
    ),
    Code(
        "fewer-nics-than-gpus",
        "warning",
        "fewer NICs than GPUs",
        "GPUs share NICs, and so their bandwidth",
        "fit one for each GPU where slots are free",
    ),
    Code(
        "nics-uneven",
        "warning",
        "NICs that GPUs do not divide over",
        "some NICs serve more GPUs than others, and the fullest decides",
        "a count that divides",
    ),
    Code(
        "nic-far-socket",
        "warning",
        "NICs on the wrong socket",
        "GPUs below one socket have no NIC there, so that their traffic crosses the sockets' link",
        "NICs below every socket with GPUs",
    ),
    Code(
        "nics-idle",
        "warning",
        "NIC ports fitted and not cabled",
        "ports are bought and carry nothing",
        "cable them, or fit fewer",
    ),
    Code(
        "slot-slower-than-nic",
        "warning",
        "NIC faster than its PCIe slot",
        "the slot feeds less than the NIC's line rate",
        "the NIC that the slot can feed",
    ),
    Code(
        "nic-ports-share",
        "warning",
        "ports that share a limit",
        "the adapter takes less of all its cabled ports together than these carry",
        "one port cabled, or a NIC that carries both",
    ),
)
