"""Racks from the front as lines of text: a line for each U where there is room, else scaled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toposmith.racks.rack_loads import Elevation, FeedPower, MountedDevice, feed_words, load_words
from toposmith.text import counted, powers, wrapped
from toposmith.tui.drawing.glyphs import Glyphs

HEAD_LINES = 5
"""Lines above the picture of a rack: label, U, power, heat, feeds."""

_UNITS = 3
_SCALES = (1.0, 0.75, 0.5, 0.375, 0.25, 0.125, 0.0)
"""Lines for each U, the first that fits; no device has less than its name and its part."""

_NEARLY = 0.9  # of the limit, from which a rack counts as nearly full

_MUTED = "$text-muted"
_FRAME = "$text-disabled"
_NODE = "$foreground on $primary 25%"
_SWITCH = "$foreground on $secondary 25%"
_SELECTED = "$block-cursor-foreground on $block-cursor-background"


@dataclass(frozen=True)
class RackLine:
    """A line of the picture: pieces of text with their styles, and the box that it belongs to."""

    pieces: tuple[tuple[str, str], ...]
    box: int | None = None


@dataclass(frozen=True)
class RackStyle:
    """How a rack is drawn: width in cells, signs, and its feeds and limit."""

    width: int
    glyphs: Glyphs
    limit_w: float
    feeds: FeedPower | None


def head_lines(one: Elevation, frame: RackStyle, *, chosen: bool) -> list[RackLine]:
    """What is said above a rack, always :data:`HEAD_LINES` lines."""
    load, width = one.load, frame.width
    more = len(one.alike) - 1
    label = f"{one.label} and {more:,} more" if more else one.label
    mark = f"{frame.glyphs.on} " if chosen else "  "
    unknown = bool(load.without_power) and not load.least_w
    heat = load.heat_btu_per_hour
    partly = f" + {load.without_power} unknown" if load.without_power else ""
    heat_words = "heat unknown" if unknown else f"heat {heat:,.0f} BTU/h{partly}"
    lines = [
        (f"{mark}{label}", "bold $text-accent" if chosen else "bold"),
        (f"{load.units} of {one.height} U, {counted(load.devices, 'device')}", _MUTED),
        _power(one, frame, unknown=unknown),
        (heat_words, _MUTED),
        (feed_words(one, frame.feeds), _feed_style(one, frame.feeds)),
    ]
    return [_plain(text, style, width, frame.glyphs) for text, style in lines]


def body_lines(one: Elevation, frame: RackStyle, room: int, selected: int | None) -> list[RackLine]:
    """The rack itself, as tall as ``room`` lines allow; every device has a line at least.

    Parameters
    ----------
    one : Elevation
        The rack.
    frame : RackStyle
        How it is drawn.
    room : int
        Lines that there are.
    selected : int or None
        The box that is selected.
    """
    corners = "++++-" if frame.glyphs.ascii_only else "┌┐└┘─"
    inner = frame.width - _UNITS - 3
    lines: list[RackLine] = []
    for scale in _SCALES:
        lines = list(_devices(one, frame, scale, selected))
        if len(lines) + 2 <= room:
            break
    first = _edge(corners[0], corners[1], corners[4], inner)
    return [first, *lines, _edge(corners[2], corners[3], corners[4], inner)]


def _devices(
    one: Elevation, frame: RackStyle, scale: float, selected: int | None
) -> Iterator[RackLine]:
    free = one.height
    for number, box in enumerate(one.boxes):
        yield from _free(free, box.unit + box.units, frame, scale)
        yield from _box(box, number, frame, scale, chosen=number == selected)
        free = min(free, box.unit - 1)
    yield from _free(free, 1, frame, scale)


def _power(one: Elevation, frame: RackStyle, *, unknown: bool) -> tuple[str, str]:
    if unknown:
        return "power unknown", "$text-warning"
    load = one.load
    if load.own_limit:
        return load_words(load), "$text-warning" if load.without_power else "$text-success"
    share = load.least_w / frame.limit_w
    bar = frame.glyphs.bar(share, 10)
    over = " OVER" if share > 1 else ""
    least = (">= " if frame.glyphs.ascii_only else "≥ ") if load.without_power else ""
    words = f"{bar} {least}{powers(load.least_w, frame.limit_w, 'of')}{over}"
    if share > 1:
        return words, "bold $text-error"
    unsure = bool(load.without_power) or share >= _NEARLY
    return words, "$text-warning" if unsure else "$text-success"


def _feed_style(one: Elevation, feeds: FeedPower | None) -> str:
    if feeds is None or feeds.all_w is None or feeds.one_lost_w is None:
        return _MUTED
    if one.load.least_w > feeds.all_w:
        return "bold $text-error"
    most = one.load.most_w
    kept = most is not None and most <= feeds.one_lost_w
    return "$text-success" if kept else "$text-warning"


def _plain(text: str, style: str, width: int, glyphs: Glyphs) -> RackLine:
    shown = glyphs.shortened(glyphs.shown(text), width)
    return RackLine(((shown.ljust(width), style),))


def _edge(left: str, right: str, line: str, inner: int) -> RackLine:
    text = f"{'':<{_UNITS}} {left}{line * inner}{right}"
    return RackLine(((text, _FRAME),))


def _row(unit: int | None, text: str, style: str, frame: RackStyle, box: int | None) -> RackLine:
    inner = frame.width - _UNITS - 3
    side = "|" if frame.glyphs.ascii_only else "│"
    shown = frame.glyphs.shortened(text, inner).ljust(inner)
    number = f"{'' if unit is None else unit:>{_UNITS}} "
    return RackLine(((number, _MUTED), (side, _FRAME), (shown, style), (side, _FRAME)), box)


def _numbers(high: int, low: int, lines: int) -> list[int | None]:
    """Which U is shown beside each line: all of them to scale, else the topmost and the lowest."""
    if lines == high - low + 1:
        return list(range(high, low - 1, -1))
    return [high] if lines == 1 else [high, *[None] * (lines - 2), low]


def _free(high: int, low: int, frame: RackStyle, scale: float) -> Iterator[RackLine]:
    if high < low:
        return
    words = f" free: U{low}" if high == low else f" free: U{low} to U{high}"
    numbers = _numbers(high, low, max(round((high - low + 1) * scale), 1))
    for line, unit in enumerate(numbers):
        yield _row(unit, "" if line else words, _MUTED, frame, None)


def _box(
    box: MountedDevice, number: int, frame: RackStyle, scale: float, *, chosen: bool
) -> Iterator[RackLine]:
    """A device: its name on its topmost line, its part below it or, in one U, beside it."""
    shown = frame.glyphs.shown
    mark = frame.glyphs.on if chosen else ""
    style = _SELECTED if chosen else _SWITCH if box.is_switch else _NODE
    top = box.unit + box.units - 1
    # brackets say without colour where a device begins and ends
    begin, side, end, alone = "+|+-" if frame.glyphs.ascii_only else "┌│└╶"
    if box.units == 1:
        text = f"{mark or alone} {shown(box.name)}  {shown(box.part)}"
        yield _row(top, text, style, frame, number)
        return
    numbers = _numbers(top, box.unit, max(round(box.units * scale), 2))
    words = [shown(box.name), f"{shown(box.part)}, {box.units} U"]
    signs = [mark or begin, *[side] * (len(numbers) - 2), end]
    for line, (unit, sign) in enumerate(zip(numbers, signs, strict=True)):
        text = f"{sign} {words[line] if line < len(words) else ''}"
        yield _row(unit, text, style, frame, number)


def rack_words(one: Elevation, box: MountedDevice | None, width: int, glyphs: Glyphs) -> list[str]:
    """What is said of the selected device and of the racks that are equal to its own."""
    lines = []
    if box is not None:
        top = box.unit + box.units - 1
        place = f"U{box.unit}" if box.units == 1 else f"U{box.unit} to U{top}"
        lines.append(f"{box.name}: {box.part}, {place} of {one.label}; group {box.group}")
    if len(one.alike) > 1:
        few = ", ".join(one.alike[:12])
        more = len(one.alike) - 12
        lines.append(f"equal: {few}" + (f" and {more:,} more" if more > 0 else ""))
    return [line for text in lines for line in wrapped(glyphs.shown(text), width)]
