"""Data in the file's own style: one line for a group, a link or anything else that fits on one.

Text that a reader of YAML 1.1 or 1.2 might read as a number, a boolean, a date or a mark
of the language is quoted, so that all of them see the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import yaml

from toposmith.design.document import Design, as_data
from toposmith.design.loader import DesignLoader

LINE_WIDTH = 100
"""Free-form blocks that fit stay on one line; groups and links do so at any length."""

_ALWAYS_ONE_LINE = ("groups", "links")
_PLAIN_IN_BLOCK = re.compile(r"[^\W\d_](?:[\w ./()+*%,;=<>~^$!?&@|-]*[\w./()+*%;<>~^$!?&@|-])?\Z")
_PLAIN_IN_FLOW = re.compile(r"[^\W\d_](?:[\w ./()+*%;-]*[\w./()+*%;-])?\Z")
_SINGLE_WORDS = re.compile(r"(?:y|n|yes|no|on|off|true|false|null)\Z", re.IGNORECASE)


def own_style(design: Design) -> str:
    """The whole design as the text of a file; equal designs give equal bytes."""
    return "".join(
        f"{line}\n" for key, value in as_data(design).items() for line in entry(key, value)
    )


def entry(
    key: str, value: Any, *, indent: int = 0, parent: str | int = "", lead: str = ""
) -> list[str]:
    """Lines of one key and its value in block style.

    Parameters
    ----------
    key, value
        What to write; ``value`` is plain data.
    indent : int, optional
        Column of the key.
    parent : str or int, optional
        Key above, which says whether the line may be long.
    lead : str, optional
        Written before the key in place of the indentation: the dash of a list item.
    """
    start = (lead or " " * indent) + scalar(key, flow=False) + ":"
    width = None if parent in _ALWAYS_ONE_LINE else LINE_WIDTH - len(start)
    if isinstance(value, str) and can_be_literal(value):
        return [f"{start} {literal_header(value)}", *literal_lines(value, indent + 2)]
    if key in _ALWAYS_ONE_LINE and value and indent == 0:
        width = 0
    if fits_on_line(value, width):
        return [f"{start} {inline(value, flow=False)}"]
    return [start, *children(value, indent=indent + 2, parent=key if indent == 0 else "")]


def children(value: Any, *, indent: int, parent: str = "") -> list[str]:
    """Lines of what a mapping or a list holds, in block style."""
    lines: list[str] = []
    if isinstance(value, dict):
        for key, below in value.items():
            lines += entry(key, below, indent=indent, parent=parent)
        return lines
    for below in value:
        lines += item(below, indent=indent, parent=parent)
    return lines


def item(value: Any, *, indent: int, parent: str = "") -> list[str]:
    """Lines of one list item in block style."""
    dash = " " * indent + "- "
    width = None if parent in _ALWAYS_ONE_LINE else LINE_WIDTH - len(dash)
    if isinstance(value, str) and can_be_literal(value):
        return [dash + literal_header(value), *literal_lines(value, indent + 2)]
    if fits_on_line(value, width):
        return [dash + inline(value, flow=False)]
    if isinstance(value, list):
        return [dash.rstrip(), *children(value, indent=indent + 2)]
    lines: list[str] = []
    for key, below in value.items():
        lines += entry(key, below, indent=indent + 2, lead="" if lines else dash)
    return lines


def fits_on_line(value: Any, width: int | None) -> bool:
    """Whether the value goes on one line: always when it is a scalar or empty."""
    if not isinstance(value, (dict, list)) or not value:
        return True
    if _holds_literal(value):
        return False
    return width is None or len(inline(value, flow=False)) < width


def _holds_literal(value: Any) -> bool:
    if isinstance(value, str):
        return can_be_literal(value)
    below: Iterable[Any] = ()
    if isinstance(value, dict):
        below = value.values()
    elif isinstance(value, list):
        below = value
    return any(_holds_literal(one) for one in below)


def inline(value: Any, *, flow: bool) -> str:
    """The value on one line; ``flow`` says that it stands inside braces or brackets."""
    if isinstance(value, dict):
        pairs = (
            f"{scalar(key, flow=True)}: {inline(one, flow=True)}" for key, one in value.items()
        )
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(inline(one, flow=True) for one in value) + "]"
    return scalar(value, flow=flow)


def scalar(value: Any, *, flow: bool, quote: str = "") -> str:
    """One text, number, boolean or null; ``quote`` selects the kind of quotes."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        words = repr(value)
        return words if "." in words else words.replace("e", ".0e")
    if not isinstance(value, str):
        return str(value)
    if not quote and _is_plain(value, flow=flow):
        return value
    if quote != '"' and value.isprintable() and "'" not in value:
        return f"'{value}'"
    return '"' + "".join(_in_double_quotes(sign) for sign in value) + '"'


def _is_plain(text: str, *, flow: bool) -> bool:
    pattern = _PLAIN_IN_FLOW if flow else _PLAIN_IN_BLOCK
    if not pattern.match(text) or not text.isprintable() or _SINGLE_WORDS.match(text):
        return False
    readers = (reader.yaml_implicit_resolvers for reader in (yaml.SafeLoader, DesignLoader))
    return not any(
        pattern.match(text) for kinds in readers for _, pattern in kinds.get(text[0], [])
    )


def _in_double_quotes(sign: str) -> str:
    if sign in '"\\':
        return "\\" + sign
    if sign.isprintable():
        return sign
    if sign == "\n":
        return "\\n"
    if sign == "\t":
        return "\\t"
    code = ord(sign)
    if code > 0xFFFF:
        return f"\\U{code:08x}"
    return f"\\u{code:04x}"


def can_be_literal(text: str) -> bool:
    """Whether the text has several lines and reads back the same from a ``|`` block."""
    if "\n" not in text or text != text.rstrip() + ("\n" if text.endswith("\n") else ""):
        return False
    return not text[0].isspace() and all(
        line.replace("\t", " ").isprintable() for line in text.split("\n")
    )


def literal_header(text: str) -> str:
    """The sign before a ``|`` block, which says whether its last line ends in a line break."""
    return "|" if text.endswith("\n") else "|-"


def literal_lines(text: str, indent: int) -> list[str]:
    """The indented lines of a ``|`` block."""
    lines = text.removesuffix("\n").split("\n")
    return [" " * indent + line if line else "" for line in lines]
