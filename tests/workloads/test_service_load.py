"""A service under load: queueing theory and a simulation pass by pass are the oracles."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from bench.workloads.__main__ import runs
from bench.workloads.services import predicted_service
from tests.workloads.designs import assessed, parts, rails
from toposmith.errors import ToposmithError
from toposmith.labels import Label
from toposmith.tui.drawing.glyphs import UNICODE
from toposmith.tui.pages.workload_page import workload_content
from toposmith.workloads.assess import Assessment, assess
from toposmith.workloads.block import workload_of
from toposmith.workloads.model import WorkloadError
from toposmith.workloads.service_load import (
    CHUNK_BYTES,
    Arrival,
    Batching,
    ServiceLoad,
    _interpolated,
    percentile,
    served,
)
from toposmith.workloads.workload_in_words import load_rows
from toposmith.workloads.workload_json import assessment_data
from toposmith.workloads.workload_labels import FP4_UNRELIABLE

ONE_AT_A_TIME = Batching(1, 1e9, 1, 8192, lambda _: 0.01, lambda many, longest: 0.5)


def loaded(nodes: int = 2, **serving: object) -> tuple[ServiceLoad, Assessment]:
    wanted = {"prompt": 512, "output": 64, **serving}
    block = {"model": "llama3-8b", "layout": {"tp": 8}, "serving": wanted}
    found = assess(rails(nodes), parts(), workload_of(block))
    assert found.load is not None
    return found.load, found


@pytest.mark.parametrize("share", [0.3, 0.6, 0.8])
def test_one_place_and_random_arrivals_wait_as_long_as_m_d_1_says(share: float) -> None:
    service_s = 0.5 + 49 * 0.01  # its prompt gives the first of 50 tokens
    random, at_s, arrivals = Random(7), 0.0, []
    for _ in range(60_000):
        at_s += random.expovariate(share / service_s)
        arrivals.append(Arrival(at_s, 1, 50))
    found = served(arrivals, ONE_AT_A_TIME)
    waited = sum(each.waited_s for each in found) / len(found)
    # Pollaczek-Khinchine with a service time that does not vary
    assert waited == pytest.approx(share * service_s / (2 * (1 - share)), rel=0.06)


def pass_by_pass(
    arrivals: list[Arrival], places: int, chunk: int, patience: int = 0
) -> list[tuple[float, float]]:
    """First and last token of each request, with every pass made one by one.

    A pass reads as many prompts as a chunk holds, or a chunk of one that is longer, all chunks as
    long as each other, and gives a token to all answers. It knows what came before the last began.
    Prompts that do not fill a chunk wait so many passes for others.
    """
    now, known, at, waited = 0.0, 0.0, 0, 0
    running: dict[int, int] = {}
    first: dict[int, float] = {}
    last: dict[int, float] = {}
    reading: list[int] = []
    left = 0
    while at < len(arrivals) or running or reading:
        if not running and not reading:
            known = now = max(now, arrivals[at].at_s)
        if not reading:
            tokens, to = 0, at
            while to < len(arrivals) and arrivals[to].at_s <= known:
                more = arrivals[to].prompt
                if len(running) + to - at == places or (to > at and tokens + more > chunk):
                    break
                tokens, to = tokens + more, to + 1
            if to > at and running and waited < patience and tokens + len(running) < chunk:
                waited += 1
            elif to > at:
                reading, at, waited = list(range(at, to)), to, 0
                longest = max(arrivals[each].prompt for each in reading)
                parts = left = -(-longest // chunk)
                part_s = longest * 0.001 * len(reading) / parts
        known = now
        writing = list(running)
        now += 0.01 + 0.002 * len(writing) if writing else 0.0
        now += part_s if reading else 0.0
        for each in writing:
            running[each] -= 1
        left -= bool(reading)
        if reading and not left:
            for each in reading:
                first[each] = now
                running[each] = arrivals[each].output - 1
            reading = []
        for each in [each for each, tokens in running.items() if not tokens]:
            last[each] = now
            del running[each]
    return [(first[i] - a.at_s, last[i] - a.at_s) for i, a in enumerate(arrivals)]


@pytest.mark.parametrize("patience", [0, 3])
@pytest.mark.parametrize("seed", range(8))
def test_the_simulation_is_that_of_every_single_pass(seed: int, patience: int) -> None:
    random, at_s, arrivals = Random(seed), 0.0, []
    for _ in range(150):
        at_s += random.expovariate(1 + seed)
        arrivals.append(Arrival(at_s, random.randint(1, 300), random.randint(1, 40)))
    batching = Batching(
        1 + seed,
        1e9,
        1,
        100,
        lambda n: 0.01 + 0.002 * n,
        lambda many, longest: longest * many * 0.001,
        patience,
        100,
    )
    found = [(each.first_s, each.whole_s) for each in served(arrivals, batching)]
    for mine, other in zip(found, pass_by_pass(arrivals, 1 + seed, 100, patience), strict=True):
        assert mine == pytest.approx(other, abs=1e-6)


def test_users_who_ask_again_are_served_as_those_who_come_then() -> None:
    batching = Batching(
        6, 1e9, 1, 100, lambda n: 0.01 + 0.002 * n, lambda many, longest: longest * many * 0.001
    )
    users = [Arrival(0.0, 40 + 30 * user, 12 + 5 * user) for user in range(6)]
    closed = served(users, batching, further=54)
    assert len(closed) == 60
    # known when each came, they are as requests that come by themselves
    came = [(each.at_s, each.output) for each in closed]
    prompts = {each.output: each.prompt for each in users}
    assert came[6:] == sorted(came[6:], key=lambda each: each[0])
    alone = served([Arrival(at_s, prompts[output], output) for at_s, output in came], batching)
    assert [each.first_s for each in alone] == pytest.approx([each.first_s for each in closed])
    # and each came when another was done
    ends = sorted(each.at_s + each.whole_s for each in closed)
    assert sorted(at_s for at_s, _ in came[6:]) == pytest.approx(ends[:54])


def test_first_prompts_that_come_at_once_wait_for_each_other() -> None:
    # eight prompts of one chunk each, 1 s; from the second on answers take 0.1 s of the pass
    batching = Batching(8, 1e9, 1, 100, lambda n: 0.1, lambda many, longest: 1.0 * many)
    found = served([Arrival(0.0, 100, 9)] * 8, batching)
    assert [each.first_s for each in found] == pytest.approx([1.0 + 1.1 * at for at in range(8)])


def test_a_long_prompt_is_read_in_chunks_and_answers_go_on_beside_them() -> None:
    batching = Batching(2, 1e9, 1, 100, lambda n: 0.1, lambda many, longest: longest / 100)
    short, long = served([Arrival(0.0, 100, 5), Arrival(0.5, 300, 2)], batching)
    # 1 s; a token, in a pass that was made up before 0.5: 1.1; then chunks of 1 s with a token each
    assert short.whole_s == pytest.approx(4.4)
    assert long.first_s == pytest.approx(4.4 - 0.5)
    assert long.whole_s == pytest.approx(4.5 - 0.5)


def test_what_comes_during_a_pass_is_not_in_the_next() -> None:
    batching = Batching(2, 1e9, 1, 100, lambda n: 0.1, lambda many, longest: 1.0)
    _, later = served([Arrival(0.0, 100, 20), Arrival(1.25, 100, 2)], batching)
    # passes begin at 1.0, 1.1, 1.2, 1.3 and 1.4, the first that is made up after it came
    assert later.waited_s == pytest.approx(0.15)
    assert later.first_s == pytest.approx(0.15 + 1.1)


def test_prompts_wait_for_others_as_many_passes_as_they_are_told_to() -> None:
    """TensorRT-LLM's batch_wait_timeout_iters of 20, at 12 ms a pass: 240 ms more."""
    at_once = Batching(3, 1e9, 8, 16_384, lambda n: 0.012, lambda many, longest: 0.075)
    patient = replace(at_once, wait_passes=20, wait_tokens=14_746)
    stream = [Arrival(0.0, 922, 500), Arrival(1.0, 922, 2)]
    quick, slow = (served(stream, each)[1].first_s for each in (at_once, patient))
    assert slow - quick == pytest.approx(20 * 0.012)
    # not where a pass is full, and not where no answer is written
    full = [Arrival(0.0, 922, 500), Arrival(1.0, 14_800, 2)]
    assert served(full, patient) == served(full, at_once)
    assert served(stream[:1], patient)[0].first_s == pytest.approx(0.075)


