"""The ``workload:`` block of a design, or a file of its own: what runs, and how it is split."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError, field_validator, model_validator
from pydantic_core import ErrorDetails

from toposmith.analysis.jobs.parallel_layout import RankPlacement
from toposmith.design.loader import path_words, plain_file, shown, suggestion
from toposmith.errors import DesignFileError, Problem
from toposmith.leaving_text import yaml_text
from toposmith.workloads.model import Count, Model, WorkloadError, WorkloadSection, preset

Precision = Literal["bf16", "fp16", "fp8", "mxfp8", "nvfp4", "int8"]
"""Of numbers in products; in blocks that share a scale: mxfp8 of 32, nvfp4 of 16."""
TrainedIn = Literal["bf16", "fp16", "fp8", "mxfp8", "nvfp4"]
Stack = Literal["nvidia", "fsdp", "older"]
"""Software of training: Megatron-LM and NeMo; PyTorch's FSDP; Megatron-LM and its like to 2022."""
MODULES = ("attention", "ffn", "norm", "activation")
"""Of a layer, that the backward pass may run again by themselves (Megatron Core,
recompute_modules: mlp and moe are ffn, layernorm norm, moe_act activation)."""
Offloaded = Literal["optimiser", "activations"]
Flash = Literal[True, False, 1, 2]
"""Whether scores stay on the chip, and by which release of FlashAttention; true is the second."""
Whole = Literal["gradients", "logits"]
Dimension = Literal["tp", "cp", "ep", "dp", "pp"]
ParallelAxis = Literal["tp", "cp", "dp", "pp"]
ORDER: tuple[ParallelAxis, ...] = ("tp", "cp", "dp", "pp")
"""Of ranks, the fastest first, as Megatron-LM has it (megatron/core/parallel_state.py)."""

Positive = Annotated[float, Field(gt=0, le=1e18, allow_inf_nan=False)]
Size = Annotated[int, Field(ge=1, le=1_000_000)]

USUAL_BATCH = 1024
USUAL_SEQUENCE = 4096

PRECISION_BYTES: dict[Precision, float] = {
    "bf16": 2,
    "fp16": 2,
    "fp8": 1,
    "int8": 1,
    "mxfp8": 1 + 1 / 32,
    "nvfp4": 1 / 2 + 1 / 16,
}
"""Bytes of a number with its share of the scale of its block, a byte (Open Compute Project,
Microscaling Formats 1.0, section 5; NVIDIA, Introducing NVFP4)."""

SIXTEEN_BITS: tuple[Precision, ...] = ("bf16", "fp16")


