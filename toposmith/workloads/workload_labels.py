"""The labels of a workload's figures, in words, as shown beside them everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.labels import Label

if TYPE_CHECKING:
    from toposmith.workloads.block import ServingBlock, TrainingBlock


STEP_IS = "model, NVIDIA's stack, no loss with scale"

"""Of a step time, and of what follows from it. The one calibrated constant is set against runs of
NVIDIA's own software (Megatron-LM, NeMo) and of others near it; a GPU is as quick in a job of
thousands as in one of dozens, where published runs lose a tenth to a third (MegaScale, arXiv
2402.15627, table 2)."""

SERVICE_IS = "model, NVIDIA's stack, no queue"

"""Of a service: a place that becomes free is taken at once, and no request waits for one."""

FP4_UNRELIABLE = "not reliable in fp4: published tokens under load took 1.0 to 3.1 times as long"

"""Of a service in nvfp4: the median time per output token of ten runs on B200, GB200 and GB300,
published over predicted with as many requests under way (MLPerf Inference 5.1; ``python -m
bench.workloads.services``). What makes them slower is not known."""

DOES_NOT_FIT = "does not fit"

"""Shown beside a time where a GPU does not hold what is to run."""


def step_words(label: Label, training: TrainingBlock | None = None) -> str:
    """What kind of figure a step time with a label is, and of what software."""
    if training is None or training.compute_factor == 1:
        return _with_label(label, STEP_IS)
    of = f" by {training.compute_factor_of}" if training.compute_factor_of else " by own run"
    return _with_label(label, f"{STEP_IS}; compute x {training.compute_factor:.4g}{of}")


def service_words(label: Label, serving: ServingBlock | None = None) -> str:
    """What kind of figures those of a service with a label are, and of what software."""
    fp4 = serving is not None and serving.precision == "nvfp4"
    return _with_label(label, f"{SERVICE_IS}; {FP4_UNRELIABLE}" if fp4 else SERVICE_IS)


def _with_label(label: Label, model: str) -> str:
    return model if label.kind == "model" else f"{label.words}; {model}"
