"""Writing only what differs leaves a terminal that shows the same as writing everything."""

from __future__ import annotations

import inspect

import pyte
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.geometry import Region
from textual.strip import Strip

from toposmith.tui.terminal.changed_cells import TerminalFrame

WIDTH, HEIGHT = 12, 3
STYLES = [
    Style(),
    Style(color="red"),
    Style(bgcolor="blue", bold=True),
    Style(reverse=True, underline=True),
]
SIGNS = "ab 漢─"
CONSOLE = Console(force_terminal=True, color_system="256", width=WIDTH)


@st.composite
def lines(draw: st.DrawFn) -> Strip:
    segments: list[Segment] = []
    while (room := WIDTH - sum(segment.cell_length for segment in segments)) > 0:
        text = draw(st.text(SIGNS, min_size=1, max_size=5))
        segment = Segment(text, draw(st.sampled_from(STYLES)))
        segments.append(segment if segment.cell_length <= room else Segment(" " * room))
    return Strip(segments, WIDTH)


FRAMES = st.lists(st.lists(lines(), min_size=HEIGHT, max_size=HEIGHT), min_size=1, max_size=5)


class Shown:
    """A terminal that is written to."""

    def __init__(self) -> None:
        self.screen = pyte.Screen(WIDTH, HEIGHT)
        self._stream = pyte.Stream(self.screen)

    def write(self, text: str) -> None:
        self._stream.feed(text)

    @property
    def cells(self) -> list[list[object]]:
        rows = [[self.screen.buffer[y][x] for x in range(WIDTH)] for y in range(HEIGHT)]
        return [[_seen(cell) for cell in row] for row in rows]


def _seen(cell: pyte.screens.Char) -> pyte.screens.Char:
    """A blank shows its ground alone, unless it is reversed or underlined."""
    if cell.data == " " and not (cell.reverse or cell.underscore):
        return cell._replace(fg="default", bold=False, italics=False)
    return cell


def full(strips: list[Strip]) -> LayoutUpdate:
    return LayoutUpdate([[strip] for strip in strips], Region(0, 0, WIDTH, HEIGHT))


@settings(max_examples=40)
@given(FRAMES)
def test_frames_cut_down_show_what_whole_frames_show(frames: list[list[Strip]]) -> None:
    frame, cut = TerminalFrame(), Shown()
    for strips in frames:
        cut.write(frame.cut_down(full(strips)).render_segments(CONSOLE))
        whole = Shown()
        whole.write(full(strips).render_segments(CONSOLE))
        assert cut.cells == whole.cells


@settings(max_examples=40)
@given(FRAMES, st.data())
def test_updates_of_spans_cut_down_show_what_spans_show(
    frames: list[list[Strip]], data: st.DataObject
) -> None:
    frame, cut, whole = TerminalFrame(), Shown(), Shown()
    middle = data.draw(st.integers(1, WIDTH - 1))
    for strips in [*frames, *frames]:
        # a widget left of the middle and one right of it, each redrawn as a whole
        chops = [{0: strip.crop(0, middle), middle: strip.crop(middle)} for strip in strips]
        wanted = data.draw(st.sets(st.tuples(st.integers(0, HEIGHT - 1), st.booleans())))
        spans = [(y, middle if right else 0, WIDTH if right else middle) for y, right in wanted]
        if spans:
            update = ChopsUpdate(chops, sorted(spans), [[middle, WIDTH]] * HEIGHT)
            cut.write(frame.cut_down(update).render_segments(CONSOLE))
            whole.write(update.render_segments(CONSOLE))
        assert cut.cells == whole.cells


@settings(max_examples=40)
@given(FRAMES)
def test_what_is_shown_already_is_not_written_again(frames: list[list[Strip]]) -> None:
    frame = TerminalFrame()
    for strips in frames:
        frame.cut_down(full(strips)).render_segments(CONSOLE)
        assert frame.cut_down(full(strips)).render_segments(CONSOLE) == ""


def test_after_forgetting_everything_is_written() -> None:
    frame = TerminalFrame()
    update = full([Strip([Segment("x" * WIDTH)], WIDTH)] * HEIGHT)
    first = frame.cut_down(update).render_segments(CONSOLE)
    frame.forget()
    assert frame.cut_down(update).render_segments(CONSOLE) == first


def test_an_update_that_is_never_written_changes_nothing() -> None:
    frame = TerminalFrame()
    update = full([Strip([Segment("x" * WIDTH)], WIDTH)] * HEIGHT)
    frame.cut_down(update)
    assert frame.cut_down(update).render_segments(CONSOLE) != ""


def test_textual_still_has_the_method_through_which_everything_is_written() -> None:
    assert list(inspect.signature(App._display).parameters) == ["self", "screen", "renderable"]


def test_after_a_resize_everything_is_written_whatever_was_thought_to_be_there() -> None:
    frame = TerminalFrame()
    wide = LayoutUpdate([[Strip([Segment("abcdefghijkl")])]], Region(0, 0, WIDTH, 1))
    frame.cut_down(wide).render_segments(CONSOLE)
    frame.forget()  # the terminal has 6 columns now; one more frame of 12 is on its way
    frame.cut_down(wide).render_segments(CONSOLE)  # g to l land in the last column
    narrow = LayoutUpdate([[Strip([Segment("abcdef")])]], Region(0, 0, 6, 1))
    assert "abcdef" in frame.cut_down(narrow).render_segments(CONSOLE)
    assert "f" not in frame.cut_down(narrow).render_segments(CONSOLE)
