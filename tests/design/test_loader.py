from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cost import calls_of, memory_at_most
from toposmith.design import loader
from toposmith.design.loader import MAX_BYTES, MAX_DEPTH, DesignLoader, decoded, plain_file
from toposmith.errors import DesignFileError, Problem


class LoaderWithoutC(yaml.SafeLoader):
    yaml_implicit_resolvers = DesignLoader.yaml_implicit_resolvers


@pytest.fixture(params=[DesignLoader, LoaderWithoutC])
def either_loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loader, "DesignLoader", request.param)


def problems_of(text: str) -> list[Problem]:
    with pytest.raises(DesignFileError) as caught:
        plain_file(text, "some.yaml")
    return caught.value.problems


NOT_WHAT_IT_LOOKS_LIKE = """
1:2 no yes on off 0123 2026-01-31 12:30:45 1_000 0x1F 0o17 1e3 .5 .inf .nan = << True +1
"""


@pytest.mark.parametrize("written", NOT_WHAT_IT_LOOKS_LIKE.split())
def test_what_only_looks_like_a_number_or_a_date_stays_text(written: str) -> None:
    assert plain_file(f"key: {written}", "f").data == {"key": written}


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("12", 12),
        ("-3", -3),
        ("0", 0),
        ("2.50", 2.5),
        ("1.0e+3", 1000.0),
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
    ],
)
def test_plain_numbers_truth_values_and_null_are_read_as_such(written: str, value: object) -> None:
    found = plain_file(f"key: {written}", "f").data["key"]
    assert found == value
    assert type(found) is type(value)


def test_keys_are_always_text() -> None:
    assert plain_file("{1: a, no: b, null: c, 2.5: d}", "f").data == {
        "1": "a",
        "no": "b",
        "null": "c",
        "2.5": "d",
    }


@pytest.mark.usefixtures("either_loader")
@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a: &x 1", 1, 4, "anchor '&x'"),
        ("a: 1\nb: *x", 2, 4, "alias '*x'"),
        ("a: !!python/object:os.system 1", 1, 4, "tag '!!python/object:os.system'"),
        ("a: !!python/object/apply:os.getcwd []", 1, 4, "tag '!!python/object/apply:os.getcwd'"),
        ("a: !own {}", 1, 4, "tag '!own'"),
        ("a: 1\n---\nb: 2", 2, 1, "second document"),
        ("a: 1\n\tb: 2", 2, 1, "tab"),
        ("a: b: c", 1, 5, "missing quotes"),
        ("b: 1\na: [1, 2}", 2, 9, "expected ',' or ']' after what was opened in line 2, column 4"),
        ("a: \x1b[2J", 1, 4, "U+001B"),
        ("ab: \x00", 1, 5, "U+0000"),
        ("a: 1\nb: \u2028", 2, 4, "U+2028"),
        ("a: 1\nb: \ud800", 2, 4, "U+D800"),
        ('a: "\\x1b[2J"', 1, 4, "U+001B"),
        ("[" * (MAX_DEPTH + 1), 1, MAX_DEPTH + 1, "nested deeper"),
        ("- " * (MAX_DEPTH + 1) + "a", 1, 2 * MAX_DEPTH + 1, "nested deeper"),
    ],
)
def test_what_no_design_needs_is_refused_with_its_place(
    text: str, line: int, column: int, words: str
) -> None:
    first = problems_of(text)[0]
    assert words in first.text
    assert (first.line, first.column) == (line, column)


def test_every_anchor_alias_and_tag_is_reported_not_only_the_first() -> None:
    assert [problem.line for problem in problems_of("a: &x 1\nb: *x\nc: !t 2\nd: 3")] == [1, 2, 3]


def test_repeated_keys_and_keys_that_are_not_text_are_problems_with_their_place() -> None:
    file = plain_file("a: 1\nb: 2\na: 3\n[c]: 4\n? {d: 5}\n: 6\n", "f")
    assert [(problem.line, problem.column) for problem in file.problems] == [(3, 1), (4, 1), (5, 3)]
    assert file.data == {"a": 1, "b": 2}


def test_a_number_too_large_for_a_float_is_a_problem() -> None:
    (problem,) = plain_file("a: 1.0e999", "f").problems
    assert "too large" in problem.text


def test_bytes_that_are_not_utf8_are_refused_with_their_offset() -> None:
    with pytest.raises(DesignFileError) as caught:
        decoded(b"a: 1\nname: caf\xe9", "f.yaml")
    (problem,) = caught.value.problems
    assert "0xe9 at offset 14" in problem.text
    assert (problem.line, problem.column) == (2, 10)


def test_utf16_is_called_by_its_name() -> None:
    with pytest.raises(DesignFileError, match="UTF-16"):
        decoded("name: x".encode("utf-16"), "f.yaml")


def test_a_byte_order_mark_is_passed_over() -> None:
    assert plain_file("\ufeffa: 1", "f").data == {"a": 1}


def test_a_text_over_the_limit_is_refused_with_both_sizes() -> None:
    with pytest.raises(DesignFileError, match=r"10,000,001 bytes.*10,000,000"):
        plain_file("a" * (MAX_BYTES + 1), "f.yaml")
    with pytest.raises(DesignFileError, match=r"12,000,000 bytes"):
        plain_file("é" * 6_000_000, "f.yaml")


def test_more_values_than_any_design_holds_are_refused() -> None:
    with pytest.raises(DesignFileError, match=r"more than 500,000"):
        plain_file("[" + "a," * 510_000 + "]", "f.yaml")


def test_an_alias_bomb_is_refused_quickly_and_in_little_memory() -> None:
    lines = ["l0: &l0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 12)]
    with memory_at_most(2_000_000):
        assert "anchor" in problems_of("\n".join(lines))[0].text


def test_deep_nesting_is_refused_before_it_costs_anything() -> None:
    for opening in ("[", "{", "- ", "? ", "{a: ", "[a, "):
        deep, deeper = (calls_of(problems_of, opening * many) for many in (1_000, 100_000))
        assert deeper <= 2 * deep, opening


def reads_or_refuses(text: str) -> None:
    try:
        plain_file(text, "f")
    except DesignFileError as error:
        assert error.problems
        assert all("\x1b" not in line for line in error.lines())


@pytest.mark.usefixtures("either_loader")
@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(st.text(alphabet="{}[]:,-?|>&*!%@`'\"#=<~ \n\t\r\\0123aeUxu\x1b\u2028é.", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    reads_or_refuses(text)


@settings(max_examples=100)
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    try:
        text = decoded(raw, "f")
    except DesignFileError:
        return
    reads_or_refuses(text)


def damaged(text: str) -> Iterator[str]:
    chance = random.Random(7)
    for _ in range(300):
        at = chance.randrange(len(text))
        yield (
            text[:at] + chance.choice("{}[]:,-|>&*!'\"#\n\t \\") + text[at + chance.randrange(3) :]
        )


@pytest.mark.usefixtures("either_loader")
def test_a_design_with_a_slip_of_the_finger_is_read_or_refused() -> None:
    text = (
        'toposmith: 1\naxes: {su: 4}\ngroups:\n  a: {part: "x\\u00e9", per: [su]} # c\nlinks: []\n'
    )
    for one in damaged(text):
        reads_or_refuses(one)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16"])
def test_utf_16_is_named(encoding: str) -> None:
    with pytest.raises(DesignFileError, match="looks like UTF-16, save it as UTF-8"):
        plain_file(decoded("toposmith: 1\nname: x\n".encode(encoding), "test"), "test")
