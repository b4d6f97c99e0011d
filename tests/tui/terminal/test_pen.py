"""Text written with few bytes looks as it does when every run is told its whole style."""

from __future__ import annotations

import pyte
from hypothesis import given
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.style import Style

from toposmith.tui.terminal.pen import PLAIN, Pen, look_of

COLOURS = ColorSystem.EIGHT_BIT
WIDTH = 40
STYLES = st.builds(
    Style,
    color=st.sampled_from([None, "red", "#123456"]),
    bgcolor=st.sampled_from([None, "blue", "#654321"]),
    bold=st.booleans(),
    italic=st.booleans(),
    underline=st.booleans(),
    reverse=st.booleans(),
)
RUNS = st.lists(st.tuples(st.text("ab ", min_size=1, max_size=6), STYLES), max_size=6)


def seen(written: str) -> list[pyte.screens.Char]:
    """The cells of a terminal; a blank shows its ground alone, unless something is drawn on it."""
    screen = pyte.Screen(WIDTH, 1)
    pyte.Stream(screen).feed(written)
    cells = [screen.buffer[0][x] for x in range(WIDTH)]
    return [
        cell
        if cell.data != " " or cell.reverse or cell.underscore
        else cell._replace(fg="default", bold=False, italics=False)
        for cell in cells
    ]


@given(RUNS)
def test_runs_look_as_if_each_were_told_its_whole_style(runs: list[tuple[str, Style]]) -> None:
    pen = Pen()
    short = "".join(pen.text(text, look_of(style, COLOURS)) for text, style in runs) + pen.lift()
    whole = "".join(style.render(text, color_system=COLOURS) for text, style in runs)
    assert seen(short + "x") == seen(whole + "x")
    assert len(short) <= len(whole)


def test_a_run_of_another_colour_is_told_its_colour_alone() -> None:
    pen = Pen()
    red, green = (look_of(Style(color=c, bgcolor="black"), COLOURS) for c in ("red", "green"))
    pen.text("a", red)
    assert pen.text("b", green) == "\x1b[32mb"


def test_blanks_on_the_same_ground_are_told_nothing() -> None:
    pen = Pen()
    pen.text("a", look_of(Style(color="red", bgcolor="black", bold=True), COLOURS))
    assert pen.text("  ", look_of(Style(color="green", bgcolor="black"), COLOURS)) == "  "


def test_links_are_opened_before_their_words_and_closed_behind_them() -> None:
    pen = Pen()
    linked = pen.text("here", look_of(Style(link="https://a.b"), COLOURS))
    assert linked.startswith("\x1b]8;id=") and linked.endswith(";https://a.b\x1b\\here")
    assert pen.text(".", PLAIN) == "\x1b]8;;\x1b\\."
