"""Requests through one server that batches them as they come and go: a discrete simulation.

The server decodes a token for every sequence of its batch at once. Between two passes it reads the
prompts that wait, as long as places are free, and stops the others for it (continuous batching: Yu
et al. 2022, Orca, OSDI). Nothing but numbers of requests and times of passes is known here.
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
        Prompts that are read at once.
    decode_s : callable
        Time of a pass with so many sequences.
    prefill_s : callable
        Time to read so many prompts, the longest of so many tokens.
    """

    places: int
    room_tokens: float
    together: int
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


def served(arrivals: Sequence[Arrival], batching: Batching) -> list[Served]:
    """Every request, in the order of its arrival, served by one server that starts empty."""
    begun: list[float] = [0.0] * len(arrivals)
    first: list[float] = [0.0] * len(arrivals)
    done: list[float] = [0.0] * len(arrivals)
    active: list[tuple[int, int]] = []  # after which pass it is done, and which request it is
    waiting, passes, now, held = 0, 0, 0.0, 0.0
    fresh: list[int] = []
    many = len(arrivals)
    while waiting < many or active:
        if not active and waiting < many:
            now = max(now, arrivals[waiting].at_s)
        read: list[int] = []
        while (
            waiting < many
            and len(read) < batching.together
            and len(active) + len(read) < batching.places
            and arrivals[waiting].at_s <= now
            and held + _tokens(arrivals[waiting]) <= batching.room_tokens
        ):
            held += _tokens(arrivals[waiting])
            read.append(waiting)
            waiting += 1
        if read:
            for request in read:
                begun[request] = now
                heappush(active, (passes + arrivals[request].output, request))
            now += batching.prefill_s(len(read), max(arrivals[each].prompt for each in read))
            fresh += read
            continue
        each_s = batching.decode_s(len(active))
        steps = 1 if fresh else active[0][0] - passes
        free = len(active) < batching.places
        if free and waiting < many and arrivals[waiting].at_s > now:
            steps = min(steps, max(1, ceil((arrivals[waiting].at_s - now) / each_s)))
        passes += steps
        now += steps * each_s
        for request in fresh:
            first[request] = now
        fresh = []
        while active and active[0][0] <= passes:
            _, request = heappop(active)
            done[request] = now
            held -= _tokens(arrivals[request])
    return [
        Served(a.at_s, begun[i] - a.at_s, first[i] - a.at_s, done[i] - a.at_s, a.output)
        for i, a in enumerate(arrivals)
    ]


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
