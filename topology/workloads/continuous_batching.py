"""Requests through one server that batches them as they come and go: a discrete simulation.

The server decodes a token for every sequence of its batch at once. Between two passes it reads as
many tokens of prompts as one pass takes, while places are free, and stops the others for it
(continuous batching: Yu et al. 2022, Orca, OSDI). Reading a prompt gives the first token of its
answer. Nothing but numbers of requests and times of passes is known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import ceil, inf

from toposmith.topology.workloads.arrivals import Arrival


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
    """

    places: int
    room_tokens: float
    together: int
    chunk_tokens: int
    decode_s: Callable[[int], float]
    prefill_s: Callable[[int, int], float]


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
        self.chunks = 0  # that are left of what is read
        self.waiting, self.passes, self.now, self.held = 0, 0, 0.0, 0.0

    def run(self) -> list[Served]:
        """All requests, to their last tokens."""
        while self.waiting < len(self.requests) or self.active or self.read:
            if not self.active and not self.read:
                self.now = max(self.now, self.requests[self.waiting].at_s)
            if not self.read:
                self._begin()
            writing = len(self.active)
            if self.read:
                self._read_a_chunk(beside=writing > 0)
            if writing:
                self._write(writing)
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
        while (
            self.waiting < len(requests)
            and len(self.active) + len(self.read) < batching.places
            and requests[self.waiting].at_s <= self.now
            and self.held + _tokens(requests[self.waiting]) <= batching.room_tokens
        ):
            tokens += requests[self.waiting].prompt
            if len(self.read) >= batching.together and tokens > batching.chunk_tokens:
                break
            self.held += _tokens(requests[self.waiting])
            self.begun[self.waiting] = self.now
            self.read.append(self.waiting)
            self.waiting += 1
        if self.read:
            self.chunks = self._chunks

    @property
    def _longest(self) -> int:
        return max(self.requests[each].prompt for each in self.read)

    @property
    def _chunks(self) -> int:
        """Passes that reading takes."""
        return ceil(self._longest / self.batching.chunk_tokens)

    def _read_a_chunk(self, *, beside: bool) -> None:
        """One pass over prompts; the last gives the first tokens of their answers.

        What is written ``beside`` it is not yet of these.
        """
        whole_s = self.batching.prefill_s(len(self.read), self._longest)
        self.now += whole_s / self._chunks
        self.chunks -= 1
        if self.chunks:
            return
        for request in self.read:
            self.first[request] = self.now
            more = self.requests[request].output - 1
            if more:
                heappush(self.active, (self.passes + more + beside, request))
            else:
                self._end(request)
        self.read = []

    def _write(self, many: int) -> None:
        """A token of so many answers; several, where nothing else comes in between."""
        each_s, steps = self.batching.decode_s(many), 1
        if not self.read and len(self.active) == many:
            steps = self.active[0][0] - self.passes
            if many < self.batching.places and self.waiting < len(self.requests):
                until_s = self.requests[self.waiting].at_s - self.now
                steps = min(steps, max(1, ceil(until_s / each_s)))
        self.passes += steps
        self.now += steps * each_s

    def _end(self, request: int) -> None:
        """Let go what is done; in a closed system the next one comes for it."""
        self.done[request] = self.now
        self.held -= _tokens(self.requests[request])
        if len(self.requests) < len(self.done):
            self.requests.append(self.requests[request]._replace(at_s=self.now))


def _tokens(arrival: Arrival) -> int:
    return arrival.prompt + arrival.output


def read_apart(
    arrivals: Sequence[Arrival], together: int, prefill_s: Callable[[int, int], float]
) -> list[tuple[float, float]]:
    """Of each prompt when a server that only reads begins it, and when it is read, in order."""
    found: list[tuple[float, float]] = []
    free_s = 0.0
    while len(found) < len(arrivals):
        start = len(found)
        begin = max(free_s, arrivals[start].at_s)
        read = [a for a in arrivals[start : start + together] if a.at_s <= begin]
        free_s = begin + prefill_s(len(read), max(a.prompt for a in read))
        found += [(begin, free_s)] * len(read)
    return found


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
