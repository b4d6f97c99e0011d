"""The user's own folders for settings, state and cache; one that cannot be used is as none."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from platformdirs import user_cache_path, user_config_path, user_state_path

_NAME = "toposmith"


def settings_folder() -> Path:
    """Where configuration, policy, parts and prices of the user are looked for."""
    return user_config_path(_NAME, appauthor=False)


def state_folder() -> Path:
    """Where the program remembers what it did: journals, recent files, logs of crashes."""
    return user_state_path(_NAME, appauthor=False)


def cache_folder() -> Path:
    """Where the program keeps what it can make again."""
    return user_cache_path(_NAME, appauthor=False)


def is_there(path: Path) -> bool:
    """Whether something of the user's own is there; what this user cannot reach is not."""
    with contextlib.suppress(OSError):  # a disk that does not answer
        return os.access(path.parent, os.X_OK) and path.exists()
    return False


def why_unusable(folder: Path) -> str:
    """The reason why nothing can be looked for in a folder; empty where it can, or is missing."""
    try:
        with os.scandir(folder):
            return ""
    except FileNotFoundError:
        return ""
    except OSError as error:
        return error.strerror or str(error)
