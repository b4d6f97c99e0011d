"""A service under load: how long users wait when requests come at a rate, or as a trace has them.

Requests go to the copies in turn. Each copy batches them continuously, with the times of passes
that :mod:`toposmith.workloads.serving` predicts; what is between the batches and lengths
that are asked of it is interpolated.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import gcd
from random import Random
from statistics import fmean

from toposmith.workloads.arrivals import Arrival, spaced
from toposmith.workloads.continuous_batching import (
    Batching,
    Served,
    mean_in_system,
    percentile,
    read_apart,
    served,
)
from toposmith.workloads.fault import WorkloadError
from toposmith.workloads.service import Service
from toposmith.workloads.serving import Server

LEAST_REQUESTS = 3_000
MOST_REQUESTS = 40_000
"""Simulated of a stream: one in a hundred of them is what the 99th percentile rests on."""

REQUESTS_EACH = 10
"""That follow each other in every place of a closed system which starts empty, as benchmarks of
serving have it (InferenceMAX, README.md: --num-prompts of ten times --max-concurrency; it is what
their times to the first token contain of the first prompts, which all come at once)."""

ANSWERS_VARY = 0.1
"""How much longer or shorter than said the answers of a closed system are at most, evenly spread:
those of InferenceMAX are 80 to 100 % of the longest (--random-range-ratio 0.8). Answers as long as
each other would end, and the next prompts come, all at once for ever."""

FILLS = 12
"""How often the batch of a copy is filled anew at least."""

HELD_AT_LEAST = 1 / 1.21
"""Of the predicted memory: that of 60 published services was up to 21 % too high
(docs/workloads.md)."""

FIRST_SHARE, LAST_SHARE = 0.25, 0.85
"""Of a stream only what arrives between is counted: before, the queue is not yet what it becomes,
and after it nothing follows."""

TOKEN_TEXT_BYTES = 4
"""Text of a token: about four characters of English (OpenAI, What are tokens and how to count
them, help.openai.com)."""

CHUNK_BYTES = len(
    "data: "
    + json.dumps(
        {
            "id": "chatcmpl-" + "0" * 32,
            "object": "chat.completion.chunk",
            "created": 1_700_000_000,
            "model": "a-name-of-a-model",
            "choices": [
                {"index": 0, "delta": {"content": "text"}, "logprobs": None, "finish_reason": None}
            ],
        },
        separators=(",", ":"),
    )
    + "\n\n"
)
"""A token as a server-sent event of the OpenAI API (API reference, the chat completion chunk)."""


@dataclass(frozen=True)
class Waiting:
    """The 50th and 99th percentile of a time, and its mean, s."""

    p50_s: float
    p99_s: float
    mean_s: float


@dataclass(frozen=True)
class ServiceLoad:
    """What a service does under a load.

    Parameters
    ----------
    arrivals : str
        How requests come: ``poisson``, ``constant``, ``trace``, or ``closed``, each when another is
        answered.
    rate_per_s : float
        Of requests, on average; of the whole cluster. Of a closed system what comes out.
    capacity_per_s : float
        The highest rate that it sustains.
    seed : int
        Of what is random.
    requests : int
        That were simulated and counted; 0 where the queue has no end.
    ttft, tpot, waited, whole : Waiting or None
        Time to the first token, per output token after it, until the prompt is begun, and to the
        last token; None where the queue has no end (tpot also where answers have one token).
    in_flight : float or None
        Requests under way in the whole cluster, on average over the time that is counted.
    mean_whole_s : float or None
        Mean time from arrival to last token.
    prompt_tokens, output_tokens : float
        Of a request, on average.
    kv_GBps : float
        Caches that go from copies that read to copies that write; 0 where these are the same.
    """

    arrivals: str
    rate_per_s: float
    capacity_per_s: float
    seed: int
    requests: int
    ttft: Waiting | None
    tpot: Waiting | None
    waited: Waiting | None
    whole: Waiting | None
    in_flight: float | None
    mean_whole_s: float | None
    prompt_tokens: float
    output_tokens: float
    kv_GBps: float

    @property
    def stable(self) -> bool:
        """Whether the queue does not grow for ever."""
        return self.ttft is not None

    @property
    def share(self) -> float:
        """Of what the service can hold."""
        return self.rate_per_s / self.capacity_per_s

    @property
    def from_empty(self) -> bool:
        """Whether all counts from when the service is empty; else what settles is counted."""
        return self.stable and self.arrivals in ("closed", "trace")

    @property
    def users(self) -> int:
        """Requests that are always under way in a closed system."""
        return self.requests // REQUESTS_EACH if self.arrivals == "closed" else 0

    @property
    def near_capacity(self) -> bool:
        """Whether the rate is one that published services would not have held."""
        return self.stable and self.arrivals != "closed" and self.share >= HELD_AT_LEAST

    @property
    def in_GBps(self) -> float:
        """Text of prompts into the cluster."""
        return self._served_per_s * self.prompt_tokens * TOKEN_TEXT_BYTES / 1e9

    @property
    def out_GBps(self) -> float:
        """Streamed answers out of the cluster, a token an event."""
        return self._served_per_s * self.output_tokens * CHUNK_BYTES / 1e9

    @property
    def _served_per_s(self) -> float:
        return min(self.rate_per_s, self.capacity_per_s)


def load_of_rate(server: Server, service: Service, seed: int) -> ServiceLoad:
    """The service with requests of its block that come at ``rate_per_s``."""
    serving = server.serving
    assert serving.rate_per_s is not None
    rate, capacity = serving.rate_per_s, service.requests_per_s
    kv = service.kv_bytes if serving.disaggregated else 0.0
    plain = ServiceLoad(
        serving.arrivals,
        rate,
        capacity,
        seed,
        *(0, None, None, None, None, None, None),
        prompt_tokens=serving.prompt,
        output_tokens=serving.output,
        kv_GBps=min(rate, capacity) * kv / 1e9,
    )
    if rate >= capacity:
        return plain
    same = gcd(service.copies, service.prefill_copies)
    writing = service.copies // same
    # what goes in turn to all goes in turn to each same part of them, too
    most = max(1, MOST_REQUESTS // writing)
    many = writing * min(max(LEAST_REQUESTS, FILLS * service.batch), most)
    times = spaced(serving.arrivals, rate, many, same, seed)
    stream = [Arrival(at_s, serving.prompt, serving.output) for at_s in times]
    done = _through(server, service, stream, service.prefill_copies // same, writing)
    start, end = stream[int(many * FIRST_SHARE)].at_s, stream[int(many * LAST_SHARE)].at_s
    counted = [each for each in done if start <= each.at_s < end]
    return _with_times(plain, counted, mean_in_system(done, start, end) * same)


def load_of_users(server: Server, service: Service, seed: int) -> ServiceLoad:
    """The service with ``concurrency`` requests always under way, from when it is empty.

    They spread evenly over the copies; what one more than the others has is simulated, too.
    """
    serving = server.serving
    assert serving.concurrency is not None
    each, fuller = divmod(serving.concurrency, service.copies)
    done: list[Served] = []
    rate = area = 0.0
    for users, copies in ((each + 1, fuller), (each, service.copies - fuller)):
        if not users or not copies:
            continue
        stream = [
            Arrival(0.0, serving.prompt, output) for output in _varied(serving.output, users, seed)
        ]
        one = served(stream, _batching(server, service, stream), (REQUESTS_EACH - 1) * users)
        end_s = max(request.at_s + request.whole_s for request in one)
        rate += copies * len(one) / end_s
        area += copies * mean_in_system(one, 0.0, end_s)
        done += one * copies
    plain = ServiceLoad(
        "closed",
        rate,
        service.requests_per_s,
        seed,
        *(0, None, None, None, None, None, None),
        prompt_tokens=serving.prompt,
        output_tokens=serving.output,
        kv_GBps=0.0,
    )
    return _with_times(plain, done, area)


def _varied(output: int, many: int, seed: int) -> list[int]:
    """So many lengths of answers around the one that is said, in random order."""
    steps = [(2 * at + 1) / many - 1 for at in range(many)]
    Random(seed).shuffle(steps)
    return [max(1, round(output * (1 + ANSWERS_VARY * step))) for step in steps]


def load_of_trace(server: Server, service: Service, trace: Sequence[Arrival]) -> ServiceLoad:
    """The service with the requests of a trace, whose mean lengths are those of its block.

    Raises
    ------
    WorkloadError
        If a copy does not hold one of them.
    """
    room = _room_tokens(server)
    for at, each in enumerate(trace, 1):
        if each.prompt + each.output > room:
            text = f"{each.prompt + each.output:,} tokens; a copy holds {room:,.0f}"
            raise WorkloadError([f"serving.trace: request {at} has {text}"])
    span_s = trace[-1].at_s - trace[0].at_s
    rate = (len(trace) - 1) / span_s if span_s > 0 else 0.0
    kv = service.kv_bytes if server.serving.disaggregated else 0.0
    plain = ServiceLoad(
        "trace",
        rate,
        service.requests_per_s,
        0,
        *(0, None, None, None, None, None, None),
        prompt_tokens=server.serving.prompt,
        output_tokens=server.serving.output,
        kv_GBps=min(rate, service.requests_per_s) * kv / 1e9,
    )
    if rate >= service.requests_per_s and len(trace) > service.copies * service.batch:
        return plain
    done = _through(server, service, trace, service.prefill_copies, service.copies)
    end = max(each.at_s + each.whole_s for each in done)
    return _with_times(plain, done, mean_in_system(done, trace[0].at_s, end))


def _with_times(load: ServiceLoad, counted: Sequence[Served], in_flight: float) -> ServiceLoad:
    tokens = [each.token_s for each in counted if each.token_s is not None]
    return replace(
        load,
        requests=len(counted),
        ttft=_waiting([each.first_s for each in counted]),
        tpot=_waiting(tokens) if tokens else None,
        waited=_waiting([each.waited_s for each in counted]),
        whole=_waiting([each.whole_s for each in counted]),
        in_flight=in_flight,
        mean_whole_s=sum(each.whole_s for each in counted) / len(counted),
    )


def _waiting(values: Sequence[float]) -> Waiting:
    return Waiting(percentile(values, 0.5), percentile(values, 0.99), fmean(values))


def _room_tokens(server: Server) -> float:
    """Tokens that the cache of a copy holds."""
    return float(server.largest_batch * (server.serving.prompt + server.serving.output))


def _through(
    server: Server, service: Service, stream: Sequence[Arrival], reading: int, writing: int
) -> list[Served]:
    """All requests of a stream through so many copies that read prompts and so many that write."""
    one = _batching(server, service, stream)
    if not server.serving.disaggregated:
        return [each for copy in range(writing) for each in served(stream[copy::writing], one)]
    begun, ready = [0.0] * len(stream), [0.0] * len(stream)
    for copy in range(reading):
        times = read_apart(stream[copy::reading], one.together, one.prefill_s)
        begun[copy::reading] = [begin for begin, _ in times]
        ready[copy::reading] = [end + service.kv_transfer_s for _, end in times]
    order = sorted(range(len(stream)), key=ready.__getitem__)
    only = replace(one, together=service.batch, prefill_s=lambda *_: 0.0, wait_passes=0)
    done: list[Served] = []
    for copy in range(writing):
        mine = order[copy::writing]
        later = [stream[each]._replace(at_s=ready[each]) for each in mine]
        for request, each in zip(mine, served(later, only), strict=True):
            at_s = stream[request].at_s
            before = ready[request] - at_s
            waited_s, first_s = begun[request] - at_s, before + each.first_s
            done.append(Served(at_s, waited_s, first_s, before + each.whole_s, each.output))
    return done


def _batching(server: Server, service: Service, stream: Sequence[Arrival]) -> Batching:
    """A copy of the service that reads the prompts of a stream."""
    serving = server.serving
    attending = max(1, server.copy_gpus // (server.split.tp * server.split.pp))
    together = max(1, min(serving.prefill_batch * attending, service.batch))
    return Batching(
        service.batch,
        _room_tokens(server),
        together,
        serving.chunk_tokens * attending,
        _interpolated(lambda size: server.decode(size).total_s, service.batch),
        _prefill_s(server, attending, max(each.prompt for each in stream)),
        serving.wait_passes,
        serving.chunk_tokens if serving.wait_tokens is None else serving.wait_tokens,
    )


def _prefill_s(server: Server, attending: int, longest: int) -> Callable[[int, int], float]:
    """Time to read so many prompts, the longest of so many tokens; parts of a copy read at once."""

    @cache
    def of_rounds(rounds: int) -> Callable[[int], float]:
        def of_length(tokens: int) -> float:
            serving = server.serving.model_copy(update={"prompt": tokens})
            return replace(server, serving=serving).prefill(rounds).total_s

        same = server.serving.prompt
        return _interpolated(of_length, longest, own=(same,))

    return lambda many, tokens: of_rounds(-(-many // attending))(tokens)


def _interpolated(
    function: Callable[[int], float], most: int, own: tuple[int, ...] = ()
) -> Callable[[int], float]:
    """A function of a whole number up to ``most``, asked at powers of two and between them."""
    powers = [1 << power for power in range(most.bit_length())]
    grid = sorted({size for size in (*powers, *(3 * each // 2 for each in powers)) if size < most})
    grid = sorted({*grid, *(size for size in own if size <= most), most})
    asked = cache(lambda at: function(grid[at]))

    @cache
    def between(size: int) -> float:
        at = bisect_left(grid, size)
        if grid[at] == size:
            return asked(at)
        low, high = grid[at - 1], grid[at]
        share = (size - low) / (high - low)
        return asked(at - 1) * (1 - share) + asked(at) * share

    return between