class LayoutBlock(WorkloadSection):
    """How the model is split.

    Parameters
    ----------
    tp, cp, pp : int
        Tensor, context and pipeline parallelism; what they leave of the GPUs is data parallel.
    dp : int, optional
        Copies of the model; as many as there are GPUs for if not given.
    ep : int
        Expert parallelism; its ranks are some of those that cp and dp have, and of tp where experts
        are split less than the rest.
    expert_tp : int, optional
        Tensor parallelism inside each expert; that of the rest if not given. With 1 the experts'
        ranks are all of tp, cp and dp (folded, Megatron Core's expert-tensor-parallel-size).
    zero : int
        ZeRO stage: 1 shards the optimiser, 2 the gradients too, 3 (FSDP) the weights too.
    segment : int, optional
        GPUs of each NVLink rack that take part, such as 64 of 72; as many as let most of them if
        not given.
    sequence_parallel : bool
        Whether activations between tensor-parallel regions are split too.
    micro_batch : int
        Sequences that run through a pipeline together.
    interleave : int
        Chunks of layers that each pipeline stage has.
    uneven_stages : bool
        Whether stages may have unlike numbers of layers; the fullest is timed.
    shard : int, optional
        Ranks that ZeRO shards over, of those of cp and dp, each set of them a whole copy (HSDP,
        MiCS, Megatron Core's num-distributed-optimizer-instances); all if not given.
    recompute : str
        ``none``, ``selective`` (scores only), ``full``, or modules of a layer such as
        ``norm+activation``: what the backward pass runs again.
    recompute_layers : int, optional
        Layers of a stage whose backward pass does; all if not given.
    offload : tuple of str
        What the CPU's memory holds: ``optimiser`` with its update, ``activations``.
    whole : tuple of str
        What software keeps whole though the layout could split it: ``gradients`` that add up over
        micro-batches before ZeRO shards them (PyTorch's no_sync), ``logits`` that tensor
        parallelism gathers for the loss.
    order : tuple of str
        Of ranks, the fastest first.
    overlap : tuple of str
        Communication that runs beside compute, as far as that takes long enough; if not given dp,
        pp and cp, but without dp in software to 2022 that does not gather weights (ZeRO 3).
    """

    tp: Size = 1
    cp: Size = 1
    pp: Size = 1
    dp: Size | None = None
    ep: Size = 1
    expert_tp: Size | None = None
    zero: Annotated[int, Field(ge=0, le=3)] = 1
    sequence_parallel: bool = True
    micro_batch: Size = 1
    interleave: Size = 1
    uneven_stages: bool = False
    shard: Size | None = None
    segment: Size | None = None
    recompute: str = "none"
    recompute_layers: Size | None = None
    offload: tuple[Offloaded, ...] = ()
    whole: tuple[Whole, ...] = ()
    order: tuple[ParallelAxis, ...] = ORDER
    overlap: tuple[Dimension, ...] = ("dp", "pp", "cp")

    @field_validator("recompute")
    @classmethod
    def _known_modules(cls, value: str) -> str:
        if value not in ("none", "selective", "full") and not set(value.split("+")) <= {*MODULES}:
            words = f"none, selective, full, or of {', '.join(MODULES)} some, joined by +"
            raise ValueError(f"found {shown(value)}, expected {words}")
        return value

    @property
    def modules(self) -> frozenset[str]:
        """The modules that run again by themselves."""
        return frozenset(self.recompute.split("+")) & frozenset(MODULES)

    @property
    def reruns(self) -> int:
        """Halves of a layer, attention and feed-forward, whose products run again."""
        return 2 if self.recompute == "full" else len(self.modules & {"attention", "ffn"})

    def share_again(self, layers: int) -> float:
        """Of so many layers the share whose backward pass runs something again."""
        return 1.0 if self.recompute_layers is None else min(1.0, self.recompute_layers / layers)

    @model_validator(mode="after")
    def _orders_all(self) -> LayoutBlock:
        if sorted(self.order) != sorted(ORDER):
            raise ValueError(f"order names each of {', '.join(ORDER)} once")
        if abs(self.order.index("cp") - self.order.index("dp")) != 1:
            raise ValueError(
                "order has cp and dp next to each other; they reduce gradients together"
            )
        if self.expert_tp not in (None, self.tp):
            if self.tp % (self.expert_tp or 1):
                raise ValueError(f"expert_tp is a divisor of tp={self.tp}, such as 1")
            if self.order.index("pp") not in (0, 3):
                raise ValueError("expert_tp needs tp, cp and dp next to each other in the order")
        return self


