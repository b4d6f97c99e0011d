"""What differs between two designs, in words."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from toposmith.design.document import Design, as_data, link_words
from toposmith.design.loader import escaped, shown

_LARGEST_COMPARED = 400
_MOST_COMPARISONS = 2500
"""Longer differing runs are paired by position; comparing all pairs would take too long."""

Pair = tuple[int | None, int | None]
"""Position in the old list and in the new one; None where the item is new, or gone."""


def alike(one: Any, other: Any) -> bool:
    """Whether two pieces of plain data are equal, types included; key order does not matter."""
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
            a, b = range(head + a_start, head + a_end), range(head + b_start, head + b_end)
            pairs += _paired(a, b, old, new)
    pairs += [(old_end + at, new_end + at) for at in range(tail)]
    return pairs


def _paired(a: range, b: range, old: list[Any], new: list[Any]) -> list[Pair]:
    """Pair two stretches of items in order, so that the pairs have the most in common."""
    if len(a) * len(b) > _MOST_COMPARISONS or min(len(a), len(b)) == 0:
        return list(zip_longest(a, b))
    best: list[list[float]] = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            both = best[i + 1][j + 1] + _in_common(old[a[i]], new[b[j]])
            best[i][j] = max(both, best[i + 1][j], best[i][j + 1])
    pairs: list[Pair] = []
    i = j = 0
    while i < len(a) and j < len(b):
        if best[i][j] == best[i + 1][j + 1] + _in_common(old[a[i]], new[b[j]]):
            pairs.append((a[i], b[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            pairs.append((a[i], None))
            i += 1
        else:
            pairs.append((None, b[j]))
            j += 1
    pairs += [(one, None) for one in a[i:]]
    pairs += [(None, one) for one in b[j:]]
    return pairs


def _in_common(one: Any, other: Any) -> float:
    """How much text two items share; any two are a little alike, so that they are paired."""
    if one == other:
        return 1.0 + len(_canonical(one))
    if not isinstance(one, dict) or not isinstance(other, dict):
        return 1.0
    shared = (key for key in one if key in other and alike(one[key], other[key]))
    return 1.0 + sum(len(_canonical(one[key])) for key in shared)


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


def differences(before: Design, after: Design) -> list[str]:
    """A line for each thing that is different in ``after``; none where both are equal."""
    lines = list(_in_keys("", as_data(before), as_data(after)))
    old = [name for name in before.groups if name in after.groups]
    new = [name for name in after.groups if name in before.groups]
    if old != new:  # ranks are counted in the order of the groups
        lines.append(f"groups: in another order, {_words(new)}")
    return lines


def _in_keys(where: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for key in [*before, *(key for key in after if key not in before)]:
        old, new = before.get(key), after.get(key)
        place = f"{where}.{escaped(key)}" if where else escaped(key)
        if old == new:
            continue
        if isinstance(old, dict | None) and isinstance(new, dict | None):
            if where and old is None:
                yield f"{place}: added, {_words(new)}"
            elif where and new is None:
                yield f"{place}: removed"
            else:
                yield from _in_keys(place, old or {}, new or {})
        elif key == "links":
            yield from _in_links(old or [], new or [])
        elif old is None:
            yield f"{place}: added, {_words(new)}"
        elif new is None:
            yield f"{place}: removed, it was {_words(old)}"
        else:
            yield f"{place}: {_words(old)} becomes {_words(new)}"


def _in_links(before: list[Any], after: list[Any]) -> Iterator[str]:
    for old, new in aligned(before, after):
        if old is None and new is not None:
            yield f"link {_ends(after[new])}: added, {_words(after[new])}"
        elif new is None and old is not None:
            yield f"link {_ends(before[old])}: removed"
        elif old is not None and new is not None:
            yield from _in_keys(f"link {_ends(after[new])}", before[old], after[new])


def _ends(link: Mapping[str, Any]) -> str:
    return escaped(link_words(link["between"], link.get("along") or {}))


def _words(value: object) -> str:
    """A value as a person would write it in the file, cut where it is long."""
    if isinstance(value, dict):
        return escaped(", ".join(f"{key} {_words(inner)}" for key, inner in value.items()))
    if isinstance(value, list):
        return escaped(", ".join(_words(inner) for inner in value))
    return escaped(value) if isinstance(value, str) else shown(value)