def test_memory_lets_no_more_in_than_it_holds() -> None:
    both = [Arrival(0.0, 10, 10), Arrival(0.0, 10, 10)]
    tight = Batching(8, 39, 8, 8192, lambda _: 1.0, lambda many, longest: 0.0)
    assert [each.whole_s for each in served(both, tight)] == [9.0, 18.0]


def test_the_99th_of_a_hundred_is_the_last_but_one() -> None:
    assert percentile(range(1, 101), 0.99) == 99
    assert percentile([4.0], 0.5) == 4.0


def test_one_user_waits_for_nobody() -> None:
    load, found = loaded(1, concurrency=1, decode_batch=1)
    service = found.service
    assert service is not None
    assert load.tpot is not None
    assert load.ttft.mean_s == pytest.approx(service.prefill.total_s)
    assert load.tpot.mean_s == pytest.approx(service.decode.total_s, rel=0.01)
    assert load.waited.p99_s == pytest.approx(0, abs=1e-9)
    assert load.rate_per_s * load.whole.mean_s == pytest.approx(1)
    assert load.in_flight == pytest.approx(1)


def test_users_spread_over_copies_and_little_holds() -> None:
    load, found = loaded(2, concurrency=33)
    assert found.service is not None
    assert (load.users, load.requests) == (33, 330)
    assert load.in_flight <= 33
    assert load.in_flight == pytest.approx(load.rate_per_s * load.whole.mean_s, rel=0.02)


