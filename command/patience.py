"""Words on stderr while figures take long: on one line of a terminal, else a line now and then."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import click

from toposmith.topology.cancellation import stopped_unless

PATIENCE_SECONDS = 1.0
"""How long a person waits without a word."""


SECONDS_BETWEEN_LINES = 3.0
"""Between lines of what is counted, where stderr is a file or a pipe."""

SECONDS_TO_A_LINE = 10.0
"""Between lines where nothing can be counted."""


class LinesNowAndThen:
    """Progress where stderr is no terminal: a line now and then, none for what is quick.

    Parameters
    ----------
    words : str
        What is counted, with ``{done}`` and ``{of}``.
    """

    def __init__(self, words: str) -> None:
        self._words = words
        self._last = monotonic()

    def told(self, done: int, of: int) -> bool:
        """Write how far it is, where the last line is some seconds old."""
        if monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = monotonic()
            click.echo(self._words.format(done=f"{done:,}", of=f"{of:,}"), err=True)
        return True


@contextmanager
def told_while_computing(what: str = "computing") -> Iterator[None]:
    """Say that something is being worked out: on a line that goes away, or one in ten seconds."""
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
    finally:
        if terminal and said > began:
            click.echo("\r\x1b[K", err=True, nl=False)
