"""Requests through one server that batches them as they come and go: a discrete simulation.

A pass gives a token to every sequence of the batch, and reads as many tokens of prompts that wait
as it takes, while places are free; it lasts as long as both take one after the other (continuous
batching: Yu et al. 2022, Orca, OSDI). The pass in which a prompt is read to its end gives the first
token of its answer. A pass is made up while the one before it runs, so that what arrives during a
pass is not in the next (TensorRT-LLM, overlap scheduler, "one extra decoding step", on unless it is
disabled; vLLM, --async-scheduling; SGLang, --disable-overlap-schedule). Nothing but numbers of
requests and times of passes is known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import ceil, inf
from typing import NamedTuple


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
