"""Long work that can be stopped: now and then it asks whether it is still wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_wanted: ContextVar[Callable[[], bool] | None] = ContextVar("wanted", default=None)


class Stopped(Exception):
    """What was being worked out is not wanted any more."""


@contextmanager
def stopped_unless(wanted: Callable[[], bool]) -> Iterator[None]:
    """Let work in this thread go on only as long as it is wanted.

    ``wanted`` is asked often, so that it has to be quick; it may also tell that work goes on.
    """
    before = _wanted.set(wanted)
    try:
        yield
    finally:
        _wanted.reset(before)


def go_on() -> None:
    """Ask whether this work is still wanted; raises :class:`Stopped` if not."""
    wanted = _wanted.get()
    if wanted is not None and not wanted():
        raise Stopped
