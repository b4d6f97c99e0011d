"""Safe loading of YAML text: what a design does not need is refused before it is built.

Size first, then the events (aliases, tags, depth, number), then the values. Scalars follow the
strict core of YAML 1.2, so that ``1:2``, ``no``, ``0123`` and dates stay the text that they are.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import yaml

from toposmith.catalog.part_file import in_plain_words, is_utf16
from toposmith.errors import DesignFileError, Problem
from toposmith.foreign_values import MOST_DIGITS

LONGEST_SHOWN = 60
MOST_NAMES_LISTED = 12
MOST_NAMES_COMPARED = 500

Location = tuple[str | int, ...]
"""Where a value sits in a document: keys and list positions from the top."""

KEY = "[key]"
"""Last step of a location that means the key itself and not its value."""


def shown(value: object) -> str:
    """What was found, in words that fit into a sentence and hold no control characters."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        cut = value if len(value) <= LONGEST_SHOWN else value[:LONGEST_SHOWN] + "..."
        return repr(cut)
    if isinstance(value, dict):
        return "keys with values"
    if isinstance(value, (list, tuple)):
        return "an empty list" if not value else f"a list of {len(value)}"
    return escaped(str(value))


def escaped(text: str) -> str:
    """``text`` without quotes around it, cut, and with everything unprintable escaped."""
    cut = text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "..."
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii")
        for sign in cut
    )


def path_words(location: Location) -> str:
    """A location as a person writes it: ``groups.leaf.per[0]``."""
    words = ""
    for step in location:
        if isinstance(step, int):
            words += f"[{step}]"
        else:
            words += ("." if words else "") + escaped(step)
    return words


def listed(names: Iterable[str]) -> str:
    """The names in their order, with commas; of many only the first."""
    all_names = names if isinstance(names, Collection) else list(names)
    words = ", ".join(escaped(name) for name in islice(all_names, MOST_NAMES_LISTED))
    more = len(all_names) - MOST_NAMES_LISTED
    return f"{words} and {more} more" if more > 0 else words


def any_of(words: Sequence[str]) -> str:
    """One of the words: ``a, b or c``."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def suggestion(word: str, known: Iterable[str]) -> str:
    """``did you mean ...?`` with the nearest known word and the list of all of them."""
    names = list(known)
    if not names:
        return "none is known here"
    nearest = difflib.get_close_matches(word[:LONGEST_SHOWN], names[:MOST_NAMES_COMPARED], n=1)
    known = f"known: {listed(names)}"
    return f"did you mean {nearest[0]!r}? ({known})" if nearest else known


if TYPE_CHECKING or not hasattr(yaml, "CSafeLoader"):
    from yaml import SafeLoader as _SafeLoader
else:
    from yaml import CSafeLoader as _SafeLoader

MAX_BYTES = 10_000_000
"""Largest file that is read; a design of 100,000 GPUs takes some thousand bytes."""

MAX_DEPTH = 20
MAX_EVENTS = 500_000
MAX_PROBLEMS = 100

_UNWANTED_RAW = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_UNWANTED_VALUE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


class DesignLoader(_SafeLoader):
    """Resolves only true, false, null and plain numbers; all other scalars are text."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


_TAG = "tag:yaml.org,2002:"
for _kind, _pattern, _first in (
    ("bool", r"^(?:true|false)\Z", "tf"),
    ("null", r"^(?:~|null|)\Z", ["~", "n", ""]),
    ("int", rf"^-?(?:0|[1-9][0-9]{{0,{MOST_DIGITS - 1}}})\Z", "-0123456789"),
    (
        "float",
        r"^-?(?:0|[1-9][0-9]{0,308})\.[0-9]{1,400}(?:e[+-]?[0-9]{1,3})?\Z",
        "-0123456789",
    ),
):
    DesignLoader.add_implicit_resolver(_TAG + _kind, re.compile(_pattern), list(_first))


@dataclass(frozen=True)
class PlainFile:
    """A file as plain data, with YAML nodes for the positions of values.

    Parameters
    ----------
    data
        Dicts, lists, text, numbers, true, false and None.
    root
        The YAML node of ``data``; None for a file without any content.
    problems
        Repeated keys and keys that are not text; ``data`` lacks them.
    """

    data: Any
    root: yaml.Node | None
    problems: list[Problem]

    def problem_at(self, location: Location, text: str) -> Problem:
        """The problem at the place of its value, or of its key where the location ends in KEY.

        Where the value is not there it is at the nearest one above.
        """
        node, mark = self.root, self.root.start_mark if self.root else None
        steps = location[:-1] if location[-1:] == (KEY,) else location
        for step in steps:
            if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
                node = node.value[step]
                mark = node.start_mark
                continue
            if not isinstance(node, yaml.MappingNode):
                break
            pair = next((pair for pair in node.value if pair[0].value == step), None)
            if pair is None:
                break
            node = pair[1]
            mark = (pair[0] if location[-1] == KEY else node).start_mark
        words = f"{path_words(steps)}: {text}" if steps else text
        return Problem(words, mark.line + 1, mark.column + 1) if mark else Problem(words)


def require_size(size: int, source: str) -> None:
    """Raise DesignFileError when a file of ``size`` bytes is too large to be read."""
    if size > MAX_BYTES:
        text = f"found {size:,} bytes, expected at most {MAX_BYTES:,}; this is hardly a design"
        raise DesignFileError(source, [Problem(text)])


