"""Which release of the program this is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

UNKNOWN_VERSION = "0+unknown"


def program_version() -> str:
    """The version of the installed program; ``0+unknown`` in a checkout that is not installed."""
    try:
        return version("toposmith")
    except PackageNotFoundError:
        return UNKNOWN_VERSION
