"""What figures of a workload assume, each marked where it was not given; and their labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.analysis.result import Assumption
from toposmith.labels import Label
from toposmith.text import counted
from toposmith.workloads.step_band import STACK_NAMES

if TYPE_CHECKING:
    from pydantic import BaseModel

    from toposmith.workloads.accelerator import Accelerator
    from toposmith.workloads.assess import Assessment
    from toposmith.workloads.block import ServingBlock, StorageBlock, TrainingBlock, Workload
    from toposmith.workloads.goodput import Goodput


def assumed_of(found: Assessment) -> tuple[Assumption, ...]:
    """What the figures of an assessment rest on, with the option or the key that changes it."""
    workload = found.workload
    rows: list[Assumption] = []
    if workload.training is not None:
        rows += _of_training(workload, workload.training)
    if found.goodput is not None:
        rows += _of_goodput(workload.storage, found.goodput)
    if workload.serving is not None:
        rows += _of_serving(workload.serving)
    seed = f", seed {workload.seed}" if workload.placement == "scattered" else ""
    rows += [
        _row(workload, "placement", "placement", f"{workload.placement}{seed}", "placement:"),
        Assumption("nccl", "NCCL", str(found.request.version)),
        Assumption("routing", "routing", found.request.routing.mode),
    ]
    return tuple(rows)


def run_words(workload: Workload) -> str:
    """``960 sequences of 4,096 tokens``; of a service the lengths of prompts and answers."""
    words = []
    if workload.training is not None:
        words.append(batch_words(workload.training))
    if (serving := workload.serving) is not None:
        prompt = f"{serving.prompt:,} tokens{_unsaid(serving, 'prompt')}"
        output = f"{serving.output:,}{_unsaid(serving, 'output')}"
        words.append(f"prompts of {prompt}, answers of {output}")
    return "; ".join(words)


def batch_words(training: TrainingBlock) -> str:
    """``960 sequences of 4,096 tokens (assumed)``."""
    sequence = f"{training.sequence:,} tokens{_unsaid(training, 'sequence')}"
    batch = f"{counted(training.batch, 'sequence')}{_unsaid(training, 'batch')}"
    return f"{batch} of {sequence}"


def _of_training(workload: Workload, training: TrainingBlock) -> list[Assumption]:
    layout = workload.layout
    flash = training.flash_attention
    scores = "FlashAttention 2" if flash is True else f"FlashAttention {flash}"
    held = f"{', '.join(layout.offload)}; what the CPU takes to update is not counted"
    in_cpu = _row(layout, "offload", "in the CPU's memory", held, "layout: {{offload: }}")
    over = ", ".join(layout.overlap) or "nothing"
    split = "on" if layout.sequence_parallel else "off"
    return [
        _row(training, "sequence", "sequence", f"{training.sequence:,} tokens"),
        _row(layout, "micro_batch", "micro-batch", counted(layout.micro_batch, "sequence")),
        _row(training, "precision", "precision", training.precision),
        _row(layout, "zero", "ZeRO stage", str(layout.zero)),
        _row(layout, "recompute", "recompute", layout.recompute),
        *([in_cpu] if layout.offload else []),
        _row(layout, "sequence_parallel", "sequence parallel", split),
        _row(layout, "overlap", "overlaps compute", over, "layout: {{overlap: }}"),
        _row(training, "gradient_bytes", "a gradient", f"{training.gradient_bytes} bytes"),
        _row(
            training,
            "optimiser_bytes",
            "optimiser",
            f"{training.optimiser_bytes} bytes a parameter",
        ),
        _row(training, "flash_attention", "scores", scores if flash else "written to memory"),
        _row(training, "stack", "software", STACK_NAMES[training.stack]),
    ]


def _of_goodput(storage: StorageBlock, found: Goodput) -> list[Assumption]:
    in_file = "storage: {{{}: }}"
    restart, hours = f"{found.restart_s:,.0f} s", f"{found.mtbf_h:,.3g} h"
    return [
        _row(storage, "mtbf_h", "between stops", hours, in_file),
        _row(storage, "restart_s", "a stop until it restarts", restart, in_file),
        _row(storage, "spare_nodes", "spare nodes", f"{found.spare_nodes:,}", in_file),
    ]


def _of_serving(serving: ServingBlock) -> list[Assumption]:
    batch = "the largest that fits and meets the targets"
    if serving.decode_batch is not None:
        batch = counted(serving.decode_batch, "sequence")
    apart = "on other nodes" if serving.disaggregated else "where answers are written"
    together = counted(serving.prefill_batch, "prompt")
    return [
        _row(serving, "prompt", "prompt", f"{serving.prompt:,} tokens"),
        _row(serving, "output", "answer", f"{serving.output:,} tokens"),
        _row(serving, "precision", "weights", serving.precision),
        _row(serving, "kv_precision", "KV cache", serving.cached_in),
        Assumption("serving.decode_batch", "decode batch", batch, "--set decode_batch="),
        _row(serving, "prefill_batch", "read together", together),
        _row(serving, "chunk_tokens", "chunk of prompts", f"{serving.chunk_tokens:,} tokens"),
        _row(serving, "disaggregated", "prompts are read", apart),
    ]


def _row(
    block: BaseModel, key: str, name: str, words: str, option: str = "--set {}="
) -> Assumption:
    section = type(block).__name__.removesuffix("Block").lower()
    at = key if section == "workload" else f"{section}.{key}"
    return Assumption(at, name, f"{words}{_unsaid(block, key)}", option.format(key))


def _unsaid(block: BaseModel, key: str) -> str:
    """What is written behind a value that was not given."""
    return "" if key in block.model_fields_set else " (assumed)"


STACK = "NVIDIA's stack"

STEP_IS = f"model, {STACK}, no loss with scale"

"""Of a step time, and of what follows from it. The one calibrated constant is set against runs of
NVIDIA's own software (Megatron-LM, NeMo) and of others near it; a GPU is as quick in a job of
thousands as in one of dozens, where published runs lose a tenth to a third (MegaScale, arXiv
2402.15627, table 2)."""

SERVICE_IS = f"model, {STACK}, no queue"

"""Of a service: a place that becomes free is taken at once, and no request waits for one."""

FP4_UNRELIABLE = "not reliable in fp4: published tokens under load took 1.0 to 3.1 times as long"

"""Of a service in nvfp4: the median time per output token of ten runs on B200, GB200 and GB300,
published over predicted with as many requests under way (MLPerf Inference 5.1; ``python -m
bench.workloads.services``). What makes them slower is not known."""

DOES_NOT_FIT = "does not fit"

"""Shown beside a time where a GPU does not hold what is to run."""


def step_words(label: Label, gpu: Accelerator, training: TrainingBlock | None = None) -> str:
    """What kind of figure a step time with a label is, and of what software."""
    if training is None or training.compute_factor == 1:
        return _with_label(label, gpu, STEP_IS)
    of = f" by {training.compute_factor_of}" if training.compute_factor_of else " by own run"
    return _with_label(label, gpu, f"{STEP_IS}; compute x {training.compute_factor:.4g}{of}")


def service_words(label: Label, gpu: Accelerator, serving: ServingBlock | None = None) -> str:
    """What kind of figures those of a service with a label are, and of what software."""
    fp4 = serving is not None and serving.precision == "nvfp4"
    return _with_label(label, gpu, f"{SERVICE_IS}; {FP4_UNRELIABLE}" if fp4 else SERVICE_IS)


def _with_label(label: Label, gpu: Accelerator, model: str) -> str:
    # only NVIDIA's GPUs have a compute capability
    of = model if gpu.generation else model.replace(STACK, f"constants of {STACK} on {gpu.name}")
    return of if label.kind == "model" else f"{label.words}; {of}"
