"""The figure over the last edits as a line of small bars."""

from __future__ import annotations

from collections.abc import Sequence

from toposmith.tui.drawing.glyphs import Glyphs

STEPS_SHOWN = 16
_BARS = "▁▂▃▄▅▆▇█"
_ASCII_BARS = "_.:-=+*#"
_UNKNOWN_SIGN = "?"


def history_line(values: Sequence[float | None], glyphs: Glyphs) -> str:
    """One sign for each value, as high as its share of the largest; ``?`` where it is unknown.

    Half the bandwidth is half as high: the line begins at 0, not at the least value.
    """
    bars = _ASCII_BARS if glyphs.ascii_only else _BARS
    top = max((value for value in values if value is not None), default=0.0)
    signs = []
    for value in values:
        if value is None:
            signs.append(_UNKNOWN_SIGN)
        else:
            share = value / top if top else 0.0
            signs.append(bars[min(int(share * len(bars)), len(bars) - 1)])
    return "".join(signs)
