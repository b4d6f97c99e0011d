"""Cancellation of long work: it checks periodically whether it is still wanted, and not too much.

Work is counted in steps, not in seconds, so that a design has the same verdict on every machine.
A step is a cable, a device or a class that is looked at: about a microsecond of processor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import monotonic
from typing import TypeVar

from toposmith.errors import TooMuchWorkError

Found = TypeVar("Found")

_wanted: ContextVar[Callable[[], bool] | None] = ContextVar("wanted", default=None)
_allowed: ContextVar[Steps | None] = ContextVar("allowed", default=None)


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


class Steps:
    """The steps that some work may take in all, counted for an enclosing work, too.

    Parameters
    ----------
    most : float
        How many.

    Attributes
    ----------
    taken : int
        How many were taken.
    """

    def __init__(self, most: float = inf) -> None:
        self.most = most
        self.taken = 0
        self._outside: Steps | None = None

    def run(self, work: Callable[[], Found]) -> Found | None:
        """The result of work in this thread, or None where it takes more steps than are left.

        Raises
        ------
        TooMuchWorkError
            When it takes more than an enclosing work has left.
        """
        self._outside = _allowed.get()
        before = _allowed.set(self)
        try:
            return work()
        except TooMuchWorkError:
            if self.taken <= self.most:
                raise
            return None
        finally:
            _allowed.reset(before)

    def take(self, steps: int) -> None:
        """Count steps; raises TooMuchWorkError where none are left."""
        if self._outside is not None:
            self._outside.take(steps)
        self.taken += steps
        if self.taken > self.most:
            raise TooMuchWorkError


def go_on(steps: int = 1) -> None:
    """Check whether this work is still wanted, and count what it takes.

    Parameters
    ----------
    steps : int
        Steps since the last check.

    Raises
    ------
    Stopped
        When it is not.
    TooMuchWorkError
        When it takes more than it may.
    """
    allowed = _allowed.get()
    if allowed is not None:
        allowed.take(steps)
    wanted = _wanted.get()
    if wanted is not None and not wanted():
        raise Stopped


class TimeLimit:
    """A time limit for work in steps: none begins after it, and a running one is stopped.

    Parameters
    ----------
    seconds : float, optional
        Counted from now; no limit without it.
    steps : float, optional
        How many steps all of them take at most; no limit without it.
    """

    def __init__(self, seconds: float | None = None, steps: float = inf) -> None:
        self._began = monotonic()
        self._seconds = inf if seconds is None else seconds
        self._steps = Steps(steps)
        self.ended = False

    def end(self, seconds: float = 0.0) -> None:
        """End steps that have a share of the time now, and others ``seconds`` from now."""
        self.ended = True
        self._seconds = min(self._seconds, monotonic() - self._began + seconds)

    def over(self, share: float = 1.0) -> bool:
        """Whether the time, or this share of it, has passed, or so many steps were taken."""
        if self.ended and share != 1.0:
            return True
        if self._steps.taken >= share * self._steps.most:
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
                return self._steps.run(work)
        except Stopped:
            go_on()  # an enclosing block may have been cancelled
            return None
