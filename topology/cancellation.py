"""Long work that can be stopped: now and then it asks whether it is still wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import monotonic
from typing import TypeVar

Found = TypeVar("Found")

_wanted: ContextVar[Callable[[], bool] | None] = ContextVar("wanted", default=None)


class Stopped(Exception):
    """What was being worked out is not wanted any more."""


@contextmanager
def stopped_unless(wanted: Callable[[], bool]) -> Iterator[None]:
    """Let work in this thread go on only as long as it is wanted, here and by whoever began it.

    ``wanted`` is asked often, so that it has to be quick; it may also tell that work goes on.
    """
    outside = _wanted.get()
    both = wanted if outside is None else lambda: outside() and wanted()
    before = _wanted.set(both)
    try:
        yield
    finally:
        _wanted.reset(before)


def go_on() -> None:
    """Ask whether this work is still wanted; raises :class:`Stopped` if not."""
    wanted = _wanted.get()
    if wanted is not None and not wanted():
        raise Stopped


class TimeLimit:
    """An end for work that takes steps: no step begins after it, and one under way ends there.

    Parameters
    ----------
    seconds : float, optional
        From now on; without it there is no end.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._began = monotonic()
        self._seconds = inf if seconds is None else seconds
        self.ended = False

    def end(self, seconds: float = 0.0) -> None:
        """Let no step of a share go on, and others only for some seconds from now."""
        self.ended = True
        self._seconds = min(self._seconds, monotonic() - self._began + seconds)

    def over(self, share: float = 1.0) -> bool:
        """Whether the time is over, or a share of it."""
        if self.ended and share != 1.0:
            return True
        return monotonic() - self._began >= share * self._seconds

    def held(
        self, work: Callable[[], Found], share: float = 1.0, *, at_least: float = 0.0
    ) -> Found | None:
        """What a step gives, or None where the time ended first.

        A step that begins late has ``at_least`` so many seconds all the same, unless it is one of
        a share and somebody ends it.
        """
        until = monotonic() + at_least

        def wanted() -> bool:
            late = monotonic() < until and not (self.ended and share != 1.0)
            return late or not self.over(share)

        try:
            with stopped_unless(wanted):
                go_on()
                return work()
        except Stopped:
            go_on()  # who waits for all of it may have ended it
            return None