class TrainingBlock(WorkloadSection):
    """A training run.

    Parameters
    ----------
    batch : int
        Sequences of a step, over all GPUs; near 1,024 and such that it fills the cluster if not
        given.
    sequence : int
        Tokens of a sequence; 4096 if not given.
    precision : str
        Of the matrices' products.
    weight_bytes : int
        Bytes that a GPU keeps of a weight: 1 where they are kept in fp8 alone, 4 where FSDP keeps
        fp32 and gathers 16 bits (the optimiser then has no copy of its own).
    gradient_bytes : int
        Bytes of a gradient as it is reduced.
    optimiser_bytes : int
        Bytes that the optimiser keeps of a parameter: 12 of Adam, the copy in fp32 and both
        moments; 4 where both moments are in bf16 and there is no copy.
    logit_bytes : float, optional
        Bytes of each logit while the loss is computed; as usual in the stack if not given. 4
        where the loss is compiled or computed in pieces (logits and gradient in bf16), 6 where
        all of it is in bf16, 0 where the last product and the loss are one kernel.
    flash_attention : bool or int
        Whether scores stay on the chip; without it they are written to memory and read again. 1 and
        2 name the release of FlashAttention; true is the second.
    tokens : float, optional
        Of the whole run.
    mfu, step_s : float, optional
        What is wanted.
    stack : str
        The software, whose published runs a prediction is compared with, and which decides what
        else memory holds.
    compute_factor : float
        How many times as long as on NVIDIA's stack compute takes, from a run of one's own.
    compute_factor_of : str
        Which run that is.
    """

    batch: Size = USUAL_BATCH
    sequence: Count = USUAL_SEQUENCE
    precision: TrainedIn = "bf16"
    weight_bytes: Literal[1, 2, 4] = 2
    gradient_bytes: Literal[2, 4] = 2
    optimiser_bytes: Annotated[int, Field(ge=0, le=32)] = 12
    logit_bytes: Annotated[float, Field(ge=0, le=64, allow_inf_nan=False)] | None = None
    flash_attention: Flash = True
    tokens: Positive | None = None
    mfu: Annotated[float, Field(gt=0, le=1)] | None = None
    step_s: Positive | None = None
    stack: Stack = "nvidia"
    compute_factor: Annotated[float, Field(ge=0.1, le=100, allow_inf_nan=False)] = 1.0
    compute_factor_of: Annotated[str, Field(max_length=200)] = ""


TO_READ_MS = {"ttft_ms": 2_000.0, "tpot_ms": 50.0}
"""What somebody who reads along waits for at most: two seconds to the first token, and 20 tokens a
second, some 900 words a minute."""


class ServingBlock(WorkloadSection):
    """A service.

    Parameters
    ----------
    prompt, output : int
        Tokens of a request.
    decode_batch : int, optional
        Sequences that a copy of the model decodes together; the largest that fits and meets the
        targets if not given.
    prefill_batch : int
        Prompts that are read together.
    chunk_tokens : int
        Tokens of prompts that one pass reads at most (vLLM: ``max_num_batched_tokens``,
        TensorRT-LLM: ``max_num_tokens``, SGLang: ``chunked_prefill_size``).
    precision : str
        Of weights and products.
    kv_precision : str, optional
        Of the cache of keys and values; that of the weights if not given.
    requests_per_s, tokens_per_s, tpot_ms, ttft_ms : float, optional
        What is wanted of the whole cluster, and of each request; without any of them, and without
        a batch, 2 s to the first token and 50 ms per output token.
    redundant_experts : int
        Copies of experts that a layer holds besides, which share their tokens.
    disaggregated : bool
        Whether prompts are read on other nodes than answers are written.
    prefill_share : float
        Share of the GPUs that read prompts, where they are others.
    """

    prompt: Count = 2048
    output: Count = 256
    decode_batch: Size | None = None
    prefill_batch: Size = 1
    chunk_tokens: Size = 8192
    precision: Precision = "bf16"
    kv_precision: Precision | None = None
    requests_per_s: Positive | None = None
    tokens_per_s: Positive | None = None
    tpot_ms: Positive | None = None
    ttft_ms: Positive | None = None
    redundant_experts: Annotated[int, Field(ge=0, le=100_000)] = 0
    disaggregated: bool = False
    prefill_share: Annotated[float, Field(gt=0, lt=1)] = 0.5

    @property
    def has_target(self) -> bool:
        """Whether it says what is wanted, or the batch that decides it."""
        names = (*TO_READ_MS, "requests_per_s", "tokens_per_s", "decode_batch")
        return any(getattr(self, name) is not None for name in names)

    def wanted_ms(self, name: str) -> float | None:
        """The target ``ttft_ms`` or ``tpot_ms``; where nothing is said what people wait for."""
        return getattr(self, name) if self.has_target else TO_READ_MS[name]

    @property
    def cached_in(self) -> Precision:
        """The precision of keys and values."""
        return self.kv_precision or self.precision


