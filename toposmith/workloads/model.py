"""A transformer by its dimensions: parameters, FLOP and the bytes that it caches per token."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from toposmith.design.loader import plain_file, shown, suggestion
from toposmith.errors import ToposmithError


class WorkloadError(ToposmithError):
    """A workload that cannot be read or cannot run; a line for each problem."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


Count = Annotated[int, Field(ge=1, le=10_000_000)]


class WorkloadSection(BaseModel):
    """A part of a workload; unknown keys are errors."""

    # built when a design first has a workload: the app does not wait for it
    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)


class Experts(WorkloadSection):
    """Experts of the layers that have them.

    Parameters
    ----------
    count : int
        Routed experts of a layer.
    active : int
        Of those, how many a token goes to.
    ffn : int
        Inner width of one expert.
    shared : int
        Experts that every token goes to.
    dense_layers : int
        Layers at the beginning without experts.
    nodes : int, optional
        Nodes that a token's experts lie on at most, where routing is so limited.
    """

    count: Count
    active: Count
    ffn: Count
    shared: Annotated[int, Field(ge=0, le=1000)] = 0
    dense_layers: Annotated[int, Field(ge=0, le=1000)] = 0
    nodes: Count | None = None


class Latent(WorkloadSection):
    """Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434).

    Parameters
    ----------
    query_rank : int, optional
        Rank that queries are compressed to; they are not without it.
    kv_rank : int
        Rank that keys and values are compressed to.
    nope, rope, value : int
        Elements of a head: without position, with rotary position, of values.
    """

    query_rank: Count | None = None
    kv_rank: Count
    nope: Count
    rope: Count
    value: Count


