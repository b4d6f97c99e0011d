"""Single answers to what a workload asks, each judged at once: what is wrong, and what works."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from toposmith.topology.analysis.jobs.ranks import world
from toposmith.topology.fabric.plan import Plan
from toposmith.topology.workloads.block import LayoutBlock, TrainingBlock, Workload, workload_of
from toposmith.topology.workloads.dividing import (
    batch_problems,
    cluster_problems,
    even_dp,
    model_problems,
    node_gpus,
)
from toposmith.topology.workloads.fault import WorkloadError
from toposmith.topology.workloads.model import Model
from toposmith.topology.workloads.splitting import Split, split_of

DIMENSIONS = ("layers", "hidden", "heads", "kv_heads", "head", "ffn", "vocabulary")
EXPERTS = ("experts", "active", "expert_ffn", "shared", "dense_layers")
SIZES = ("tp", "cp", "pp", "dp", "ep", "micro_batch", "interleave", "zero")


def named_numbers(text: str, known: tuple[str, ...], example: str) -> dict[str, int]:
    """Whole numbers by name, such as ``tp=8,pp=4``.

    Raises
    ------
    WorkloadError
        Naming the piece that is none.
    """
    found: dict[str, int] = {}
    for piece in text.replace(" ", ",").split(","):
        if not piece:
            continue
        name, equals, number = piece.partition("=")
        plain = number.isascii() and number.isdigit() and len(number) <= 9
        if name not in known or not equals or not plain:
            words = f"none of {', '.join(known)} with a whole number, as in {example}"
            raise WorkloadError([f"{piece!r} is {words}"])
        if name in found:
            raise WorkloadError([f"{name} is given twice: {found[name]} and {int(number)}"])
        found[name] = int(number)
    return found


def model_of(text: str) -> dict[str, Any]:
    """The dimensions of a model of one's own, dense or with experts, as the block has them.

    Raises
    ------
    WorkloadError
        Where something is missing or no whole number.
    """
    found = named_numbers(text, DIMENSIONS + EXPERTS, "layers=32,hidden=4096")
    block: dict[str, Any] = {name: found[name] for name in DIMENSIONS if name in found}
    inside = {name: found[name] for name in EXPERTS if name in found}
    if inside:
        for name, key in (("experts", "count"), ("expert_ffn", "ffn")):
            if name in inside:
                inside[key] = inside.pop(name)
        block["experts"] = inside
    workload_of({"model": block})
    return block


def model_words(block: object) -> str:
    """The dimensions of a block of one's own as they are typed; empty for a preset."""
    if not isinstance(block, Mapping):
        return ""
    words = [f"{name}={block[name]}" for name in DIMENSIONS if block.get(name) is not None]
    experts = block.get("experts")
    if isinstance(experts, Mapping):
        named = {"experts": "count", "expert_ffn": "ffn"}
        words += [
            f"{name}={experts[named.get(name, name)]}"
            for name in EXPERTS
            if experts.get(named.get(name, name)) is not None
        ]
    return ",".join(words)


def layout_problems(plan: Plan, model: Model, layout: LayoutBlock) -> list[str]:
    """What of a layout divides neither the model nor the cluster, each with what works."""
    per_node, gpus = node_gpus(plan), world(plan).gpus
    split = split_of(layout, gpus)
    if layout.dp is None:
        split = replace(split, dp=even_dp(split, gpus, per_node, 0))
    return model_problems(model, layout) + cluster_problems(split, gpus, per_node)


def training_problems(plan: Plan, workload: Workload, training: TrainingBlock) -> list[str]:
    """What of batch or sequence does not divide over the layout."""
    per_node, gpus = node_gpus(plan), world(plan).gpus
    split: Split = split_of(workload.layout, gpus)
    if workload.layout.dp is None:
        split = replace(split, dp=even_dp(split, gpus, per_node, training.batch))
    return batch_problems(split, training)
