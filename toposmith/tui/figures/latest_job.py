"""Work in threads beside the screen, of which only what was wanted last comes up."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from textual.worker import get_current_worker

from toposmith.cancellation import Stopped, go_on, stopped_unless
from toposmith.crash import fault_words
from toposmith.errors import ToposmithError

if TYPE_CHECKING:
    from textual.widget import Widget

T = TypeVar("T")

STOPPED = "stopped"
"""Why nothing was found of what was stopped."""


class LatestJob:
    """One kind of work: what was wanted earlier is dropped, and one piece of it runs at a time.

    A burst of keys would else compute all its figures at once, for nothing.

    Parameters
    ----------
    host : Widget
        Whose threads and timers are used; the work ends with it.
    group : str
        What the threads are called.
    """

    def __init__(self, host: Widget, group: str) -> None:
        self._host = host
        self._group = group
        self._wanted: object | None = None
        self._stopped: object | None = None
        self._turn = Lock()

    @property
    def busy(self) -> bool:
        """Whether something is wanted that is not there yet."""
        return self._wanted is not None

    def want(
        self,
        find: Callable[[], T],
        take: Callable[[T | None, str], object],
        *,
        pause: float = 0.0,
    ) -> Callable[[], bool]:
        """Find something in a thread, once what the screen shows now is seen.

        Parameters
        ----------
        find : callable
            Finds it, in the thread.
        take : callable
            Takes it in the thread of the screen, where it is still wanted; or nothing, and why.
        pause : float
            Seconds after which it begins, unless something else is wanted meanwhile.

        Returns
        -------
        callable
            Whether that is still wanted, and not there yet.
        """
        self._wanted = job = object()

        def is_wanted() -> bool:
            return self._wanted is job

        def work() -> None:
            found, trouble, worker = None, "", get_current_worker()
            with self._turn:
                try:
                    with stopped_unless(
                        lambda: is_wanted() and self._stopped is not job and not worker.is_cancelled
                    ):
                        go_on()
                        found = find()
                except Stopped:
                    trouble = STOPPED
                except ToposmithError as failed:
                    trouble = str(failed)
                except Exception as fault:  # a fault of a computation must not lose the design
                    trouble = fault_words(fault)
            self._host.call_later(come_up, found, trouble)

        def come_up(found: T | None, trouble: str) -> None:
            if is_wanted():
                self._wanted = None
                take(found, trouble)

        def begin() -> None:
            if is_wanted():
                self._host.run_worker(work, thread=True, exclusive=True, group=self._group)

        if pause:
            self._host.call_after_refresh(self._host.set_timer, pause, begin)
        else:
            self._host.call_after_refresh(begin)
        return is_wanted

    def forget(self) -> None:
        """Want nothing any more."""
        self._wanted = None

    def stop(self) -> bool:
        """Stop what runs, which says so; False where nothing runs that was not stopped before."""
        stops = self._wanted is not self._stopped and self.busy
        self._stopped = self._wanted
        return stops
