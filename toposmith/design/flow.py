"""Patching the text of a flow list or mapping: inserting and removing items, keeping comments."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import yaml

_TRAIL = re.compile(r"(?P<comma>[ \t]*,)?(?P<comment>[ \t]+#[^\r\n]*)?")


class Unpatchable(Exception):
    """The text cannot be patched; a larger part has to be rewritten."""


@dataclass(frozen=True)
class FlowItem:
    """One item of the result: an old one (``origin``) with edits, or new ``words``."""

    name: str
    origin: int | None
    edits: list[tuple[int, int, str]] = field(default_factory=list)
    words: str = ""


@dataclass(frozen=True)
class FlowList:
    """The text between the items.

    Parameters
    ----------
    brackets : str
        The opening and the closing one.
    leads : list of str
        What stands before each item, from the previous item's line end or comma.
    commas : list of str
        The comma behind each item with the space before it, or nothing.
    comments : list of str
        The comment behind each item on its line, or nothing.
    tail : str
        What stands between the last item and the closing bracket.
    """

    brackets: str
    leads: list[str]
    commas: list[str]
    comments: list[str]
    tail: str

    @classmethod
    def split(cls, text: str, spans: list[tuple[int, int]]) -> FlowList:
        """Split a flow list at its items; raises Unpatchable for unsupported text."""
        leads: list[str] = []
        commas: list[str] = []
        comments: list[str] = []
        position = 1
        for start, end in spans:
            if not all(commas):
                raise Unpatchable
            leads.append(text[position:start])
            trail = _TRAIL.match(text, end)
            commas.append((trail and trail["comma"]) or "")
            comments.append((trail and trail["comment"]) or "")
            position = trail.end() if trail else end
        return cls(text[0] + text[-1], leads, commas, comments, text[position:-1])

    def rebuilt(self, origins: list[int | None], texts: list[str], newline: str) -> str:
        """The list with other items, in the given order.

        Parameters
        ----------
        origins : list of int or None
            For each item the old one whose surroundings it keeps; None for a new one. The old
            ones stand in their old order.
        texts : list of str
            The items themselves.
        newline : str
            Line break for new lines.
        """
        parts = [self.brackets[0]]
        next_old = 0
        after_comment = False
        model = self.leads[-1] if len(self.leads) > 1 else next(iter(self.leads), "")
        for position, (origin, text) in enumerate(zip(origins, texts, strict=True)):
            first = position == 0
            if origin is None:
                lead = self._own_line(model, newline) or ("" if first else " ")
                comment = ""
            else:
                gone = range(next_old, origin)
                lead = self._kept(gone) + self._lead(origin, first=first)
                comment = self.comments[origin]
                next_old = origin + 1
            if after_comment and "\n" not in lead:
                lead = newline + " " + lead.lstrip()
            last = position == len(texts) - 1
            comma = self._comma(origin, last=last)
            parts.append(lead + text + comma + comment)
            after_comment = bool(comment)
        tail = self._kept(range(next_old, len(self.leads))) + self.tail
        if (after_comment or "#" in tail) and "\n" not in tail.rpartition("#")[2]:
            tail += newline + " "
        if not texts and "#" not in tail:
            tail = ""
        return "".join([*parts, tail, self.brackets[1]])

    def _lead(self, origin: int, *, first: bool) -> str:
        lead = self.leads[origin]
        if "\n" in lead:
            return lead
        return self.leads[0] if first else lead if origin else " "

    def _comma(self, origin: int | None, *, last: bool) -> str:
        own = self.commas[-1] if origin is None and self.commas else ""
        if origin is not None:
            own = self.commas[origin]
        if not last:
            return own or ","
        return own if "\n" in self.tail else ""

    def _kept(self, gone: range) -> str:
        """The comments on lines of their own above items that go."""
        leads = (self.leads[at] for at in gone)
        return "".join(lead[: lead.rfind("\n")].rstrip("\r") for lead in leads if "#" in lead)

    @staticmethod
    def _own_line(model: str, newline: str) -> str:
        """A line break with the indentation of the model, when that begins a line."""
        return newline + model[model.rfind("\n") + 1 :] if "\n" in model else ""


_COLON = re.compile(r"[ \t]*:")


def span(node: yaml.Node) -> tuple[int, int]:
    """The characters of a node, as the parser reports them."""
    return node.start_mark.index, node.end_mark.index


def is_block(node: yaml.Node) -> bool:
    """Whether the node is a list or mapping on lines of its own, without brackets or braces."""
    return isinstance(node, yaml.CollectionNode) and not getattr(node, "flow_style", None)


def is_literal(node: yaml.Node) -> bool:
    """Whether the node is a text below ``|`` or ``>``."""
    return sign_of(node) in ("|", ">")


def sign_of(node: yaml.Node) -> str:
    """The quote or block sign of a scalar; empty for plain text and for collections."""
    return str(getattr(node, "style", None) or "")


@dataclass(frozen=True)
class SourceLines:
    """The lines of a text, which end in LF or CRLF."""

    text: str

    def start(self, position: int) -> int:
        """Where the line of this position begins."""
        return self.text.rfind("\n", 0, position) + 1

    def end(self, position: int) -> int:
        """Where the line of this position ends, before its line break."""
        end = self.text.find("\n", position)
        if end < 0:
            return len(self.text)
        return end - 1 if end > position and self.text[end - 1] == "\r" else end

    def past_newline(self, line_end: int) -> int:
        """Where the next line begins; ``line_end`` itself when there is none."""
        newline = self.text.find("\n", line_end, line_end + 2)
        return line_end if newline < 0 else newline + 1

    def after_colon(self, key: yaml.Node) -> int:
        """The position after the colon of a key; raises Unpatchable where there is none."""
        colon = _COLON.match(self.text, key.end_mark.index)
        if colon is None:
            raise Unpatchable
        return colon.end()

    def content_end(self, node: yaml.Node) -> int:
        """Where the last sign of a value ends, without the empty lines and comments below it."""
        if is_block(node):
            last = node.value[-1]
            return self.content_end(last[1] if isinstance(node, yaml.MappingNode) else last)
        start, end = span(node)
        return start + len(self.text[start:end].rstrip()) if is_literal(node) else end
