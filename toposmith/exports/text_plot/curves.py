"""Curves of busbw or time against message size: as a drawing, and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Literal

from toposmith.exports.text_plot.plot import AxisMark, Chart, PlotRow, Tick, plot, x_at
from toposmith.labels import Labelled, inverse
from toposmith.text import algorithm_name, duration_us, message_size, protocol_name

if TYPE_CHECKING:
    from toposmith.analysis.prediction.size_curve import Curve, CurvePoint
    from toposmith.analysis.result import Analysis


Quantity = Literal["busbw", "time"]

AXIS_WORDS: dict[Quantity, str] = {"busbw": "busbw per GPU", "time": "time"}


@dataclass(frozen=True)
class Curves:
    """What the curve view shows.

    Parameters
    ----------
    now : Curve or None
        The current design; None while it is computed, or where the collective cannot run.
    saved : Curve or None
        The saved version, where its curve differs.
    trouble : str
        Why there is no curve.
    """

    now: Curve | None = None
    saved: Curve | None = None
    trouble: str = ""

    @property
    def shown(self) -> tuple[Curve, ...]:
        """The curves to draw, the present one first."""
        return tuple(curve for curve in (self.now, self.saved) if curve is not None)


def curve_rows(
    curves: Sequence[Curve],
    quantity: Quantity,
    width: int,
    height: int,
    *,
    cursor: int | None = None,
    ascii_only: bool = False,
) -> list[PlotRow]:
    """Draw one curve or two, with the sizes where NCCL switches on the first.

    Parameters
    ----------
    curves : sequence of Curve
        The first is drawn through, the second in dashes.
    quantity : str
        The quantity on the vertical axis.
    width, height : int
        Cells that the drawing may take.
    cursor : int, optional
        A message size to draw a line at.
    ascii_only : bool
        Whether to draw with ASCII signs only.
    """
    chart = _chart(curves, quantity, cursor, ascii_only)
    return plot(chart, width, height, ascii_only=ascii_only)


def point_at(curves: Sequence[Curve], quantity: Quantity, width: int, column: int) -> int:
    """The number of the point that stands at a column of such a drawing."""
    at = x_at(_chart(curves, quantity, None, ascii_only=False), width, column)
    return nearest_point(curves[0], round(at))


def what_runs(point: CurvePoint) -> str:
    """Algorithm and protocol, ``Tree LL128``."""
    return f"{algorithm_name(point.algorithm)} {protocol_name(point.protocol)}"


def point_words(point: CurvePoint, *, brief: bool = False) -> str:
    """What a point of a curve says; in brief, the busbw stands without its name."""
    time = inverse(point.label).marked(duration_us(point.time_us))
    busbw, algbw = (
        Labelled(value, point.label).words for value in (point.busbw_GBps, point.algbw_GBps)
    )
    rest = f"{time}, {what_runs(point)}"
    return f"{busbw}, {rest}" if brief else f"busbw {busbw}, algbw {algbw}, {rest}"


def nearest_point(curve: Curve, message_bytes: int) -> int:
    """The number of the point whose size is nearest, by its ratio."""
    sizes = [point.message_bytes for point in curve.points]
    return min(range(len(sizes)), key=lambda at: abs(log10(sizes[at]) - log10(message_bytes)))


_STOPPERS = frozenset(
    {
        *("no-gpus", "one-gpu", "too-large", "communicator-does-not-fit", "group-of-one"),
        *("no-channels", "unreachable", "cannot-run"),
    }
)
"""Findings that say why there is no figure at all."""


def why_no_curve(analysis: Analysis) -> str:
    """Why a collective cannot run, in words."""
    found = next((one for one in analysis.findings if one.code in _STOPPERS), None)
    return f"{found.where}: {found.text}" if found else "the design does not determine it"


def _chart(
    curves: Sequence[Curve], quantity: Quantity, cursor: int | None, ascii_only: bool
) -> Chart:
    series = [
        [(float(point.message_bytes), _value(point, quantity)) for point in curve.points]
        for curve in curves
    ]
    values = [value for points in series for _, value in points]
    return Chart(
        series=series,
        x_ticks=_size_ticks([point.message_bytes for point in curves[0].points]),
        y_ticks=_value_ticks(min(values), max(values), quantity, ascii_only),
        marks=_marks(curves[0]),
        cursor=None if cursor is None else float(cursor),
    )


def _value(point: CurvePoint, quantity: Quantity) -> float:
    return point.busbw_GBps if quantity == "busbw" else point.time_us


def _marks(curve: Curve) -> list[AxisMark]:
    """What runs first, and every size where that changes."""
    first = curve.points[0]
    return [
        AxisMark(first.message_bytes, what_runs(first), line=False),
        *(AxisMark(point.message_bytes, what_runs(point)) for point in curve.switches),
    ]


def _size_ticks(sizes: Sequence[int]) -> list[Tick]:
    """Powers of 1024 first, then the ends, then what lies between."""
    whole = [size for size in sizes if round(log10(size) / log10(2)) % 10 == 0]
    ends = [sizes[-1], sizes[0]]
    between = [size for size in sizes if round(log10(size) / log10(2)) % 5 == 0]
    return [Tick(size, message_size(size)) for size in dict.fromkeys((*whole, *ends, *between))]


def _value_ticks(low: float, high: float, quantity: Quantity, ascii_only: bool) -> list[Tick]:
    """Powers of ten, or 1, 2 and 5 of each where there are few of them."""
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    inside = [10.0**power for power in decades if low <= 10.0**power <= high]
    if len(inside) < 2:
        inside = [step * 10.0**power for power in decades for step in (1, 2, 5)]
    units = _RATES if quantity == "busbw" else _TIMES
    ticks = [Tick(value, _round_words(value, units)) for value in inside if low <= value <= high]
    ticks.sort(key=lambda tick: -tick.at)
    plain = [Tick(tick.at, tick.label.replace("µ", "u")) for tick in ticks]
    return plain if ascii_only else ticks


_RATES = ((1.0, "GB/s"), (1e-3, "MB/s"), (1e-6, "kB/s"), (1e-9, "B/s"))
_TIMES = ((1e6, "s"), (1e3, "ms"), (1.0, "µs"), (1e-3, "ns"))


def _round_words(value: float, units: Sequence[tuple[float, str]]) -> str:
    """A round figure in the unit that makes it at least 1."""
    scale, unit = next((one for one in units if value >= 0.999 * one[0]), units[-1])
    return f"{value / scale:,.0f} {unit}"


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
    """Draw points as their numbers, from 1; where some would overlap one stands next to the other.

    How many have no room within a number's width is said above the drawing.

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
        free = _free_place(cells, row, column, len(number))
        if free is None:
            hidden += 1
        else:
            cells[free[0]][free[1] : free[1] + len(number)] = number
    down, corner, line = ("|", "+", "-") if ascii_only else ("│", "└", "─")
    labels = [up.most, *[""] * (rows - 2), up.least]
    if up.least == up.most:  # one figure, at the height of its points
        labels = ["" if row != (rows - 1) - (rows - 1) // 2 else up.most for row in range(rows)]
    drawn = [
        f"{label.rjust(margin)}{down}{''.join(row)}"
        for label, row in zip(labels, cells, strict=True)
    ]
    ends = across.least + across.most.rjust(columns - len(across.least))
    if len(across.least) + len(across.most) >= columns:
        ends = f"{across.least} to {across.most}"
    if across.least == across.most:
        ends = across.most.center(columns).rstrip()
    title = f"{up.title} by {across.title}"
    if hidden:
        title += f"; {hidden} hidden"
    below = [" " * margin + corner + line * columns, " " * (margin + 1) + ends]
    return [f"{' ' * margin} {title}"[:width], *drawn, *below]


def _free_place(cells: list[list[str]], row: int, column: int, wide: int) -> tuple[int, int] | None:
    """The place of a number that is free, a row or a number's width away at most, the nearest."""
    near = sorted(
        ((y, x) for y in (row, row - 1, row + 1) for x in range(column - wide, column + wide + 1)),
        key=lambda place: (place != (row, column), place[0] != row, abs(place[1] - column)),
    )
    return next(
        (
            (y, x)
            for y, x in near
            if 0 <= y < len(cells)
            and 0 <= x <= len(cells[y]) - wide
            and not "".join(cells[y][x : x + wide]).strip()
        ),
        None,
    )


def _place(value: float, values: Sequence[float], most: int) -> int:
    low, high = min(values), max(values)
    return round((value - low) / (high - low) * most) if high > low else most // 2
