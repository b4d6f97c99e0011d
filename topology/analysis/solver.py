"""Whether exact bounds on all-to-all are available; light enough for the command line."""

from __future__ import annotations

from importlib.util import find_spec

NO_SOLVER = "needs scipy, which is not installed here"


def can_solve() -> bool:
    """Whether linear programs can be solved here."""
    return find_spec("scipy") is not None
