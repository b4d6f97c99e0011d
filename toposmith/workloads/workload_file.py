"""A workload from the text of a file of its own, and with single values set over it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toposmith.design.loader import plain_file
from toposmith.design.safe_text import shown
from toposmith.errors import DesignFileError, Problem
from toposmith.leaving_text import yaml_text


def parse_workload(text: str, source: str) -> dict[str, Any]:
    """The block that a file holds: the keys themselves, or all of them under ``workload:``.

    Raises
    ------
    DesignFileError
        If it is no YAML, or no keys with values.
    """
    file = plain_file(text, source)
    if file.problems:
        raise DesignFileError(source, file.problems)
    data = file.data
    if isinstance(data, dict) and isinstance(data.get("workload"), dict):
        data = data["workload"]
    if not isinstance(data, dict):
        text = f"found {shown(data)}, expected a workload: keys with values, such as model"
        raise DesignFileError(source, [Problem(text, 1, 1)])
    return data


def with_values(
    block: Mapping[str, Any] | None, values: Mapping[tuple[str, ...], object]
) -> dict[str, Any]:
    """A block with values set at their places, such as ``("layout", "tp")``; None sets nothing."""
    made: dict[str, Any] = dict(block or {})
    for place, value in values.items():
        if value is None:
            continue
        inner = made
        for key in place[:-1]:
            held = inner.get(key)
            inner[key] = dict(held) if isinstance(held, dict) else {}
            inner = inner[key]
        inner[place[-1]] = value
    return made


def workload_text(block: Mapping[str, Any]) -> str:
    """A block as a file of its own, which :func:`parse_workload` reads."""
    return yaml_text({"workload": dict(block)})
