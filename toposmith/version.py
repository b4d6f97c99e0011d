"""The release of the program."""

from __future__ import annotations

UNKNOWN_VERSION = "0+unknown"

PROJECT_URL = "https://toposmith.example"
"""Where the project is published, as in the package's metadata; a reserved name until it is."""


def program_version() -> str:
    """The version of the installed program; ``0+unknown`` in a checkout that is not installed."""
    # imported here: it takes as long as the rest of the command
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("toposmith")
    except PackageNotFoundError:
        return UNKNOWN_VERSION
