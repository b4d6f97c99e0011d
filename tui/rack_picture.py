"""Racks from the front as lines of text: one line for each U where there is room, folded if not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from topology.racks.elevations import Box, Elevation
from topology.racks.loads import BTU_PER_HOUR_PER_W, FeedPower
from topology.racks.wording import feed_words
from tui.glyphs import Glyphs
from tui.text_lines import wrapped

HEAD_LINES = 5
"""Lines above the picture of a rack: label, U, power, heat, feeds."""

_UNITS = 3
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
class Frame:
    """How a rack is drawn: width in cells, signs, and its feeds and limit."""

    width: int
    glyphs: Glyphs
    limit_w: float
    feeds: FeedPower | None


def head_lines(one: Elevation, frame: Frame, *, chosen: bool) -> list[RackLine]:
    """What is said above a rack, always :data:`HEAD_LINES` lines."""
    load, width = one.load, frame.width
    more = len(one.alike) - 1
    label = f"{one.label} and {more:,} alike" if more else one.label
    mark = f"{frame.glyphs.on} " if chosen else "  "
    unknown = load.without_power == load.devices
    heat = load.power_w * BTU_PER_HOUR_PER_W
    partly = f" + {load.without_power} unknown" if load.without_power else ""
    heat_words = "heat unknown" if unknown else f"heat {heat:,.0f} BTU/h{partly}"
    lines = [
        (f"{mark}{label}", "bold $text-accent" if chosen else "bold"),
        (f"{load.units} of {one.height} U, {load.devices} devices", _MUTED),
        _power(one, frame, unknown=unknown),
        (heat_words, _MUTED),
        (feed_words(one, frame.feeds), _feed_style(one, frame.feeds)),
    ]
    return [_plain(text, style, width, frame.glyphs) for text, style in lines]


def body_lines(one: Elevation, frame: Frame, room: int, selected: int | None) -> list[RackLine]:
    """The rack itself, to scale where ``room`` lines suffice, else every device in a line or two.

    Parameters
    ----------
    one : Elevation
        The rack.
    frame : Frame
        How it is drawn.
    room : int
        Lines that there are.
    selected : int or None
        The box that is selected.
    """
    to_scale = one.height + 2 <= room
    corners = "++++-" if frame.glyphs.ascii_only else "┌┐└┘─"
    inner = frame.width - _UNITS - 3
    lines = [_edge(corners[0], corners[1], corners[4], inner)]
    free = one.height
    for number, box in enumerate(one.boxes):
        lines += _free(free, box.unit + box.units, frame, inner, to_scale=to_scale)
        lines += _box(box, number, frame, inner, to_scale=to_scale, chosen=number == selected)
        free = min(free, box.unit - 1)
    lines += _free(free, 1, frame, inner, to_scale=to_scale)
    lines.append(_edge(corners[2], corners[3], corners[4], inner))
    return lines


def _power(one: Elevation, frame: Frame, *, unknown: bool) -> tuple[str, str]:
    if unknown:
        return "power unknown", "$text-warning"
    share = one.load.power_w / frame.limit_w
    bar = frame.glyphs.bar(share, 10)
    over = " OVER" if share > 1 else ""
    words = f"{bar} {one.load.power_w / 1000:.1f} of {frame.limit_w / 1000:.1f} kW{over}"
    if share > 1:
        return words, "bold $text-error"
    return words, "$text-warning" if share >= _NEARLY else "$text-success"


def _feed_style(one: Elevation, feeds: FeedPower | None) -> str:
    if feeds is None or feeds.all_w is None or feeds.one_lost_w is None:
        return _MUTED
    if one.load.power_w > feeds.all_w:
        return "bold $text-error"
    return "$text-warning" if one.load.power_w > feeds.one_lost_w else "$text-success"


def _plain(text: str, style: str, width: int, glyphs: Glyphs) -> RackLine:
    shown = glyphs.shortened(glyphs.shown(text), width)
    return RackLine(((shown.ljust(width), style),))


def _edge(left: str, right: str, line: str, inner: int) -> RackLine:
    text = f"{'':<{_UNITS}} {left}{line * inner}{right}"
    return RackLine(((text, _FRAME),))


def _row(unit: int, text: str, style: str, frame: Frame, inner: int, box: int | None) -> RackLine:
    side = "|" if frame.glyphs.ascii_only else "│"
    shown = frame.glyphs.shortened(text, inner).ljust(inner)
    number = f"{unit:>{_UNITS}} "
    return RackLine(((number, _MUTED), (side, _FRAME), (shown, style), (side, _FRAME)), box)


def _free(high: int, low: int, frame: Frame, inner: int, *, to_scale: bool) -> Iterator[RackLine]:
    if high < low:
        return
    words = f" free: U{low}" if high == low else f" free: U{low} to U{high}"
    yield _row(high, words, _MUTED, frame, inner, None)
    for unit in range(high - 1, low - 1, -1) if to_scale else ():
        yield _row(unit, "", _MUTED, frame, inner, None)


def _box(
    box: Box, number: int, frame: Frame, inner: int, *, to_scale: bool, chosen: bool
) -> Iterator[RackLine]:
    """A device: its name on its topmost U, its part below it or, in one U, beside it."""
    shown = frame.glyphs.shown
    mark = frame.glyphs.on if chosen else ""
    style = _SELECTED if chosen else _SWITCH if box.is_switch else _NODE
    top = box.unit + box.units - 1
    # brackets say without colour where a device begins and ends
    begin, side, end, alone = "+|+-" if frame.glyphs.ascii_only else "┌│└╶"
    if box.units == 1:
        text = f"{mark or alone} {shown(box.name)}  {shown(box.part)}"
        yield _row(top, text, style, frame, inner, number)
        return
    lines = box.units if to_scale else 2
    words = [shown(box.name), f"{shown(box.part)}, {box.units} U"]
    for line in range(lines):
        sign = mark if chosen and line == 0 else begin if line == 0 else side
        if line == lines - 1:
            sign = end
        text = f"{sign} {words[line] if line < len(words) else ''}"
        unit = top - line if to_scale or line == 0 else box.unit
        yield _row(unit, text, style, frame, inner, number)


def rack_words(one: Elevation, box: Box | None, width: int, glyphs: Glyphs) -> list[str]:
    """What is said of the selected device and of the racks that are alike."""
    lines = []
    if box is not None:
        top = box.unit + box.units - 1
        place = f"U{box.unit}" if box.units == 1 else f"U{box.unit} to U{top}"
        lines.append(f"{box.name}: {box.part}, {place} of {one.label}; group {box.group}")
    if len(one.alike) > 1:
        few = ", ".join(one.alike[:12])
        more = len(one.alike) - 12
        lines.append(f"alike: {few}" + (f" and {more:,} more" if more > 0 else ""))
    return [line for text in lines for line in wrapped(glyphs.shown(text), width)]
