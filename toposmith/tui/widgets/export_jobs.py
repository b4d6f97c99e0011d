"""Exports written in a thread beside the screen, with their progress; one at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message
from textual.widget import Widget
from textual.worker import get_current_worker

from toposmith.cancellation import Stopped, go_on, stopped_unless
from toposmith.crash import fault_words
from toposmith.errors import ToposmithError
from toposmith.plain_text import visible
from toposmith.text import counted
from toposmith.tui.figures.throttle import Throttle

if TYPE_CHECKING:
    from toposmith.exports.forms import Made, Progress
    from toposmith.tui.widgets.message_line import MessageTone


@dataclass(frozen=True)
class ExportJob:
    """A file, or a folder of files, to be written.

    Parameters
    ----------
    path : Path
        Where to; what is there is replaced.
    shown : str
        How messages name it.
    make : callable
        Makes what is written, given where to report its progress; runs in a thread.
    """

    path: Path
    shown: str
    make: Callable[[Progress], Made]


class ExportJobs(Widget):
    """Writes files in threads and says how it went; shows nothing itself."""

    @dataclass
    class Went(Message):
        """The progress of a long export."""

        job: ExportJob
        done: int
        of: int

    @dataclass
    class Ended(Message):
        """An export is there, was stopped, or failed.

        ``lacking`` counts what it lacks, ``lost`` is what its form could not carry.
        """

        job: ExportJob
        lacking: int = 0
        lost: tuple[str, ...] = ()
        trouble: str = ""
        stopped: bool = False

        @property
        def said(self) -> tuple[str, MessageTone]:
            """How it went in words, and their tone."""
            shown = self.job.shown
            if self.trouble:
                return self.trouble, "failed"
            if self.stopped:
                return f"stopped; nothing was written to {shown}", "refused"
            if self.lacking:
                what = counted(self.lacking, "finding")
                return f"wrote {shown}; it is incomplete: {what} (f lists them)", "minded"
            if self.lost:
                more = f", and {len(self.lost) - 1} more" if len(self.lost) > 1 else ""
                return f"wrote {shown}; not carried: {visible(self.lost[0])}{more}", "minded"
            return f"wrote {shown}", "done"

    written = 0
    """Files and folders that were written."""

    def on_mount(self) -> None:
        """Take no room."""
        self.display = False

    @property
    def busy(self) -> bool:
        """Whether something is being written."""
        return any(worker.group == "export" and worker.is_running for worker in self.workers)

    def start(self, job: ExportJob) -> None:
        """Write a file; an export that is still being written is stopped."""

        def work() -> None:
            self.post_message(self._written(job))

        self.run_worker(work, thread=True, exclusive=True, group="export", exit_on_error=False)

    def stop(self) -> bool:
        """Stop what is being written, leaving no part of it; False where there is nothing."""
        busy = self.busy
        if busy:
            self.workers.cancel_group(self, "export")
        return busy

    def _written(self, job: ExportJob) -> Ended:
        worker, pace = get_current_worker(), Throttle()

        def progress(done: int, of: int) -> None:
            go_on()
            if pace.due():
                self.post_message(self.Went(job, done, of))

        try:
            with stopped_unless(lambda: not worker.is_cancelled):
                made = job.make(progress)
                made.watched(go_on).save(job.path, into_old_folder=True)
            lacking, lost = len(made.lacking()), tuple(made.lost)
        except Stopped:
            return self.Ended(job, stopped=True)
        except ToposmithError as failed:
            return self.Ended(job, trouble=str(failed))
        except Exception as fault:  # a fault of an export must not lose the design
            return self.Ended(job, trouble=fault_words(fault))
        self.written += 1
        return self.Ended(job, lacking=lacking, lost=lost)
