"""The folder of what the program remembers between runs."""

from __future__ import annotations

from pathlib import Path


def state_dir() -> Path:
    """Directory of journals, logs of failures and the files opened last."""
    # not needed for --help
    from platformdirs import user_state_path

    return user_state_path("toposmith", appauthor=False)
