"""Codes of findings about ports."""

from __future__ import annotations

from toposmith.topology.review.findings.codes.code import Code

PORTS: tuple[Code, ...] = (
    Code(
        "ports-overused",
        "error",
        "more cables than ports",
        "links ask for more cages than each device has",
        "fewer cables, or a larger switch",
    ),
    Code(
        "breakout-limit",
        "error",
        "more logical ports than the chip runs",
        "cages suffice, but the switch cannot run so many ports in breakout",
        "fewer or faster ports",
    ),
    Code(
        "links-repeated",
        "warning",
        "two links between the same ends",
        "a link stands twice; the ports are used twice, which is rarely meant",
        "one link with cables: of both, or remove one",
    ),
    Code(
        "too-few-ports",
        "error",
        "fewer ports than peers",
        "not every peer gets a cable",
        "fit more NICs, or reach fewer peers",
    ),
    Code(
        "uneven-ports",
        "error",
        "axes that do not divide",
        "a node's ports cannot be dealt evenly over the switches that it reaches",
        "a number of peers that divides the ports",
    ),
    Code(
        "which-slots",
        "error",
        "ports not named",
        "the node has several kinds of ports",
        "say which",
    ),
    Code(
        "nodes-meshed",
        "error",
        "nodes cabled to each other",
        "nodes are cabled to each other only in pairs",
        "put a switch between",
    ),
    Code(
        "bad-selector",
        "error",
        "absent: or down: names nothing",
        "a selector cannot be read, or selects what the design has not",
        "correct the selector",
    ),
    Code(
        "group-absent",
        "warning",
        "group wholly absent",
        "every device of a group is marked absent",
        "remove the group, or the mark",
    ),
    Code(
        "axis-unused",
        "warning",
        "axis that nothing repeats over",
        "an axis is declared, but no group names it in per:",
        "name it in per:, or remove it",
    ),
    Code(
        "unwired",
        "warning",
        "switch without cables",
        "a switch is bought, but not wired to anything",
        "wire it, or remove it",
    ),
)
