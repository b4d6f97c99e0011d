"""What differs between two designs, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toposmith.design.alignment import aligned
from toposmith.design.document import Design, as_data, link_words
from toposmith.design.safe_text import escaped, shown


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