class StorageBlock(WorkloadSection):
    """The storage that a run reads from and writes to, where the design does not say.

    Parameters
    ----------
    part : str, optional
        A storage part of the catalog.
    count : int
        How many of it there are.
    read_GBps, write_GBps : float, optional
        Of all storage together, GB/s, where no part states it.
    opens_per_s : float, optional
        Files that it opens and reads a second, where no part states it.
    sample_files : float
        Files that are opened for each sequence; 0 where samples are packed into large ones.
    sample_bytes : float, optional
        What is read for a sequence; 4 bytes a token if not given.
    mtbf_h : float, optional
        Hours between failures of the whole job; by counts of parts and published rates if not
        given.
    interval_s : float, optional
        Between checkpoints; Young's and Daly's if not given.
    restart_s : float, optional
        From a stop until a checkpoint is read; 600 if not given (MegaScale's average is less).
    spare_nodes : int, optional
        Nodes that take the place of those under repair; as many as let the job have all its nodes
        99 % of the time if not given.
    """

    part: str | None = None
    count: Size = 1
    read_GBps: Positive | None = None
    write_GBps: Positive | None = None
    opens_per_s: Positive | None = None
    sample_files: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] = 0.0
    sample_bytes: Positive | None = None
    mtbf_h: Positive | None = None
    interval_s: Positive | None = None
    restart_s: Positive | None = None
    spare_nodes: Annotated[int, Field(ge=0, le=100_000)] | None = None


class Workload(WorkloadSection):
    """What is to run on a design.

    Parameters
    ----------
    model : Model
        Its dimensions.
    layout : LayoutBlock
        How the model is split.
    training : TrainingBlock, optional
        The training run.
    serving : ServingBlock, optional
        The service.
    storage : StorageBlock
        The storage that it reads and writes, where the design does not say.
    placement : str
        The order in which ranks are assigned to nodes.
    seed : int
        Seed of the scattered order.
    """

    model: Model
    layout: LayoutBlock = LayoutBlock()
    training: TrainingBlock | None = None
    serving: ServingBlock | None = None
    storage: StorageBlock = StorageBlock()
    placement: RankPlacement = "packed"
    seed: int = 0

    @property
    def placed_model(self) -> Model:
        """The model as its ranks hold it, with redundant experts among the others."""
        more = self.serving.redundant_experts if self.serving is not None else 0
        if not more or self.model.experts is None:
            return self.model
        moe = self.model.experts
        experts = moe.model_copy(update={"count": moe.count + more})
        return self.model.model_copy(update={"experts": experts})


def workload_of(block: Mapping[str, Any]) -> Workload:
    """Read a workload.

    ``model`` is the name of a preset or a block of dimensions.

    Raises
    ------
    WorkloadError
        With a line for each problem: which key, what was found, what would be right.
    """
    given = dict(block)
    if "model" not in given:
        raise WorkloadError(["workload.model: is missing; name a preset, such as llama3-70b"])
    if isinstance(given["model"], str):
        given["model"] = preset(given["model"]).model_dump(exclude_unset=True)
    try:
        return _as_its_software(Workload.model_validate_json(json.dumps(given)))
    except (TypeError, ValueError) as error:
        if not isinstance(error, ValidationError):
            raise WorkloadError([f"workload: {error}"]) from None
        details = error.errors(include_url=False, include_context=True, include_input=True)
        raise WorkloadError(_in_words(detail) for detail in details[:100]) from None


