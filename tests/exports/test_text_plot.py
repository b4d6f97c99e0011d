"""Curves as text: nothing is cut, nothing overlaps, and every series can be told from the other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposmith.exports.text_plot.curves import Axis, scatter
from toposmith.exports.text_plot.plot import (
    TOO_SMALL,
    AxisMark,
    Chart,
    PlotInk,
    Tick,
    as_text,
    place_labels,
    plot,
    x_at,
)

RISING = [(10.0**power, 10.0**power) for power in range(7)]
FLAT = [(10.0**power, 1000.0) for power in range(7)]
TICKS = [Tick(10.0**power, f"1e{power}") for power in range(7)]


def chart(*series: list[tuple[float, float]], marks: tuple[AxisMark, ...] = ()) -> Chart:
    return Chart(series, TICKS, TICKS, marks)


def cells(
    drawn: Chart, width: int, height: int, ink: PlotInk, *, ascii_only: bool = True
) -> set[str]:
    """All signs of an ink."""
    rows = plot(drawn, width, height, ascii_only=ascii_only)
    return {sign for row in rows for text, found in row if found is ink for sign in text}


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize(("width", "height"), [(30, 8), (51, 17), (110, 40), (200, 60)])
def test_a_drawing_fills_its_room_and_no_more(width: int, height: int, ascii_only: bool) -> None:
    rows = plot(chart(RISING, FLAT), width, height, ascii_only=ascii_only)
    text = as_text(rows).splitlines()
    assert len(rows) == height
    assert max(map(len, text)) <= width
    assert as_text(rows).isascii() == ascii_only


def test_equal_factors_are_equal_steps_on_both_axes() -> None:
    lines = as_text(plot(chart(RISING), 60, 20, ascii_only=True)).splitlines()
    dots = [(line.index("*"), y) for y, line in enumerate(lines) if "*" in line]
    (x0, y0), (x1, y1) = dots[0], dots[-1]
    assert (y1 - y0) * (x1 - x0) < 0, "a power law is a straight line, and this one rises"
    middle = dots[len(dots) // 2]
    assert middle[0] == pytest.approx((x0 + x1) / 2, abs=3)


def test_the_ends_of_a_curve_stand_in_the_corners() -> None:
    lines = as_text(plot(chart(RISING), 60, 20, ascii_only=True)).splitlines()
    assert lines[0].endswith("*")
    assert lines[-3].partition("+")[2].lstrip("|").startswith("*")


def test_the_second_curve_has_its_own_sign_and_lies_below_the_first() -> None:
    assert cells(chart(RISING, FLAT), 60, 20, PlotInk.FIRST) == {"*"}
    assert cells(chart(RISING, FLAT), 60, 20, PlotInk.SECOND) == {"o"}
    assert cells(chart(RISING, RISING), 60, 20, PlotInk.SECOND) == set()


def test_in_braille_the_second_curve_is_broken_into_dashes() -> None:
    lines = as_text(plot(chart(RISING, FLAT), 100, 20)).splitlines()
    flat = next(line for line in lines if line.count("⠤") + line.count("⣀") + line.count("⠒") > 10)
    assert " " in flat.strip(), "there are gaps"


def test_ticks_stand_apart_and_the_most_important_come_first() -> None:
    crowded = Chart((RISING,), [Tick(1000.0, "middle"), *TICKS], TICKS)
    words = as_text(plot(crowded, 30, 12, ascii_only=True)).splitlines()[-1].split()
    assert "middle" in words
    assert "1e3" not in words
    assert "".join(words).count("middle") == 1


def test_marks_have_their_names_above_and_lines_down_to_the_axis() -> None:
    marks = (AxisMark(1.0, "first", line=False), AxisMark(1000.0, "second"))
    lines = as_text(plot(chart(RISING, marks=marks), 60, 20, ascii_only=True)).splitlines()
    assert "first" in lines[0]
    column = lines[0].index(":second")
    below = [line[column] for line in lines[1:-2]]
    assert set(below) <= {":", "*"}
    assert below.count(":") > 10


def test_the_cursor_crosses_the_curves_where_they_are() -> None:
    drawn = Chart((RISING, FLAT), TICKS, TICKS, cursor=10.0)
    lines = as_text(plot(drawn, 60, 20, ascii_only=True)).splitlines()
    crossed = [line for line in lines if "@" in line or "O" in line]
    assert len(crossed) == 2
    assert crossed[0].index("O") == crossed[1].index("@")


def test_a_column_leads_back_to_what_stands_there() -> None:
    drawn = chart(RISING)
    line = next(
        line
        for line in as_text(
            plot(Chart((RISING,), TICKS, TICKS, cursor=1000.0), 61, 20, ascii_only=True)
        ).splitlines()
        if "@" in line
    )
    assert x_at(drawn, 61, line.index("@")) == pytest.approx(1000.0, rel=0.2)
    assert x_at(drawn, 61, -5) == pytest.approx(1.0)
    assert x_at(drawn, 61, 999) == pytest.approx(1e6)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (10, 20), (60, 3)])
def test_where_there_is_no_room_that_is_said(width: int, height: int) -> None:
    ((piece, _),) = plot(chart(RISING), width, height)[0]
    assert TOO_SMALL.startswith(piece)


def test_a_single_value_is_drawn() -> None:
    flat = Chart(([(8.0, 5.0)],), [Tick(8.0, "8")], [Tick(5.0, "5")])
    assert "*" in as_text(plot(flat, 40, 10, ascii_only=True))


NAMES = st.lists(
    st.tuples(st.integers(0, 59), st.text("abc", min_size=1, max_size=15)), max_size=6
).map(lambda marks: sorted(marks, key=lambda mark: mark[0]))


@given(NAMES, st.integers(1, 4))
def test_names_of_marks_never_cover_each_other_or_a_later_line(
    marks: list[tuple[int, str]], rows: int
) -> None:
    placed = place_labels(marks, 60, rows)
    taken: dict[tuple[int, int], int] = {}
    for number, ((_, name), (row, start)) in enumerate(zip(marks, placed, strict=True)):
        if row is None:
            continue
        assert 0 <= row < rows
        assert 0 <= start <= 60 - len(name)
        if number and start <= marks[number][0]:
            assert start > marks[number - 1][0] + 2, "it seems to name the line before"
        for column in range(start, start + len(name)):
            assert (row, column) not in taken
            taken[row, column] = number
    for number, ((column, _), (row, _)) in enumerate(zip(marks, placed, strict=True)):
        for below in range(row or 0, rows) if row is not None else ():
            owner = taken.get((below, column), number)
            assert owner >= number, "an earlier name lies over the line of a later mark"


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40),
    st.data(),
)
def test_no_number_of_a_point_is_written_over_another(
    points: list[tuple[int, int]], data: st.DataObject
) -> None:
    chosen = data.draw(st.none() | st.integers(0, len(points) - 1))
    across, up = Axis("price", "low", "high"), Axis("all-to-all", "least", "most")
    title, *drawn = scatter(points, across, up, 40, 12, chosen=chosen, ascii_only=True)
    seen = [word for line in drawn if "|" in line for word in line.partition("|")[2].split()]
    numbers = [f"[{at + 1}]" if at == chosen else f"{at + 1}" for at in range(len(points))]
    assert len(set(seen)) == len(seen)
    assert set(seen) <= set(numbers)
    assert chosen is None or numbers[chosen] in seen
    hidden = len(numbers) - len(seen)
    assert (title.endswith(f"; {hidden} hidden")) == (hidden > 0)


def test_of_points_at_one_place_each_is_seen_next_to_the_other() -> None:
    across, up = Axis("price", "low", "high"), Axis("all-to-all", "least", "most")
    points = [(0.0, 0.0), (5.0, 5.0), (5.0, 5.0), (5.0, 5.0), (9.0, 9.0)]
    title, *drawn = scatter(points, across, up, 40, 12, ascii_only=True)
    rows = [line.partition("|")[2].split() for line in drawn if "|" in line]
    assert sorted(["3", "2", "4"]) == sorted(next(row for row in rows if "2" in row))
    assert "hidden" not in title
