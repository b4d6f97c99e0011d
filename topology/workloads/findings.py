"""What one should know of a workload on a design, in words."""

from __future__ import annotations

from toposmith.topology.findings.finding import Finding, found
from toposmith.topology.findings.place import at_block, at_group
from toposmith.topology.findings.values import Fact
from toposmith.topology.workloads.block import Workload
from toposmith.topology.workloads.fitting import nearest_fit
from toposmith.topology.workloads.storage import StorageNeed
from toposmith.topology.workloads.training import Step

MOST_SPEEDUP = 1_000.0
"""More than any network could become faster."""


def training_findings(workload: Workload, step: Step, gpus: int) -> list[Finding]:
    """What does not fit or misses its target, and GPUs that stay idle."""
    findings = []
    training = workload.training
    assert training is not None
    if not step.fits:
        findings.append(found("does-not-fit", at_block("layout"), **_too_large(workload, step)))
    findings += _small_experts(workload)
    if step.split.gpus < gpus:
        idle: dict[str, Fact] = {"split": str(step.split), "used": step.split.gpus, "gpus": gpus}
        findings.append(found("gpus-idle", at_block("layout"), **idle))
    if not step.fits:
        return findings  # it has no time that a target could be held to
    if training.mfu is not None and step.mfu < training.mfu:
        fastest = f"{step.mfu * step.step_s / fastest_s(step) * 100:.1f} %"
        text = f"MFU is {step.mfu * 100:.1f} %, not {training.mfu * 100:.1f} %"
        text += f"; {_what_would_help(step, step.step_s * step.mfu / training.mfu, fastest)}"
        findings.append(found("target-missed", at_block("training.mfu"), reason=text))
    if training.step_s is not None and step.step_s > training.step_s:
        text = f"a step takes {step.step_s:.3g} s, not {training.step_s:g}"
        text += f"; {_what_would_help(step, training.step_s, f'{fastest_s(step):.3g} s')}"
        findings.append(found("target-missed", at_block("training.step_s"), reason=text))
    return findings


def _small_experts(workload: Workload) -> list[Finding]:
    """That mixtures of many small experts run slower than any constant here says.

    Published: DeepSeek-V3 on 2,048 H800 (arXiv 2412.19437, section 1), DeepSeek-V3 and Qwen3 235B
    on B200 (Megatron Bridge's performance summary); bench/workloads/held_out.yaml.
    """
    model = workload.model
    if model.experts is None or model.experts.ffn >= model.hidden:
        return []
    widths = {"expert_ffn": model.experts.ffn, "hidden": model.hidden}
    return [found("small-experts", at_block("model"), **widths)]


def fastest_s(step: Step) -> float:
    """The step where a network between nodes takes no time; what stays inside them takes its."""
    return _time_s(step, float("inf"))


def needed_speedup(step: Step, target_s: float) -> float | None:
    """How many times as fast communication between nodes has to be for a step of this time.

    What hides now goes on hiding, and the bubble shrinks with what its micro-batches wait for no
    more. None where no network is fast enough.
    """
    low, high = 1.0, MOST_SPEEDUP
    if _time_s(step, high) > target_s:
        return None
    while high - low > 1e-3 * low:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if _time_s(step, middle) <= target_s else (middle, high)
    return high


def _time_s(step: Step, speedup: float) -> float:
    """The step with a network between nodes that is so many times as fast."""
    waits = (step.split.pp - 1) / step.split.block.interleave / step.micro_batches
    saved = 0.0
    for each in step.communication:
        if each.inside_node:
            continue
        less = each.exposed_s - max(0.0, each.total_s / speedup - each.hidden_s)
        saved += less * (1 + (waits if each.dimension in ("tp", "cp", "ep") else 0.0))
    return step.step_s - saved


def _what_would_help(step: Step, target_s: float, fastest: str) -> str:
    """Where most of what is not compute goes, and the bandwidth that reaches the target.

    ``fastest`` is what a network that takes no time would give, in words.
    """
    speedup = needed_speedup(step, target_s)
    leaving = [each for each in step.communication if not each.inside_node]
    worst = max(leaving, key=lambda each: each.exposed_s, default=None)
    if speedup is None or worst is None:
        words = f"one that took no time would give {fastest}"
        return f"no network between nodes reaches that, {words}; {_most_of_it(step)}"
    needed = worst.busbw_GBps * speedup
    gives = worst.label.marked(f"{worst.busbw_GBps:.3g}")
    return (
        f"{_most_of_it(step)}; {needed:.3g} GB/s busbw per GPU for {worst.dimension} {worst.what} "
        f"instead of {gives}, and as many times as much ({speedup:.3g}) for all "
        "else between nodes, reaches it"
    )


def _most_of_it(step: Step) -> str:
    """Where most of what is not compute goes."""
    blamed = step.blamed
    if step.bubble_s > step.exposed_s:
        share = step.bubble_s / step.step_s
        return (
            f"the pipeline's bubble takes {share * 100:.0f} %: more micro-batches, or fewer stages"
        )
    if blamed is None:
        return "all communication hides: only faster GPUs, or more of them, help"
    where = f" over {blamed.link}" if blamed.link else ""
    where = " inside the nodes" if blamed.inside_node else where
    share = step.exposed_s / step.step_s
    words = f"exposed communication takes {share * 100:.0f} %, most for"
    return f"{words} {blamed.dimension} {blamed.what}{where}"


def _too_large(workload: Workload, step: Step) -> dict[str, Fact]:
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
    return findings
