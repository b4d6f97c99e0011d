"""What a process of its own prints, ended after so many seconds of CPU."""

from __future__ import annotations

import subprocess
import sys


def measured(code: str, text: str, limit: int, what: str) -> list[str]:
    """Run Python code on a design's text; fewer words where it was ended."""
    run = subprocess.run(
        [sys.executable, "-c", code, str(limit), what],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    return run.stdout.split()
