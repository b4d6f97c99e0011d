"""The ``view:`` block: positions of groups on the canvas set by the user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toposmith.design.document import Design
from toposmith.design.loader import shown, suggestion

FARTHEST = 10_000
"""Columns that a group can be moved at most, either way."""

POSITIONS = "positions"


@dataclass(frozen=True)
class GroupPositions:
    """Positions set by the user.

    Parameters
    ----------
    positions : mapping of str to int
        Columns by which a group is shifted to the right of its default; negative is left.
        Rows follow from the tiers.
    faults : tuple of (where, text)
        Invalid entries of the block, and what is accepted.
    """

    positions: Mapping[str, int] = field(default_factory=dict)
    faults: tuple[tuple[str, str], ...] = ()


def read_view(design: Design) -> GroupPositions:
    """The valid part of the ``view:`` block, with faults for the rest."""
    faults: list[tuple[str, str]] = []
    block = design.view or {}
    for key in block:
        if key != POSITIONS:
            text = f"unknown key {shown(key)}; {suggestion(str(key), [POSITIONS])}"
            faults.append((f"view.{key}", text))
    given = block.get(POSITIONS) or {}
    if not isinstance(given, Mapping):
        text = f"found {shown(given)}, expected groups with columns, as in {{spine: 12}}"
        return GroupPositions({}, (*faults, (f"view.{POSITIONS}", text)))
    positions: dict[str, int] = {}
    for name, columns in given.items():
        where = f"view.{POSITIONS}.{name}"
        if name not in design.groups:
            faults.append((where, f"no group {shown(name)}; {suggestion(name, design.groups)}"))
        elif not _is_columns(columns):
            limits = f"a whole number from -{FARTHEST} to {FARTHEST}"
            faults.append((where, f"found {shown(columns)}, expected {limits}"))
        else:
            positions[name] = columns
    return GroupPositions(positions, tuple(faults))


def renamed_view(view: dict[str, Any] | None, name: str, new: str | None) -> dict[str, Any] | None:
    """The block after a group was renamed, or (None) removed."""
    given = (view or {}).get(POSITIONS)
    if view is None or not isinstance(given, Mapping) or name not in given:
        return view
    kept = {new if key == name else key: value for key, value in given.items()}
    kept.pop(None, None)
    return with_positions(view, {key: value for key, value in kept.items() if key is not None})


def copied_view(
    view: dict[str, Any] | None, copies: Mapping[str, str], source: Mapping[str, Any] | None
) -> dict[str, Any] | None:
    """The block with copies shifted like their originals, so that they are next to them.

    Parameters
    ----------
    view : dict or None
        The block of the design that receives the copies.
    copies : mapping of str to str
        The name of each copy, by that of its original.
    source : mapping or None
        The block of the design that the originals are in.
    """
    theirs, own = (source or {}).get(POSITIONS), (view or {}).get(POSITIONS) or {}
    if not isinstance(theirs, Mapping) or not isinstance(own, Mapping):
        return view
    more = {copy: theirs[name] for name, copy in copies.items() if name in theirs}
    return with_positions(view, {**own, **more}) if more else view


def with_positions(
    view: Mapping[str, Any] | None, positions: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The block with other positions; None where nothing is left of it."""
    block = {key: value for key, value in (view or {}).items() if key != POSITIONS}
    if positions:
        block[POSITIONS] = dict(positions)
    return block or None


def _is_columns(columns: object) -> bool:
    is_number = isinstance(columns, int) and not isinstance(columns, bool)
    return is_number and -FARTHEST <= columns <= FARTHEST  # type: ignore[operator]
