"""Cancellation of long work: it checks periodically whether it is still wanted."""

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
    """The computation was cancelled."""


@contextmanager
def stopped_unless(wanted: Callable[[], bool]) -> Iterator[None]:
    """Cancel work in this thread once ``wanted`` is false, here or in an enclosing block.

    ``wanted`` is called often, so it has to be fast; it may also report progress.
    """
    outside = _wanted.get()
    both = wanted if outside is None else lambda: outside() and wanted()
    before = _wanted.set(both)
    try:
        yield
    finally:
        _wanted.reset(before)


def go_on() -> None:
    """Check whether this work is still wanted.

    Raises
    ------
    Stopped
        When it is not.
    """
    wanted = _wanted.get()
    if wanted is not None and not wanted():
        raise Stopped


class TimeLimit:
    """A time limit for work in steps: none begins after it, and a running one is stopped.

    Parameters
    ----------
    seconds : float, optional
        Counted from now; no limit without it.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._began = monotonic()
        self._seconds = inf if seconds is None else seconds
        self.ended = False

    def end(self, seconds: float = 0.0) -> None:
        """End steps that have a share of the time now, and others ``seconds`` from now."""
        self.ended = True
        self._seconds = min(self._seconds, monotonic() - self._began + seconds)

    def over(self, share: float = 1.0) -> bool:
        """Whether the time, or this share of it, has passed."""
        if self.ended and share != 1.0:
            return True
        return monotonic() - self._began >= share * self._seconds

    def run(
        self, work: Callable[[], Found], share: float = 1.0, *, at_least: float = 0.0
    ) -> Found | None:
        """The result of a step, or None where the time ran out first.

        A step that begins late still has ``at_least`` seconds, unless it has a share of the time
        and :meth:`end` was called.
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
            go_on()  # an enclosing block may have been cancelled
            return None
