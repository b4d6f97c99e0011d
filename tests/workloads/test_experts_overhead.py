"""What experts and latent attention cost besides their products, worked out by hand."""

from __future__ import annotations

import pytest

from tests.workloads.designs import POD, assessed
from toposmith.workloads.accelerator import Accelerator
from toposmith.workloads.kernels import Kernels, second_products_share
from toposmith.workloads.model import Model, preset

H100 = Accelerator("H100", 989, 80, 3.35, True, 90)
RATE = 3.35e12 * 0.8


def mixture(**experts: int) -> Model:
    return Model.model_validate(
        {
            "layers": 4,
            "hidden": 1000,
            "heads": 10,
            "ffn": 4000,
            "vocabulary": 1000,
            "experts": {"count": 16, "active": 3, "ffn": 500, **experts},
        }
    )


def test_tokens_are_sorted_to_experts_and_back() -> None:
    # 100 tokens of 2,000 bytes: read once and written three times, and back: 8 times
    assert Kernels(H100, mixture()).sorting_s(100) == pytest.approx(8 * 200_000 / RATE)


def test_with_expert_parallelism_they_are_sorted_twice_more() -> None:
    # what has come, three for each token, is read and written by local expert, and back: 12 more
    kernels = Kernels(H100, mixture(), ep=4)
    assert kernels.sorting_s(100) == pytest.approx(20 * 200_000 / RATE)
    # where each rank has one expert, what has come is of that one
    assert Kernels(H100, mixture(), ep=16).sorting_s(100) == pytest.approx(8 * 200_000 / RATE)


def test_layers_without_experts_sort_nothing() -> None:
    half = Kernels(H100, mixture(dense_layers=2))
    assert half.sorting_s(100) == pytest.approx(4 * 200_000 / RATE)
    assert Kernels(H100, preset("llama3-8b")).sorting_s(100) == 0


def test_experts_that_are_not_split_get_the_tokens_of_their_rank_alone() -> None:
    split = Kernels(H100, mixture()).sorting_s(100, tp=4)
    whole = Kernels(H100, mixture(), expert_tp=1).sorting_s(100, tp=4)
    assert whole == pytest.approx(split / 4)


@pytest.mark.parametrize(
    ("model", "more"),
    [
        (preset("llama3-8b"), 0),
        (mixture(), 8),
        (mixture(shared=1), 12),
        # 61 layers, 58 with experts and a shared one, and latent attention in all of them
        (preset("deepseek-v3").model_copy(update={"more_layers": 0}), 6 + 12 * 58 / 61),
    ],
)
def test_small_kernels_of_a_layer(model: Model, more: float) -> None:
    assert Kernels(H100, model).small_kernels == pytest.approx(more)


def test_a_token_of_deepseek_waits_for_kernels_that_have_next_to_nothing_to_do() -> None:
    serving = {"precision": "fp8", "decode_batch": 64}
    served = assessed(POD, model="deepseek-v3", layout={"ep": 64}, serving=serving).service
    assert served is not None
    # 61 layers with 14 gaps of 0.9 us and 17 kernels of 3.8 us, whatever else they do
    assert served.decode.compute_s > 61 * (14 * 0.9e-6 + 17 * 3.8e-6)


def test_casts_are_of_every_experts_input() -> None:
    one, three = (
        Kernels(H100, mixture(active=active, ffn=1500 // active), "fp8").between_s(1000)
        for active in (1, 3)
    )
    # as wide inside, but each of 1,000 tokens of 1,000 is cast twice more, 4 bytes an element
    assert three - one == pytest.approx(2 * 1e6 * 4 / RATE)


def test_every_second_product_of_llama_3_8b() -> None:
    # keys 4,096 x 1,024, output 4,096 x 4,096, one of three of 4,096 x 14,336, of all 218.1 M
    second = 4096 * (1024 + 4096 + 14336)
    every = 4096 * (2 * 4096 + 2 * 1024 + 3 * 14336)
    assert second_products_share(preset("llama3-8b")) == pytest.approx(second / every)


def test_fsdp_takes_longer_by_what_selective_checkpointing_runs_again() -> None:
    def backward_s(stack: str, recompute: str) -> float:
        training = {"batch": 512, "sequence": 2048, "stack": stack}
        layout = {"zero": 3, "recompute": recompute}
        found = assessed(POD, model="llama3-8b", layout=layout, training=training)
        assert found.step is not None
        return found.step.backward_s

    none, selective, full = (
        backward_s("fsdp", recompute) for recompute in ("none", "selective", "full")
    )
    assert none < selective < full
    assert backward_s("nvidia", "selective") == backward_s("nvidia", "none") == none
