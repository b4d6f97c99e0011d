"""What devices and ports are called outside of a design: one map of names for all that is written.

A design calls its devices ``node-su0-3``; the people who run the cluster call it ``dgx004``. Every
list, drawing and file of a plan that has a map uses the names of the map.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial

NUMBER = re.compile(r"\{([a-z]\w*)(?:([+-]\d{1,9}))?(?::(0\d{1,2}))?\}", re.I)
"""A number in a pattern: ``{n}``, shifted ``{n+1}``, with leading zeros ``{n:03}``."""


@dataclass(frozen=True)
class NamePattern:
    """Devices whose names differ by their numbers alone, and what each is called.

    Parameters
    ----------
    own : str
        The name in the design, with ``{n}`` for every number that differs.
    given : str
        What to call it, with the same numbers.
    """

    own: str
    given: str

    def name(self, own: str) -> str | None:
        """What a device is called; None for one that the pattern does not mean."""
        fits = self._expression.fullmatch(own)
        if fits is None:
            return None
        values = {key: int(value) for key, value in fits.groupdict().items()}
        return NUMBER.sub(partial(_written, values), self.given)

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        words, at = "", 0
        for one in NUMBER.finditer(self.own):
            words += re.escape(self.own[at : one.start()]) + f"(?P<{one.group(1)}>\\d+)"
            at = one.end()
        return re.compile(words + re.escape(self.own[at:]))


@dataclass(frozen=True)
class Naming:
    """A map of names.

    Parameters
    ----------
    source : str
        The file, for messages.
    single : mapping of str to str
        Devices by their names in the design; these come before any pattern.
    patterns : tuple of NamePattern
        The first that fits holds.
    ports : mapping of str to mapping of str to str
        By group, what a port is called by its label in the cable schedule.
    """

    source: str = ""
    single: Mapping[str, str] = field(default_factory=dict)
    patterns: tuple[NamePattern, ...] = ()
    ports: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def names_devices(self) -> bool:
        """Whether any device has another name."""
        return bool(self.single or self.patterns)

    def given(self, own: str) -> str | None:
        """What the map calls a device; None for one that it does not hold."""
        if own in self.single:
            return self.single[own]
        return next((name for one in self.patterns if (name := one.name(own)) is not None), None)

    def device(self, own: str) -> str:
        """What a device is called: by the map, else as in the design."""
        return self.given(own) or own


OWN_NAMES = Naming()
"""No map: devices and ports are called as in the design."""


def _written(values: Mapping[str, int], found: re.Match[str]) -> str:
    number = values[found.group(1)] + int(found.group(2) or 0)
    return f"{number:{found.group(3) or ''}d}"
