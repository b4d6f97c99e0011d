"""A service under load: how long users wait while so many requests are always under way.

They spread over the copies. Each copy batches them continuously, with the times of passes
that :mod:`toposmith.workloads.serving` predicts; what is between the batches and lengths
that are asked of it is interpolated.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from statistics import fmean

from toposmith.workloads.continuous_batching import (
    Arrival,
    Batching,
    Served,
    mean_in_system,
    percentile,
    served,
)
from toposmith.workloads.service import Service
from toposmith.workloads.serving import Server

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
