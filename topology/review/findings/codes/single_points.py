"""Codes of findings about single points of failure."""

from __future__ import annotations

from toposmith.topology.review.findings.codes.code import Code

SINGLE_POINTS: tuple[Code, ...] = (
    Code(
        "single-leaf",
        "warning",
        "nodes on one switch",
        "all ports of a node end at one switch: it fails, they are cut off",
        "a second switch",
    ),
    Code(
        "single-nic",
        "warning",
        "nodes on one cable",
        "a node has one cabled port: it fails, its GPUs are cut off",
        "a second NIC",
    ),
    Code(
        "single-spine",
        "warning",
        "leaves joined by one switch",
        "one switch joins all others below it: it fails, nodes that meet nowhere else are cut off",
        "a second spine",
    ),
    Code(
        "no-spare-supply",
        "warning",
        "no spare power supply",
        "one power supply or feed fails, the device is off",
        "a device with a spare supply",
    ),
    Code(
        "network-not-looked-at",
        "info",
        "network that no figure looks at",
        "a network beside the compute network, such as that to storage, has no figure: what its "
        "failures stop is not known",
        "look at it by hand: a second switch, or two ports on two switches",
    ),
)
