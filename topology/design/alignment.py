"""Which items of an old list or mapping are which of the new one."""

from __future__ import annotations

import difflib
import json
from itertools import zip_longest
from typing import Any

_LARGEST_COMPARED = 400
"""Longer differing stretches are paired by position; comparing all with all would take long."""

Pair = tuple[int | None, int | None]
"""Position in the old list and in the new one; None where the item is new, or gone."""


def alike(one: Any, other: Any) -> bool:
    """Whether two pieces of plain data are alike, with their types; the order of keys is free."""
    return _canonical(one) == _canonical(other)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def aligned(old: list[Any], new: list[Any]) -> list[Pair]:
    """Pair the items of two lists in order, equal ones first, and keep most of the old ones."""
    before, after = [_canonical(one) for one in old], [_canonical(one) for one in new]
    shortest = min(len(before), len(after))
    head = next((at for at in range(shortest) if before[at] != after[at]), shortest)
    rest = shortest - head
    tail = next((at for at in range(rest) if before[-1 - at] != after[-1 - at]), rest)
    pairs: list[Pair] = [(at, at) for at in range(head)]
    old_end, new_end = len(before) - tail, len(after) - tail
    if max(old_end, new_end) - head > _LARGEST_COMPARED:
        pairs += zip_longest(range(head, old_end), range(head, new_end))
    else:
        matcher = difflib.SequenceMatcher(
            None, before[head:old_end], after[head:new_end], autojunk=False
        )
        for _, a_start, a_end, b_start, b_end in matcher.get_opcodes():
            pairs += zip_longest(
                range(head + a_start, head + a_end), range(head + b_start, head + b_end)
            )
    pairs += [(old_end + at, new_end + at) for at in range(tail)]
    return pairs


def renamed(old: dict[str, Any], new: dict[str, Any]) -> dict[str, str]:
    """Keys that went, with the new key that holds the same value now."""
    heirs: dict[str, list[str]] = {}
    for key in new:
        if key not in old:
            heirs.setdefault(_canonical(new[key]), []).append(key)
    names: dict[str, str] = {}
    for key in old:
        if key not in new and heirs.get(_canonical(old[key])):
            names[key] = heirs[_canonical(old[key])].pop(0)
    return names
