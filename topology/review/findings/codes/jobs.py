"""Codes of findings about jobs and figures."""

from __future__ import annotations

from toposmith.topology.review.findings.codes.code import Code

JOBS: tuple[Code, ...] = (
    Code(
        "bad-communicator",
        "error",
        "communicator: cannot be read",
        "the block is wrong",
        "correct it",
    ),
    Code(
        "communicator-does-not-fit",
        "error",
        "layout that does not fit",
        "the layout does not divide the GPUs",
        "a layout that does",
    ),
    Code(
        "bad-workload",
        "error",
        "workload: cannot run",
        "the block is wrong, or does not divide model, batch or cluster",
        "correct it",
    ),
    Code(
        "group-of-one",
        "info",
        "groups of one rank",
        "nothing to exchange",
        "another kind of group",
    ),
    Code(
        "no-gpus",
        "info",
        "no GPUs",
        "no collective to run",
        "add nodes",
    ),
    Code(
        "one-gpu",
        "info",
        "one GPU",
        "no collective to run",
        "add nodes",
    ),
    Code(
        "unreachable",
        "error",
        "GPUs cut off",
        "there is no path between some nodes",
        "wire them",
    ),
    Code(
        "no-channels",
        "error",
        "NCCL finds no channels",
        "its search gives nothing between the GPUs",
        "another node",
    ),
    Code(
        "cannot-run",
        "error",
        "what is asked cannot run",
        "the algorithm or protocol does not exist here",
        "ask for another",
    ),
    Code(
        "too-large",
        "error",
        "out of proportion",
        "figures would take too long",
        "fewer axes",
    ),
    Code(
        "below-required",
        "warning",
        "busbw below policy",
        "the predicted busbw is below what the policy requires",
        "lift the links that limit",
    ),
    Code(
        "far-from-bound",
        "warning",
        "far below the bound",
        "the prediction is below the policy's share of the bound",
        "see what limits it",
    ),
    Code(
        "power-over-policy",
        "warning",
        "power above policy",
        "the parts draw more than the policy allows",
        "fewer parts",
    ),
)