class Model(WorkloadSection):
    """A decoder-only transformer.

    Parameters
    ----------
    name : str
        What it is called.
    layers, hidden, heads, vocabulary : int
        As in its published configuration.
    ffn : int
        Inner width of the dense feed-forward layers.
    kv_heads : int, optional
        Heads of keys and values; as many as heads if not given.
    head : int, optional
        Size of a head; hidden over heads if not given.
    gated : bool
        Whether the feed-forward layer has a gate (SwiGLU), hence three matrices.
    tied : bool
        Whether input and output share the embedding.
    more_layers : int
        Layers that are trained besides, such as one that predicts a further token.
    experts, latent : optional
        Where it has them.
    source : str
        Where the figures are from.
    """

    name: str = ""
    layers: Annotated[int, Field(ge=1, le=10_000)]
    hidden: Count
    heads: Count
    ffn: Count
    vocabulary: Count
    kv_heads: Count | None = None
    head: Count | None = None
    gated: bool = True
    tied: bool = False
    more_layers: Annotated[int, Field(ge=0, le=100)] = 0
    experts: Experts | None = None
    latent: Latent | None = None
    source: str = ""

    @property
    def head_size(self) -> int:
        """Elements of a head."""
        return self.head or self.hidden // self.heads

    @property
    def key_heads(self) -> int:
        """Heads of keys, and as many of values."""
        return self.kv_heads or self.heads

    @property
    def all_layers(self) -> int:
        """Layers that training runs through."""
        return self.layers + self.more_layers

    @property
    def expert_layers(self) -> int:
        """Layers with experts."""
        return self.all_layers - self.experts.dense_layers if self.experts else 0

    @property
    def served_expert_layers(self) -> int:
        """Of those, the ones that serving runs through."""
        return self.expert_layers - self.more_layers if self.experts else 0

    @property
    def attention_parameters(self) -> int:
        """Of one layer's attention."""
        h, a = self.hidden, self.heads
        if self.latent is not None:
            m = self.latent
            sizes = a * (m.nope + m.rope)
            queries = m.query_rank * (h + sizes) if m.query_rank else h * sizes
            keys = h * (m.kv_rank + m.rope) + m.kv_rank * a * (m.nope + m.value)
            return queries + keys + a * m.value * h
        return h * self.head_size * (2 * a + 2 * self.key_heads)

    @property
    def _small_parameters(self) -> int:
        """Norms and, in models without gates, biases: 13 h as Megatron counts them."""
        return (2 if self.gated else 13) * self.hidden

    def ffn_parameters(self, width: int) -> int:
        """Of one feed-forward layer of this inner width."""
        return (3 if self.gated else 2) * self.hidden * width

    @property
    def expert_parameters(self) -> int:
        """Of all routed experts of one layer."""
        moe = self.experts
        return moe.count * self.ffn_parameters(moe.ffn) if moe else 0

    @property
    def embedding_parameters(self) -> int:
        """Of the embedding, one of the two where they are not tied."""
        return self.vocabulary * self.hidden

    @property
    def dense_parameters(self) -> int:
        """All parameters but those of routed experts."""
        return self._body(0) + self.embedding_parameters * (1 if self.tied else 2)

    @property
    def parameters(self) -> int:
        """All parameters, without the layers trained besides."""
        return self.dense_parameters + self.served_expert_layers * self.expert_parameters

    @property
    def active_parameters(self) -> int:
        """Parameters that one token passes through, embeddings included as is usual."""
        active = self._body(self.experts.active if self.experts else 0)
        return active + self.embedding_parameters * (1 if self.tied else 2)

    def _body(self, routed: int) -> int:
        """Parameters of the layers, with so many routed experts in each."""
        moe = self.experts
        alone = self.attention_parameters + self._small_parameters
        if moe is None:
            return self.layers * (alone + self.ffn_parameters(self.ffn))
        dense = moe.dense_layers * self.ffn_parameters(self.ffn)
        each = (moe.shared + routed) * self.ffn_parameters(moe.ffn) + self.hidden * moe.count
        return self.layers * alone + dense + (self.layers - moe.dense_layers) * each

    @property
    def active_width(self) -> float:
        """Inner width that a token passes through in a layer, on average over the layers."""
        moe = self.experts
        if moe is None:
            return self.ffn
        routed = (self.all_layers - moe.dense_layers) * (moe.active + moe.shared) * moe.ffn
        return (routed + moe.dense_layers * self.ffn) / self.all_layers

    @property
    def layer_flops(self) -> float:
        """FLOP of a token's forward pass through the matrices of a layer, on average: 2 each."""
        router = self.hidden * self.experts.count if self.experts else 0
        width = self.active_width
        ffn = (3 if self.gated else 2) * self.hidden * width
        return 2 * (self.attention_parameters + ffn + router)

    def score_flops(self, sequence: float) -> float:
        """FLOP of a token's scores and their sum over values, all pairs counted: 4 s a d."""
        if self.latent is not None:
            both = self.latent.nope + self.latent.rope + self.latent.value
            return 2 * sequence * self.heads * both
        return 4 * sequence * self.heads * self.head_size

    def decode_score_flops(self, context: float) -> float:
        """FLOP of one new token's scores; a latent is used as it is cached, not expanded."""
        if self.latent is not None:
            return 2 * context * self.heads * (2 * self.latent.kv_rank + self.latent.rope)
        return self.score_flops(context)

    @property
    def logit_flops(self) -> float:
        """FLOP of a token's way to the vocabulary, forward."""
        return 2 * self.embedding_parameters

    @property
    def kv_elements(self) -> int:
        """Elements that one layer caches of a token: keys and values, or their latent."""
        if self.latent is not None:
            return self.latent.kv_rank + self.latent.rope
        return 2 * self.key_heads * self.head_size

    def kv_bytes(self, each: float) -> float:
        """Bytes that all layers cache of a token, at so many bytes an element."""
        return self.layers * self.kv_elements * each


_FOLDER = files("toposmith.workloads") / "models"


@cache
def preset_names() -> tuple[str, ...]:
    """Their names, in order of the alphabet."""
    names = (file.name for file in _FOLDER.iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in names if name.endswith(".yaml")))


def is_file(name: str) -> bool:
    """Whether a model's name is that of a file, or of a folder: no preset has a slash or .json."""
    return name.lower().endswith(".json") or "/" in name or os.sep in name


@cache
def preset(name: str) -> Model:
    """The model of this name.

    Raises
    ------
    WorkloadError
        If there is none; names the nearest.
    """
    if is_file(name):
        text = "is a file; --model reads one, and e on the workload's page: a block has dimensions"
        raise WorkloadError([f"workload.model: {shown(name)} {text} or the name of a preset"])
    if name not in preset_names():
        words = suggestion(name, preset_names())
        # of a name that no file can have Path.is_dir raises
        is_folder = os.path.isdir(name)  # noqa: PTH112
        folder = f" (a folder with a config.json is written {name}/)" if is_folder else ""
        raise WorkloadError([f"workload.model: no model {shown(name)}; {words}{folder}"])
    file = _FOLDER / f"{name}.yaml"
    try:
        return Model.model_validate(plain_file(file.read_text("utf-8"), f"{name}.yaml").data)
    except ValidationError as wrong:  # pragma: no cover - the tests read every preset
        raise WorkloadError([f"{name}: {wrong}"]) from None
