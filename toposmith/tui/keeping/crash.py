"""What a failure of the program leaves: a log with everything, three lines on the terminal."""

from __future__ import annotations

import time
import traceback
from pathlib import Path

from toposmith.user_folders import state_folder


def log_crash(error: BaseException) -> Path | None:
    """Write the whole traceback to a log; returns where, or None where that failed."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    path = state_folder() / f"crash-{stamp}.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
    except (OSError, UnicodeEncodeError):
        return None
    return path


def crash_lines(error: BaseException, log: Path | None, kept: Path | None) -> list[str]:
    """The three lines shown after a crash."""
    what = " ".join(str(error).split())[:200]
    lines = [f"toposmith failed: {type(error).__name__}: {what}"]
    if kept is not None:
        lines.append(f"your unsaved work is in {kept}; the next start offers it")
    else:
        lines.append("nothing was unsaved, or it could not be written")
    lines.append(f"the log is {log}" if log is not None else "the log could not be written")
    return lines


def fault_words(fault: Exception) -> str:
    """What to say of a fault inside a computation that runs beside the screen."""
    log = log_crash(fault)
    where = f"; the log is {log}" if log is not None else ""
    return f"the analysis failed ({type(fault).__name__}){where}"
