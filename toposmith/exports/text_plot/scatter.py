"""Numbered points as text: which of them lie where, on two linear axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LEAST_COLUMNS, LEAST_ROWS = 24, 6


@dataclass(frozen=True)
class Axis:
    """What is measured, and its least and greatest value in words."""

    title: str
    least: str
    most: str


def scatter(
    points: Sequence[tuple[float, float]],
    across: Axis,
    up: Axis,
    width: int,
    height: int,
    *,
    chosen: int | None = None,
    ascii_only: bool = False,
) -> list[str]:
    """Draw points as their numbers, from 1; where some would overlap the first is seen.

    How many are not seen is said above the drawing.

    Parameters
    ----------
    points : sequence of (float, float)
        Across and up.
    across, up : Axis
        What the axes are.
    width, height : int
        Cells that it takes, with its axes.
    chosen : int, optional
        The index of the point shown in brackets, over anything else there.
    ascii_only : bool
        Whether to draw with ASCII signs only.

    Returns
    -------
    list of str
        None where there are no points, or less room than a drawing takes.
    """
    if not points or width < LEAST_COLUMNS or height < LEAST_ROWS:
        return []
    margin = max(len(up.least), len(up.most)) + 1
    columns, rows = width - margin - 1, height - 3
    cells = [[" "] * columns for _ in range(rows)]
    hidden = 0
    for at in sorted(range(len(points)), key=lambda at: at != chosen):
        number = f"[{at + 1}]" if at == chosen else f" {at + 1} "
        x, y = points[at]
        column = _place(x, [one[0] for one in points], columns - len(number))
        row = rows - 1 - _place(y, [one[1] for one in points], rows - 1)
        place = slice(column, column + len(number))
        if all(cell == " " for cell in cells[row][place]):
            cells[row][place] = number
        else:
            hidden += 1
    down, corner, line = ("|", "+", "-") if ascii_only else ("│", "└", "─")
    labels = [up.most, *[""] * (rows - 2), up.least]
    if up.least == up.most:  # one figure, at the height of its points
        labels = ["" if row != (rows - 1) - (rows - 1) // 2 else up.most for row in range(rows)]
    drawn = [
        f"{label.rjust(margin)}{down}{''.join(row)}"
        for label, row in zip(labels, cells, strict=True)
    ]
    ends = across.least + across.most.rjust(max(1, columns - len(across.least)))
    if across.least == across.most:
        ends = across.most.center(columns).rstrip()
    title = f"{up.title} by {across.title}"
    if hidden:
        title += f"; {hidden} hidden"
    below = [" " * margin + corner + line * columns, " " * (margin + 1) + ends]
    return [f"{' ' * margin} {title}"[:width], *drawn, *below]


def _place(value: float, values: Sequence[float], most: int) -> int:
    low, high = min(values), max(values)
    return round((value - low) / (high - low) * most) if high > low else most // 2