def decoded(raw: bytes, source: str) -> str:
    """The text of a file; raises DesignFileError when it is too large or not UTF-8."""
    require_size(len(raw), source)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        column = error.start - (raw.rfind(b"\n", 0, error.start) + 1) + 1
        text = f"found byte 0x{raw[error.start]:02x} at offset {error.start}, expected UTF-8 text"
        if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
            text += "; the file looks like UTF-16, save it as UTF-8"
        raise DesignFileError(source, [Problem(text, line, column)]) from None


def plain_file(text: str, source: str) -> PlainFile:
    """Read YAML text into plain data.

    Raises
    ------
    DesignFileError
        When the text is no YAML, or holds what no design needs: aliases, anchors, tags, several
        documents, control characters, nesting or sheer number beyond reason.
    """
    require_size(len(text), source)
    text = text.removeprefix("\ufeff")
    if is_utf16(text[:200].encode(errors="replace")):
        words = "found a zero after every letter, expected UTF-8 text"
        raise DesignFileError(
            source, [Problem(f"{words}; the file looks like UTF-16, save it as UTF-8", 1, 1)]
        )
    unwanted = _UNWANTED_RAW.search(text)
    if unwanted:
        raise DesignFileError(source, [_unwanted_character(text, unwanted)])
    require_size(len(text.encode()), source)
    try:
        problems = _problems_of_events(text)
        if problems:
            raise DesignFileError(source, problems)
        root = yaml.compose(text, DesignLoader)
    except (yaml.YAMLError, ValueError) as error:  # the loader without C says ValueError at times
        raise DesignFileError(source, [_syntax_problem(text, error)]) from None
    if root is None:
        return PlainFile(None, None, [])
    data = _plain(root, problems)
    return PlainFile(data, root, problems)


def _unwanted_character(text: str, found: re.Match[str]) -> Problem:
    start = found.start()
    line_start = text.rfind("\n", 0, start) + 1
    return Problem(
        f"found the character U+{ord(found.group()):04X}, expected printable text; delete it",
        text.count("\n", 0, start) + 1,
        start - line_start + 1,
    )


def _problems_of_events(text: str) -> list[Problem]:
    problems: list[Problem] = []
    depth = documents = 0
    for number, event in enumerate(yaml.parse(text, DesignLoader)):
        fault = ""
        if number > MAX_EVENTS:
            fault = f"more than {MAX_EVENTS:,} keys and values; this is hardly a design"
        elif isinstance(event, yaml.AliasEvent):
            fault = f"found the alias {shown(f'*{event.anchor}')}, write the value itself"
        elif isinstance(event, yaml.NodeEvent):
            fault = _node_fault(event)
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.DocumentStartEvent):
            documents += 1
        too_deep = depth > MAX_DEPTH
        if too_deep:
            fault = f"nested deeper than {MAX_DEPTH} levels, expected a design"
        if documents > 1:
            fault = "found a second document after '---', expected one design in a file"
        if fault:
            problems.append(_at(event.start_mark, fault))
            hopeless = too_deep or documents > 1 or number > MAX_EVENTS
            if hopeless or len(problems) >= MAX_PROBLEMS:
                break
    return problems


def _node_fault(event: yaml.NodeEvent) -> str:
    if event.anchor is not None:
        return f"found the anchor {shown(f'&{event.anchor}')}, expected a value without one"
    if isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent)) and event.tag is not None:
        tag = event.tag.replace(_TAG, "!!", 1)
        return f"found the tag {shown(tag)}, expected a value without one"
    if isinstance(event, yaml.ScalarEvent):
        unwanted = _UNWANTED_VALUE.search(event.value)
        if unwanted:
            return f"found the character U+{ord(unwanted.group()):04X}, expected printable text"
    return ""


def _syntax_problem(text: str, error: Exception) -> Problem:
    words = getattr(error, "problem", None) or "this is no YAML"
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    words = in_plain_words(words)
    if mark is None:
        return Problem(words)
    opened = getattr(error, "context_mark", None)
    if words.startswith("expected ','") and opened is not None:
        words += f" after what was opened in line {opened.line + 1}, column {opened.column + 1}"
    if text[mark.index : mark.index + 1] == "\t":
        words = "found a tab, expected spaces: a tab can not indent"
    return _at(mark, words)


def _at(mark: Any, text: str) -> Problem:
    return Problem(text, mark.line + 1, mark.column + 1)


def _plain(node: yaml.Node, problems: list[Problem]) -> Any:
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, problems) for item in node.value]
    if isinstance(node, yaml.MappingNode):
        return _plain_mapping(node, problems)
    return _plain_scalar(node, problems)


def _plain_mapping(node: yaml.MappingNode, problems: list[Problem]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            problems.append(_at(key_node.start_mark, "expected plain text as the key"))
        elif key_node.value in found:
            text = f"the key {shown(key_node.value)} occurs twice in the same place"
            problems.append(_at(key_node.start_mark, text))
        else:
            found[key_node.value] = _plain(value_node, problems)
    return found


def _plain_scalar(node: yaml.Node, problems: list[Problem]) -> Any:
    kind = node.tag.removeprefix(_TAG)
    if kind == "int":
        return int(node.value)
    if kind == "float":
        number = float(node.value)
        if abs(number) == float("inf"):
            problems.append(_at(node.start_mark, f"the number {shown(node.value)} is too large"))
        return number
    if kind == "bool":
        return node.value == "true"
    return None if kind == "null" else node.value
