"""Where the keys, values and lines of a YAML text begin and end."""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

from toposmith.design.flow import Unpatchable

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
