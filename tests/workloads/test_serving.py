"""Serving: what memory and latency leave, by hand."""

from __future__ import annotations

import re
from math import ceil
from typing import Any

import pytest

from tests.workloads.designs import POD, assessed, parts, saved
from toposmith.workloads.accelerator import accelerator
from toposmith.workloads.assess import server_of
from toposmith.workloads.block import LayoutBlock, ServingBlock, workload_of
from toposmith.workloads.collective_times import CollectiveTimes
from toposmith.workloads.divisibility import ParallelSizes
from toposmith.workloads.model import preset
from toposmith.workloads.serving import Server, Service


def served(layout: dict[str, object], **serving: object) -> Service:
    found = assessed(POD, model="llama3-70b", layout=layout, serving=serving).service
    assert found is not None
    return found


def test_decoding_reads_all_weights_and_waits_for_160_all_reduces() -> None:
    found = served({"tp": 8}, decode_batch=1, prompt=1, output=1)
    decode = found.decode
    assert decode.collectives == 160
    assert decode.message_bytes == 8192 * 2
    assert decode.limited_by == "latency"
    # 141 GB over 8 x 3.35 TB/s, of which kernels get 80 %, and 14 gaps in each of 80 layers
    gaps_s = 80 * 14 * 0.9e-6
    assert decode.compute_s == pytest.approx(141.1e9 / 8 / 3.35e12 / 0.8 + gaps_s, rel=0.01)
    assert decode.tensor_s == pytest.approx(160 * decode.collective_us * 1e-6)


def test_a_prompt_takes_two_flop_a_parameter_and_token() -> None:
    found = served({"tp": 8}, decode_batch=1, prompt=8192)
    at_peak = 2 * 68.4e9 * 8192 / 8 / 989.4e12
    assert at_peak / 0.789 < found.prefill.compute_s < at_peak / 0.45


def test_the_cache_of_a_prompt_travels_over_as_many_nics_as_gpus() -> None:
    found = served({"tp": 8}, prompt=8192, disaggregated=True)
    # 2.684 GB over eight 400G NICs at 48 GB/s: 7.0 ms
    assert found.kv_bytes == pytest.approx(2.684e9, rel=1e-3)
    assert found.kv_transfer_s == pytest.approx(7.0e-3, rel=0.05)


def test_a_target_per_token_takes_the_largest_batch_that_meets_it() -> None:
    free, held = served({"tp": 8}, tpot_ms=1e6), served({"tp": 8}, tpot_ms=20)
    assert held.tpot_s <= 20e-3 < free.tpot_s
    assert held.batch < free.batch == free.largest_batch
    assert held.tokens_per_s < free.tokens_per_s
    assert served({"tp": 8}, decode_batch=held.batch + 1).tpot_s > 20e-3


@pytest.mark.parametrize("disaggregated", [False, True])
@pytest.mark.parametrize("layout", [{"tp": 8}, {"tp": 4, "pp": 2}])
@pytest.mark.parametrize("batch", [1, 7, 128])
def test_little_holds_between_the_figures_that_are_shown(
    layout: dict[str, object], batch: int, disaggregated: bool
) -> None:
    found = served(layout, decode_batch=batch, output=256, disaggregated=disaggregated)
    request = found.ttft_s + 255 * found.tpot_s
    assert found.request_s == pytest.approx(request)
    assert found.requests_in_flight == pytest.approx(found.tokens_per_s / 256 * request)
    if not disaggregated:
        # every place of every copy is a request under way
        assert found.requests_in_flight == pytest.approx(found.copies * batch)


