"""A model's config.json, read by what its architecture means by each key.

Sizes and parameters active for a token are those that makers print (model cards, arXiv 2405.04434,
2412.19437, 2508.10925); cache bytes are worked out by hand from the keys.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toposmith.workloads.block import workload_of
from toposmith.workloads.config_json import block_of, model_of_config, named_model
from toposmith.workloads.model import WorkloadError, preset


def keys(layers: int, hidden: int, heads: int, ffn: int, vocabulary: int) -> dict[str, Any]:
    return {
        "num_hidden_layers": layers,
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "intermediate_size": ffn,
        "vocab_size": vocabulary,
    }


LLAMA = {"model_type": "llama", **keys(32, 4096, 32, 14336, 128256), "num_key_value_heads": 8}
DEEPSEEK = {
    "model_type": "deepseek_v3",
    **keys(61, 7168, 128, 18432, 129280),
    "n_routed_experts": 256,
    "num_experts_per_tok": 8,
    "moe_intermediate_size": 2048,
    "n_shared_experts": 1,
    "first_k_dense_replace": 3,
    "n_group": 8,
    "topk_group": 4,
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "num_nextn_predict_layers": 1,
}
V2_LITE = {
    "model_type": "deepseek_v2",
    **keys(27, 2048, 16, 10944, 102400),
    "n_routed_experts": 64,
    "num_experts_per_tok": 6,
    "moe_intermediate_size": 1408,
    "n_shared_experts": 2,
    "first_k_dense_replace": 1,
    "n_group": 1,
    "topk_group": 1,
    "q_lora_rank": None,
    "kv_lora_rank": 512,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
}
QWEN2_MOE = {
    "model_type": "qwen2_moe",
    **keys(28, 3584, 28, 18944, 151936),
    "num_key_value_heads": 4,
    "num_experts": 64,
    "num_experts_per_tok": 8,
    "moe_intermediate_size": 2560,
    "shared_expert_intermediate_size": 20480,
    "decoder_sparse_step": 1,
}
QWEN3_MOE = {
    "model_type": "qwen3_moe",
    **keys(48, 2048, 32, 6144, 151936),
    "num_key_value_heads": 4,
    "head_dim": 128,
    "num_experts": 128,
    "num_experts_per_tok": 8,
    "moe_intermediate_size": 768,
    "decoder_sparse_step": 1,
    "mlp_only_layers": [],
}
MAVERICK = {
    "model_type": "llama4",
    "text_config": {
        **keys(48, 5120, 40, 8192, 202048),
        "model_type": "llama4_text",
        "intermediate_size_mlp": 16384,
        "head_dim": 128,
        "num_key_value_heads": 8,
        "num_local_experts": 128,
        "num_experts_per_tok": 1,
        "interleave_moe_layer_step": 2,
        "attention_chunk_size": 8192,
    },
}
GPT_OSS = {
    "model_type": "gpt_oss",
    **keys(36, 2880, 64, 2880, 201088),
    "num_key_value_heads": 8,
    "head_dim": 64,
    "num_local_experts": 128,
    "experts_per_token": 4,
    "sliding_window": 128,
    "max_position_embeddings": 131072,
}
MIXTRAL = {
    "model_type": "mixtral",
    **keys(32, 4096, 32, 14336, 32000),
    "num_key_value_heads": 8,
    "num_local_experts": 8,
    "num_experts_per_tok": 2,
}
GLM45 = {
    "model_type": "glm4_moe",
    **keys(92, 5120, 96, 12288, 151552),
    "num_key_value_heads": 8,
    "head_dim": 128,
    "n_routed_experts": 160,
    "num_experts_per_tok": 8,
    "moe_intermediate_size": 1536,
    "n_shared_experts": 1,
    "first_k_dense_replace": 3,
    "n_group": 1,
    "topk_group": 1,
    "num_nextn_predict_layers": 1,
}
GEMMA3_4B = {
    "model_type": "gemma3",
    "text_config": {
        "hidden_size": 2560,
        "intermediate_size": 10240,
        "num_hidden_layers": 34,
        "model_type": "gemma3_text",
        "sliding_window": 1024,
    },
}
GPT2 = {"model_type": "gpt2", "n_embd": 1600, "n_layer": 48, "n_head": 25, "vocab_size": 50257}

PUBLISHED = {
    # all, active, in 10^9 as printed by the maker; bytes of a token's cache in bf16, by hand
    "Llama 3 8B": (LLAMA, 8.03, 8.03, 32 * 2 * 8 * 128 * 2),
    "DeepSeek-V3": (DEEPSEEK, 671, 37, 61 * (512 + 64) * 2),
    "DeepSeek-V2-Lite": (V2_LITE, 15.7, 2.4 + 0.21, 27 * (512 + 64) * 2),
    "Qwen2-57B-A14B": (QWEN2_MOE, 57.4, 14, 28 * 2 * 4 * 128 * 2),
    "Qwen3-30B-A3B": (QWEN3_MOE, 30.5, 3.3, 48 * 2 * 4 * 128 * 2),
    "Llama 4 Maverick": (MAVERICK, 400, 17, 48 * 2 * 8 * 128 * 2),
    "Mixtral 8x7B": (MIXTRAL, 46.7, 12.9, 32 * 2 * 8 * 128 * 2),
    "Gemma 3 4B": (GEMMA3_4B, 3.88, 3.88, 34 * 2 * 4 * 256 * 2),
    "GPT-2 XL": (GPT2, 1.56, 1.56, 48 * 2 * 1600 * 2),
    # these makers leave one embedding out of the active parameters
    "gpt-oss-120b": (GPT_OSS, 117, 5.1 + 0.58, 36 * 2 * 8 * 64 * 2),
    "GLM-4.5": (GLM45, 355, 32 + 0.78, 92 * 2 * 8 * 128 * 2),
}


def read(data: object) -> Any:
    return model_of_config(json.dumps(data), "config.json")


@pytest.mark.parametrize("name", PUBLISHED)
def test_sizes_and_cache_are_those_that_the_maker_publishes(name: str) -> None:
    data, everything, active, cache = PUBLISHED[name]
    model = read(data)
    assert model.parameters / 1e9 == pytest.approx(everything, rel=0.015)
    assert model.active_parameters / 1e9 == pytest.approx(active, rel=0.035)
    assert model.kv_bytes(2) == cache


@pytest.mark.parametrize(
    ("data", "name"),
    [(LLAMA, "llama3-8b"), (DEEPSEEK, "deepseek-v3"), (MAVERICK, "llama4-maverick")],
)
def test_a_file_gives_the_dimensions_of_the_preset(data: dict[str, Any], name: str) -> None:
    told, known = read(data), preset(name)
    same = ("parameters", "active_parameters", "kv_elements", "more_layers", "expert_layers")
    assert [getattr(told, each) for each in same] == [getattr(known, each) for each in same]
    assert told.layer_flops == known.layer_flops


def test_windows_and_encoders_are_named() -> None:
    assert "counted as full attention" in read(GPT_OSS).source
    assert "without its vision and audio encoders" in read(MAVERICK).source
    assert "counted as full attention" not in read(LLAMA).source


def without(data: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name != key}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({**LLAMA, "model_type": "qwen3_next"}, "'qwen3_next' is not known (layers of linear att"),
        ({**LLAMA, "model_type": "\x1b[31mx"}, r"architecture '\x1b[31mx' is not known; known: d"),
        (without(LLAMA, "model_type"), "model_type: is missing"),
        (without(LLAMA, "hidden_size"), "config.json: hidden_size: is missing"),
        (without(MIXTRAL, "num_key_value_heads"), "num_key_value_heads: is missing"),
        (without(QWEN3_MOE, "head_dim"), "head_dim: is missing"),
        (without(DEEPSEEK, "kv_lora_rank"), "kv_lora_rank: is missing"),
        ({**LLAMA, "num_key_value_heads": 5}, "5 does not divide 32 heads; 4 or 8 works"),
        ({**LLAMA, "hidden_size": 4100}, "32 does not divide a hidden_size of 4,100"),
        ({**LLAMA, "num_hidden_layers": "32"}, "num_hidden_layers: found '32', expected a whole"),
        ({**LLAMA, "num_hidden_layers": True}, "num_hidden_layers: found"),
        ({**LLAMA, "vocab_size": -1}, "vocab_size: found -1"),
        ({**MIXTRAL, "num_experts_per_tok": 9}, "9 of 8 experts; at most 8 works"),
        ({**DEEPSEEK, "first_k_dense_replace": 61}, "leave none with experts"),
        ({**QWEN2_MOE, "shared_expert_intermediate_size": 5000}, "not a multiple of"),
        ([1], "expected a model's config.json"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(data: object, words: str) -> None:
    with pytest.raises(WorkloadError) as error:
        read(data)
    assert words in str(error.value)


@pytest.mark.parametrize("key", ["hidden_size", "num_attention_heads"])
def test_what_follows_from_a_wrong_value_is_no_second_fault(key: str) -> None:
    with pytest.raises(WorkloadError) as error:
        read({**LLAMA, key: "big"})
    assert [each.split(": ")[1] for each in error.value.problems] == [key]


def test_all_that_is_missing_is_told_at_once() -> None:
    with pytest.raises(WorkloadError) as error:
        read({"model_type": "mistral"})
    assert len(error.value.problems) == 6


def test_text_that_is_no_json_says_its_line() -> None:
    for text, words in (("{\n'a': 1}", "line 2"), ("[" * 100_000, "no JSON"), ("", "line 1")):
        with pytest.raises(WorkloadError, match=words):
            model_of_config(text, "config.json")


def test_a_folder_stands_for_the_file_in_it_and_names_the_model(tmp_path: Path) -> None:
    folder = tmp_path / "My-Model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(V2_LITE), encoding="utf-8")
    block = named_model(str(folder))
    told = workload_of({"model": block})
    assert told.model.name == "My-Model"
    assert told.model == read(V2_LITE).model_copy(
        update={"name": "My-Model", "source": told.model.source}
    )
    assert block_of(told.model) == block
    assert named_model("llama3-8b") == "llama3-8b"


def test_a_block_names_no_file() -> None:
    with pytest.raises(WorkloadError, match="a block has dimensions or the name of a preset"):
        workload_of({"model": "../config.json"})


def test_a_name_that_no_file_can_have_is_no_model() -> None:
    for name in ("llama3-" + "[" * 3000, "llama3-\0"):
        with pytest.raises(WorkloadError, match="no model"):
            preset(name)
