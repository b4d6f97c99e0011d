"""What one should know of a workload on a design, with the nearest layout that fits."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.findings.codes.code import Fact, Severity
from toposmith.findings.finding import Finding, at_block, at_group, found
from toposmith.text import counted
from toposmith.workloads.block import TrainingBlock, Workload
from toposmith.workloads.divisibility import ParallelSizes, stage_counts, tensor_sizes
from toposmith.workloads.memory import training_memory
from toposmith.workloads.model import Model
from toposmith.workloads.serving import Service
from toposmith.workloads.storage_demand import StorageNeed
from toposmith.workloads.training import TrainingStep


def nearest_fit(
    model: Model, split: ParallelSizes, training: TrainingBlock, memory_gb: float
) -> str:
    """The least change of a layout that fits, in words."""
    for words, tried in _changes(model, split):
        shared = tried.gradient_ranks % tried.ep == 0 and training.batch % tried.dp == 0
        if shared and training_memory(model, tried, training).fits(memory_gb):
            return f"{words} works"
    return "no single change of the layout fits; more GPUs, or larger ones, do"


def _changes(model: Model, split: ParallelSizes) -> Iterator[tuple[str, ParallelSizes]]:
    """Layouts of as many GPUs, from the least change on: what costs no bandwidth first."""
    block = split.block

    def changed(**values: object) -> ParallelSizes:
        return ParallelSizes(block.model_copy(update=values), split.dp)

    if block.micro_batch > 1:
        yield "micro_batch=1", changed(micro_batch=1)
    if not block.sequence_parallel and split.tp > 1:
        yield "sequence_parallel=true", changed(sequence_parallel=True)
    for zero in range(block.zero + 1, 3):
        yield f"zero={zero}", changed(zero=zero)
    if block.recompute != "full":
        yield "recompute=full", changed(recompute="full")
    if split.pp == 1:
        yield "zero=3", changed(zero=3)
        yield "zero=3 with recompute=full", changed(zero=3, recompute="full")
    for name, sizes in (("tp", tensor_sizes(model)), ("pp", stage_counts(model))):
        now = getattr(split, name)
        for size in sizes:
            if size > now and (split.dp * now) % size == 0 and (name == "pp" or size <= 8):
                dp = split.dp * now // size
                update: dict[str, object] = {name: size, "interleave": 1}
                yield (
                    f"{name}={size} with dp={dp}",
                    ParallelSizes(block.model_copy(update=update), dp),
                )
                update["recompute"] = "full"
                words = f"{name}={size} with dp={dp} and recompute=full"
                yield words, ParallelSizes(block.model_copy(update=update), dp)


MOST_IDLE = 0.1
"""Share of the GPUs from which on those that stay idle are worth a warning."""

MOST_SPEEDUP = 1_000.0
"""More than any network could become faster."""


def training_findings(workload: Workload, step: TrainingStep, gpus: int) -> list[Finding]:
    """What does not fit or misses its target, and GPUs that stay idle."""
    findings = []
    training = workload.training
    assert training is not None
    if not step.fits:
        findings.append(found("does-not-fit", at_block("layout"), **_too_large(workload, step)))
    findings += _small_experts(workload)
    findings += _idle(str(step.split), step.split.gpus, gpus)
    if training.mfu is not None and step.mfu < training.mfu:
        missed: dict[str, Fact] = {
            "mfu_percent": step.mfu * 100,
            "wanted_percent": training.mfu * 100,
            "most_percent": step.mfu * step.step_s / fastest_s(step) * 100,
            **_what_would_help(step, step.step_s * step.mfu / training.mfu),
        }
        findings.append(found("target-missed", at_block("training.mfu"), **missed))
    if training.step_s is not None and step.step_s > training.step_s:
        missed = {
            "step_s": step.step_s,
            "wanted_s": training.step_s,
            "fastest_s": fastest_s(step),
            **_what_would_help(step, training.step_s),
        }
        findings.append(found("target-missed", at_block("training.step_s"), **missed))
    return findings


def idle_in_serving(service: Service, copy_gpus: int, gpus: int) -> list[Finding]:
    """GPUs that no copy of a service takes."""
    copies = service.copies
    if service.kv_transfer_s:
        copies += service.prefill_copies
    words = f"{counted(copies, 'copy')} of {counted(copy_gpus, 'GPU')}"
    return _idle(words, copies * copy_gpus, gpus)


def _idle(split: str, used: int, gpus: int) -> list[Finding]:
    """That GPUs stay idle; more than a tenth of them is a warning."""
    if used >= gpus:
        return []
    severity: Severity | None = "warning" if gpus - used > MOST_IDLE * gpus else None
    return [found("gpus-idle", at_block("layout"), severity, split=split, used=used, gpus=gpus)]


def _small_experts(workload: Workload) -> list[Finding]:
    """That mixtures of many small experts may run slower than predicted.

    40 published runs of DeepSeek-V3, Kimi K2 and Qwen3 (bench/workloads, mixtures and held_out).
    """
    model = workload.model
    if model.experts is None or model.experts.ffn >= model.hidden:
        return []
    widths = {"expert_ffn": model.experts.ffn, "hidden": model.hidden}
    return [found("small-experts", at_block("model"), **widths)]


def fastest_s(step: TrainingStep) -> float:
    """The step where a network between nodes takes no time; what stays inside them takes its."""
    return _time_s(step, float("inf"))


def needed_speedup(step: TrainingStep, target_s: float) -> float | None:
    """How many times as fast communication between nodes has to be for a step of this time.

    What is hidden now stays hidden, and the bubble shrinks with what its micro-batches wait for no
    more. None where no network is fast enough.
    """
    low, high = 1.0, MOST_SPEEDUP
    if _time_s(step, high) > target_s:
        return None
    while high - low > 1e-3 * low:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if _time_s(step, middle) <= target_s else (middle, high)
    return high


def _time_s(step: TrainingStep, speedup: float) -> float:
    """The step with a network between nodes that is so many times as fast."""
    waits = (step.split.pp - 1) / step.split.block.interleave / step.micro_batches
    saved = 0.0
    for each in step.communication:
        if each.inside_node:
            continue
        less = each.exposed_s - max(0.0, each.total_s / speedup - each.hidden_s)
        saved += less * (1 + (waits if each.dimension in ("tp", "cp", "ep") else 0.0))
    return step.step_s - saved


def _what_would_help(step: TrainingStep, target_s: float) -> dict[str, Fact]:
    """Where most of what is not compute goes, and the bandwidth that reaches the target."""
    speedup = needed_speedup(step, target_s)
    leaving = [each for each in step.communication if not each.inside_node]
    worst = max(leaving, key=lambda each: each.exposed_s, default=None)
    if speedup is None or worst is None:
        return _most_of_it(step)
    return {
        **_most_of_it(step),
        "worst": f"{step.dimension_of(worst)} {worst.what}",
        "needed_GBps": worst.busbw_GBps * speedup,
        "busbw_GBps": worst.busbw_GBps,
        "busbw_kind": worst.label.kind,
        "speedup": speedup,
    }


def _most_of_it(step: TrainingStep) -> dict[str, Fact]:
    """Where most of what is not compute goes."""
    blamed = step.blamed
    if step.bubble_s > step.exposed_s:
        return {"bubble_percent": step.bubble_s / step.step_s * 100}
    if blamed is None:
        return {}
    return {
        "exposed_percent": step.exposed_s / step.step_s * 100,
        "exposed_most": f"{step.dimension_of(blamed)} {blamed.what}",
        "exposed_inside_nodes": blamed.inside_node,
        "exposed_over": blamed.link or None,
    }


def _too_large(workload: Workload, step: TrainingStep) -> dict[str, Fact]:
    """That a layout does not fit, with the nearest change that does."""
    used = step.held.use
    assert workload.training is not None
    return {
        "model": workload.model.name,
        "takes_GB": used.total / 1e9,
        "gpu_GB": step.held.gpu_gb,
        "weights_GB": used.weights / 1e9,
        "gradients_GB": used.gradients / 1e9,
        "optimiser_GB": used.optimiser / 1e9,
        "activations_GB": used.activations / 1e9,
        "nearest": nearest_fit(workload.model, step.split, workload.training, step.held.gpu_gb),
    }


def storage_findings(need: StorageNeed) -> list[Finding]:
    """Whether there is storage, and whether it feeds the run."""
    if need.found is None:
        return [found("no-storage", at_block("storage"))]
    findings = []
    fabric = need.found.fabric
    for name in fabric.unreached if fabric else ():
        findings.append(found("storage-unreached", at_group(name), group=name))
    read = need.found.read_GBps
    if read is not None and need.loading_GBps is not None and read < need.loading_GBps:
        limited_by = tuple(need.found.limited_by) or (need.found.where,)
        rates = {"needs_GBps": need.loading_GBps, "read_GBps": read}
        slow = found("storage-slow", at_block("storage"), limited_by=limited_by, **rates)
        findings.append(slow)
    opens = need.found.opens_per_s
    if opens is not None and need.opening_per_s is not None and opens < need.opening_per_s:
        rates = {"needs_per_s": need.opening_per_s, "opens_per_s": opens}
        where = need.found.where
        findings.append(found("storage-opens-slow", at_block("storage"), storage=where, **rates))
    return findings
