"""Lines collected for a panel of one width: words, headings, and figures on the right."""

from __future__ import annotations

from textual.content import Content

from toposmith.text import whole_figures, wrapped
from toposmith.tui.drawing.glyphs import Glyphs

MUTED = "$text-muted"
HEADING = "bold $text-accent"
_WHOLE_DASH = "\u00a0-\u00a0"  # keeps the name of a link on one line


class PanelText:
    """Lines collected for a panel of one width.

    Parameters
    ----------
    width : int
        Cells of a line; at least 12 are taken.
    glyphs : Glyphs
        The signs to draw with.
    """

    def __init__(self, width: int, glyphs: Glyphs) -> None:
        self.width = max(width, 12)
        self.glyphs = glyphs
        self.lines: list[Content] = []

    def content(self) -> Content:
        """All lines."""
        return Content("\n").join(self.lines)

    def say(self, text: str, style: str = "") -> None:
        """Words, broken into as many lines as they take."""
        whole = whole_figures(self.glyphs.shown(text)).replace(" - ", _WHOLE_DASH)
        for line in wrapped(whole, self.width):
            self.lines.append(Content.styled(line, style))

    def heading(self, text: str) -> None:
        """A heading, set apart from what is above."""
        self.gap()
        self.lines.append(Content.styled(text, HEADING))

    def gap(self) -> None:
        """An empty line, where the one above is not empty."""
        if self.lines and self.lines[-1].plain:
            self.lines.append(Content(""))

    def pair_if_fits(self, label: str, value: str, more: str) -> None:
        """A label and a figure, with more behind the figure where the line has room for it."""
        fits = len(label) + len(value) + len(more) < self.width
        self.pair(label, value + (more if fits else ""))

    def pair(self, label: str, value: str, style: str = "", *, label_style: str = "") -> None:
        """A label on the left and a figure on the right; on two lines where one is too short."""
        label, value = self.glyphs.shown(label), self.glyphs.shown(value)
        gap = self.width - len(label) - len(value)
        if gap < 1:
            self.lines.append(Content.styled(label, label_style))
            self.lines.append(Content.styled(value.rjust(self.width), style))
            return
        self.lines.append(Content.assemble((label, label_style), " " * gap, (value, style)))
