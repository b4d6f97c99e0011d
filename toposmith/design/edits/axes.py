"""Edits of the axes that groups repeat over."""

from __future__ import annotations

from toposmith.design.document import Design
from toposmith.design.edits.edit import Edit, changed, with_places_moved
from toposmith.design.edits.moved_selectors import lost_faults_words
from toposmith.errors import EditError


def set_axis(design: Design, axis: str, size: int | None) -> Edit:
    """Add an axis, change its number of values, or (None) remove an unused one.

    Raises
    ------
    EditError
        If the name is a group's, or the axis to remove does not exist or is in use.
    """
    if axis in design.groups:
        raise EditError(f"{axis!r} is a group; change its count instead")
    if size is None:
        if axis not in design.axes:
            known = ", ".join(design.axes) or "none yet"
            raise EditError(f"there is no axis {axis!r} (axes: {known})")
        users = [name for name, group in design.groups.items() if axis in group.per]
        if users:
            raise EditError(f"axis {axis!r} is used by {', '.join(users)}")
        axes = {key: value for key, value in design.axes.items() if key != axis}
        return Edit(changed(design, axes=axes), f"remove axis {axis}")
    resized = with_places_moved(design, changed(design, axes={**design.axes, axis: size}))
    return Edit(resized, f"axis {axis}: {size}{lost_faults_words(design, resized)}")