def test_a_batch_that_is_always_full_answers_what_the_service_says() -> None:
    load, found = loaded(1, concurrency=64, decode_batch=32, output=256)
    assert found.service is not None
    # a little more: where two answers end in one pass their successors' prompts share one
    assert 0.9 < found.service.requests_per_s / load.rate_per_s < 1.02


def test_what_counts_says_that_it_is_from_an_empty_service() -> None:
    load, found = loaded(concurrency=7)
    rows = dict(load_rows(load, found.times_label))
    assert rows["at once"].startswith("7 requests, 10 one after another")
    assert "when the service is empty" in rows["counted"]


def test_users_wait_longer_the_more_of_them_there_are() -> None:
    loads = [loaded(concurrency=users, decode_batch=16)[0] for users in (4, 32, 128)]
    times = [each.ttft.p99_s for each in loads]
    assert sorted(times) == times
    assert times[-1] > 1.5 * times[0]


def test_a_target_is_held_to_the_99th_percentile() -> None:
    load, _ = loaded(concurrency=40, decode_batch=4)
    between = (load.ttft.p50_s + load.ttft.p99_s) / 2 * 1e3
    _, found = loaded(concurrency=40, ttft_ms=between, decode_batch=4)
    late = [each for each in found.findings if each.code == "load-too-slow"]
    assert [each.where for each in late] == ["serving.ttft_ms"]
    assert f"{load.ttft.p99_s * 1e3:,.4g} ms under this load" in late[0].text


def test_the_front_end_carries_text_in_and_streamed_tokens_out() -> None:
    load, _ = loaded(concurrency=20)
    assert load.in_GBps == pytest.approx(load.rate_per_s * 512 * 4 / 1e9)
    assert load.out_GBps == pytest.approx(load.rate_per_s * 64 * CHUNK_BYTES / 1e9)


def test_the_same_seed_gives_the_same_times() -> None:
    assert loaded(concurrency=30)[0] == loaded(concurrency=30)[0]


@pytest.mark.parametrize("key", ["rate_per_s", "arrivals", "trace"])
def test_a_load_of_arriving_requests_is_refused_with_what_to_write(key: str) -> None:
    with pytest.raises(WorkloadError) as error:
        workload_of({"model": "llama3-8b", "serving": {key: 1}})
    assert str(error.value) == (
        f"workload.serving.{key}: unknown key {key!r}; write concurrency, the requests that are "
        "under way"
    )


def test_what_does_not_fit_has_no_load() -> None:
    found = assessed("a100-rack-1x100gbe", model="llama3-405b", serving={"concurrency": 1})
    assert found.load is None


def test_what_is_only_known_from_one_side_is_marked_so() -> None:
    load, _ = loaded(concurrency=5)
    rows = dict(load_rows(load, Label("at most", "times")))
    assert "≥ " in rows["requests"]
    assert rows["time to first token"].startswith("p50 ≤ ")


@pytest.mark.parametrize("width", [40, 80, 160])
def test_the_page_of_the_app_tells_the_load_in_every_width(width: int) -> None:
    _, found = loaded(concurrency=5)
    page = workload_content(found, width, UNICODE).plain
    assert "under load (model, simulated queue)" in page
    assert "queueing time" in page
    assert max(map(len, page.splitlines())) <= width


def test_a_time_that_grows_evenly_is_read_off_exactly_between_the_sizes_that_are_asked() -> None:
    between = _interpolated(lambda size: 3.0 * size + 1.0, 100)
    assert [between(size) for size in range(1, 101)] == [3.0 * size + 1.0 for size in range(1, 101)]


@pytest.mark.parametrize(("precision", "said"), [("nvfp4", True), ("fp8", False)])
def test_a_service_in_fp4_says_beside_its_figures_that_they_are_not_reliable(
    precision: str, said: bool
) -> None:
    serving = {"output": 32, "precision": precision, "concurrency": 5}
    block = {"model": "llama3-8b", "layout": {"tp": 8}, "serving": serving}
    data = assessment_data(assess(rails(1, node="dgx-b200"), parts(), workload_of(block)))[
        "serving"
    ]
    assert (FP4_UNRELIABLE in data["service_is"]) == said
    assert (FP4_UNRELIABLE in data["load"]["load_is"]) == said


def test_the_words_of_fp4_are_those_of_the_published_services() -> None:
    ratios = []
    for row in runs("serving_load"):
        if row["load"]["arrivals"] == "closed" or row["gpu"] not in ("b200", "gb200", "gb300"):
            continue
        try:
            predicted = predicted_service(row)["tpot_p50_ms"]
        except ToposmithError:
            continue
        assert row["serving"]["precision"] == "fp4"
        ratios.append(row["figures"]["tpot_p50_ms"] / predicted)
    assert len(ratios) == 10
    assert f"{min(ratios):.1f} to {max(ratios):.1f} times as long" in FP4_UNRELIABLE
