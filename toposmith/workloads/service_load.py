"""A service under load: how long users wait while so many requests are always under way.

They spread over the copies. Each copy batches them continuously, with the times of passes
that :mod:`toposmith.workloads.serving` predicts; what is between the batches and lengths
that are asked of it is interpolated.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import heappop, heappush
from math import ceil, inf
from random import Random
from statistics import fmean
from typing import NamedTuple

from toposmith.workloads.serving import Server, Service


class Arrival(NamedTuple):
    """A request: when it arrives, and the tokens of its prompt and of its answer."""

    at_s: float
    prompt: int
    output: int


@dataclass(frozen=True)
class Batching:
    """What a server takes at once, and how long its passes last.

    Parameters
    ----------
    places : int
        Sequences that it decodes together at most.
    room_tokens : float
        Tokens of prompts and answers that its memory holds.
    together : int
        Prompts that are read at once, however long they are.
    chunk_tokens : int
        Tokens of prompts that a pass takes; longer ones take several, and after each pass over
        prompts all that is written gets a token (chunked prefill: Agrawal et al. 2024,
        Sarathi-Serve, arXiv 2403.02310).
    decode_s : callable
        Time of a pass with so many sequences.
    prefill_s : callable
        Time to read so many prompts, the longest of so many tokens.
    wait_passes : int
        That prompts wait for more of them while answers are written.
    wait_tokens : int
        Of prompts and answers in a pass, from which on they do not wait.
    """

    places: int
    room_tokens: float
    together: int
    chunk_tokens: int
    decode_s: Callable[[int], float]
    prefill_s: Callable[[int, int], float]
    wait_passes: int = 0
    wait_tokens: int = 0


@dataclass(frozen=True)
class Served:
    """A request when it is done: seconds from its arrival.

    Parameters
    ----------
    at_s : float
        When it arrived.
    waited_s : float
        Until its prompt was begun to be read.
    first_s : float
        To the first token of the answer.
    whole_s : float
        To the last.
    output : int
        Tokens of the answer.
    """

    at_s: float
    waited_s: float
    first_s: float
    whole_s: float
    output: int

    @property
    def token_s(self) -> float | None:
        """Time of each token after the first; None where there is only one."""
        return (self.whole_s - self.first_s) / (self.output - 1) if self.output > 1 else None


def served(arrivals: Sequence[Arrival], batching: Batching, further: int = 0) -> list[Served]:
    """Every request, in the order of its arrival, served by one server that starts empty.

    With ``further`` the system is closed: as many more requests come, each the moment that one is
    done, and like the one that is done.
    """
    return _Server(list(arrivals), batching, further).run()


class _Server:
    """A server at work: what waits, what is read, what is written."""

    def __init__(self, requests: list[Arrival], batching: Batching, further: int) -> None:
        self.requests, self.batching = requests, batching
        self.begun, self.first, self.done = ([0.0] * (len(requests) + further) for _ in range(3))
        self.active: list[tuple[int, int]] = []  # after which pass it is done, and which it is
        self.read: list[int] = []
        self.chunks, self.chunk_s = 0, 0.0  # that are left of what is read, and the time of each
        self.waiting, self.passes, self.now, self.held = 0, 0, 0.0, 0.0
        self.known, self.waited = 0.0, 0  # until when arrivals are in the next pass

    def run(self) -> list[Served]:
        """All requests, to their last tokens."""
        while self.waiting < len(self.requests) or self.active or self.read:
            if not self.active and not self.read:
                self.now = max(self.now, self.requests[self.waiting].at_s)
                self.known = self.now
            if not self.read:
                self._begin()
            pass_s = self._read_a_chunk() if self.read else self._write()
            self.known = self.now - pass_s
            while self.active and self.active[0][0] <= self.passes:
                self._end(heappop(self.active)[1])
        return [
            Served(
                a.at_s,
                self.begun[i] - a.at_s,
                self.first[i] - a.at_s,
                self.done[i] - a.at_s,
                a.output,
            )
            for i, a in enumerate(self.requests)
        ]

    def _begin(self) -> None:
        """Take in what waits, as far as there are places, memory and tokens of a pass."""
        requests, batching, tokens = self.requests, self.batching, 0
        held, taken = self.held, self.waiting
        # most passes find nobody who waits, or no place
        if taken == len(requests) or requests[taken].at_s > self.known:
            return
        if len(self.active) >= batching.places:
            return
        while (
            taken < len(requests)
            and len(self.active) + taken - self.waiting < batching.places
            and requests[taken].at_s <= self.known
            and held + _tokens(requests[taken]) <= batching.room_tokens
        ):
            more = tokens + requests[taken].prompt
            if taken - self.waiting >= batching.together and more > batching.chunk_tokens:
                break
            tokens = more
            held += _tokens(requests[taken])
            taken += 1
        if taken == self.waiting:
            return
        if (
            self.active
            and self.waited < batching.wait_passes
            and tokens + len(self.active) < batching.wait_tokens
        ):
            self.waited += 1
            return
        self.waited = 0
        self.held = held
        for each in range(self.waiting, taken):
            self.begun[each] = self.now
        self.read = list(range(self.waiting, taken))
        self.waiting = taken
        longest = max([requests[each].prompt for each in self.read])
        self.chunks = ceil(longest / batching.chunk_tokens)
        self.chunk_s = batching.prefill_s(len(self.read), longest) / self.chunks

    def _read_a_chunk(self) -> float:
        """One pass over prompts, and a token for what is written beside them: its time.

        The last gives the first tokens of their answers.
        """
        whole_s = self.chunk_s
        if self.active:
            whole_s += self.batching.decode_s(len(self.active))
            self.passes += 1
        self.now += whole_s
        self.chunks -= 1
        if self.chunks:
            return whole_s
        for request in self.read:
            self.first[request] = self.now
            more = self.requests[request].output - 1
            if more:
                heappush(self.active, (self.passes + more, request))
            else:
                self._end(request)
        self.read = []
        return whole_s

    def _write(self) -> float:
        """A token of every answer; several, where nothing else comes in between. Time of a pass."""
        many = len(self.active)
        each_s, steps = self.batching.decode_s(many), 1
        if not self.waited:
            steps = self.active[0][0] - self.passes
            if many < self.batching.places and self.waiting < len(self.requests):
                until_s = self.requests[self.waiting].at_s - self.now
                steps = min(steps, max(1, ceil(until_s / each_s)))
        self.passes += steps
        self.now += steps * each_s
        return each_s

    def _end(self, request: int) -> None:
        """Let go what is done; in a closed system the next one comes for it."""
        self.done[request] = self.now
        self.held -= _tokens(self.requests[request])
        if len(self.requests) < len(self.done):
            self.requests.append(self.requests[request]._replace(at_s=self.now))


def _tokens(arrival: Arrival) -> int:
    return arrival.prompt + arrival.output


def percentile(values: Iterable[float], share: float) -> float:
    """The least value that this share of all does not exceed; infinite without any."""
    ordered = sorted(values)
    return ordered[max(0, ceil(share * len(ordered)) - 1)] if ordered else inf


def mean_in_system(requests: Iterable[Served], start_s: float, end_s: float) -> float:
    """Requests under way between two times, on average: the area under their count."""
    area = sum(
        max(0.0, min(each.at_s + each.whole_s, end_s) - max(each.at_s, start_s))
        for each in requests
    )
    return area / (end_s - start_s)


REQUESTS_EACH = 10
"""That follow each other in every place, from when the service is empty, as benchmarks of
serving have it (InferenceMAX, README.md: --num-prompts of ten times --max-concurrency; it is what
their times to the first token contain of the first prompts, which all come at once)."""

ANSWERS_VARY = 0.1
"""How much longer or shorter than said answers are at most, evenly spread: those of InferenceMAX
are 80 to 100 % of the longest (--random-range-ratio 0.8). Answers as long as each other would end,
and the next prompts come, all at once for ever."""

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
    """What a service does while so many requests are always under way, from when it is empty.

    Parameters
    ----------
    users : int
        Requests under way over the whole cluster; each is followed by the next when it is answered.
    rate_per_s : float
        Requests that are answered a second, of the whole cluster.
    seed : int
        Of what is random.
    ttft, waited, whole : Waiting
        Time to the first token, until the prompt is begun, and to the last token.
    tpot : Waiting or None
        Time per output token after the first; None where answers have one token.
    in_flight : float
        Requests under way in the whole cluster, on average until the last of a copy is answered.
    prompt_tokens, output_tokens : float
        Of a request, on average.
    """

    users: int
    rate_per_s: float
    seed: int
    ttft: Waiting
    tpot: Waiting | None
    waited: Waiting
    whole: Waiting
    in_flight: float
    prompt_tokens: float
    output_tokens: float

    @property
    def requests(self) -> int:
        """That were simulated and counted."""
        return self.users * REQUESTS_EACH

    @property
    def in_GBps(self) -> float:
        """Text of prompts into the cluster."""
        return self.rate_per_s * self.prompt_tokens * TOKEN_TEXT_BYTES / 1e9

    @property
    def out_GBps(self) -> float:
        """Streamed answers out of the cluster, a token an event."""
        return self.rate_per_s * self.output_tokens * CHUNK_BYTES / 1e9


def load_of_users(server: Server, service: Service, seed: int) -> ServiceLoad:
    """The service with ``concurrency`` requests always under way, from when it is empty.

    They spread evenly over the copies; what one more than the others has is simulated, too.
    """
    serving = server.serving
    assert serving.concurrency is not None
    each, fuller = divmod(serving.concurrency, service.copies)
    batching = _batching(server, service)
    done: list[Served] = []
    rate = area = 0.0
    for users, copies in ((each + 1, fuller), (each, service.copies - fuller)):
        if not users or not copies:
            continue
        stream = [
            Arrival(0.0, serving.prompt, output) for output in _varied(serving.output, users, seed)
        ]
        one = served(stream, batching, (REQUESTS_EACH - 1) * users)
        end_s = max(request.at_s + request.whole_s for request in one)
        rate += copies * len(one) / end_s
        area += copies * mean_in_system(one, 0.0, end_s)
        done += one * copies
    tokens = [request.token_s for request in done if request.token_s is not None]
    return ServiceLoad(
        serving.concurrency,
        rate,
        seed,
        ttft=_waiting([request.first_s for request in done]),
        tpot=_waiting(tokens) if tokens else None,
        waited=_waiting([request.waited_s for request in done]),
        whole=_waiting([request.whole_s for request in done]),
        in_flight=area,
        prompt_tokens=serving.prompt,
        output_tokens=serving.output,
    )


def _varied(output: int, many: int, seed: int) -> list[int]:
    """So many lengths of answers around the one that is said, in random order."""
    steps = [(2 * at + 1) / many - 1 for at in range(many)]
    Random(seed).shuffle(steps)
    return [max(1, round(output * (1 + ANSWERS_VARY * step))) for step in steps]


def _waiting(values: Sequence[float]) -> Waiting:
    return Waiting(percentile(values, 0.5), percentile(values, 0.99), fmean(values))


def _batching(server: Server, service: Service) -> Batching:
    """A copy of the service."""
    serving = server.serving
    attending = max(1, server.copy_gpus // (server.split.tp * server.split.pp))
    together = max(1, min(serving.prefill_batch * attending, service.batch))
    return Batching(
        service.batch,
        float(server.largest_batch * (serving.prompt + serving.output)),
        together,
        serving.chunk_tokens * attending,
        _interpolated(lambda size: server.decode(size).total_s, service.batch),
        _prefill_s(server, attending),
        serving.wait_passes,
        serving.chunk_tokens if serving.wait_tokens is None else serving.wait_tokens,
    )


def _prefill_s(server: Server, attending: int) -> Callable[[int, int], float]:
    """Time to read so many prompts, all of the length that is asked; parts of a copy at once."""
    of_rounds = cache(lambda rounds: server.prefill(rounds).total_s)
    return lambda many, _: of_rounds(-(-many // attending))


def _interpolated(function: Callable[[int], float], most: int) -> Callable[[int], float]:
    """A function of a whole number up to ``most``, asked at powers of two and between them."""
    powers = [1 << power for power in range(most.bit_length())]
    grid = sorted({size for size in (*powers, *(3 * each // 2 for each in powers)) if size < most})
    grid.append(most)
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
