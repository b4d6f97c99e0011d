"""What a part says at a place of it."""

from __future__ import annotations

from typing import Any

from toposmith.catalog import Part


def value_at(part: Part, place: str) -> Any:
    """What a part says at a place such as ``more_cages.0.count``."""
    value: Any = part
    for name in place.split("."):
        if isinstance(value, dict | tuple):
            value = value[int(name) if name.isdigit() else name]
        else:
            value = getattr(value, name)
    return list(value) if isinstance(value, tuple) else value
