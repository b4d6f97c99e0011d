"""What is marked can be read, also where the terminal's own sixteen colours have no shades."""

from __future__ import annotations

import pytest
from rich.color import Color
from rich.style import Style

from toposmith.tui.canvas.canvas_glyphs import Ink
from toposmith.tui.canvas.colours import LOOK_OF_MARK, ItemMark
from toposmith.tui.canvas.inks import Inks

MARKS = {LOOK_OF_MARK[mark].component for mark in ItemMark if mark is not ItemMark.NONE}


def of_terminal(component: str) -> Style:
    """A theme of the terminal's own colours: a tenth of a colour is the whole of it."""
    if component not in MARKS:
        return Style(color=Color.parse("magenta"))
    return Style(color=Color.parse("magenta"), bgcolor=Color.parse("magenta"), bold=True)


def of_true_colours(component: str) -> Style:
    ground = Color.parse("#330033") if component in MARKS else None
    return Style(color=Color.parse("#ff00ff"), bgcolor=ground)


@pytest.mark.parametrize("mark", [mark for mark in ItemMark if mark is not ItemMark.NONE])
@pytest.mark.parametrize("boxed", [True, False])
def test_what_is_marked_never_has_the_colour_of_its_ground(mark: ItemMark, boxed: bool) -> None:
    for ink in Ink:
        style = Inks(of_terminal).style(ink, mark, boxed=boxed)
        assert style.bgcolor is None or style.bgcolor != style.color
    assert Inks(of_terminal).style(Ink.BOX, mark, boxed=True).bold, "marked all the same"
    assert Inks(of_true_colours).style(Ink.BOX, mark, boxed=boxed).bgcolor == Color.parse("#330033")
