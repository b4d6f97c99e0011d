"""A file of parts that cannot be read says where, what was found, what would be right."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from toposmith.catalog import CatalogError, load_catalog
from toposmith.catalog.part_file import PartFile

SOUND = "- id: acme\n  name: Acme\n"

BAD = {
    "cut": (b"- {id: acme, name: [a,", 1, "a value or a closing bracket is missing; was the file"),
    "quote": (b'- id: acme\n- "abc\n', 2, "a quoted text is not closed"),
    "tab": (b"- id: acme\n\tname: b\n", 2, "expected spaces: a tab can not indent"),
    "colon": (b"- id: acme\n  name: a: b\n", 2, "is text with ': ' missing quotes?"),
    "bracket": (b"- {id: acme\n- {id: b}\n", 2, "expected ',' or '}'"),
    "zero": (b"- id: acme\n  name: b\0\n", 2, "found the character U+0000"),
    "escape": (b"- id: acme\n\n  name: \x1b[31m\n", 3, "found the character U+001B"),
    "latin-1": (
        "- id: acme\n  name: Mün\n".encode("latin-1"),
        2,
        "found byte 0xfc, expected UTF-8",
    ),
    "UTF-16": (SOUND.encode("utf-16-le"), 1, "this looks like UTF-16, expected UTF-8"),
    "tag": (b"- id: acme\n- !foo b\n", 2, "found the tag '!foo', expected a value without one"),
    "python": (b"- !!python/object/apply:os.system [x]\n", 1, "found the tag '!!python/object"),
    "timestamp": (b"- id: !!timestamp x\n", 1, "found the tag '!!timestamp', expected a value"),
    "alias": (b"- id: acme\n- *nobody\n", 2, "write the value itself"),
    "two": (b"- id: acme\n---\n- id: b\n", 2, "found a second document after '---'"),
    "version": (b"%YAML 9.9\n---\n- id: acme\n", 1, "expected no '%YAML' line"),
    "surrogate": (b'- id: "\\ud800"\n', 1, "expected printable text"),
    "hexadecimal": (b"- id: a\n  ports: 0x" + b"f" * 5000 + b"\n", 2, "found 0xffffffffff..."),
    "base 60": (b"- id: a\n  ports: 1" + b":1" * 3000 + b"\n", 2, "found 1:1:1:1:1:1:..."),
    "digits": (
        b"- id: a\n  ports: " + b"9" * 5000 + b"\n",
        2,
        "found 999999999999... (5,000 signs), expected a number of at most 31 digits",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_said_in_plain_words_with_its_line(name: str) -> None:
    text, line, said = BAD[name]
    file = PartFile("bad.yaml", text)
    assert file.entries() == []
    (problem,) = file.problems
    assert problem.startswith(f"bad.yaml:{line}: not readable as YAML: ")
    assert said in problem
    for theirs in ("while parsing", "while scanning", "byte string", "constructor", "int()"):
        assert theirs not in problem


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_that_says_its_encoding_is_read(encoding: str) -> None:
    file = PartFile("good.yaml", SOUND.encode(encoding))
    assert [entry for _, entry in file.entries()] == [{"id": "acme", "name": "Acme"}]


def test_a_place_that_has_no_part_files_says_why(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "gone").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    for name, why in (
        ("pipe", "no ordinary file"),
        ("gone", "the link leads nowhere"),
        ("loop", "the link leads nowhere"),
        ("none", "there is no such file or folder"),
    ):
        with pytest.raises(CatalogError, match=f"{name}: no part files .* here: .*{why}"):
            load_catalog(tmp_path / name, user=False)
