"""A cache of values that follow from a plan or a network alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar


class Keeps(Protocol):
    """An immutable object with a cache of results."""

    @property
    def result_cache(self) -> dict[object, Any]:
        """The results so far."""


Subject = TypeVar("Subject", bound=Keeps)
Asked = ParamSpec("Asked")
Found = TypeVar("Found")


def once(
    work: Callable[Concatenate[Subject, Asked], Found],
) -> Callable[Concatenate[Subject, Asked], Found]:
    """Cache a function's results on its first argument, by the other arguments.

    The others have to be hashable, and callers must not modify the results.
    """

    @wraps(work)
    def remembered(of: Subject, /, *args: Asked.args, **kwargs: Asked.kwargs) -> Found:
        key = (work, args, tuple(sorted(kwargs.items())))
        known = of.result_cache
        if key not in known:
            known[key] = work(of, *args, **kwargs)
        found: Found = known[key]
        return found

    return remembered
