"""Files of every bad kind, given to every command that reads such a file, are told by their name.

A design, a list of prices, a policy and a part file may each be cut, be of another encoding or
kind, or be no file at all: exit code 1 or 2, the file named, no traceback, nothing that a terminal
takes for a command.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.command.shell import SOUND, Shell

CONTENT: dict[str, bytes] = {
    "empty": b"",
    "null": b"null\n",
    "a list of text": b"- a\n- b\n",
    "a number": b"12\n",
    "cut in a bracket": SOUND.encode()[:60],
    "a quote left open": b'toposmith: 1\nname: "abc\n',
    "indented by a tab": b"toposmith: 1\ngroups:\n\tnode: {part: dgx-h100}\n",
    "NUL": SOUND.encode() + b"\0\0",
    "UTF-16 with its mark": SOUND.encode("utf-16"),
    "UTF-16 without": SOUND.encode("utf-16-be"),
    "Latin-1": "toposmith: 1\nname: Mün\n".encode("latin-1"),
    "a zip": b"PK\x03\x04" + bytes(range(256)),
    "a value that holds itself": b"&a\nlist: *a\n",
    "a billion laughs": b"a: &a [x,x,x,x,x,x,x,x,x]\n"
    + b"".join(
        f"{this}: &{this} [{','.join([f'*{before}'] * 9)}]\n".encode()
        for before, this in zip("abcdefgh", "bcdefghi", strict=True)
    ),
    "an alias of nothing": b"- *nobody\n",
    "a key twice": b"toposmith: 1\ntoposmith: 1\n",
    "an escape": b"- \x1b[31mred\x1b[0m\n",
    "an escape, written": b'- "\\e]0;owned\\a"\n"\\e[2J": 1\n',
    "a tag of Python": b"- !!python/object/apply:os.system [true]\n",
    "two documents": b"- a\n---\n- b\n",
    "deep": b"[" * 3000,
    "many digits": b"- " + b"9" * 5000 + b"\n",
    "a lone surrogate": b'- "\\ud800"\n',
    "a large file": b"# " + b"x" * 10_100_000,
    "XML": b"<a><b/></a>\n",
}

NO_FILES = ("a folder", "a pipe", "a loop of links", "a link to nothing", "nothing")

READ_BY: dict[str, tuple[str, ...]] = {
    "design, check": ("check", "BAD"),
    "design, analyze": ("analyze", "BAD"),
    "design, bom": ("bom", "BAD"),
    "design, diff": ("diff", "good.yaml", "BAD"),
    "design, export": ("export", "BAD", "--to", "cables"),
    "prices": ("bom", "good.yaml", "--prices", "BAD"),
    "policy": ("check", "good.yaml", "--policy", "BAD"),
    "parts": ("check", "good.yaml", "--catalog", "BAD"),
    "bill": ("bom", "--verify", "good.yaml", "BAD"),
}


def make_no_file(path: Path, kind: str) -> None:
    """Put what is no file at a path."""
    match kind:
        case "a folder":
            path.mkdir()
        case "a pipe":
            os.mkfifo(path)
        case "a loop of links":
            path.symlink_to(path.name)
        case "a link to nothing":
            path.symlink_to("gone")


@pytest.mark.parametrize("kind", [*CONTENT, *NO_FILES])
def test_a_bad_file_is_told_by_its_name_whatever_reads_it(shell: Shell, kind: str) -> None:
    shell.file("good.yaml", SOUND)
    bad = shell.folder / "bad.yaml"
    if kind in CONTENT:
        bad.write_bytes(CONTENT[kind])
    else:
        make_no_file(bad, kind)
    for reader, args in READ_BY.items():
        done = shell(*(bad.name if arg == "BAD" else arg for arg in args))
        said = done.out + done.err
        assert done.code in (1, 2), (reader, said[:300])
        assert bad.name in said, (reader, said[:300])
        assert "Traceback" not in said and "not readable as YAML: while" not in said, reader
        assert not {"\x1b", "\x07", "\x00"} & set(said), reader
        assert (shell.folder / "good.yaml").read_text() == SOUND
