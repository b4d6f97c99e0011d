"""Names with numbers, written short: ``node-su0-[0-30,32]`` (Slurm's host lists)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_NUMBERED = re.compile(r"(.*?)(\d{1,9})")


def name_ranges(names: Iterable[str]) -> str:
    """The names in one list, those that differ by their last number in brackets.

    Numbers keep their leading zeros: ``n[08-12]`` is n08 to n12.
    """
    alone: list[str] = []
    numbers: dict[tuple[str, int], list[int]] = {}
    for name in names:
        found = _NUMBERED.fullmatch(name)
        if found is None:
            alone.append(name)
            continue
        stem, digits = found.groups()
        width = len(digits) if digits.startswith("0") and len(digits) > 1 else 0
        numbers.setdefault((stem, width), []).append(int(digits))
    _join_padded(numbers)
    lists = [stem + _brackets(sorted(set(held)), width) for (stem, width), held in numbers.items()]
    return ",".join([*lists, *alone])


def _join_padded(numbers: dict[tuple[str, int], list[int]]) -> None:
    """Numbers without leading zeros go to those of the same width that have them: 099 and 100."""
    for (stem, width), held in list(numbers.items()):
        if width and (stem, 0) in numbers:
            plain = numbers[stem, 0]
            held += [one for one in plain if len(str(one)) == width]
            numbers[stem, 0] = [one for one in plain if len(str(one)) != width]
            if not numbers[stem, 0]:
                del numbers[stem, 0]


def _brackets(numbers: list[int], width: int) -> str:
    runs = [
        f"{low:0{width}d}" if low == high else f"{low:0{width}d}-{high:0{width}d}"
        for low, high in _runs(numbers)
    ]
    if len(numbers) == 1:
        return runs[0]
    return f"[{','.join(runs)}]"


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    low = high = numbers[0]
    for number in numbers[1:]:
        if number != high + 1:
            yield low, high
            low = number
        high = number
    yield low, high