def test_a_token_waits_for_the_prompts_that_the_same_gpus_read() -> None:
    found = served({"tp": 8}, decode_batch=128, prompt=2048, output=256)
    # in the time of the 255 tokens after the first a copy reads the prompts of the 127 others
    share = 127 * found.prefill.total_s / 255
    assert found.tpot_s == pytest.approx(found.decode.total_s + share)
    # 128 prompts and 255 passes a turn, in which 128 requests are done
    turn = 128 * found.prefill.total_s + 255 * found.decode.total_s
    assert found.request_s == pytest.approx(turn)
    assert found.requests_per_s == pytest.approx(found.copies * 128 / turn)
    alone = served({"tp": 8}, decode_batch=1, prompt=2048, output=256)
    assert alone.tpot_s == pytest.approx(alone.decode.total_s)


def test_short_prompts_that_come_together_are_read_together() -> None:
    short = {"prompt": 2048, "output": 65, "decode_batch": 256}
    found = served({"tp": 8}, **short)
    # 256 answers end in 64 passes, four in each, and a pass takes 8,192 tokens: four prompts
    four = served({"tp": 8}, **short, prefill_batch=4).prefill
    turn = 64 * four.total_s + 64 * found.decode.total_s
    assert found.requests_per_s == pytest.approx(found.copies * 256 / turn)
    assert found.requests_in_flight == pytest.approx(found.copies * 256)
    # one where a pass takes no more, however many end
    alone = served({"tp": 8}, **short, chunk_tokens=2048)
    turn = 256 * found.prefill.total_s + 64 * found.decode.total_s
    assert alone.requests_per_s == pytest.approx(found.copies * 256 / turn)


def test_parts_that_attend_by_themselves_read_their_prompts_at_once() -> None:
    found = assessed(
        POD,
        model="deepseek-v3",
        layout={"ep": 64},
        serving={"precision": "fp8", "prompt": 1024, "output": 64, "decode_batch": 640},
    ).service
    assert found is not None
    # 64 parts of a copy read one prompt each: ten rounds of 64, nine of them for others
    share = 9 * found.prefill.total_s / 63
    assert found.tpot_s == pytest.approx(found.decode.total_s + share)
    assert found.requests_in_flight == pytest.approx(found.copies * 640)


def test_a_token_waits_for_no_prompt_that_others_read() -> None:
    found = served({"tp": 8}, decode_batch=64, disaggregated=True)
    assert found.tpot_s == found.decode.total_s


def test_copies_that_only_decode_take_no_batch_that_prompts_cannot_fill() -> None:
    found = served({"tp": 8}, disaggregated=True)
    smaller = served({"tp": 8}, disaggregated=True, decode_batch=found.batch - 1)
    larger = served({"tp": 8}, disaggregated=True, decode_batch=found.batch + 1)
    assert (smaller.unfilled, larger.unfilled) == (False, True)
    # one prompt after the other on each copy that reads
    reads = found.prefill_copies / found.prefill.total_s
    assert found.requests_per_s == larger.requests_per_s == pytest.approx(reads)
    assert smaller.requests_per_s < reads


def test_a_wanted_rate_takes_a_batch_that_reaches_it_where_there_is_one() -> None:
    known = served({"tp": 8}, decode_batch=160)
    asked = {"tokens_per_s": known.tokens_per_s * 0.99}
    found = assessed(POD, model="llama3-70b", layout={"tp": 8}, serving=asked)
    assert found.findings == ()
    assert found.service is not None
    assert found.service.tokens_per_s >= known.tokens_per_s * 0.99


def test_a_rate_beyond_the_time_per_token_names_copies_and_batch_that_reach_it() -> None:
    wanted = {"tokens_per_s": 250_000, "tpot_ms": 25}
    found = assessed(POD, model="llama3-70b", layout={"tp": 8}, serving=wanted)
    (finding,) = found.findings
    service = found.service
    assert service is not None
    assert (finding.code, finding.where) == ("target-missed", "serving.tokens_per_s")
    copies = ceil(250_000 / (service.tokens_per_s / service.copies))
    assert f"{copies} such copies ({copies * 8:,} GPUs) reach it" in finding.text
    named = re.search(r"or a batch of ([0-9,]+) at", finding.text)
    assert named is not None
    batch = int(named[1].replace(",", ""))
    reaching = served({"tp": 8}, decode_batch=batch)
    assert reaching.tokens_per_s >= 250_000 > served({"tp": 8}, decode_batch=batch - 1).tokens_per_s


