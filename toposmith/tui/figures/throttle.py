"""How often a thread reports its progress: the screen shows few of a million steps."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

SECONDS = 0.1


class Throttle:
    """Limits how often progress is reported; the first report is at once.

    Parameters
    ----------
    clock : callable
        Seconds that only go forward.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._next = clock()

    def due(self) -> bool:
        """Whether the next report is due."""
        now = self._clock()
        if now < self._next:
            return False
        self._next = now + SECONDS
        return True
