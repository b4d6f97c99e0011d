"""A map from device names of the dump to those of the plan.

One line for each device or pattern, ``found, planned`` (a comma, ``=``, ``->`` or blanks between).
``{n}`` stands for a number, ``{n+1}`` or ``{n-1}`` for it shifted: ``dgx{n} = node-su0-{n-1}``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial

from toposmith.as_built.cable_list import UnreadableError, key_of
from toposmith.design.loader import shown
from toposmith.foreign_values import require_short_numbers, whole_number

_BETWEEN = re.compile(r"\s*(?:->|=|,)\s*|\s+")
_NUMBER = re.compile(r"\{([a-z]\w*)(?:([+-]\d+))?\}", re.I)


@dataclass
class NameMap:
    """Names of the dump to names of the plan, singly and by patterns."""

    source: str
    single: dict[str, str] = field(default_factory=dict)
    patterns: list[tuple[re.Pattern[str], dict[str, int], str]] = field(default_factory=list)

    def planned(self, found: str) -> str | None:
        """The planned name of a found device; None where the map has none."""
        known = self.single.get(key_of(found))
        if known is not None:
            return known
        for pattern, shifts, wanted in self.patterns:
            fits = pattern.fullmatch(found.strip())
            if fits:
                values = {
                    name: whole_number(value, self.source) - shifts[name]
                    for name, value in fits.groupdict().items()
                }
                return _NUMBER.sub(partial(_shifted, values), wanted)
        return None


def _shifted(values: dict[str, int], found: re.Match[str]) -> str:
    return str(values[found.group(1)] + int(found.group(2) or 0))


def read_map(source: str, text: str) -> NameMap:
    """A map from its lines; ``#`` begins a comment.

    Raises
    ------
    UnreadableError
        With the line that is invalid or a duplicate.
    """
    result = NameMap(source)
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.partition("#")[0].strip()
        if not bare or bare.lower().replace(" ", "") in ("found,planned", "found,plan"):
            continue
        require_short_numbers(bare, f"{source}:{number}")
        between = _BETWEEN.search(bare)
        if between is None or not bare[: between.start()] or not bare[between.end() :]:
            raise UnreadableError(
                f"{source}:{number}: found {shown(bare)}, expected a name of the dump and one of "
                "the plan, such as dgx{n} = node-su0-{n-1}"
            )
        found, planned = bare[: between.start()], bare[between.end() :]
        names = [one.group(1) for one in _NUMBER.finditer(found)]
        if not names:
            if key_of(found) in result.single:
                raise UnreadableError(f"{source}:{number}: {shown(found)} is listed twice")
            result.single[key_of(found)] = planned
            continue
        unknown = {one.group(1) for one in _NUMBER.finditer(planned)} - set(names)
        if unknown or len(set(names)) < len(names):
            raise UnreadableError(
                f"{source}:{number}: every number of the planned name must occur once in the "
                "found name"
            )
        shifts = {one.group(1): int(one.group(2) or 0) for one in _NUMBER.finditer(found)}
        result.patterns.append((_pattern(found), shifts, planned))
    if not result.single and not result.patterns:
        raise UnreadableError(f"{source}: names no device")
    return result


def _pattern(found: str) -> re.Pattern[str]:
    words, at = "", 0
    for one in _NUMBER.finditer(found):
        words += re.escape(found[at : one.start()]) + f"(?P<{one.group(1)}>\\d+)"
        at = one.end()
    return re.compile(words + re.escape(found[at:]), re.I)
