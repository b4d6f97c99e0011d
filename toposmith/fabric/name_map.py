"""A map from device and port names of a design to those in use, applied to all output.

A design calls a device ``node-su0-3``; its operators call it ``dgx004``. Every
list, drawing and file of a plan that has a map uses the names of the map.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial

from toposmith.foreign_values import whole_number

NUMBER = re.compile(r"\{([a-z]\w*)(?:([+-]\d{1,9}))?(?::(0\d{1,2}))?\}", re.I)
"""A number in a pattern: ``{n}``, shifted ``{n+1}``, with leading zeros ``{n:03}``."""


@dataclass(frozen=True)
class NamePattern:
    """Names of devices that differ by their numbers alone.

    Parameters
    ----------
    own : str
        The name in the design, with ``{n}`` for every number that differs.
    given : str
        The name in use, with the same numbers.
    """

    own: str
    given: str

    def name(self, own: str) -> str | None:
        """The name of a device; None where the pattern does not match."""
        fits = self._expression.fullmatch(own)
        if fits is None:
            return None
        values = {key: whole_number(value, own) for key, value in fits.groupdict().items()}
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
        The first that matches applies.
    ports : mapping of str to mapping of str to str
        By group, the name of each port by its label in the cable schedule.
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
        """The name of a device in the map; None where it has none."""
        if own in self.single:
            return self.single[own]
        return next((name for one in self.patterns if (name := one.name(own)) is not None), None)


OWN_NAMES = Naming()
"""No map: devices and ports have the names of the design."""


def _written(values: Mapping[str, int], found: re.Match[str]) -> str:
    number = values[found.group(1)] + int(found.group(2) or 0)
    return f"{number:{found.group(3) or ''}d}"
