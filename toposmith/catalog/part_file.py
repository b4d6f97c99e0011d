"""One part file: its entries with their lines, and what is wrong with it as YAML.

Files are untrusted: size, nesting and aliases are limited before anything is built from them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from toposmith.foreign_values import MOST_DIGITS, NumberError
from toposmith.plain_text import shown, visible

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


LARGEST_FILE = 2_000_000  # bytes; a hundred times the files that come with the program
DEEPEST = 50  # levels; part files have six
MOST_VALUES = 500_000  # with every alias written out; ten times what fits in the largest sane file

_NUMBER = re.compile(r"[-+]?(?:0[bx][0-9a-fA-F_]+|[0-9][0-9_:.]*)")  # as YAML 1.1 has them

# The C loader is about ten times faster; both build plain values only.
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_part_file(file: Path) -> bytes:
    """Read a file, but no more than shows that it is too large; OSError where it is none."""
    if not file.is_file():
        # A pipe would never end.
        raise OSError("no regular file" if file.exists() else "no such file")
    with file.open("rb") as opened:
        return opened.read(LARGEST_FILE + 1)


class _NotReadable(Exception):
    """A file that is no part list: the line, and why."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line
        self.why = why


@dataclass
class PartFile:
    """One file, with the line of every value in it; ``wanted`` says what it should hold."""

    name: str
    text: bytes
    problems: list[str] = field(default_factory=list)
    loader: Any = _SafeLoader
    wanted: str = "a list of parts"
    _tree: Any = None

    def entries(self) -> list[tuple[int, Any]]:
        """The entries of the list, each with its index; ``problems`` says why others are missing.

        An entry with a field given twice is left out: YAML would silently keep the last.
        """
        entries = self._read()
        if self._tree is None or self.problems:
            return []
        if not isinstance(entries, list):
            self.complain(1, f"{self.wanted} was expected, found {shown(entries)}")
            return []
        sound = []
        for number, entry in enumerate(entries):
            twice = _given_twice(self._tree.value[number])
            if twice is None:
                sound.append((number, entry))
            else:
                line, name = twice
                self.complain(line, f"entry {number + 1}: {shown(name)} is given twice")
        return sound

    def fields(self) -> dict[str, Any]:
        """The fields of a file that is no list; where it has none, ``problems`` says why."""
        fields = self._read()
        if self._tree is None or self.problems:
            return {}
        if not isinstance(fields, dict):
            self.complain(1, f"{self.wanted} was expected, found {shown(fields)}")
            return {}
        if (twice := _given_twice(self._tree)) is not None:
            self.complain(twice[0], f"{shown(twice[1])} is given twice")
            return {}
        return {str(name): value for name, value in fields.items()}

    def complain(self, line: int, why: str) -> None:
        """Add a problem of this file."""
        self.problems.append(visible(f"{self.name}:{line}: {why}"))

    def line(self, *path: int | str) -> int:
        """The line of a value; where the file lacks it, of the last step that it has."""
        node, line = self._tree, 1
        for step in path:
            inner = _inner(node, step)
            if inner is None:
                break
            node, line = inner
        return line

    def _read(self) -> Any:
        """The values of the file; where it is not readable, ``problems`` says why."""
        try:
            return self._values()
        except _NotReadable as error:
            self.complain(error.line, error.why)
        except yaml.MarkedYAMLError as error:
            last = max(len(self.text.splitlines()), 1)
            line = min(error.problem_mark.line + 1, last) if error.problem_mark else 1
            said = " ".join(filter(None, [error.context, error.problem]))
            self.complain(line, f"not readable as YAML: {in_plain_words(said)}")
        except (ValueError, yaml.YAMLError) as error:
            said = in_plain_words(" ".join(str(error).split()))
            self.complain(1, f"not readable as YAML: {said}")
        return None

    def _values(self) -> Any:
        if len(self.text) > LARGEST_FILE:
            raise _NotReadable(1, f"more than the {LARGEST_FILE} bytes allowed")
        if (fault := text_fault(self.text)) is not None:
            raise _NotReadable(fault[0], f"not readable as YAML: {fault[1]}")
        _refuse_events(self.text)
        loader = self.loader(self.text)
        try:
            self._tree = loader.get_single_node()
            if self._tree is None:
                raise _NotReadable(1, f"{self.wanted} was expected, the file is empty")
            _refuse_much(self._tree)
            return loader.construct_document(self._tree)
        finally:
            loader.dispose()


def _refuse_events(text: bytes) -> None:
    """Refuse nesting, and numbers of so many digits that Python would not read them."""
    # Events come one by one; the loaders call themselves per level and would overrun the stack.
    depth = 0
    for event in yaml.parse(text, Loader=_SafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if (tag := getattr(event, "tag", None)) is not None:
            raise _NotReadable(line, f"not readable as YAML: {tag_words(tag)}")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                raise _NotReadable(line, f"nested more than {DEEPEST} levels deep")
        elif isinstance(event, yaml.ScalarEvent) and event.implicit[0]:
            if len(event.value) > MOST_DIGITS and _NUMBER.fullmatch(event.value):
                fault = NumberError(event.value, f"a number of at most {MOST_DIGITS} digits", "")
                raise _NotReadable(line, f"not readable as YAML: {fault}")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _refuse_much(tree: Any) -> None:
    """Refuse a tree whose aliases expand to too much, or that contains itself."""
    known: dict[int, int] = {}
    open_nodes: set[int] = set()

    def count(node: Any) -> int:
        if id(node) in open_nodes:
            raise _NotReadable(node.start_mark.line + 1, "a value that contains itself")
        if id(node) not in known:
            open_nodes.add(id(node))
            children = _children(node)
            inner = [child for child in children if _holds_more(child)]
            known[id(node)] = 1 + len(children) - len(inner) + sum(map(count, inner))
            open_nodes.discard(id(node))
            if known[id(node)] > MOST_VALUES:
                raise _NotReadable(
                    node.start_mark.line + 1,
                    f"more than {MOST_VALUES} values, with every alias written out",
                )
        return known[id(node)]

    count(tree)


def _given_twice(tree: Any) -> tuple[int, str] | None:
    """The line and name of a field that one mapping gives twice; None where there is none."""
    waiting, seen = [tree], set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        waiting += filter(_holds_more, _children(node))
        names: set[str] = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(key, yaml.ScalarNode) and key.value in names:
                return key.start_mark.line + 1, str(key.value)
            names.add(str(key.value))
    return None


def _holds_more(node: Any) -> bool:
    return not isinstance(node, yaml.ScalarNode)


def _children(node: Any) -> list[Any]:
    if isinstance(node, yaml.MappingNode):
        return [child for pair in node.value for child in pair]
    return node.value if _holds_more(node) else []


def _inner(node: Any, step: int | str) -> tuple[Any, int] | None:
    """One step down a YAML tree with its line; that of a mapping's value is its key's."""
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
        if 0 <= step < len(node.value):
            return node.value[step], node.value[step].start_mark.line + 1
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(step):
                return value, key.start_mark.line + 1
    return None
