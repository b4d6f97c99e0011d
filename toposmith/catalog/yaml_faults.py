"""YAML errors in plain words for the file's author, with the line."""

from __future__ import annotations

import re

from toposmith.plain_text import visible

PLAIN_WORDS = (
    ("mapping values are not allowed", "found a second ':', is text with ': ' missing quotes?"),
    ("could not find expected ':'", "expected ':' and a value after this key"),
    ("',' or '}'", "expected ',' or '}'"),
    ("',' or ']'", "expected ',' or ']'"),
    ("unexpected end of stream", "a quoted text is not closed"),
    ("expected node content", "a value or a closing bracket is missing; was the file cut?"),
    ("did not find expected key", "expected a key at the same indentation as those above"),
    ("expected <block end>", "expected a key at the same indentation as those above"),
    ("expected '-' indicator", "expected '-' and an item, indented as those above"),
    ("expected <document start>", "expected one list of keys with values"),
    ("directive", "a line can not begin with '%'"),
    ("incompatible YAML document", "found another version of YAML, expected no '%YAML' line"),
    ("block sequence entries are not allowed", "a list item with '-' is not possible here"),
    ("cannot start any token", "no value begins so; indent with spaces, and put text in quotes"),
    ("tab character", "found a tab, expected spaces: a tab can not indent"),
    ("single document", "found a second document after '---', expected one in a file"),
    ("undefined alias", "found an alias '*' without its anchor '&', write the value itself"),
    ("invalid Unicode character", "found an escape that is no character, expected printable text"),
)  # fmt: skip
"""Messages of libyaml and Python, and their plain wording."""

_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def in_plain_words(words: str) -> str:
    """Reword a message of libyaml in plain words, where the table has it."""
    return next((plain for part, plain in PLAIN_WORDS if part in words), words)


def tag_words(tag: str) -> str:
    """The fault of a value with a tag, such as ``!!timestamp``."""
    name = tag.replace("tag:yaml.org,2002:", "!!")
    return f"found the tag '{visible(name)[:60]}', expected a value without one"


def text_fault(text: bytes) -> tuple[int, str] | None:
    """The line and description of bytes that are not valid UTF-8 text; None where all are.

    Files in UTF-16 with a byte order mark are left to YAML, which reads them.
    """
    if is_utf16(text) and not text.startswith(_UTF16):
        return 1, "this looks like UTF-16, expected UTF-8 text: save it as UTF-8"
    if text.startswith(_UTF16):
        return None
    try:
        text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        return line, f"found byte 0x{text[error.start]:02x}, expected UTF-8 text: save it as UTF-8"
    if (unwanted := _CONTROL.search(text)) is not None:
        line = text.count(b"\n", 0, unwanted.start()) + 1
        return line, f"found the character U+{unwanted.group()[0]:04X}, expected printable text"
    return None


def is_utf16(text: bytes) -> bool:
    """Whether bytes look like UTF-16, with its mark or with every other byte zero."""
    begun = text[:200]
    if begun.startswith(_UTF16):
        return True
    halves = (begun[::2], begun[1::2])
    return len(begun) > 8 and any(
        not any(zero) and all(letters) for zero, letters in (halves, halves[::-1])
    )
