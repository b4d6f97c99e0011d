"""What a command does, said on stderr while it takes long; Ctrl+C ends it soon."""

from __future__ import annotations

import _thread
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from queue import SimpleQueue
from threading import Event, Lock, Thread, current_thread, main_thread
from time import monotonic, sleep
from typing import Any, TypeVar

import click

from toposmith.cancellation import Stopped, TimeLimit
from toposmith.whole_files import discard_unfinished

Found = TypeVar("Found")

SECONDS_TO_A_LINE = 1.0
"""Time in s before the first message on a terminal, and between its updates."""

SECONDS_TO_A_LOG = 2.5
"""Time in s before the first message where stderr is a file or a pipe."""

SECONDS_BETWEEN_LOGS = 10.0
"""Time in s between messages there."""

SECONDS_TO_AN_END = 0.8
"""Time in s after Ctrl+C until a process ends that is deaf to it, as in a long call of C."""

_TICK_SECONDS = 0.25


class CommandWatch:
    """Says what a command does while it takes long, and ends it at Ctrl+C.

    A thread says it, so that work need not report anything.

    Parameters
    ----------
    owns_process : bool
        Whether the process runs this command alone: its stderr says what is done, and it may be
        ended.

    Attributes
    ----------
    what, count : str
        What is done, as in ``planning steps``, and how much of it; empty where that is unknown.
    interrupted : str
        The line that says what Ctrl+C ended; empty where it did not.
    keeper : KeepsWhatIsDone or None
        What keeps the steps that are done.
    """

    def __init__(self, *, owns_process: bool) -> None:
        self.what = self.count = self.interrupted = ""
        self.keeper: KeepsWhatIsDone | None = None
        self._owns_process = owns_process
        self._began = self._said = monotonic()
        self._lines = 0
        self._is_shown = self._is_within_line = False
        self._due: BaseException | None = None
        self._over = Event()
        self._pressed: SimpleQueue[float] = SimpleQueue()  # which a handler of signals may fill
        self._turn = Lock()

    def begin(self) -> None:
        """Be ready for Ctrl+C."""
        Thread(target=self._insist, name="interrupt", daemon=True).start()

    def start(self, what: str) -> None:
        """Do this from now on; an empty name is never said."""
        self.what = what
        self._began = self._said = monotonic()
        if what and self._owns_process:
            Thread(target=self._say_periodically, name="progress", daemon=True).start()

    def end(self) -> None:
        """Say nothing more."""
        self._over.set()
        self._pressed.put(0.0)
        self.make_room()

    def make_room(self, *, is_within_line: bool = False) -> None:
        """Clear the progress line for output, which is a sign of progress itself.

        ``is_within_line`` says that output ends within a line, so that nothing can be put on a
        terminal that shows it.
        """
        with self._turn:
            self._said = monotonic()
            self._is_within_line = is_within_line
            if self._is_shown:
                self._is_shown = False
                click.echo("\r\x1b[K", err=True, nl=False)

    def say_if_due(self) -> None:
        """Say what is done, if nothing was said for long."""
        terminal = sys.stderr.isatty()
        pause = SECONDS_BETWEEN_LOGS if self._lines else SECONDS_TO_A_LOG
        with self._turn:
            now = monotonic()
            hidden = self._is_within_line and terminal and sys.stdout.isatty()
            if hidden or not self.what or self._over.is_set():
                return
            if now - self._said < (SECONDS_TO_A_LINE if terminal else pause):
                return
            self._said = now
            words = ", ".join(filter(None, (self.what, self.count, f"{now - self._began:.0f} s")))
            if terminal:
                self._is_shown = True
                click.echo(f"\r{words}; Ctrl+C stops\x1b[K", err=True, nl=False)
            else:
                self._lines += 1
                click.echo(words, err=True)

    def interrupt(self, *_: object) -> None:
        """Answer Ctrl+C; the handler of its signal, run by the main thread.

        Raises
        ------
        KeyboardInterrupt
            Where nothing keeps what is done, or at a second Ctrl+C.
        Stopped
            Within a step that is not to be completed.
        """
        due, self._due = self._due, None
        if due is not None:
            if not isinstance(due, Stopped) or (self.keeper and self.keeper.is_at_work):
                raise due
            return
        if not self.interrupted:
            self.interrupted = self.interrupted_now()
            self._is_shown = sys.stderr.isatty()  # the terminal has written ^C
        if self.keeper is None or self.keeper.ended:
            self._pressed.put(0.0)
            raise KeyboardInterrupt
        self.keeper.end(self.keeper.finishing)
        self._pressed.put(self.keeper.finishing)
        if self.keeper.is_at_work and self.keeper.over(self.keeper.share):
            raise Stopped

    def interrupted_now(self) -> str:
        """The line that says that what is done now was interrupted."""
        while_ = f" while {self.what}, after {monotonic() - self._began:.0f} s" if self.what else ""
        return f"interrupted{while_}"

    def take_back(self, ignored: Any) -> None:
        """Raise an interrupt again that came within a destructor, which swallows it."""
        if isinstance(ignored.exc_value, KeyboardInterrupt | Stopped):
            self._due = ignored.exc_value
            _thread.start_new_thread(_interrupt_soon, ())
        else:
            sys.__unraisablehook__(ignored)

    def _say_periodically(self) -> None:
        while not self._over.wait(_TICK_SECONDS):
            with suppress(OSError, ValueError):  # stderr may be gone
                self.say_if_due()

    def _insist(self) -> None:
        """End a step that is not finished so many s after Ctrl+C, and then the process."""
        finishing = self._pressed.get()
        if self._over.wait(finishing):
            return
        if self.keeper is not None:
            self._due = Stopped()
            _thread.interrupt_main()
        if self._over.wait(SECONDS_TO_AN_END - finishing) or not self._owns_process:
            return
        # the main thread may hold the locks of the streams: they are passed by
        with suppress(OSError):
            clear = "\r\x1b[K" if self._is_shown else ""
            os.write(2, f"{clear}{self.interrupted}\n".encode())
        discard_unfinished()
        os._exit(128 + signal.SIGINT)


