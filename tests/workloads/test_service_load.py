"""A service under load: queueing theory and a simulation pass by pass are the oracles."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tests.workloads.designs import assessed, parts, rails
from toposmith.labels import Label
from toposmith.text import number
from toposmith.tui.drawing.glyphs import UNICODE
from toposmith.tui.pages.workload import workload_content
from toposmith.workloads.arrivals import Arrival, arrivals_of, spaced
from toposmith.workloads.assess import Assessment, assess
from toposmith.workloads.block import workload_of
from toposmith.workloads.continuous_batching import (
    Batching,
    percentile,
    read_apart,
    served,
)
from toposmith.workloads.fault import WorkloadError
from toposmith.workloads.service_load import CHUNK_BYTES, ServiceLoad, _interpolated
from toposmith.workloads.workload_findings import load_findings
from toposmith.workloads.workload_in_words import load_rows

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
    times = spaced("poisson", share / service_s, 60_000, 1, 7)
    found = served([Arrival(at_s, 1, 50) for at_s in times], ONE_AT_A_TIME)
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


def test_a_server_that_only_reads_is_a_queue_of_its_own() -> None:
    arrivals = [Arrival(0.0, 5, 1), Arrival(1.0, 5, 1), Arrival(9.0, 5, 1)]
    times = read_apart(arrivals, 1, lambda many, longest: 3.0)
    assert times == [(0.0, 3.0), (3.0, 6.0), (9.0, 12.0)]


def test_the_99th_of_a_hundred_is_the_last_but_one() -> None:
    assert percentile(range(1, 101), 0.99) == 99
    assert percentile([4.0], 0.5) == 4.0


@pytest.mark.parametrize("spacing", ["poisson", "constant"])
@pytest.mark.parametrize("disaggregated", [False, True])
def test_little_holds_between_rate_time_and_requests_in_flight(
    spacing: str, disaggregated: bool
) -> None:
    most = loaded(rate_per_s=1, disaggregated=disaggregated, decode_batch=32)[0].capacity_per_s
    load, _ = loaded(
        rate_per_s=0.7 * most, arrivals=spacing, disaggregated=disaggregated, decode_batch=32
    )
    assert load.in_flight is not None
    assert load.mean_whole_s is not None
    assert load.in_flight == pytest.approx(load.rate_per_s * load.mean_whole_s, rel=0.04)


@pytest.mark.parametrize("disaggregated", [False, True])
def test_a_request_that_is_alone_takes_as_long_as_the_service_says(disaggregated: bool) -> None:
    load, found = loaded(
        rate_per_s=0.5, arrivals="constant", decode_batch=1, disaggregated=disaggregated
    )
    service = found.service
    assert service is not None
    assert load.ttft is not None
    assert load.tpot is not None
    assert (load.ttft.p50_s, load.ttft.p99_s) == pytest.approx((service.ttft_s, service.ttft_s))
    assert load.tpot.p99_s == pytest.approx(service.decode.total_s)
    assert load.waited is not None
    assert load.waited.p99_s == pytest.approx(0, abs=1e-9)


def test_one_user_waits_for_nobody() -> None:
    load, found = loaded(1, concurrency=1)
    assert found.service is not None
    assert load.ttft is not None
    assert load.tpot is not None
    assert load.ttft.mean_s == pytest.approx(found.service.prefill.total_s)
    assert load.rate_per_s * load.requests == pytest.approx(10 * load.rate_per_s)
    assert load.in_flight == pytest.approx(1)


def test_users_spread_over_copies_and_little_holds() -> None:
    load, found = loaded(2, concurrency=33)
    assert found.service is not None
    assert load.requests == 330
    assert load.in_flight is not None
    assert load.mean_whole_s is not None
    assert load.in_flight <= 33
    assert load.in_flight == pytest.approx(load.rate_per_s * load.mean_whole_s, rel=0.02)


def test_one_copy_and_one_place_wait_as_long_as_m_d_1_says() -> None:
    most = loaded(1, rate_per_s=1e-3, decode_batch=1)[0].capacity_per_s
    load, found = loaded(1, rate_per_s=0.5 * most, decode_batch=1)
    assert found.service is not None
    assert load.mean_whole_s is not None
    alone_s = found.service.request_s
    # half busy: half a service time more
    assert load.mean_whole_s == pytest.approx(alone_s * 1.5, rel=0.1)


def test_all_at_once_are_served_at_the_rate_that_can_be_held() -> None:
    # answers as long as each other would end together for ever, and their prompts be read together
    random = Random(3)
    rows = [[0, 512, random.randint(32, 96)] for _ in range(4000)]
    load, found = loaded(trace=rows, decode_batch=32)
    assert found.service is not None
    assert load.whole is not None
    at_once = 4000 / found.service.requests_per_s
    # a little quicker: where two answers end in one pass their successors' prompts share one
    assert 0.88 * at_once < load.whole.p99_s < at_once


def test_a_rate_that_cannot_be_held_has_no_times_and_says_what_can() -> None:
    load, found = loaded(rate_per_s=1e6)
    assert not load.stable
    assert load.ttft is load.tpot is load.in_flight is None
    assert found.service is not None
    assert load.capacity_per_s == found.service.requests_per_s
    (finding,) = found.findings
    assert (finding.code, finding.severity) == ("load-unstable", "error")
    assert f"{number(load.capacity_per_s)} can be held" in finding.text
    # what can be held is served: just below it there are times
    assert loaded(rate_per_s=load.capacity_per_s * 0.98)[0].stable


@pytest.mark.parametrize(("share", "near"), [(0.8, False), (0.83, True), (0.99, True)])
def test_times_near_what_can_be_held_say_that_they_are_uncertain(share: float, near: bool) -> None:
    # of 60 published services one held 1 / 1.21 = 0.826 of what is predicted
    most = loaded(rate_per_s=1)[0].capacity_per_s
    load, found = loaded(rate_per_s=share * most)
    words = dict(load_rows(load, found.times_label)).get("near capacity", "")
    assert (load.near_capacity, bool(words)) == (near, near)
    assert words.startswith(f"uncertain: {share:.0%} of".replace("%", " %") if near else "")
    assert not load.from_empty


def test_what_counts_from_an_empty_service_says_so() -> None:
    load, found = loaded(concurrency=7)
    rows = dict(load_rows(load, found.times_label))
    assert rows["at once"].startswith("7 requests, 10 one after another")
    assert "when the service is empty" in rows["counted"]
    load, found = loaded(trace=[[0.1 * at, 512, 64] for at in range(20)])
    rows = dict(load_rows(load, found.times_label))
    assert "when the service is empty" in rows["counted"] and "at once" not in rows


def test_a_trace_faster_than_can_be_held_is_not_averaged() -> None:
    rows = [[at / 1e5, 512, 64] for at in range(2000)]
    load, found = loaded(trace=rows, decode_batch=4)
    assert not load.stable
    assert [each.code for each in found.findings] == ["load-unstable"]


def test_users_wait_longer_the_more_requests_come() -> None:
    most = loaded(rate_per_s=1, decode_batch=16)[0].capacity_per_s
    loads = [loaded(rate_per_s=share * most, decode_batch=16)[0] for share in (0.2, 0.6, 0.95)]
    times = [each.ttft.p99_s for each in loads if each.ttft is not None]
    assert sorted(times) == times
    assert times[-1] > 1.5 * times[0]


def test_a_target_is_held_to_the_99th_percentile() -> None:
    load, _ = loaded(rate_per_s=10, decode_batch=4)
    assert load.ttft is not None
    between = (load.ttft.p50_s + load.ttft.p99_s) / 2 * 1e3
    _, found = loaded(rate_per_s=10, ttft_ms=between, decode_batch=4)
    late = [each for each in found.findings if each.code == "load-too-slow"]
    assert [each.where for each in late] == ["serving.ttft_ms"]
    assert f"{load.ttft.p99_s * 1e3:,.4g} ms under this load" in late[0].text


def test_the_front_end_carries_text_in_and_streamed_tokens_out() -> None:
    load, _ = loaded(rate_per_s=20, disaggregated=True, decode_batch=8)
    assert load.in_GBps == pytest.approx(20 * 512 * 4 / 1e9)
    assert load.out_GBps == pytest.approx(20 * 64 * CHUNK_BYTES / 1e9)
    # 32 layers, 8 KV heads of 128, keys and values, bf16, of 512 tokens
    assert load.kv_GBps == pytest.approx(20 * 512 * 32 * 2 * 8 * 128 * 2 / 1e9)
    assert loaded(rate_per_s=50)[0].kv_GBps == 0


def test_the_same_seed_gives_the_same_times() -> None:
    assert loaded(rate_per_s=30)[0] == loaded(rate_per_s=30)[0]


TRACES = {
    "ours": "at_s,prompt,output\n5,10,20\n6.5,30,40\n",
    "azure": "TIMESTAMP,ContextTokens,GeneratedTokens\n"
    "2023-11-16 18:15:46.6805900,10,20\n2023-11-16 18:15:48.1805900,30,40\n",
    "mooncake": '{"timestamp": 5000, "input_length": 10, "output_length": 20, "hash_ids": [1]}\n'
    '\n{"timestamp": 6500, "input_length": 30, "output_length": 40}\n',
    "burstgpt": "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
    "5,ChatGPT,10,20,30,Conversation log\n6.5,GPT-4,30,40,70,API log\n",
}


@pytest.mark.parametrize("name", TRACES)
def test_traces_as_they_are_published_are_read(name: str) -> None:
    first, second = arrivals_of(TRACES[name], "t.csv")
    assert first == (0.0, 10, 20)
    assert second == (pytest.approx(1.5), 30, 40)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "t.csv: line 1: found"),
        ("a,b\n1,2\n", "line 1: found 'a,b', expected at_s,prompt,output or TIMESTAMP"),
        ("at_s,prompt,output\n", "t.csv: no requests"),
        ("at_s,prompt,output\n1,10,20\n-2,10,20\n", "line 3: at_s: found '-2'"),
        ("at_s,prompt,output\n1,10,20\n2,,20\n", "line 3: prompt: found ''"),
        ("at_s,prompt,output\n1,10\n", "line 2: output missing"),
        ("at_s,prompt,output\n5,1,1\n\n3,1,1\n", "line 4: the time goes back by 2 s"),
        ("at_s,prompt,output\nnan,1,1\n", "line 2: at_s: found 'nan'"),
        ("at_s,prompt,output\nsoon,1,1\n", "line 2: at_s: found 'soon'"),
        ("at_s,prompt,output\n1,1.5,1\n", "line 2: prompt: found '1.5'"),
        ("at_s,prompt,output\n1,1,0\n", "line 2: output: found '0'"),
        ('{"at_s": 1, "prompt": 2}\n', "line 1: output missing"),
        ('{"at_s": 1, "prompt": 2, "output": 3}\n{oops\n', "line 2: no JSON object"),
        ('{"at_s": 1, "prompt": 2, "output": true}\n', "line 1: output: found"),
    ],
)
def test_a_trace_with_gaps_is_refused_by_line(text: str, words: str) -> None:
    with pytest.raises(WorkloadError) as error:
        arrivals_of(text, "t.csv")
    assert words in str(error.value)


def test_a_request_that_no_copy_holds_is_refused_by_its_number() -> None:
    with pytest.raises(WorkloadError, match="request 2 has 9,000,010 tokens; a copy holds"):
        loaded(trace=[[0, 10, 10], [1, 9_000_000, 10], [2, 10, 10]])


@pytest.mark.parametrize(
    ("serving", "words"),
    [
        ({"rate_per_s": 0}, "rate_per_s: found 0"),
        ({"rate_per_s": 1, "arrivals": "bursty"}, "found 'bursty', expected 'poisson'"),
        ({"rate_per_s": 1, "trace": [[0, 1, 1]]}, "leave rate_per_s or the trace out"),
        ({"trace": [[2, 1, 1], [1, 1, 1]]}, "request 2 is before the one that it follows"),
        ({"trace": [[-1, 1, 1]]}, "workload.serving.trace"),
    ],
)
def test_a_load_that_cannot_be_read_says_where(serving: dict[str, object], words: str) -> None:
    with pytest.raises(WorkloadError) as error:
        workload_of({"model": "llama3-8b", "serving": serving})
    assert words in str(error.value)


def test_what_does_not_fit_has_no_load() -> None:
    found = assessed("a100-rack-1x100gbe", model="llama3-405b", serving={"rate_per_s": 1})
    assert found.load is None


def test_what_is_only_known_from_one_side_is_marked_so() -> None:
    load, found = loaded(rate_per_s=5)
    rows = dict(load_rows(load, Label("at most", "times")))
    assert "≥ " in rows["requests"]
    assert rows["time to first token"].startswith("p50 ≤ ")
    assert found.workload.serving is not None
    too_many, _ = loaded(rate_per_s=1e6)
    (finding,) = load_findings(too_many, found.workload.serving, Label("at least", "rates"))
    assert "whether the queue has an end is unknown" in finding.text


def test_a_trace_sets_the_lengths_of_the_service() -> None:
    load, found = loaded(trace=[[0, 100, 10], [1, 300, 30]], disaggregated=True)
    same, plain = loaded(prompt=200, output=20, rate_per_s=1, disaggregated=True)
    assert found.service == plain.service
    assert (load.prompt_tokens, load.output_tokens) == (200, 20)
    assert load.kv_GBps == pytest.approx(same.kv_GBps)


@pytest.mark.parametrize("width", [40, 80, 160])
def test_the_page_of_the_app_tells_the_load_in_every_width(width: int) -> None:
    _, found = loaded(rate_per_s=5)
    page = workload_content(found, width, UNICODE).plain
    assert "under load (model, simulated queue)" in page
    assert "queueing time" in page
    assert max(map(len, page.splitlines())) <= width


def test_a_time_that_grows_evenly_is_read_off_exactly_between_the_sizes_that_are_asked() -> None:
    between = _interpolated(lambda size: 3.0 * size + 1.0, 100)
    assert [between(size) for size in range(1, 101)] == [3.0 * size + 1.0 for size in range(1, 101)]
