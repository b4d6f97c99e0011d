"""The curve view's content: curves in, lines of text with their colours out."""

from __future__ import annotations

from textual.content import Content

from toposmith.collectives import collective_name
from toposmith.exports.text_plot.curves import (
    AXIS_WORDS,
    Curves,
    Quantity,
    curve_rows,
    nearest_point,
    point_words,
)
from toposmith.exports.text_plot.plot import PlotInk, PlotRow, signs
from toposmith.labels import Label, inverse
from toposmith.text import message_size, whole_figures, wrapped
from toposmith.tui.drawing.glyphs import Glyphs

_STYLES: dict[PlotInk, str] = {
    PlotInk.BLANK: "",
    PlotInk.AXIS: "$border-blurred",
    PlotInk.LABEL: "$text-muted",
    PlotInk.FIRST: "bold $text-accent",
    PlotInk.SECOND: "$text-warning",
    PlotInk.MARK: "$text-muted",
    PlotInk.CURSOR: "bold $foreground",
}


def curve_content(
    curves: Curves,
    quantity: Quantity,
    message_bytes: int,
    width: int,
    height: int,
    glyphs: Glyphs,
) -> Content:
    """Write the whole view.

    Parameters
    ----------
    curves : Curves
        What to draw.
    quantity : str
        The title of the vertical axis.
    message_bytes : int
        Where the curves are read; the nearest size that they have.
    width, height : int
        Cells of the view.
    glyphs : Glyphs
        The signs to draw with.
    """
    if curves.now is None:
        words = curves.trouble or "computing ..."
        style = "$text-warning" if curves.trouble else "$text-muted"
        lines = wrapped(glyphs.shown(words), width)
        return Content("\n").join(Content.styled(line, style) for line in lines)
    at = nearest_point(curves.now, message_bytes)
    every = range(len(curves.now.points))
    # the same form and as many lines at every size, so that the drawing does not jump
    brief = any(len(text) > width for i in every for text, _ in _readings(curves, i, brief=False))
    texts = [_readings(curves, i, brief=brief) for i in every]
    below = max(len(_read_lines(each, width, glyphs)) for each in texts)
    read = _read_lines(texts[at], width, glyphs)
    legend = _legend(curves, quantity, width, glyphs)
    rows = curve_rows(
        curves.shown,
        quantity,
        width,
        height - len(legend) - below,
        cursor=curves.now.points[at].message_bytes,
        ascii_only=glyphs.ascii_only,
    )
    return Content("\n").join([*legend, *map(_coloured, rows), *read])


def _legend(curves: Curves, quantity: Quantity, width: int, glyphs: Glyphs) -> list[Content]:
    """What is drawn, and which curve is which."""
    name = collective_name(curves.now.collective) if curves.now is not None else ""
    labels = [point.label for point in curves.now.points] if curves.now is not None else []
    kinds = " or ".join(dict.fromkeys(_kind(label, quantity) for label in labels))
    title = f"{name} {AXIS_WORDS[quantity]}, {kinds or 'model'}"
    if curves.saved is None:
        return [Content.styled(title, "bold")]
    first, second = signs(glyphs.ascii_only).series
    named = Content.assemble(
        (first, _STYLES[PlotInk.FIRST]), " now   ", (second, _STYLES[PlotInk.SECOND]), " saved"
    )
    gap = width - len(title) - len(named.plain)
    if gap < 2:
        return [Content.styled(title, "bold"), named]
    return [Content.assemble((title, "bold"), " " * gap, named)]


def _kind(label: Label, quantity: Quantity) -> str:
    return (label if quantity == "busbw" else inverse(label)).kind


def _readings(curves: Curves, at: int, *, brief: bool) -> list[tuple[str, str]]:
    """What the curves say at a size, each with its style."""
    assert curves.now is not None
    point = curves.now.points[at]
    size = message_size(point.message_bytes)
    texts = [(f"{size}: {point_words(point, brief=brief)}", "bold")]
    if curves.saved is not None:
        texts.append((f"saved: {point_words(curves.saved.points[at], brief=brief)}", ""))
    return texts


def _read_lines(texts: list[tuple[str, str]], width: int, glyphs: Glyphs) -> list[Content]:
    return [
        Content.styled(line, style)
        for text, style in texts
        for line in wrapped(whole_figures(glyphs.shown(text)), width)
    ]


def _coloured(row: PlotRow) -> Content:
    return Content.assemble(*((text, _STYLES[ink]) for text, ink in row))
