"""A step that was measured, turned into the factor that lets the model give it."""

from __future__ import annotations

from toposmith.analysis.request import Request
from toposmith.catalog import Catalog
from toposmith.fabric.plan import Plan
from toposmith.workloads.accelerator import accelerator
from toposmith.workloads.assess import Assessment
from toposmith.workloads.block import TrainingBlock
from toposmith.workloads.collective_times import CollectiveTimes
from toposmith.workloads.divisibility import node_gpus
from toposmith.workloads.first_nodes import on_first_nodes
from toposmith.workloads.model import WorkloadError
from toposmith.workloads.training import training_step

LEAST, MOST = 0.1, 100.0
"""Factors that the block takes."""


def compute_factor(
    plan: Plan,
    catalog: Catalog,
    found: Assessment,
    measured_s: float,
    request: Request | None = None,
) -> float:
    """How many times as long as predicted compute takes where a step took so many seconds.

    Communication stays as predicted, and hides behind the compute that there then is.

    Raises
    ------
    WorkloadError
        Where nothing is trained, or no factor gives that step: communication alone takes longer,
        or the step is out of all proportion.
    """
    workload, training = found.workload, found.workload.training
    if training is None:
        raise WorkloadError(["measured step: the workload trains nothing"])
    part = on_first_nodes(plan, found.split.gpus // node_gpus(plan))
    times = CollectiveTimes(part, catalog, request or Request(), workload.placement, workload.seed)
    gpu = accelerator(part, catalog)

    def step_s(factor: float) -> float:
        run: TrainingBlock = training.model_copy(update={"compute_factor": factor})
        return training_step(workload.model, found.split, run, gpu, times).step_s

    low, high = LEAST, MOST
    if not step_s(low) <= measured_s <= step_s(high):
        text = (
            f"measured step: {measured_s:g} s; from {step_s(low):.3g} to {step_s(high):.3g} s works"
        )
        raise WorkloadError([text])
    while high - low > 1e-6 * low:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if step_s(middle) < measured_s else (low, middle)
    return high
