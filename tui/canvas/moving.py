"""A group while it is being moved, by mouse or with the arrows."""

from __future__ import annotations

from dataclasses import dataclass, field

MOVE_COLUMNS = 2
"""Columns that an arrow moves a group by."""


@dataclass
class Moving:
    """A group on its way.

    Parameters
    ----------
    group : str
        Which.
    columns : int
        How far right of its place it stands now.
    grabbed_at : int or None
        The column of the screen where the mouse holds it; None where keys move it.
    first : int
        How far it stood at the beginning.
    """

    group: str
    columns: int
    grabbed_at: int | None = None
    first: int = field(init=False)

    def __post_init__(self) -> None:
        self.first = self.columns
