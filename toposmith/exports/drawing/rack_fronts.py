"""Racks from the front, drawn and in text: every kind once, with U, devices, power and feeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from toposmith.exports.drawing.svg import (
    DrawingInk,
    DrawingSheet,
    DrawnShape,
    Polyline,
    Rect,
    ShapeGroup,
    Text,
    cut,
    text_width,
    wrapped,
)
from toposmith.plain_text import visible
from toposmith.racks.placement import Placement
from toposmith.racks.rack_loads import (
    NOT_LOOKED_AT,
    Elevation,
    FeedPower,
    MountedDevice,
    count_words,
    feed_words,
    power_words,
)

_MARGIN, _UNIT, _WIDTH, _GAP, _SCALE = 28.0, 15.0, 290.0, 40.0, 26.0
_HEAD = 88.0
_LINE, _SMALL_LINE, _FIRST_LINE = 16.0, 14.0, 33.0
_PER_ROW = 5
_LABELS = 3


def elevations_sheet(
    title: str, placement: Placement, found: Sequence[Elevation], words: Sequence[Sequence[str]]
) -> DrawingSheet:
    """Draw racks.

    Parameters
    ----------
    title : str
        Name of the design.
    placement : Placement
        Whose racks they are.
    found : sequence of Elevation
        One of each kind.
    words : sequence of sequence of str
        For each of them the lines above it: power, feeds.
    """
    name = title or "unnamed design"
    said = count_words(placement, sum(len(one.alike) for one in found))
    columns = min(_PER_ROW, max(1, len(found)))
    wide = max(columns * (_WIDTH + _SCALE + _GAP), text_width("filled to 40.8 kW " * 4))
    subtitle = wrapped(said, wide)
    title_shapes = [Text(_MARGIN, 28, cut(name, wide, 16), 16, "text", "start", True)]
    for line, text in enumerate(subtitle):
        title_shapes.append(Text(_MARGIN, 46 + line * _LINE, text, 13, "muted"))
    parts: list[ShapeGroup] = [ShapeGroup("note", "title", name, tuple(title_shapes))]
    top = 46 + len(subtitle) * _LINE
    most = max((len(_wrapped(lines)) for lines in words), default=0)
    head = max(_HEAD, _FIRST_LINE + most * _SMALL_LINE)
    tallest = max((one.height for one in found), default=placement.floor.units)
    tall = head + tallest * _UNIT + _MARGIN
    for number, (one, lines) in enumerate(zip(found, words, strict=True)):
        row, column = divmod(number, _PER_ROW)
        x = _MARGIN + _SCALE + column * (_WIDTH + _SCALE + _GAP)
        parts.append(_rack(one, lines, x, top + row * tall, head))
    rows = -(-len(found) // _PER_ROW)
    return DrawingSheet(name, wide + 2 * _MARGIN - _GAP, top + rows * tall, tuple(parts))


def _wrapped(words: Sequence[str]) -> list[str]:
    return [line for text in words for line in wrapped(text, _WIDTH, 11)]


def _rack(one: Elevation, words: Sequence[str], x: float, y: float, head: float) -> ShapeGroup:
    more = len(one.alike) - _LABELS
    labels = ", ".join(one.alike[:_LABELS]) + (f" and {more:,} more" if more > 0 else "")
    count = f"{len(one.alike):,} x " if len(one.alike) > 1 else ""
    shapes: list[DrawnShape] = [
        Text(x, y + 16, cut(count + labels, _WIDTH), 13, "text", "start", True)
    ]
    for line, text in enumerate(_wrapped(words)):
        below = y + _FIRST_LINE + line * _SMALL_LINE
        shapes.append(Text(x, below, text, 11, "muted"))
    top = y + head
    shapes.append(Rect(x, top, _WIDTH, one.height * _UNIT, "paper", 2))
    for unit in range(1, one.height + 1):
        line_y = top + (one.height - unit) * _UNIT
        if unit % 6 == 0 or unit == 1:
            shapes.append(Text(x - 6, line_y + _UNIT - 4, f"U{unit}", 10, "muted", "end"))
            shapes.append(
                Polyline(((x, line_y + _UNIT), (x + _WIDTH, line_y + _UNIT)), "edge", 0.3)
            )
    for box in one.boxes:
        shapes += _device(box, x, top, one.height)
    return ShapeGroup("rack", one.label, "; ".join([labels, *words]), tuple(shapes))


def _device(box: MountedDevice, x: float, top: float, height: int) -> list[DrawnShape]:
    y = top + (height - box.unit - box.units + 1) * _UNIT
    fill: DrawingInk = "switch" if box.is_switch else "node"
    shapes: list[DrawnShape] = [Rect(x + 4, y + 1, _WIDTH - 8, box.units * _UNIT - 2, fill, 2)]
    if box.units == 1:
        text = cut(f"{box.name}  {box.part}", _WIDTH - 20, 10)
        return [*shapes, Text(x + 10, y + _UNIT - 4, text, 10)]
    middle = y + box.units * _UNIT / 2
    return [
        *shapes,
        Text(x + 10, middle - 3, cut(box.name, _WIDTH - 20, 12), 12, "text", "start", True),
        Text(x + 10, middle + 10, cut(box.part, _WIDTH - 20, 11), 11, "muted"),
    ]


_COLUMNS = 38
_WIDEST = 80
_LABELS_SHOWN = 6


def elevation_lines(
    placement: Placement, found: Sequence[Elevation], feeds: FeedPower | None
) -> Iterator[str]:
    """The racks of a design as lines of text.

    Parameters
    ----------
    placement : Placement
        Whose racks they are.
    found : sequence of Elevation
        From :func:`toposmith.racks.rack_loads.elevations`.
    feeds : FeedPower or None
        From :func:`toposmith.racks.rack_loads.feed_power`.
    """
    yield from wrap(count_words(placement, sum(len(one.alike) for one in found)), _WIDEST)
    yield from wrap(f"Not looked at: {NOT_LOOKED_AT}.", _WIDEST)
    for one in found:
        yield ""
        yield from _rack_lines(one, placement.floor.max_power_w, feeds)


def _rack_lines(one: Elevation, limit_w: float, feeds: FeedPower | None) -> Iterator[str]:
    more = len(one.alike) - _LABELS_SHOWN
    labels = ", ".join(one.alike[:_LABELS_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
    yield f"{len(one.alike):,} x {labels}" if len(one.alike) > 1 else labels
    over = ", over its limit" if one.load.over(limit_w) else ""
    said = f"{one.load.units} of {one.height} U; {power_words(one)}{over}; {feed_words(one, feeds)}"
    yield from wrap(said, _WIDEST)
    yield f"    +{'-' * _COLUMNS}+"
    free = one.height
    for box in one.boxes:
        top = box.unit + box.units - 1
        yield from _free(free, top + 1)
        yield from _box(box)
        free = box.unit - 1
    yield from _free(free, 1)
    yield f"    +{'-' * _COLUMNS}+"


def _free(high: int, low: int) -> Iterator[str]:
    if high >= low:
        words = f"U{low}" if high == low else f"U{low} to U{high}"
        yield f"{high:>3} |{f' free: {words}':<{_COLUMNS}}|"


def _box(box: MountedDevice) -> Iterator[str]:
    """A device: its name on its topmost U, its part below where it has one."""
    words = [f"[{box.name}]", f" {box.part}"] if box.units > 1 else [f"[{box.name}] {box.part}"]
    for line in range(box.units):
        text = visible(words[line]) if line < len(words) else ""
        short = text if len(text) < _COLUMNS else f"{text[: _COLUMNS - 4]}..."
        yield f"{box.unit + box.units - 1 - line:>3} | {short:<{_COLUMNS - 1}}|"
