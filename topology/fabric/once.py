"""Values that follow from a plan or a network alone, computed once for each of these."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar


class Keeps(Protocol):
    """Something that does not change, with room for what was computed of it."""

    @property
    def worked_out(self) -> dict[object, Any]:
        """What was computed of it so far."""


Subject = TypeVar("Subject", bound=Keeps)
Asked = ParamSpec("Asked")
Found = TypeVar("Found")


def once(
    work: Callable[Concatenate[Subject, Asked], Found],
) -> Callable[Concatenate[Subject, Asked], Found]:
    """Let a function work its value out once for each first argument and all the others.

    The others have to be hashable, and whoever asks must not change what is returned.
    """

    @wraps(work)
    def remembered(of: Subject, /, *args: Asked.args, **kwargs: Asked.kwargs) -> Found:
        key = (work, args, tuple(sorted(kwargs.items())))
        known = of.worked_out
        if key not in known:
            known[key] = work(of, *args, **kwargs)
        found: Found = known[key]
        return found

    return remembered
