"""A statement about many things in one test: for what takes less than a test's own beginning."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def for_every(
    cases: Iterable[Any], named: Callable[[Any], object] = str
) -> Callable[[Callable[[Any], None]], Callable[[], None]]:
    """Hold every case to a statement; those of which it is not true are told one by one.

    Parameters
    ----------
    cases : iterable
        What the statement is about.
    named : callable
        What a case is called where the statement is not true of it.
    """

    held = tuple(cases)

    def joined(statement: Callable[[Any], None]) -> Callable[[], None]:
        def of_every_one() -> None:
            faults = []
            for case in held:
                try:
                    statement(case)
                except Exception as fault:
                    fault.add_note(f"of {named(case)}")
                    faults.append(fault)
            assert held, "nothing to hold to it"
            if faults:
                raise ExceptionGroup(f"{statement.__name__}: not true of {len(faults)}", faults)

        of_every_one.__name__ = statement.__name__
        of_every_one.__doc__ = statement.__doc__
        return of_every_one

    return joined
