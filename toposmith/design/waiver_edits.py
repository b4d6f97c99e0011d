"""Edits of the ``waivers:`` block: a finding is accepted with a reason, or counts again."""

from __future__ import annotations

from datetime import date

from toposmith.design.document import Design, Waiver
from toposmith.design.edits.edit import Edit
from toposmith.errors import EditError
from toposmith.findings.place import Place


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
