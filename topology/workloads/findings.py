"""What one should know of a workload on a design, in words."""

from __future__ import annotations

from toposmith.topology.fabric.plan import Finding
from toposmith.topology.workloads.block import Workload
from toposmith.topology.workloads.fitting import nearest_fit
from toposmith.topology.workloads.storage import StorageNeed
from toposmith.topology.workloads.training import Step

MOST_SPEEDUP = 1_000.0
"""More than any network could become faster."""


def training_findings(workload: Workload, step: Step, gpus: int) -> list[Finding]:
    """What does not fit or misses its target, and GPUs that stay idle."""
    found = []
    training = workload.training
    assert training is not None
    if not step.fits:
        found.append(Finding("does-not-fit", "error", "layout", _too_large(workload, step)))
    found += _small_experts(workload)
    if step.split.gpus < gpus:
        text = f"{step.split} takes {step.split.gpus:,} of {gpus:,} GPUs; the others stay idle"
        found.append(Finding("gpus-idle", "info", "layout", text))
    if not step.fits:
        return found  # it has no time that a target could be held to
    if training.mfu is not None and step.mfu < training.mfu:
        fastest = f"{step.mfu * step.step_s / fastest_s(step) * 100:.1f} %"
        text = f"MFU is {step.mfu * 100:.1f} %, not {training.mfu * 100:.1f} %"
        text += f"; {_what_would_help(step, step.step_s * step.mfu / training.mfu, fastest)}"
        found.append(Finding("target-missed", "error", "training.mfu", text))
    if training.step_s is not None and step.step_s > training.step_s:
        text = f"a step takes {step.step_s:.3g} s, not {training.step_s:g}"
        text += f"; {_what_would_help(step, training.step_s, f'{fastest_s(step):.3g} s')}"
        found.append(Finding("target-missed", "error", "training.step_s", text))
    return found


def _small_experts(workload: Workload) -> list[Finding]:
    """That mixtures of many small experts run slower than any constant here says.

    Published: DeepSeek-V3 on 2,048 H800 (arXiv 2412.19437, section 1), DeepSeek-V3 and Qwen3 235B
    on B200 (Megatron Bridge's performance summary); bench/workloads/held_out.yaml.
    """
    model = workload.model
    if model.experts is None or model.experts.ffn >= model.hidden:
        return []
    text = (
        f"experts narrower than the model ({model.experts.ffn:,} of {model.hidden:,}): published "
        "runs of such mixtures took 1.5 to 2.3 times as long, by the permutation of tokens and "
        "small grouped products, which are not modelled"
    )
    return [Finding("small-experts", "warning", "model", text)]


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


def _too_large(workload: Workload, step: Step) -> str:
    """That a layout does not fit, with the nearest change that does."""
    used, model = step.held.use, workload.model.name or "the model"
    text = (
        f"{model} takes {used.total / 1e9:,.0f} GB on a GPU of {step.held.gpu_gb:,.0f}: weights "
        f"{used.weights / 1e9:,.0f}, gradients {used.gradients / 1e9:,.0f}, optimiser "
        f"{used.optimiser / 1e9:,.0f}, activations {used.activations / 1e9:,.0f}"
    )
    assert workload.training is not None
    better = nearest_fit(workload.model, step.split, workload.training, step.held.gpu_gb)
    return f"{text}; {better}"


def storage_findings(need: StorageNeed) -> list[Finding]:
    """Whether there is storage, and whether it feeds the run."""
    if need.found is None:
        text = (
            "no storage in the design or the workload, so checkpoint times are unknown; name it in "
            "workload.storage"
        )
        return [Finding("no-storage", "info", "storage", text)]
    found = []
    fabric = need.found.fabric
    for name in fabric.unreached if fabric else ():
        text = f"{name} has no way to a node with GPUs; wire it to the switches of node.storage"
        found.append(Finding("storage-unreached", "warning", name, text))
    read = need.found.read_GBps
    if read is not None and need.loading_GBps is not None and read < need.loading_GBps:
        where = " + ".join(need.found.limited_by) or need.found.where
        text = f"loading takes {need.loading_GBps:.3g} GB/s, {where} gives {read:.3g}"
        found.append(Finding("storage-slow", "warning", "storage", text))
    return found
