"""What is proposed where no model or layout is named yet: what fits the GPUs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from toposmith.analysis.jobs.world import world
from toposmith.catalog import Catalog
from toposmith.fabric.plan import Plan
from toposmith.workloads.accelerator import accelerator
from toposmith.workloads.assess import server_of
from toposmith.workloads.block import workload_of
from toposmith.workloads.divisibility import node_gpus
from toposmith.workloads.fault import WorkloadError
from toposmith.workloads.memory import training_memory
from toposmith.workloads.presets import preset, preset_names
from toposmith.workloads.runnable import known_split, require_runnable, split_problems

WorkloadKind = Literal["training", "serving"]

USUAL_BATCH = 1024
USUAL_SEQUENCE = 4096

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
