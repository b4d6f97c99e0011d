"""Saying what the cluster runs of a model: steps of training, or answers that it serves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toposmith.design.edits import Edit
from toposmith.errors import ToposmithError
from toposmith.foreign_values import whole_number
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.prompts import problem_of
from toposmith.tui.flows.workload_edit import workload_edit
from toposmith.tui.questions import Choice, Question
from toposmith.workloads.answers import (
    USUAL_BATCH,
    USUAL_SEQUENCE,
    named_values,
    proposed_precision,
    training_problems,
)
from toposmith.workloads.block import workload_of
from toposmith.workloads.model import WorkloadError

_TARGETS = (
    *("tpot_ms", "ttft_ms", "tokens_per_s", "requests_per_s", "concurrency"),
    *("decode_batch", "chunk_tokens", "wait_passes", "wait_tokens"),
)


async def ask_training(
    designer: Designer, block: Mapping[str, Any], held: dict[str, Any]
) -> dict[str, Any] | None:
    """Sequences, their length, precision and the tokens of the run."""
    plan = designer.editing.workbench.plan

    def checked(sequence: int, batch: int | None = None) -> None:
        run = {"batch": batch or USUAL_BATCH, "sequence": sequence}
        told = workload_of({**block, "training": run})
        assert told.training is not None
        problems = training_problems(plan, told, told.training)
        if batch is None:
            problems = [each for each in problems if each.startswith("layout.cp:")]
        if problems:
            raise WorkloadError(problems)

    sequence = await _number(
        designer,
        "tokens of a sequence",
        held.get("sequence", USUAL_SEQUENCE),
        checked,
    )
    if sequence is None:
        return None
    batch = await _number(
        designer,
        "sequences of a step",
        held.get("batch", USUAL_BATCH),
        lambda size: checked(sequence, size),
        lambda size: workload_edit(
            designer, {**block, "training": {**held, "sequence": sequence, "batch": size}}
        ),
    )
    if batch is None:
        return None
    precision = await _ask_precision(designer, held)
    if precision is None:
        return None
    stack = await _ask_stack(designer, held)
    if stack is None:
        return None
    tokens = await designer.questions.ask(
        Question(
            "tokens of the whole run",
            f"{held['tokens']:g}" if isinstance(held.get("tokens"), int | float) else "",
            "such as 15e12; empty where it does not matter",
            check=lambda text: problem_of(lambda: _amount(text)),
        )
    )
    if tokens is None:
        return None
    run = {**held, "batch": batch, "sequence": sequence, "precision": precision}
    for name in ("tokens", "stack"):
        run.pop(name, None)
    if stack != "nvidia":
        run["stack"] = stack
    if (amount := _amount(tokens)) is not None:
        run["tokens"] = amount
    return run


async def ask_serving(
    designer: Designer, block: Mapping[str, Any], held: dict[str, Any]
) -> dict[str, Any] | None:
    """Prompt, answer, precision, where prompts are read, and what is wanted."""

    def checked(**values: object) -> None:
        workload_of({**block, "serving": {**held, **values}})

    def judged(targets: dict[str, Any]) -> None:
        workload_of({**block, "serving": {**_without_targets(held), **targets}})

    prompt = await _number(
        designer, "tokens of a prompt", held.get("prompt", 2048), lambda size: checked(prompt=size)
    )
    if prompt is None:
        return None
    output = await _number(
        designer, "tokens of an answer", held.get("output", 256), lambda size: checked(output=size)
    )
    if output is None:
        return None
    run = {**held, "prompt": prompt, "output": output}
    precision = await _ask_served_precision(designer, held)
    if precision is None:
        return None
    where = await designer.questions.choose(
        "where are prompts read?",
        [
            Choice("same", "on the GPUs that write answers", "s"),
            Choice("apart", "on other nodes; their caches go over the network", "o"),
        ],
        at="apart" if held.get("disaggregated") else "same",
    )
    if where is None:
        return None
    wanted = await designer.questions.ask(
        Question(
            "targets and load",
            _target_words(held),
            "such as tpot_ms=50,ttft_ms=1000; load: concurrency=64; engine: "
            "decode_batch, chunk_tokens, wait_passes, wait_tokens",
            check=lambda text: problem_of(lambda: judged(_targets(text))),
        )
    )
    if wanted is None:
        return None
    run = _without_targets(run)
    run.pop("kv_precision", None)
    return {**run, **precision, "disaggregated": where == "apart", **_targets(wanted)}


def _usual_precision(designer: Designer) -> str:
    bench = designer.editing.workbench
    return proposed_precision(bench.plan, bench.catalog)


async def _ask_precision(designer: Designer, held: Mapping[str, Any]) -> str | None:
    return await designer.questions.choose(
        "in which precision?",
        [
            Choice("bf16", "bf16", "b"),
            Choice("fp16", "fp16: V100 and T4 have no bf16", "h"),
            Choice("fp8", "fp8, from H100 on", "f"),
            Choice("mxfp8", "mxfp8, from B200 on", "m"),
            Choice("nvfp4", "nvfp4, from B200 on", "n"),
        ],
        at=str(held.get("precision", _usual_precision(designer))),
    )


async def _ask_stack(designer: Designer, held: Mapping[str, Any]) -> str | None:
    return await designer.questions.choose(
        "by which software? its published runs are compared, its memory is counted",
        [
            Choice("nvidia", "NVIDIA's stack: Megatron-LM, NeMo", "n"),
            Choice("fsdp", "plain FSDP of PyTorch", "f"),
            Choice("older", "software to 2022, without FlashAttention", "o"),
        ],
        at=str(held.get("stack", "nvidia")),
    )


async def _ask_served_precision(
    designer: Designer, held: Mapping[str, Any]
) -> dict[str, str] | None:
    """The precision of the weights, and of their KV cache where that is another."""
    weights = str(held.get("precision", _usual_precision(designer)))
    cache = str(held.get("kv_precision", weights))
    chosen = await designer.questions.choose(
        "in which precision are weights and KV cache?",
        [
            Choice("bf16 bf16", "bf16", "b"),
            Choice("fp16 fp16", "fp16: V100 and T4 have no bf16", "h"),
            Choice("fp8 fp8", "fp8, from H100 on", "f"),
            Choice("fp8 bf16", "fp8 weights, bf16 KV cache", "c"),
            Choice("bf16 fp8", "bf16 weights, fp8 KV cache", "w"),
            Choice("nvfp4 fp8", "nvfp4 weights, fp8 KV cache; from B200 on", "n"),
            Choice("int8 bf16", "int8 weights, bf16 KV cache", "i"),
        ],
        at=f"{weights} {cache}",
    )
    if chosen is None:
        return None
    weights, cache = chosen.split()
    return {"precision": weights, **({} if cache == weights else {"kv_precision": cache})}


async def _number(
    designer: Designer,
    label: str,
    proposed: object,
    judge: Callable[[int], None],
    edit: Callable[[int], Edit] | None = None,
) -> int | None:
    """A whole number that ``judge`` raises nothing at."""

    def read(text: str) -> int:
        if not (text.strip().isascii() and text.strip().isdigit()):
            raise ToposmithError("a whole number from 1 on is needed")
        number = whole_number(text.strip())
        judge(number)
        return number

    answer = await designer.questions.ask(
        Question(
            label,
            str(proposed),
            number=True,
            check=lambda text: problem_of(lambda: read(text)),
            edit=None if edit is None else lambda text: edit(int(text)),
        )
    )
    return None if answer is None else int(answer)


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


def _targets(text: str) -> dict[str, Any]:
    """Targets such as ``tpot_ms=50``."""
    return named_values(text, _TARGETS, "tpot_ms=50")
