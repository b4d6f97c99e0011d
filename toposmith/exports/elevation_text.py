"""Racks from the front, in text: every kind of rack once, with its power, heat and feeds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from toposmith.plain_text import visible
from toposmith.racks.elevations import Elevation, MountedDevice
from toposmith.racks.placement import Placement
from toposmith.racks.rack_assumptions import NOT_LOOKED_AT
from toposmith.racks.rack_loads import FeedPower
from toposmith.racks.racks_in_words import count_words, feed_words, power_words

_WIDTH = 38
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
        From :func:`toposmith.racks.elevations.elevations`.
    feeds : FeedPower or None
        From :func:`toposmith.racks.rack_loads.feed_power`.
    """
    yield from wrap(count_words(placement, sum(len(one.alike) for one in found)), _WIDEST)
    yield from wrap(f"Not looked at: {NOT_LOOKED_AT}.", _WIDEST)
    for one in found:
        yield ""
        yield from _rack(one, placement.floor.max_power_w, feeds)


def _rack(one: Elevation, limit_w: float, feeds: FeedPower | None) -> Iterator[str]:
    more = len(one.alike) - _LABELS_SHOWN
    labels = ", ".join(one.alike[:_LABELS_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
    yield f"{len(one.alike):,} x {labels}" if len(one.alike) > 1 else labels
    over = ", over its limit" if one.load.over(limit_w) else ""
    said = f"{one.load.units} of {one.height} U; {power_words(one)}{over}; {feed_words(one, feeds)}"
    yield from wrap(said, _WIDEST)
    yield f"    +{'-' * _WIDTH}+"
    free = one.height
    for box in one.boxes:
        top = box.unit + box.units - 1
        yield from _free(free, top + 1)
        yield from _box(box)
        free = box.unit - 1
    yield from _free(free, 1)
    yield f"    +{'-' * _WIDTH}+"


def _free(high: int, low: int) -> Iterator[str]:
    if high >= low:
        words = f"U{low}" if high == low else f"U{low} to U{high}"
        yield f"{high:>3} |{f' free: {words}':<{_WIDTH}}|"


def _box(box: MountedDevice) -> Iterator[str]:
    """A device: its name on its topmost U, its part below where it has one."""
    words = [f"[{box.name}]", f" {box.part}"] if box.units > 1 else [f"[{box.name}] {box.part}"]
    for line in range(box.units):
        text = visible(words[line]) if line < len(words) else ""
        short = text if len(text) < _WIDTH else f"{text[: _WIDTH - 4]}..."
        yield f"{box.unit + box.units - 1 - line:>3} | {short:<{_WIDTH - 1}}|"
