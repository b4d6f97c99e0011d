"""Single answers to what a workload asks, each judged at once: what is wrong, and what works."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from math import isfinite
from typing import Any, Literal

from toposmith.analysis.jobs.world import world
from toposmith.catalog import Catalog
from toposmith.design.loader import shown, suggestion
from toposmith.fabric.plan import Plan
from toposmith.workloads.accelerator import accelerator
from toposmith.workloads.block import (
    USUAL_BATCH,
    USUAL_SEQUENCE,
    LayoutBlock,
    TrainingBlock,
    Workload,
    workload_of,
)
from toposmith.workloads.divisibility import (
    ParallelSizes,
    batch_problems,
    cluster_problems,
    even_dp,
    model_problems,
    node_gpus,
    split_of,
)
from toposmith.workloads.memory import training_memory
from toposmith.workloads.model import Model, WorkloadError, preset, preset_names
from toposmith.workloads.runnable import known_split, require_runnable, split_problems
from toposmith.workloads.service_targets import server_of

DIMENSIONS = ("layers", "hidden", "heads", "kv_heads", "head", "ffn", "vocabulary")
EXPERTS = ("experts", "active", "expert_ffn", "shared", "dense_layers")
SIZES = ("tp", "cp", "pp", "dp", "ep", "expert_tp", "zero", "micro_batch", "interleave")
LAYOUT = (*SIZES, "shard", "uneven_stages", "recompute", "recompute_layers")
"""Keys of a layout that are asked for in the app; lists are written into the file."""


def named_values(text: str, known: Collection[str], example: str) -> dict[str, Any]:
    """Values by name, such as ``tp=8,recompute=full``; numbers, true and false are read as such.

    Raises
    ------
    WorkloadError
        Naming the piece that is none, with the nearest name.
    """
    found: dict[str, Any] = {}
    for piece in text.replace(" ", ",").split(","):
        if not piece:
            continue
        name, equals, value = piece.partition("=")
        name = name.replace("-", "_")
        if not equals or not value:
            raise WorkloadError([f"{shown(piece)} is not NAME=VALUE, as in {example}"])
        if name not in known:
            raise WorkloadError([f"there is no {shown(name)} to set; {suggestion(name, known)}"])
        if name in found:
            raise WorkloadError([f"{name} is given twice"])
        found[name] = _value(value)
    return found


def _value(text: str) -> int | float | bool | str:
    if text in ("true", "false"):
        return text == "true"
    if text.isascii() and text.isdigit() and len(text) <= 18:
        return int(text)
    try:
        number = float(text)
    except ValueError:
        return text
    return number if isfinite(number) else text


def layout_of(text: str) -> dict[str, Any]:
    """The keys of a layout such as ``tp=8,pp=4,recompute=full``.

    Raises
    ------
    WorkloadError
        Naming the piece that is none.
    """
    return named_values(text, LAYOUT, "tp=8,pp=4,uneven_stages=true")


def layout_words(block: Mapping[str, Any]) -> str:
    """The keys of a layout as they are typed."""
    held = {name: block[name] for name in LAYOUT if block.get(name) is not None}
    return ",".join(f"{name}={str(value).lower()}" for name, value in held.items())


def model_of(text: str) -> dict[str, Any]:
    """The dimensions of a model of one's own, dense or with experts, as the block has them.

    Raises
    ------
    WorkloadError
        Where something is missing or no whole number.
    """
    found = named_values(text, DIMENSIONS + EXPERTS, "layers=32,hidden=4096")
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
    split = _split_on(plan, layout, 0)
    return model_problems(model, layout) + cluster_problems(
        split, world(plan).gpus, node_gpus(plan)
    )


def training_problems(plan: Plan, workload: Workload, training: TrainingBlock) -> list[str]:
    """What of batch or sequence does not divide over the layout."""
    return batch_problems(_split_on(plan, workload.layout, training.batch), training)


def _split_on(plan: Plan, layout: LayoutBlock, batch: int) -> ParallelSizes:
    """A layout on all GPUs; of copies that are left open as many as lie evenly."""
    split, gpus = split_of(layout, world(plan).gpus), world(plan).gpus
    dp = split.dp if layout.dp is not None else even_dp(split, gpus, node_gpus(plan), batch)
    return replace(split, dp=dp)


WorkloadKind = Literal["training", "serving"]

_MOST_TENSOR = 8
_STAGES = (1, 2, 4, 8, 16, 32, 64)
_EXPERT_GROUPS = (1, 8, 16, 32, 64, 128)

_RUNS: Mapping[WorkloadKind, dict[str, Any]] = {
    "training": {"batch": USUAL_BATCH, "sequence": USUAL_SEQUENCE},
    "serving": {},
}


def proposed_model(plan: Plan, catalog: Catalog, kind: WorkloadKind) -> str | None:
    """The largest preset that tensor parallelism alone makes fit, else the largest that fits.

    None where none fits, or where the memory of the GPUs is not known.
    """
    names = sorted(preset_names(), key=lambda name: -preset(name).parameters)
    tensor = {"tp": _tensor(plan)}
    alone = (name for name in names if fits(plan, catalog, name, tensor, kind))
    first = next(alone, None)
    if first is not None:
        return first
    spread = (name for name in names if proposed_layout(plan, catalog, name, kind) is not None)
    return next(spread, None)


def proposed_layout(
    plan: Plan, catalog: Catalog, model: str | Mapping[str, Any], kind: WorkloadKind
) -> dict[str, int] | None:
    """The layout with the fewest stages whose GPUs hold a model; None where none is found."""
    return next((one for one in _layouts(plan) if fits(plan, catalog, model, one, kind)), None)


def proposed_precision(plan: Plan, catalog: Catalog) -> Literal["bf16", "fp16"]:
    """Bf16; fp16 of GPUs that have no other 16 bits."""
    try:
        return "bf16" if accelerator(plan, catalog).bf16 else "fp16"
    except WorkloadError:
        return "bf16"


def fits(
    plan: Plan,
    catalog: Catalog,
    model: str | Mapping[str, Any],
    layout: Mapping[str, Any],
    kind: WorkloadKind,
) -> bool:
    """Whether a layout divides model and cluster, and each GPU holds its part of it."""
    try:
        workload = workload_of({"model": model, "layout": dict(layout), kind: _RUNS[kind]})
        require_runnable(plan, workload)
        gpus = world(plan).gpus
        if not gpus or split_problems(plan, workload, split := known_split(plan, workload)):
            return False
        if workload.training is None:
            server = server_of(plan, catalog, workload, None, gpus, node_gpus(plan))
            return server.largest_batch >= 1
        use = training_memory(workload.model, split, workload.training)
        return use.fits(accelerator(plan, catalog).memory_gb)
    except WorkloadError:
        return False


def _tensor(plan: Plan) -> int:
    """Ranks of a tensor group: the GPUs of a node, of which eight are usual."""
    try:
        return min(_MOST_TENSOR, node_gpus(plan))
    except WorkloadError:
        return _MOST_TENSOR


def _layouts(plan: Plan) -> Iterator[dict[str, int]]:
    tensor = _tensor(plan)
    for stages in _STAGES:
        for experts in _EXPERT_GROUPS:
            spread = {"tp": tensor, "pp": stages, "ep": experts}
            yield {name: size for name, size in spread.items() if name == "tp" or size > 1}
