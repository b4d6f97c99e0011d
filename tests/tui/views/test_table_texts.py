"""What is said above and below a table has its room, and nothing of it is lost."""

from __future__ import annotations

import pytest

from toposmith.documents.table import Note, Row, Table, Tone
from toposmith.tui.drawing.glyphs import ASCII, UNICODE
from toposmith.tui.views.table_texts import Room, TableTexts

WIDTH = 10
WORDS = ("leaf-cabl", "spine-cab", "core-cabl")  # each fills a line, so a sentence takes three
SENTENCES = tuple(Note(" ".join(f"{word}{at}" for word in WORDS), Tone.QUIET) for at in range(3))
ROWS = tuple(Row(str(at), ()) for at in range(40))


def table(*head: Note, rows: int = 40) -> Table:
    return Table(rows=ROWS[:rows], head=head, empty="nothing here can fail")


def texts() -> TableTexts:
    return TableTexts(UNICODE, 3)


def above(said: TableTexts, head: Table, height: int) -> list[str]:
    room = Room(WIDTH, height)
    return [line for line, _ in said.above(head, "", len(head.rows), room)]


def test_few_rows_leave_the_room_for_all_that_is_said() -> None:
    said = texts()
    # 24 lines - 7 beside the head - 2 rows = 15, for nine
    lines = above(said, table(*SENTENCES, rows=2), 24)
    assert lines == [f"{word}{at}" for at in range(3) for word in WORDS]
    said.turn()
    assert not said.reading  # there is nothing more to read


def test_above_many_rows_whole_sentences_stay_in_a_third_of_the_height() -> None:
    # 24 / 3 = 8 lines: two sentences of three, and how many lines there are more
    lines = above(texts(), table(*SENTENCES), 24)
    assert lines[:6] == [f"{word}{at}" for at in range(2) for word in WORDS]
    assert lines[6:] == ["and 3 lines more (.)"]


def test_how_many_lines_there_are_more_has_its_line_in_the_third() -> None:
    four = tuple((f"{text} nic-cable", style) for text, style in SENTENCES)
    lines = above(texts(), table(*four), 24)  # two of four lines would fill the eight
    assert lines[3:] == ["nic-cable", "and 8 lines more (.)"]


def test_the_filter_and_what_it_leaves_take_their_lines_from_the_head() -> None:
    # 20 lines - 7 beside the head - 2 rows = 11 for nine; 8 without the filter and what it leaves
    said = texts()
    assert len(said.above(table(*SENTENCES), "", 2, Room(WIDTH, 20))) == 9
    lines = said.above(table(*SENTENCES), "leaf", 2, Room(WIDTH, 20, 2))
    assert [line for line, _ in lines[6:]] == ["and 3 lines more (.)", "2 of 40 lines have 'leaf'"]


def test_a_first_sentence_that_is_too_long_is_begun() -> None:
    words = [f"cable-{at:03}" for at in range(9)]
    lines = above(texts(), table(Note(" ".join(words))), 24)
    assert lines == [*words[:7], "and 2 lines more (.)"]


def test_a_figure_is_not_parted_from_its_unit() -> None:
    assert above(texts(), table(Note("busbw 480 GB/s"), rows=1), 24) == ["busbw", "480 GB/s"]


def test_the_filter_says_how_many_rows_it_leaves_and_a_table_without_rows_why() -> None:
    said = texts()
    lines = said.above(table(rows=12), " leaf ", 3, Room(80, 24, 2))
    assert lines == [Note("3 of 12 lines have 'leaf'", Tone.WARNING)]
    lines = said.above(table(rows=0), "", 0, Room(80, 24))
    assert lines == [Note("nothing here can fail", Tone.QUIET)]


@pytest.mark.parametrize(
    ("height", "shown"),
    # 11 lines - head 0 - 1 - 2 - two rows = 6; 8 leave three, with the mark
    [(11, 6), (8, 2), (4, 0)],
)
def test_what_is_said_of_a_row_leaves_two_rows_to_be_seen(height: int, shown: int) -> None:
    said = texts()
    room = Room(WIDTH, height)
    said.above(table(), "", 40, room)
    six = Row("leaf", (), tuple(f"cable-{at}" for at in range(6)))
    lines = [line for line, _ in said.below(six, 40, room)]
    cut = [f"and {6 - shown} lines more (.)"] if shown < 6 else []
    assert lines == [*(f"cable-{at}" for at in range(shown)), *cut]


def test_of_a_row_six_lines_are_said_at_most_however_much_room_there_is() -> None:
    said = texts()
    room = Room(WIDTH, 60)
    said.above(table(rows=2), "", 2, room)
    seven = Row("leaf", (), tuple(f"cable-{at}" for at in range(7)))
    assert [line for line, _ in said.below(seven, 2, room)][5:] == ["and 2 lines more (.)"]


def test_the_rows_have_what_the_head_leaves() -> None:
    said = texts()
    room = Room(WIDTH, 24)
    said.above(table(*SENTENCES), "", 40, room)  # seven lines, as above
    # a heading, two gaps, and six lines of what is said of a row
    assert said.lines_for_rows(room) == 24 - 7 - 3 - 6


@pytest.mark.parametrize("height", range(1, 30))
def test_page_by_page_every_line_is_read_once(height: int) -> None:
    said = texts()
    room = Room(WIDTH, height)
    row = Row("leaf", (), tuple(f"detail-{at}" for at in range(9)))
    said.above(table(*SENTENCES), "", 40, room)
    said.below(row, 40, room)
    head = [f"{word}{at}" for at in range(3) for word in WORDS]
    read: list[str] = []
    said.turn()
    assert said.reading  # nine lines below are more than six
    while said.reading:
        *lines, (where, _) = said.page(room)
        assert len(lines) <= max(height - 4, 1)
        first = len(read) + 1
        read += [line for line, _ in lines]
        goes = "goes on" if len(read) < 19 else "shows the table"
        assert where == f"lines {first} to {len(read)} of 19 (. {goes})"
        said.turn()
    assert read == [*head, "", *(f"detail-{at}" for at in range(9))]


def test_a_page_that_is_given_up_begins_anew() -> None:
    said = texts()
    room = Room(WIDTH, 12)
    said.above(table(*SENTENCES), "", 40, room)
    said.below(None, 40, room)
    said.turn()
    first = said.page(room)
    said.turn()
    assert said.page(room) != first
    said.stop()
    assert not said.reading
    said.turn()
    assert said.page(room) == first


def test_control_signs_of_a_file_are_seen_and_never_sent() -> None:
    hostile = Row("x", (), ("\x1b[31mred",))
    for glyphs, seen in ((UNICODE, "\u241b[31mred"), (ASCII, "?[31mred")):
        said = TableTexts(glyphs, 3)
        room = Room(40, 24)
        assert said.above(table(Note("\x1b[31mred")), "", 40, room) == [Note(seen)]
        assert said.below(hostile, 40, room) == [Note(seen)]
