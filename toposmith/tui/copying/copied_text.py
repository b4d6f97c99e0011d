"""The selected group or link, or the figures, as text for another program."""

from __future__ import annotations

from toposmith.design.document import Design
from toposmith.design.writer import design_text
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.figures.live_figures import LiveFigures
from toposmith.tui.pages.live import live_lines

COLUMNS = 72


def link_text(design: Design, index: int) -> str:
    """A link as a design of its own, with its two groups."""
    link = design.links[index]
    names = [end.partition(".")[0] for end in link.between]
    groups = {name: group for name, group in design.groups.items() if name in names}
    used = {axis for group in groups.values() for axis in group.per}
    axes = {axis: size for axis, size in design.axes.items() if axis in used}
    return design_text(Design(name=design.name, axes=axes, groups=groups, links=(link,)), None)


def figures_text(figures: LiveFigures, glyphs: Glyphs) -> str:
    """The live figures as the panel shows them."""
    return f"{live_lines(figures, COLUMNS, glyphs, large=False).plain.rstrip()}\n"
