"""Progress on stderr while figures take long: on one line of a terminal, else periodic lines."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, TypeVar

import click

from toposmith.cancellation import TimeLimit, stopped_unless

Found = TypeVar("Found")

PATIENCE_SECONDS = 1.0
"""Time in s before the first message."""


SECONDS_BETWEEN_LINES = 3.0
"""Time in s between lines with a count, where stderr is a file or a pipe."""

SECONDS_TO_A_LINE = 10.0
"""Time in s between lines where nothing can be counted."""


class LinesNowAndThen:
    """Progress where stderr is no terminal: periodic lines, none for quick work.

    Parameters
    ----------
    words : str
        What is counted, with ``{done}`` and ``{of}``.
    """

    def __init__(self, words: str) -> None:
        self._words = words
        self._last = monotonic()

    def told(self, done: int, of: int) -> bool:
        """Write the progress, if the last line is some seconds old; returns True."""
        if monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = monotonic()
            click.echo(self._words.format(done=f"{done:,}", of=f"{of:,}"), err=True)
        return True


@contextmanager
def progress_while_computing(what: str = "computing") -> Iterator[None]:
    """Show that a computation runs: on a line that is cleared, or every ten seconds.

    Raises
    ------
    click.Abort
        When Ctrl+C ends it, with a line that says so.
    """
    terminal = sys.stderr.isatty()
    pause = PATIENCE_SECONDS if terminal else SECONDS_TO_A_LINE
    began = said = monotonic()

    def tell() -> bool:
        nonlocal said
        now = monotonic()
        if now - said >= pause:
            said = now
            words = f"{what}, {now - began:.0f} s"
            if terminal:
                click.echo(f"\r{words}; Ctrl+C stops", err=True, nl=False)
            else:
                click.echo(words, err=True)
        return True

    try:
        with stopped_unless(tell):
            yield
    except KeyboardInterrupt:
        stopped = f"interrupted while {what}, after {monotonic() - began:.0f} s"
        raise click.Abort(stopped) from None
    finally:
        if terminal and said > began:
            click.echo("\r\x1b[K", err=True, nl=False)


class KeepsWhatIsDone(TimeLimit):
    """Work in steps: Ctrl+C stops it and keeps completed steps; a second Ctrl+C ends the command.

    Enter it in the main thread; before its first step Ctrl+C acts as usual.

    Parameters
    ----------
    seconds : float, optional
        Time limit; none without it.
    finishing : float
        Seconds after Ctrl+C in which results found may still be completed.
    """

    def __init__(self, seconds: float | None = None, finishing: float = 0.0) -> None:
        super().__init__(seconds)
        self._finishing = finishing
        self._before: Any = None

    def __enter__(self) -> KeepsWhatIsDone:
        return self

    def __exit__(self, *_: object) -> None:
        self._give_back()

    def run(
        self, work: Callable[[], Found], share: float = 1.0, *, at_least: float = 0.0
    ) -> Found | None:
        """The result of a step, or None where it was interrupted or ran out of time."""
        if self._before is None and not self.ended:
            self._before = signal.signal(signal.SIGINT, self._asked)
        return super().run(work, share, at_least=at_least)

    def _asked(self, *_: object) -> None:
        self.end(self._finishing)
        self._give_back()

    def _give_back(self) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None