def _interrupt_soon() -> None:
    sleep(_TICK_SECONDS / 10)  # when the destructor is over
    _thread.interrupt_main()


_watch = CommandWatch(owns_process=False)


@contextmanager
def watched_command(*, owns_process: bool) -> Iterator[CommandWatch]:
    """Attend to a command: what it does is said, and Ctrl+C ends it.

    Parameters
    ----------
    owns_process : bool
        Whether the process runs this command alone, and may be ended with it.

    Raises
    ------
    KeyboardInterrupt
        At Ctrl+C.
    """
    global _watch
    _watch = watch = CommandWatch(owns_process=owns_process)
    before = signal.getsignal(signal.SIGINT)
    heeds = current_thread() is main_thread() and before is not signal.SIG_IGN
    if heeds:
        signal.signal(signal.SIGINT, watch.interrupt)
    watch.begin()
    hook, sys.unraisablehook = sys.unraisablehook, watch.take_back
    try:
        yield watch
    finally:
        watch.end()
        sys.unraisablehook = hook
        if heeds:  # what is left is Python's own end, which Ctrl+C would answer with a traceback
            signal.signal(signal.SIGINT, signal.SIG_DFL if owns_process else before)


def name_work(what: str) -> None:
    """Say that a command does this from now on, as in ``planning steps``; empty says nothing."""
    _watch.start(what)


@contextmanager
def doing(what: str) -> Iterator[None]:
    """Say that a part of the work does this, as in ``searching changes``."""
    before, _watch.what = _watch.what, what
    try:
        yield
    finally:
        _watch.what, _watch.count = before, ""


def count_done(done: int, of: int, of_words: str = "of") -> bool:
    """Count what is done; returns True, as what is asked whether to go on."""
    _watch.count = f"{done:,} {of_words} {of:,}" if done < of else ""
    return True


count_at_most = partial(count_done, of_words="of at most")
"""The same where there may be fewer."""


def interrupted() -> str:
    """The line that says what Ctrl+C ended."""
    return _watch.interrupted or _watch.interrupted_now()


def make_room(*, is_within_line: bool = False) -> None:
    """Clear the progress line before output; see :meth:`CommandWatch.make_room`."""
    _watch.make_room(is_within_line=is_within_line)


class KeepsWhatIsDone(TimeLimit):
    """Work in steps: Ctrl+C stops it and keeps completed steps; a second Ctrl+C ends the command.

    Enter it in the main thread; before its first step Ctrl+C acts as usual.

    Parameters
    ----------
    seconds : float, optional
        Time limit; none without it.
    finishing : float
        Seconds after Ctrl+C in which results found may still be completed.

    Attributes
    ----------
    share : float
        Of the time, that the step at work has.
    is_at_work : bool
        Whether a step is at work, which can be stopped at any moment.
    """

    def __init__(self, seconds: float | None = None, finishing: float = 0.0) -> None:
        super().__init__(seconds)
        self.finishing = finishing
        self.share = 1.0
        self.is_at_work = False

    def __enter__(self) -> KeepsWhatIsDone:
        return self

    def __exit__(self, *_: object) -> None:
        _watch.keeper = None

    def run(
        self, work: Callable[[], Found], share: float = 1.0, *, at_least: float = 0.0
    ) -> Found | None:
        """The result of a step, or None where it was interrupted or ran out of time."""
        if not self.ended:
            _watch.keeper = self

        def watched() -> Found:
            self.share, self.is_at_work = share, True
            try:
                return work()
            finally:
                self.is_at_work = False

        return super().run(watched, share, at_least=at_least)
