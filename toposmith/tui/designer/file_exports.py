"""Exports written in a thread beside the screen, with their progress; one at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from toposmith.cancellation import go_on
from toposmith.plain_text import visible
from toposmith.text import counted
from toposmith.tui.figures.latest_job import STOPPED, LatestJob
from toposmith.tui.figures.throttle import Throttle

if TYPE_CHECKING:
    from textual.widget import Widget

    from toposmith.exports.forms import Made, Progress
    from toposmith.tui.designer.messages import Messages
    from toposmith.tui.drawing.glyphs import Glyphs
    from toposmith.tui.widgets.message_line import MessageTone


class FileExports:
    """Writes files in threads and says how it went.

    Parameters
    ----------
    host : Widget
        Whose threads are used.
    messages : Messages
        Where it is said.
    glyphs : Glyphs
        The signs to draw progress with.

    Attributes
    ----------
    written : int
        Files and folders that were written.
    """

    def __init__(self, host: Widget, messages: Messages, glyphs: Glyphs) -> None:
        self._host = host
        self._messages = messages
        self._glyphs = glyphs
        self._job = LatestJob(host, "export")
        self.written = 0

    @property
    def busy(self) -> bool:
        """Whether something is being written."""
        return self._job.busy

    def start(self, path: Path, shown: str, make: Callable[[Progress], Made]) -> None:
        """Write a file or a folder of files; what is still being written is stopped.

        Parameters
        ----------
        path : Path
            Where to; what is there is replaced.
        shown : str
            How messages name it.
        make : callable
            Makes what is written, given where to report its progress; runs in the thread.
        """
        pace = Throttle()

        def progress(done: int, of: int) -> None:
            go_on()
            if pace.due():
                self._host.call_later(say_progress, done, of)

        def say_progress(done: int, of: int) -> None:
            if is_wanted():
                bar = self._glyphs.bar(done / max(of, 1), 20)
                words = f"writing {shown} {bar} {done:,} of {of:,} rows"
                self._messages.say(f"{words}; Esc stops it", "hint")

        def write() -> tuple[int, tuple[str, ...]]:
            made = make(progress)
            made.watched(go_on).save(path, into_old_folder=True)
            return len(made.lacking()), tuple(made.lost)

        def come_up(found: tuple[int, tuple[str, ...]] | None, trouble: str) -> None:
            if found is not None:
                self.written += 1
                self._messages.say(*_written(shown, *found))
            elif trouble == STOPPED:
                self._messages.say(f"stopped; nothing was written to {shown}", "refused")
            else:
                self._messages.say(trouble, "failed")

        self._messages.say(f"writing {shown} ...; Esc stops it", "hint")
        is_wanted = self._job.want(write, come_up)

    def stop(self) -> bool:
        """Stop what is being written, leaving no part of it; False where there is nothing."""
        return self._job.stop()


def _written(shown: str, lacking: int, lost: tuple[str, ...]) -> tuple[str, MessageTone]:
    """That it was written, with how much it lacks and what its form could not carry."""
    if lacking:
        what = counted(lacking, "finding")
        return f"wrote {shown}; it is incomplete: {what} (f lists them)", "minded"
    if lost:
        more = f", and {len(lost) - 1} more" if len(lost) > 1 else ""
        return f"wrote {shown}; not carried: {visible(lost[0])}{more}", "minded"
    return f"wrote {shown}", "done"
