"""Edits of where groups stand on the canvas."""

from __future__ import annotations

from toposmith.design.document import Design
from toposmith.design.edits.edit import Edit
from toposmith.design.group_positions import FARTHEST, read_view, with_positions
from toposmith.errors import EditError
from toposmith.text import counted


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
