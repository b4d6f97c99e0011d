"""Edits of what a design says of itself: name, notes, communicator, routing, positions, waivers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from toposmith.design.document import Design, RoutingMode, Waiver
from toposmith.design.edits.edit import Edit, altered, changed, group_of, with_group
from toposmith.design.group_positions import FARTHEST, read_view, with_positions
from toposmith.design.routing_rules import routing_problems
from toposmith.errors import EditError
from toposmith.findings.finding import Place
from toposmith.text import counted


def set_name(design: Design, name: str) -> Edit:
    """Give the design another name."""
    return Edit(changed(design, name=name), f"name the design {name!r}")


def set_note(design: Design, note: str | None, *, group: str | None = None) -> Edit:
    """Change the note of the design, or of one of its groups."""
    if group is None:
        return Edit(changed(design, note=note), "change the design's note")
    noted = altered(group_of(design, group), note=note)
    return Edit(with_group(design, group, noted), f"change the note of {group}")


def set_communicator(design: Design, block: Mapping[str, Any] | None) -> Edit:
    """Set the ``communicator:`` block; None removes it.

    A key whose value is None is left out.
    """
    given = {key: value for key, value in (block or {}).items() if value is not None}
    words = ", ".join(f"{key} {value}" for key, value in given.items()) or "world"
    return Edit(changed(design, communicator=given or None), f"communicator: {words}")


def set_routing(design: Design, mode: RoutingMode) -> Edit:
    """Set the routing of the switches (``routing:``).

    Raises
    ------
    EditError
        If its links do not allow that routing.
    """
    for _, text in routing_problems(design, mode):
        raise EditError(f"routing {mode}: {text}")
    return Edit(changed(design, routing=mode), f"routing: {mode}")


def set_position(design: Design, group: str, columns: int) -> Edit:
    """Shift a group by some columns from its default position; negative is left.

    Raises
    ------
    EditError
        If there is no such group, or the shift is too large.
    """
    if group not in design.groups:
        raise EditError(f"there is no group {group!r} to move")
    if abs(columns) > FARTHEST:
        raise EditError(f"{group} can be moved by at most {FARTHEST} columns")
    positions = {**read_view(design).positions, group: columns}
    view = with_positions(design.view, {key: at for key, at in positions.items() if at})
    way = "right" if columns > 0 else "left"
    label = f"{group} moved {counted(abs(columns), 'column')} {way} of its default"
    changed = design.model_copy(update={"view": view})
    return Edit(changed, label if columns else f"{group} back in its default place")


def reset_positions(design: Design) -> Edit:
    """Remove all shifts."""
    view = with_positions(design.view, {})
    return Edit(design.model_copy(update={"view": view}), "all groups back in their default places")


def waive(
    design: Design,
    code: str,
    place: Place,
    reason: str,
    day: str,
    until: str | None = None,
    value: float | None = None,
    by: str | None = None,
) -> Edit:
    """Accept a finding; replaces a waiver of the same code and place.

    Parameters
    ----------
    design : Design
        The document.
    code : str
        The code of the finding.
    place : Place
        Its place; a link is named by its ends, which do not change with its index.
    reason : str
        Why it is accepted.
    day : str
        First day, such as 2026-11-21.
    until : str, optional
        Last day; without it the waiver never expires.
    value : float, optional
        The current value of the finding; a worse one voids the waiver.
    by : str, optional
        The author; not authenticated.

    Raises
    ------
    EditError
        Without a reason, or for an invalid date.
    """
    if not reason.strip():
        raise EditError("a reason is required")
    for written in filter(None, (day, until)):
        try:
            date.fromisoformat(written)
        except ValueError:
            raise EditError(f"{written!r} is no date; write it like 2026-11-21") from None
    if until and until < day:
        raise EditError(f"it would end ({until}) before it begins ({day})")
    # six significant digits, far finer than needed to detect a change
    held_at = None if value is None else float(f"{value:.6g}")
    waiver = Waiver(
        code=code,
        where=place.lasting_name,
        value=held_at,
        reason=reason.strip(),
        date=day,
        until=until or None,
        by=by or None,
    )
    others = tuple(
        one
        for one in design.waivers
        if one.code != code or one.where is None or not place.is_called(one.where)
    )
    changed = design.model_copy(update={"waivers": (*others, waiver)})
    return Edit(changed, f"waive {code} at {place}")


def unwaive(design: Design, code: str, place: Place) -> Edit:
    """Remove the waivers that cover a finding, so that it counts again.

    Raises
    ------
    EditError
        If no waiver covers it.
    """
    left = tuple(
        one
        for one in design.waivers
        if one.code != code or (one.where is not None and not place.is_called(one.where))
    )
    if len(left) == len(design.waivers):
        raise EditError(f"no waiver covers {code} at {place}")
    changed = design.model_copy(update={"waivers": left})
    return Edit(changed, f"{code} at {place} counts again")
