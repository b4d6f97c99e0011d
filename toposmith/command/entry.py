"""What the script ``toposmith`` calls: Ctrl+C is silent from the start, while modules are read."""

from __future__ import annotations

import signal


def main() -> int:
    """Run the command of this process and return its exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python's own writes a traceback
    # with all that it reads, which takes a moment
    from toposmith.command.main import main as run

    return run()
