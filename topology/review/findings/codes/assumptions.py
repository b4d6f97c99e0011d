"""Codes of findings about assumptions."""

from __future__ import annotations

from toposmith.topology.review.findings.codes.code import Code

ASSUMPTIONS: tuple[Code, ...] = (
    Code(
        "weakest-node",
        "warning",
        "node mix that drags all down",
        "NCCL takes the channels of the weakest node for all",
        "jobs of their own for unlike nodes",
    ),
    Code(
        "mixed-nic-speeds",
        "warning",
        "node groups with unlike network speeds",
        "a collective over all runs at the speed of the slowest node's NICs",
        "equal NICs",
    ),
    Code(
        "tcp-sockets",
        "warning",
        "TCP sockets",
        "NCCL finds no RDMA and takes kernel sockets",
        "a NIC with RDMA",
    ),
    Code(
        "no-sharp",
        "warning",
        "SHARP assumed but absent",
        "not every switch can reduce",
        "switches with SHARP",
    ),
    Code(
        "sharp-of-one-system",
        "info",
        "SHARP's rate is of one system",
        "one published system stands behind what switches that reduce reach of the NICs",
        "measure with SHARP before you decide for or against it",
    ),
    Code(
        "sharp-not-chosen",
        "info",
        "SHARP asked for and not used",
        "an algorithm without it is quicker here",
        "larger messages, or none",
    ),
    Code(
        "no-adaptive-routing",
        "warning",
        "adaptive routing assumed but absent",
        "not every switch with a choice of paths is known to route adaptively",
        "switches that do",
    ),
    Code(
        "wider-nvlink-domain",
        "warning",
        "NVLink domain wider than a node",
        "traffic inside it is taken over the NICs, so that its figures are too low",
        "take them for the least that it does",
    ),
    Code(
        "rccl-not-modelled",
        "info",
        "RCCL is not modelled",
        "AMD GPUs run RCCL; the figures are what NCCL would reach on such links",
        "measure with rccl-tests before you rely on them",
    ),
    Code(
        "above-bound",
        "warning",
        "prediction above the bound",
        "no schedule gives what is predicted: the model leaves out what limits it",
        "take the bound for the most that it does",
    ),
    Code(
        "efa-without-gpudirect",
        "warning",
        "EFA without GPUDirect",
        "before A100 all data go through the CPU's memory, which holds large messages back",
        "instances with A100 or later GPUs",
    ),
    Code(
        "efa-gpudirect-unknown",
        "info",
        "GPUDirect over EFA not known",
        "the NICs are taken to reach the memory of GPUs; nobody says that they do",
        "measure before you rely on it",
    ),
    Code(
        "nccl-own-switch",
        "info",
        "NCCL's search of 2.26 to 2.28",
        "it may find one slow channel only",
        "another release",
    ),
    Code(
        "no-algorithm",
        "info",
        "algorithm asked of an exchange",
        "exchanges have none to choose",
        "ask for none",
    ),
    Code(
        "small-messages",
        "info",
        "small messages",
        "what a NIC spends on a message is not modelled",
        "larger messages",
    ),
    Code(
        "has-faults",
        "info",
        "figures with faults",
        "down: marks what has failed; the figures are without it",
        "remove down: once it is repaired",
    ),
)