def test_a_model_that_does_not_fit_is_timed_and_told_what_would_hold_it() -> None:
    found = assessed(POD, model="llama3-405b", layout={"tp": 8}, serving={})
    (finding,) = found.findings
    assert (finding.code, finding.severity) == ("does-not-fit", "error")
    # 811.6 GB of bf16 over 16 GPUs are 51 GB, over 8 they are 101
    assert "tp x pp = 16 works" in finding.text
    assert found.service is not None
    assert not found.service.fits


def test_a_larger_batch_gives_more_tokens_and_makes_each_wait() -> None:
    services = [served({"tp": 8}, decode_batch=batch) for batch in (1, 8, 64, 512)]
    assert sorted(services, key=lambda each: each.tokens_per_s) == services
    assert sorted(services, key=lambda each: each.tpot_s) == services


def test_a_latent_cache_lets_deepseek_decode_large_batches() -> None:
    found = assessed(
        POD, model="deepseek-v3", layout={"ep": 64}, serving={"precision": "fp8", "prompt": 4096}
    ).service
    assert found is not None
    # experts 10.2 GB of 654 on each GPU, and all the rest
    assert found.held.use.weights == pytest.approx(27.5e9, rel=0.05)
    assert found.decode.expert_s > 0
    assert found.largest_batch > 1000


def test_a_small_batch_feels_the_gaps_between_kernels() -> None:
    serving = {"decode_batch": 1, "output": 64}
    found = assessed(POD, model="llama3-8b", layout={}, serving=serving).service
    assert found is not None
    weights_s = 2 * 8.03e9 / (3.35e12 * 0.80)  # all weights once through memory
    gaps_s = 32 * 14 * 0.9e-6
    assert found.decode.total_s == pytest.approx(weights_s + gaps_s, rel=0.02)


@pytest.mark.parametrize(("pp", "ep"), [(1, 16), (2, 16), (2, 4)])
def test_a_copy_holds_the_latent_of_a_sequence_once_for_each_tensor_rank(pp: int, ep: int) -> None:
    # each of ep / (tp x pp) parts attends to sequences of its own; in a part every stage has its
    # layers, and a latent is whole on each of tp ranks
    model, layout = preset("deepseek-v3"), LayoutBlock(tp=2, pp=pp, ep=ep)
    plan = saved(POD)
    server = Server(
        model,
        ParallelSizes(layout, 1),
        ServingBlock(),
        accelerator(plan, parts()),
        CollectiveTimes(plan, parts()),
    )
    all_gpus = server.copy_gpus * server.cache_bytes(ep, 100)
    assert all_gpus == pytest.approx(2 * ep * 100 * model.kv_bytes(2))


def test_decoding_sends_a_token_to_each_of_its_experts_and_reading_to_each_node(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # DeepSeek-V3: 8 experts a token, on 4 nodes at most; 32 GPUs take one sequence each
    workload = workload_of(
        {"model": "deepseek-v3", "layout": {"ep": 32}, "serving": {"decode_batch": 32, "prompt": 1}}
    )
    server = server_of(saved(POD), parts(), workload, None, 1016, 8)
    sent: list[float] = []
    outcome = CollectiveTimes.outcome

    def asked(times: CollectiveTimes, collective: Any, layout: Any, kind: Any, size: float) -> Any:
        if collective == "all_to_all":
            sent.append(size)
        return outcome(times, collective, layout, kind, size)

    monkeypatch.setattr(CollectiveTimes, "outcome", asked)
    server.decode(32)
    server.prefill(1)
    dispatched, combined, read, _ = sent
    assert dispatched / read == pytest.approx(8 / 4)
    assert dispatched == pytest.approx(8 * 7168 * 2)
    assert combined == pytest.approx(8 * 7168 * 2)
