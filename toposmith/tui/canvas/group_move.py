"""A group while it is being moved, by mouse or with the arrows."""

from __future__ import annotations

from dataclasses import dataclass, field

from toposmith.design.group_positions import FARTHEST

MOVE_COLUMNS = 2
"""Columns that an arrow moves a group by."""


@dataclass
class Moving:
    """A group that is being moved.

    Parameters
    ----------
    group : str
        Which.
    columns : int
        Columns right of its place where it is now.
    by_mouse : bool
        Whether a mouse button is held down; else arrows move it.
    first : int
        Columns right of its place at the beginning.
    """

    group: str
    columns: int
    by_mouse: bool = False
    first: int = field(init=False)

    def __post_init__(self) -> None:
        self.first = self.columns

    def shift(self, columns: int) -> None:
        """Move it by so many columns, as far as a sheet may reach."""
        self.columns = max(min(self.columns + columns, FARTHEST), -FARTHEST)