def _as_its_software(workload: Workload) -> Workload:
    """What overlaps, where the layout does not say it.

    Software to 2022 reduces gradients when the last backward pass is over: Megatron-LM, training.py
    of 2.x (``backward-params-all-reduce``), DeepSpeed below ZeRO 3 (microsoft/DeepSpeed, pull 1246:
    "there is no overlapping").
    """
    layout, training = workload.layout, workload.training
    if training is None or training.stack != "older" or layout.zero == 3:
        return workload
    if "overlap" in (said := layout.model_fields_set):
        return workload
    values = dict(layout) | {"overlap": tuple(each for each in layout.overlap if each != "dp")}
    late = LayoutBlock.model_construct(_fields_set=said, **values)
    return workload.model_copy(update={"layout": late})


def _in_words(detail: ErrorDetails) -> str:
    """One finding of pydantic, with the place and without its words."""
    location = detail["loc"]
    where = path_words(("workload", *location))
    if detail["type"] == "extra_forbidden":
        known = _known_keys(location[:-1])
        return f"{where}: unknown key {shown(location[-1])}; {suggestion(str(location[-1]), known)}"
    if detail["type"] == "missing":
        example = _EXAMPLES.get(str(location[-1]))
        return f"{where}: is missing" + (f"; {example}" if example else "")
    if detail["type"] == "value_error":
        return f"{where}: {str(detail['msg']).removeprefix('Value error, ')}"
    expected = str(detail["msg"]).removeprefix("Input should be ").removeprefix("a valid ")
    expected = expected.partition(", unable to")[0].replace("boolean", "true or false")
    return f"{where}: found {shown(detail['input'])}, expected {expected}"


_EXAMPLES = {
    "sequence": "tokens of a sequence, such as 4096",
}


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    """The keys of the block at a place."""
    blocks: dict[str, type[BaseModel]] = {
        "layout": LayoutBlock,
        "training": TrainingBlock,
        "serving": ServingBlock,
        "storage": StorageBlock,
        "model": Model,
    }
    at: type[BaseModel] = Workload
    for step in location:
        field = at.model_fields.get(str(step))
        if field is None:
            return []
        inner = [arg for arg in _types_of(field.annotation) if issubclass(arg, BaseModel)]
        at = inner[0] if inner else blocks.get(str(step), at)
    return list(at.model_fields)


def _types_of(annotation: Any) -> list[type]:
    """The classes of an annotation such as ``Experts | None``."""
    found = [annotation, *getattr(annotation, "__args__", ())]
    return [each for each in found if isinstance(each, type)]


def parse_workload(text: str, source: str) -> dict[str, Any]:
    """The block that a file holds: the keys themselves, or all of them under ``workload:``.

    Raises
    ------
    DesignFileError
        If it is no YAML, or no keys with values.
    """
    file = plain_file(text, source)
    if file.problems:
        raise DesignFileError(source, file.problems)
    data = file.data
    if isinstance(data, dict) and isinstance(data.get("workload"), dict):
        data = data["workload"]
    if not isinstance(data, dict):
        text = f"found {shown(data)}, expected a workload: keys with values, such as model"
        raise DesignFileError(source, [Problem(text, 1, 1)])
    return data


def with_values(
    block: Mapping[str, Any] | None, values: Mapping[tuple[str, ...], object]
) -> dict[str, Any]:
    """A block with values set at their places, such as ``("layout", "tp")``; None sets nothing."""
    made: dict[str, Any] = dict(block or {})
    for place, value in values.items():
        if value is None:
            continue
        inner = made
        for key in place[:-1]:
            held = inner.get(key)
            inner[key] = dict(held) if isinstance(held, dict) else {}
            inner = inner[key]
        inner[place[-1]] = value
    return made


def workload_text(block: Mapping[str, Any]) -> str:
    """A block as a file of its own, which :func:`parse_workload` reads."""
    return yaml_text({"workload": dict(block)})
