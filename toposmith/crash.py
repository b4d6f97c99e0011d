"""What a failure of the program leaves: a log with everything, a few lines on the terminal."""

from __future__ import annotations

import os
import time
import traceback
from pathlib import Path

from toposmith.plain_text import visible
from toposmith.user_folders import state_folder

FAILED = 70
"""Exit code of a failure nobody foresaw: EX_SOFTWARE of sysexits.h."""


def log_crash(error: BaseException) -> Path | None:
    """Write the whole traceback to a log; returns where, or None where that failed."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    path = state_folder() / f"crash-{stamp}-{os.getpid()}.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
    except (OSError, UnicodeEncodeError):
        return None
    return path


def crash_line(error: BaseException, log: Path | None) -> str:
    """One line: the failure, where in the program it was, and the log."""
    calls = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(calls[-1].filename).name}:{calls[-1].lineno})" if calls else ""
    told = f"the log is {log}" if log is not None else "the log could not be written"
    return f"{_failure(error)}{where}; a fault of the program, not of your files; {told}"


def crash_lines(error: BaseException, log: Path | None, kept: Path | None) -> list[str]:
    """The three lines shown after the app crashed."""
    lines = [_failure(error)]
    if kept is not None:
        lines.append(f"your unsaved work is in {kept}; the next start offers it")
    else:
        lines.append("nothing was unsaved, or it could not be written")
    lines.append(f"the log is {log}" if log is not None else "the log could not be written")
    return lines


def _failure(error: BaseException) -> str:
    try:
        what = visible(" ".join(str(error).split())[:200])
    except Exception:  # of any kind: an error whose own text fails is still reported
        what = "(without a text)"
    return f"toposmith failed: {type(error).__name__}: {what}"


def fault_words(fault: Exception) -> str:
    """What to say of a fault inside a computation that runs beside the screen."""
    log = log_crash(fault)
    where = f"; the log is {log}" if log is not None else ""
    return f"the analysis failed ({type(fault).__name__}){where}"
