"""Nobody waits without a word: long work says on stderr that it goes on."""

from __future__ import annotations

import pytest

from toposmith.cancellation import go_on
from toposmith.command import patience
from toposmith.command.patience import LinesNowAndThen, progress_while_computing


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that have gone by."""
    now = [0.0]
    monkeypatch.setattr(patience, "monotonic", lambda: now[0])
    return now


def test_figures_that_take_long_say_so_every_ten_seconds_in_a_log(clock, capsys) -> None:
    with progress_while_computing():
        for seconds in (1, 9, 12, 15, 30):
            clock[0] = seconds
            go_on()
    assert capsys.readouterr().err.splitlines() == ["computing, 12 s", "computing, 30 s"]


def test_on_a_terminal_it_is_one_line_that_goes_away(clock, capsys, monkeypatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with progress_while_computing():
        clock[0] = 2
        go_on()
    assert capsys.readouterr().err == "\rcomputing, 2 s; Ctrl+C stops\r\x1b[K"


def test_what_is_counted_is_said_now_and_then_and_never_where_it_is_quick(clock, capsys) -> None:
    lines = LinesNowAndThen("{done} of {of} failures")
    for done, seconds in ((1, 1), (2, 4), (3, 5), (4, 8)):
        clock[0] = seconds
        assert lines.told(done, 1200)
    found = capsys.readouterr()
    assert (found.out, found.err) == ("", "2 of 1,200 failures\n4 of 1,200 failures\n")
