"""A model from the ``config.json`` that its makers publish with its weights (Hugging Face).

What a key means depends on the architecture, so only known ones are read; the others are refused
by name. Keys and defaults are those of the configuration classes of the transformers library
(huggingface.co/docs/transformers, each model's page).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from toposmith.design.loader import shown
from toposmith.design.stored_files import load_text
from toposmith.foreign_values import JsonError, read_json
from toposmith.workloads.divisibility import divisors, nearest
from toposmith.workloads.model import Experts, Latent, Model, WorkloadError, is_file

_LARGEST = 10_000_000


class _Config:
    """The keys of a file, each checked as it is asked for."""

    def __init__(self, data: Mapping[str, Any], source: str, defaults: Mapping[str, int]) -> None:
        self.data, self.source, self.defaults = data, source, defaults
        self.problems: list[str] = []
        self.wrong: set[str] = set()

    def fault(self, key: str, words: str, *of: str) -> None:
        """Note what is wrong; not of a key whose value follows ``of`` others that are wrong."""
        if self.wrong.isdisjoint(of):
            self.problems.append(f"{self.source}: {key}: {words}")
            self.wrong.add(key)

    def count(self, *keys: str, least: int = 1, most: int = _LARGEST) -> int:
        """The whole number of the first of these keys that is there; a fault where none is."""
        for key in keys:
            if self.data.get(key) is not None:
                return self._whole(key, self.data[key], least, most)
        if (default := self.defaults.get(keys[0])) is not None:
            return default
        self.fault(keys[0], f"is missing; a whole number from {least} on is needed")
        return max(least, 1)

    def perhaps(self, key: str, default: int, *, least: int = 0) -> int:
        """The whole number of a key that may be left out."""
        value = self.data.get(key)
        return default if value is None else self._whole(key, value, least, _LARGEST)

    def _whole(self, key: str, value: object, least: int, most: int) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
            return value
        self.fault(key, f"found {shown(value)}, expected a whole number from {least} to {most:,}")
        return max(least, 1)


def _like_mixtral(config: _Config, layers: int) -> Experts | None:
    del layers
    return Experts(
        count=config.count("num_local_experts"),
        active=config.count("num_experts_per_tok", "experts_per_token"),
        ffn=config.count("intermediate_size"),
    )


def _like_llama4(config: _Config, layers: int) -> Experts | None:
    """Every so manyth layer has experts, and one besides that every token goes to."""
    sparse = config.data.get("moe_layers")
    step = config.perhaps("interleave_moe_layer_step", 1, least=1)
    count = len(sparse) if isinstance(sparse, list) and sparse else layers // step
    return Experts(
        count=config.count("num_local_experts"),
        active=config.count("num_experts_per_tok"),
        ffn=config.count("intermediate_size"),
        shared=1,
        dense_layers=max(layers - count, 0),
    )


def _like_qwen(config: _Config, layers: int) -> Experts | None:
    """Files give the whole width of what every token goes to; here in widths of an expert."""
    width = config.count("moe_intermediate_size")
    together = config.perhaps("shared_expert_intermediate_size", 0)
    if together % width:
        words = f"{together:,} is not a multiple of moe_intermediate_size, {width:,}"
        config.fault("shared_expert_intermediate_size", words)
    step = config.perhaps("decoder_sparse_step", 1, least=1)
    plain = config.data.get("mlp_only_layers") or []
    plain = {at for at in plain if isinstance(at, int)} if isinstance(plain, list) else set()
    sparse = sum(1 for at in range(layers) if at not in plain and (at + 1) % step == 0)
    return Experts(
        count=config.count("num_experts"),
        active=config.count("num_experts_per_tok"),
        ffn=width,
        shared=together // width,
        dense_layers=layers - sparse,
    )


def _like_deepseek(config: _Config, layers: int) -> Experts | None:
    """The first layers are dense; groups that routing keeps to are nodes (arXiv 2412.19437)."""
    dense = config.perhaps("first_k_dense_replace", 0)
    if config.perhaps("moe_layer_freq", 1, least=1) != 1:
        config.fault("moe_layer_freq", "only 1, experts in every layer after the first, is read")
    if dense >= layers:
        config.fault("first_k_dense_replace", f"{dense} of {layers} layers leave none with experts")
    limited = config.perhaps("n_group", 1) > 1
    return Experts(
        count=config.count("n_routed_experts"),
        active=config.count("num_experts_per_tok"),
        ffn=config.count("moe_intermediate_size"),
        shared=config.perhaps("n_shared_experts", 0),
        dense_layers=min(dense, 1000),
        nodes=config.count("topk_group") if limited else None,
    )


@dataclass(frozen=True)
class _Family:
    """How the files of an architecture are read.

    Parameters
    ----------
    experts : callable, optional
        Its experts, from the file and its layers.
    latent : bool
        Whether it caches a latent of keys and values.
    gated, tied : bool
        Of the feed-forward layers, and of the embedding where the file does not say.
    ffn : str
        The key of the dense inner width.
    equal_keys : bool
        Whether a file without ``num_key_value_heads`` has as many as heads.
    own_head : bool
        Whether heads are of a size of their own, which a file has to say.
    defaults : mapping
        What files leave out, because the class has it.
    """

    experts: Callable[[_Config, int], Experts | None] | None = None
    latent: bool = False
    gated: bool = True
    tied: bool = False
    ffn: str = "intermediate_size"
    equal_keys: bool = False
    own_head: bool = False
    defaults: Mapping[str, int] = field(default_factory=dict)


_DENSE = _Family()
_OWN_HEAD = _Family(own_head=True)
_GEMMA = _Family(tied=True, own_head=True)
_GEMMA3 = _Family(
    tied=True,
    own_head=True,
    defaults={
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "head_dim": 256,
        "vocab_size": 262_208,
    },
)
_QWEN_MOE = _Family(_like_qwen, own_head=True)
_DEEPSEEK = _Family(_like_deepseek, latent=True, equal_keys=True)

_FAMILIES: dict[str, _Family] = {
    "llama": _Family(equal_keys=True),
    **dict.fromkeys(("mistral", "ministral", "qwen2", "qwen2_vl", "qwen2_vl_text"), _DENSE),
    **dict.fromkeys(("qwen2_5_vl", "qwen2_5_vl_text", "phi3", "granite", "olmo2"), _DENSE),
    **dict.fromkeys(("qwen3", "qwen3_vl_text", "mimo", "glm", "glm4", "seed_oss"), _OWN_HEAD),
    **dict.fromkeys(("gemma", "gemma2"), _GEMMA),
    **dict.fromkeys(("gemma3", "gemma3_text"), _GEMMA3),
    "gpt_neox": _Family(gated=False, equal_keys=True),
    "gpt2": _Family(gated=False, tied=True, equal_keys=True, ffn="n_inner"),
    "opt": _Family(gated=False, tied=True, equal_keys=True, ffn="ffn_dim"),
    **dict.fromkeys(("mixtral", "phimoe"), _Family(_like_mixtral)),
    **dict.fromkeys(("gpt_oss", "minimax_m2"), _Family(_like_mixtral, own_head=True)),
    **dict.fromkeys(
        ("llama4", "llama4_text"), _Family(_like_llama4, own_head=True, ffn="intermediate_size_mlp")
    ),
    "qwen2_moe": _Family(_like_qwen),
    **dict.fromkeys(("qwen3_moe", "qwen3_vl_moe_text"), _QWEN_MOE),
    "glm4_moe": _Family(_like_deepseek, own_head=True),
    **dict.fromkeys(("deepseek_v2", "deepseek_v3", "deepseek_v32", "kimi_k2"), _DEEPSEEK),
    "glm_moe_dsa": _DEEPSEEK,
}

_WHY_NOT = {
    "mamba": "layers that keep a state instead of a KV cache",
    "nemotron_h": "layers that keep a state instead of a KV cache",
    "jamba": "layers that keep a state instead of a KV cache",
    "kimi_linear": "layers of linear attention",
    "qwen3_next": "layers of linear attention",
    "qwen3_5": "layers of linear attention",
    "minimax_text_01": "layers of linear attention",
    "gemma3n": "embeddings of each layer, and layers that share a KV cache",
    "gemma4": "layers with heads of two sizes",
    "nemotron-nas": "layers that differ from each other",
    "bert": "an encoder",
    "t5": "an encoder",
    "whisper": "an encoder",
}
"""Architectures that a block of dimensions cannot say, by how their names begin."""


def read_config(path: str | os.PathLike[str]) -> Model:
    """The model of a ``config.json``, or of the one in a folder.

    Raises
    ------
    DesignFileError
        If there is no such file.
    WorkloadError
        If it is no such configuration: every key that is missing or wrong, or the architecture.
    """
    file = Path(path).expanduser()
    file = file / "config.json" if file.is_dir() else file
    text, _ = load_text(file)
    name = file.parent.resolve().name if file.name == "config.json" else ""
    return model_of_config(text, file.name, name or file.stem.removesuffix("_config"))


def model_of_config(text: str, source: str, name: str = "") -> Model:
    """The model that the text of a ``config.json`` describes.

    Raises
    ------
    WorkloadError
        If the text is no configuration of a supported model; it names every problem.
    """
    whole = _mapping(text, source)
    inner = next((whole[key] for key in _INNER if isinstance(whole.get(key), dict)), None)
    data: dict[str, Any] = whole if inner is None else inner
    kind = data.get("model_type", whole.get("model_type"))
    family = _FAMILIES.get(kind) if isinstance(kind, str) else None
    if family is None:
        raise WorkloadError([f"{source}: model_type: {_unknown(kind)}"])
    config = _Config(data, source, family.defaults)
    made = _model(config, family, whole)
    if config.problems:
        raise WorkloadError(config.problems)
    notes = [f"config.json of {name or 'a model'} ({kind})"]
    if inner is not None:
        notes.append("without its vision and audio encoders")
    if _windowed(data):
        notes.append(
            "sliding windows counted as full attention: scores and KV cache are at most that"
        )
    return made.model_copy(update={"name": name, "source": "; ".join(notes)})


_INNER = ("text_config", "llm_config", "language_config")
"""Where files of models that also see pictures have the part that writes text."""


def _mapping(text: str, source: str) -> dict[str, Any]:
    try:
        data = read_json(text.removeprefix("\ufeff"))
    except JsonError as error:
        why = f"no JSON (line {error.line}: {error}), expected a model's config.json"
        raise WorkloadError([f"{source}: {why}"]) from None
    if not isinstance(data, dict):
        raise WorkloadError([f"{source}: found {shown(data)}, expected a model's config.json"])
    return data


def _unknown(kind: object) -> str:
    """Why an architecture is not read."""
    if not isinstance(kind, str):
        found = "is missing" if kind is None else f"found {shown(kind)}"
        return f"{found}; the config.json next to a model's weights names its architecture there"
    why = next((words for start, words in _WHY_NOT.items() if kind.startswith(start)), None)
    reason = f" ({why})" if why else ""
    known = ", ".join(sorted(_FAMILIES))
    return f"the architecture {shown(kind)} is not known{reason}; known: {known}"


def _model(config: _Config, family: _Family, whole: Mapping[str, Any]) -> Model:
    layers = config.count("num_hidden_layers", "n_layer", most=10_000)
    hidden = config.count("hidden_size", "n_embd")
    heads = config.count("num_attention_heads", "n_head")
    vocabulary = config.count("vocab_size")
    experts = family.experts(config, layers) if family.experts else None
    if experts is not None and experts.active > experts.count:
        words = f"{experts.active} of {experts.count} experts; at most {experts.count} works"
        config.fault("num_experts_per_tok", words)
    latent = _latent(config) if family.latent else None
    tied = config.data.get("tie_word_embeddings", whole.get("tie_word_embeddings"))
    return Model(
        layers=layers,
        hidden=hidden,
        heads=heads,
        vocabulary=vocabulary,
        ffn=_inner_width(config, family, hidden, experts),
        kv_heads=None if latent else _key_heads(config, family, heads),
        head=None if latent else _head(config, family, hidden, heads),
        gated=family.gated,
        tied=tied if isinstance(tied, bool) else family.tied,
        more_layers=min(config.perhaps("num_nextn_predict_layers", 0), 100),
        experts=experts,
        latent=latent,
    )


def _inner_width(config: _Config, family: _Family, hidden: int, experts: Experts | None) -> int:
    if family.ffn == "n_inner" and config.data.get("n_inner") is None:
        return 4 * hidden
    if family.ffn == "intermediate_size_mlp" and experts and not experts.dense_layers:
        return config.perhaps(family.ffn, experts.ffn, least=1)
    return config.count(family.ffn)


def _key_heads(config: _Config, family: _Family, heads: int) -> int | None:
    if family.equal_keys and config.data.get("num_key_value_heads") is None:
        return None
    keys = config.count("num_key_value_heads")
    if heads % keys:
        words = f"{keys} does not divide {heads} heads; {nearest(keys, divisors(heads))} works"
        config.fault("num_key_value_heads", words, "num_attention_heads")
    return keys


def _head(config: _Config, family: _Family, hidden: int, heads: int) -> int | None:
    if config.data.get("head_dim") is not None or family.own_head:
        return config.count("head_dim")
    if hidden % heads:
        words = f"{heads} does not divide a hidden_size of {hidden:,}, and head_dim is missing"
        works = f"{nearest(heads, divisors(hidden))} works"
        config.fault("num_attention_heads", f"{words}; {works}", "hidden_size")
    return None


def _latent(config: _Config) -> Latent:
    """Ranks and sizes of heads; queries without a rank are not compressed (DeepSeek-V2-Lite)."""
    rank = config.data.get("q_lora_rank")
    return Latent(
        query_rank=None if rank is None else config.count("q_lora_rank"),
        kv_rank=config.count("kv_lora_rank"),
        nope=config.count("qk_nope_head_dim"),
        rope=config.count("qk_rope_head_dim"),
        value=config.count("v_head_dim"),
    )


def _windowed(data: Mapping[str, Any]) -> bool:
    """Whether some layers attend to the nearest tokens only."""
    reach = data.get("max_position_embeddings")
    longest = reach if isinstance(reach, int) else inf
    windows = [data.get("attention_chunk_size")]
    if data.get("use_sliding_window") is not False:
        windows.append(data.get("sliding_window"))
    return any(isinstance(window, int) and 0 < window < longest for window in windows)


def named_model(text: str) -> str | dict[str, Any]:
    """What stands for a model in a block: the name of a preset, or the dimensions of a file."""
    return block_of(read_config(text)) if is_file(text) else text


def block_of(model: Model) -> dict[str, Any]:
    """A model's dimensions as a block has them, without what it has not."""
    return model.model_dump(mode="json", exclude_defaults=True)
