"""Numbers and JSON of foreign files: what Python chokes on, or believes, has place and words."""

from __future__ import annotations

import sys

import pytest

from toposmith.foreign_values import (
    DEEPEST_JSON,
    MOST_DIGITS,
    JsonError,
    NumberError,
    finite_number,
    long_number,
    read_json,
    whole_number,
)
from toposmith.text import natural, read_message_size

ENDLESS = "9" * (sys.int_info.default_max_str_digits + 1)


@pytest.mark.parametrize("text", ["0", "64", "-3", "9" * MOST_DIGITS, "٣٤"])
def test_a_number_of_a_file_is_read_as_python_reads_it(text: str) -> None:
    assert whole_number(text) == int(text)


@pytest.mark.parametrize("text", [ENDLESS, "9" * (MOST_DIGITS + 1), "²", "", "1.5", "1" * 400])
def test_a_number_without_bound_is_refused_by_its_place(text: str) -> None:
    with pytest.raises(NumberError, match=r"^dump.out:7: found .*, expected a whole number of at"):
        whole_number(text, "dump.out:7")


def test_the_refusal_says_how_long_the_number_is_and_is_short_itself() -> None:
    with pytest.raises(NumberError, match=r"found 9{12}\.\.\. \(4,301 signs\)") as refused:
        whole_number(ENDLESS)
    assert len(str(refused.value)) < 120


@pytest.mark.parametrize("text", ["1e400", "-1e309", "nan", "inf", "1.2.3", "", ENDLESS])
def test_a_rate_is_finite_or_refused(text: str) -> None:
    with pytest.raises(NumberError, match="expected a number below"):
        finite_number(text, "a:1")
    assert finite_number("106.25") == 106.25


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (f'{{"a": 1,\n "b": {ENDLESS}}}', (2, 7), "a whole number of at most"),
        ('[1,\n2,\n1e400]', (3, 1), "expected a number below"),
        ('{"speed": NaN}', (1, 11), "found NaN"),
        ("[1, -Infinity]", (1, 5), "found -Infinity"),
        ('[1, 2', (1, 6), "Expecting"),
        ('[1] [2]', (1, 5), "more follows"),
        ("[" * 100_000, (1, 1), "levels deep"),
        ("[" * (DEEPEST_JSON + 1) + "]" * (DEEPEST_JSON + 1), (1, 1), "levels deep"),
        ('{"a":' * 200 + "1" + "}" * 200, (1, 1), "levels deep"),
        ("", (1, 1), "Expecting value"),
    ],
)  # fmt: skip
def test_json_that_is_not_read_says_where_and_why(
    text: str, place: tuple[int, int], words: str
) -> None:
    with pytest.raises(JsonError, match=words) as refused:
        read_json(text)
    assert (refused.value.line, refused.value.column) == place


def test_sound_json_is_read_as_it_is() -> None:
    deep = "[" * DEEPEST_JSON + "]" * DEEPEST_JSON
    assert read_json(f'  {{"a": [1, 2.5, null, true, "x"], "b": {deep}}}\n'.replace(deep, "[]"))
    assert read_json(deep) is not None
    assert read_json("12") == 12


def test_a_label_with_such_a_number_is_known() -> None:
    assert long_number("Ethernet1/2, P4.1, 0x248a070300f1a2b4") is None
    assert "(4,301 signs)" in str(long_number(f"Ethernet{ENDLESS}"))


def test_names_with_numbers_of_any_length_are_sorted_by_them() -> None:
    names = ["port 10", f"port {ENDLESS}", "port 9", "port ²", "port 007", f"port {ENDLESS}0"]
    assert sorted(names, key=natural) == [
        "port 007", "port 9", "port 10", f"port {ENDLESS}", f"port {ENDLESS}0", "port ²",
    ]  # fmt: skip


def test_a_message_size_without_bound_is_no_size() -> None:
    assert read_message_size("9" * 400 + "GiB") is None
