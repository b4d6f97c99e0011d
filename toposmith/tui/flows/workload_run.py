"""Saying what the cluster runs of a model: steps of training, or answers that it serves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from toposmith.errors import ToposmithError
from toposmith.foreign_values import whole_number
from toposmith.tui.asking import Asks, Here, TextQuestion, ask, pick
from toposmith.tui.questions import Choice
from toposmith.workloads.answers import (
    named_values,
    proposed_precision,
    training_problems,
)
from toposmith.workloads.block import USUAL_BATCH, USUAL_SEQUENCE, workload_of
from toposmith.workloads.model import WorkloadError

_TARGETS = (
    *("tpot_ms", "ttft_ms", "tokens_per_s", "requests_per_s"),
    *("decode_batch", "chunk_tokens"),
)


def ask_training(
    here: Here, block: Mapping[str, Any], held: dict[str, Any]
) -> Asks[dict[str, Any]]:
    """Sequences, their length, precision and the tokens of the run."""
    checked = partial(_check_training, here, block)
    now = held.get("sequence", USUAL_SEQUENCE)
    sequence = yield from _number("tokens of a sequence", now, checked)
    batch = yield from ask(
        TextQuestion(
            "sequences of a step",
            str(held.get("batch", "")),
            lambda text: _whole(text, partial(checked, sequence)) if text.strip() else None,
            f"empty for about {USUAL_BATCH:,}, more where the layout needs it",
            number=True,
        )
    )
    precision = yield from _one_of(
        "in which precision?", _PRECISIONS, held.get("precision", _usual_precision(here))
    )
    stack = yield from _one_of(
        "by which software? its published runs are compared, its memory is counted",
        _STACKS,
        held.get("stack", "nvidia"),
    )
    amount = yield from ask(
        TextQuestion(
            "tokens of the whole run",
            f"{held['tokens']:g}" if isinstance(held.get("tokens"), int | float) else "",
            _amount,
            "such as 15e12; empty where it does not matter",
        )
    )
    run = {**held, "sequence": sequence, "precision": precision}
    for name in ("batch", "tokens", "stack"):
        run.pop(name, None)
    if batch is not None:
        run["batch"] = batch
    if stack != "nvidia":
        run["stack"] = stack
    if amount is not None:
        run["tokens"] = amount
    return run


def _check_training(
    here: Here, block: Mapping[str, Any], sequence: int, batch: int | None = None
) -> None:
    """Raise what is wrong with sequences of a length, and with that many of them in a step."""
    run = {"batch": batch or USUAL_BATCH, "sequence": sequence}
    told = workload_of({**block, "training": run})
    assert told.training is not None
    problems = training_problems(here.plan, told, told.training) if "layout" in block else []
    if batch is None:
        problems = [each for each in problems if each.startswith("layout.cp:")]
    if problems:
        raise WorkloadError(problems)


def ask_serving(here: Here, block: Mapping[str, Any], held: dict[str, Any]) -> Asks[dict[str, Any]]:
    """Prompt, answer, precision, where prompts are read, and what is wanted."""

    def checked(**values: object) -> None:
        workload_of({**block, "serving": {**held, **values}})

    def targets(text: str) -> dict[str, Any]:
        found = named_values(text, _TARGETS, "tpot_ms=50")
        workload_of({**block, "serving": {**_without_targets(held), **found}})
        return found

    prompt = yield from _number(
        "tokens of a prompt", held.get("prompt", 2048), lambda size: checked(prompt=size)
    )
    output = yield from _number(
        "tokens of an answer", held.get("output", 256), lambda size: checked(output=size)
    )
    weights = str(held.get("precision", _usual_precision(here)))
    chosen = yield from _one_of(
        "in which precision are weights and KV cache?",
        _SERVED_PRECISIONS,
        f"{weights} {held.get('kv_precision', weights)}",
    )
    weights, cache = chosen.split()
    where = yield from _one_of(
        "where are prompts read?", _PLACES, "apart" if held.get("disaggregated") else "same"
    )
    hint = "such as tpot_ms=50,ttft_ms=1000; engine: decode_batch, chunk_tokens"
    wanted = yield from ask(TextQuestion("targets", _target_words(held), targets, hint))
    run = _without_targets({**held, "prompt": prompt, "output": output, "precision": weights})
    run.pop("kv_precision", None)
    if cache != weights:
        run["kv_precision"] = cache
    return {**run, "disaggregated": where == "apart", **wanted}


_PRECISIONS = (
    Choice("bf16", "bf16", "b"),
    Choice("fp16", "fp16: V100 and T4 have no bf16", "h"),
    Choice("fp8", "fp8, from H100 on", "f"),
    Choice("mxfp8", "mxfp8, from B200 on", "m"),
    Choice("nvfp4", "nvfp4, from B200 on", "n"),
)
_STACKS = (
    Choice("nvidia", "NVIDIA's stack: Megatron-LM, NeMo", "n"),
    Choice("fsdp", "plain FSDP of PyTorch", "f"),
    Choice("older", "software to 2022, without FlashAttention", "o"),
)
_SERVED_PRECISIONS = (
    Choice("bf16 bf16", "bf16", "b"),
    Choice("fp16 fp16", "fp16: V100 and T4 have no bf16", "h"),
    Choice("fp8 fp8", "fp8, from H100 on", "f"),
    Choice("fp8 bf16", "fp8 weights, bf16 KV cache", "c"),
    Choice("bf16 fp8", "bf16 weights, fp8 KV cache", "w"),
    Choice("nvfp4 fp8", "nvfp4 weights, fp8 KV cache; from B200 on", "n"),
    Choice("int8 bf16", "int8 weights, bf16 KV cache", "i"),
)
_PLACES = (
    Choice("same", "on the GPUs that write answers", "s"),
    Choice("apart", "on other nodes; their caches go over the network", "o"),
)


def _one_of(title: str, choices: Sequence[Choice], at: object) -> Asks[str]:
    return (yield from pick(title, choices, str(at)))


def _usual_precision(here: Here) -> str:
    return proposed_precision(here.plan, here.catalog)


def _number(label: str, proposed: object, judge: Callable[[int], None]) -> Asks[int]:
    """A whole number that ``judge`` raises nothing at."""
    return (
        yield from ask(
            TextQuestion(label, str(proposed), lambda text: _whole(text, judge), number=True)
        )
    )


def _whole(text: str, judge: Callable[[int], None]) -> int:
    """The whole number of a text; raises ToposmithError for others, and what ``judge`` does."""
    if not (text.strip().isascii() and text.strip().isdigit()):
        raise ToposmithError("a whole number from 1 on is needed")
    number = whole_number(text.strip())
    judge(number)
    return number


def _amount(text: str) -> float | None:
    """A number of tokens such as 15e12; None where nothing is given."""
    if not text.strip():
        return None
    try:
        amount = float(text.replace(",", ""))
    except ValueError:
        amount = 0.0
    if not 0 < amount <= 1e18:
        raise ToposmithError(f"{text!r} is no number of tokens, as in 15e12")
    return amount


def _without_targets(held: Mapping[str, Any]) -> dict[str, Any]:
    """A service without what is wanted of it, its load and how its engine runs."""
    return {key: value for key, value in held.items() if key not in _TARGETS}


def _target_words(held: Mapping[str, Any]) -> str:
    """What is wanted, as it is typed."""
    return ",".join(f"{name}={held[name]:.12g}" for name in _TARGETS if name in held)
