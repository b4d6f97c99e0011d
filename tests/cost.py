"""What something costs, in measures that a busy machine does not change."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def memory_at_most(most: int) -> Iterator[None]:
    """Assert that what is done takes at most so many bytes of memory at a time."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= most, f"{peak:,} bytes"


def calls_of(what: Callable[..., Any], *args: object) -> int:
    """How many functions are called, those of C among them."""
    many = 0

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal many
        many += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        what(*args)
    finally:
        sys.setprofile(before)
    return many
