"""Changes to the text of a design file that leave every other byte as it is.

The text itself is patched, at the places that the YAML parser reports, because ruamel's round
trip re-spaces untouched lines and can write invalid YAML when it replaces a flow item
in a block list. Where a safe patch is impossible, none is made.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

from toposmith.design import style
from toposmith.design.flow import (
    FlowItem,
    FlowList,
    SourceLines,
    Unpatchable,
    is_block,
    is_literal,
    sign_of,
    span,
)
from toposmith.design.item_differences import aligned, alike, renamed
from toposmith.design.loader import DesignLoader

TextEdit = tuple[int, int, str]
"""Replace the characters from start to end by the text."""

KEPT_WHEN_EMPTY: dict[str, Any] = {"axes": {}, "groups": {}, "links": [], "absent": [], "down": []}
"""Blocks that stay as `links: []` when their last item goes, so that comments keep their place."""

_DASH = re.compile(r"[ \t]*-[ \t]+\Z")
_LITERAL_HEADER = re.compile(r"[|>][+\-0-9]*")


def patched(text: str, old: dict[str, Any], new: dict[str, Any], *, levels: int) -> str | None:
    """The text changed so that it says ``new`` in place of ``old``; None where that fails.

    Parameters
    ----------
    text : str
        YAML whose top level is a mapping that says ``old``.
    old, new : dict
        Plain data without the keys that hold their default.
    levels : int
        Changes deeper than this are made by writing the value around them anew.
    """
    root = yaml.compose(text, DesignLoader)
    if not isinstance(root, yaml.MappingNode):
        return None
    try:
        return _applied(text, _Patch(text, levels).collection(root, old, new, _Place()))
    except Unpatchable:
        return None


def _applied(text: str, edits: list[TextEdit], offset: int = 0) -> str:
    parts: list[str] = []
    position = offset
    for start, end, words in sorted(edits, key=lambda edit: edit[:2]):
        if start < position:
            raise Unpatchable
        parts += text[position - offset : start - offset], words
        position = end
    return "".join([*parts, text[position - offset :]])


@dataclass(frozen=True)
class _Place:
    """Where a collection stands: how deep, and under which key of the top level."""

    level: int = 1
    block: str = ""

    def below(self, key: str | int) -> _Place:
        return _Place(self.level + 1, self.block or str(key))

    @property
    def parent(self) -> str:
        """Name of the block whose items these are; empty further down."""
        return self.block if self.level == 2 else ""


class _Patch:
    """The edits of one text; each method returns those for its part of it."""

    def __init__(self, text: str, levels: int) -> None:
        self.text = text
        self.levels = levels
        self.lines = SourceLines(text)
        self.newline = "\r\n" if "\r\n" in text else "\n"

    def collection(self, node: yaml.Node, old: Any, new: Any, place: _Place) -> list[TextEdit]:
        if not is_block(node):
            return self._flow(node, old, new, place)
        if isinstance(node, yaml.MappingNode):
            return self._block_mapping(node, old, new, place)
        return self._block_list(node, old, new, place)

    def _block_mapping(
        self, node: yaml.MappingNode, old: dict[str, Any], new: dict[str, Any], place: _Place
    ) -> list[TextEdit]:
        edits: list[TextEdit] = []
        indent = node.start_mark.column
        present = {key.value: (key, value) for key, value in node.value}
        if place.level == 1:
            kept = {key: empty for key, empty in KEPT_WHEN_EMPTY.items() if key in present}
            old, new = kept | old, kept | new
        names = renamed(old, new)
        for name, (key, value) in present.items():
            if name in names:
                edits.append((*span(key), style.scalar(names[name], flow=False)))
            elif name in new and not (name in old and alike(old[name], new[name])):
                edits += self._changed_entry(key, value, old.get(name), new[name], place)
            elif name in old and name not in new:
                edits += self._removed_lines(key, value)
        anchor = None
        for name, below in new.items():
            if name in present:
                anchor = present[name][1]
            elif name not in names.values() and not (name in old and alike(old[name], below)):
                lines = style.entry(name, below, indent=indent, parent=place.parent)
                edits.append(self._inserted(lines, anchor, node))
        return edits

    def _changed_entry(
        self, key: yaml.Node, value: yaml.Node, old: Any, new: Any, place: _Place
    ) -> list[TextEdit]:
        if self._can_descend(value, old, new, place):
            return self.collection(value, old, new, place.below(key.value))
        indent = key.start_mark.column
        written = style.entry(key.value, new, indent=indent, parent=place.parent)
        head = written[0].removeprefix(" " * indent + style.scalar(key.value, flow=False) + ":")
        colon = self.lines.after_colon(key)
        if is_block(value):
            body = [self.newline + line for line in written[1:]]
            if new or not isinstance(new, (dict, list)):
                first = self.lines.end(colon)
                stop = self.lines.end(self.lines.content_end(value))
                return [(colon, colon, head), (first, stop, "".join(body))]
            return [(colon, colon, head), *self._emptied(value)]
        start, end = span(value)
        if len(written) == 1 and start < end and not is_literal(value):
            return [(start, end, self._inline(value, new, flow=False))]
        end = self.lines.content_end(value)
        comment = self.text[end : self.lines.end(end)]
        if is_literal(value):
            header = _LITERAL_HEADER.match(self.text, start)
            after_header = header.end() if header else start
            comment = self.text[after_header : self.lines.end(after_header)]
        body = [self.newline + line for line in written[1:]]
        return [(colon, self.lines.end(end), head + comment.rstrip() + "".join(body))]

    def _emptied(self, node: yaml.Node) -> list[TextEdit]:
        edits: list[TextEdit] = []
        for one in node.value:
            first, last = one if isinstance(node, yaml.MappingNode) else (one, one)
            edits += self._removed_lines(first, last, in_list=first is last)
        return edits

    def _removed_lines(
        self, first: yaml.Node, last: yaml.Node, *, in_list: bool = False
    ) -> list[TextEdit]:
        start = self.lines.start(first.start_mark.index)
        before = self.text[start : first.start_mark.index]
        if before.strip() and not (in_list and _DASH.match(before)):
            raise Unpatchable
        stop = self.lines.end(self.lines.content_end(last))
        return [(start, self.lines.past_newline(stop), "")]

    def _inserted(self, lines: list[str], anchor: yaml.Node | None, node: yaml.Node) -> TextEdit:
        """Insert lines below the anchor, or above the first entry of the node without one."""
        if anchor is None:
            start = self.lines.start(node.start_mark.index)
            if self.text[start : node.start_mark.index].strip():
                raise Unpatchable
            return start, start, "".join(line + self.newline for line in lines)
        stop = self.lines.end(self.lines.content_end(anchor))
        past = self.lines.past_newline(stop)
        if past == stop:
            return stop, stop, "".join(self.newline + line for line in lines)
        return past, past, "".join(line + self.newline for line in lines)

    def _block_list(
        self, node: yaml.Node, old: list[Any], new: list[Any], place: _Place
    ) -> list[TextEdit]:
        edits: list[TextEdit] = []
        indent = node.start_mark.column
        anchor = None
        for before, after in aligned(old, new):
            if before is None and after is not None:
                lines = style.item(new[after], indent=indent, parent=place.parent)
                edits.append(self._inserted(lines, anchor, node))
            elif before is not None:
                one = anchor = node.value[before]
                if after is None:
                    edits += self._removed_lines(one, one, in_list=True)
                elif not alike(old[before], new[after]):
                    edits += self._changed_item(one, old[before], new[after], indent, place)
        return edits

    def _changed_item(
        self, one: yaml.Node, old: Any, new: Any, indent: int, place: _Place
    ) -> list[TextEdit]:
        if self._can_descend(one, old, new, place):
            return self.collection(one, old, new, place.below(0))
        written = style.item(new, indent=indent, parent=place.parent)
        start, end = span(one)
        if len(written) == 1 and start < end and not is_block(one) and not is_literal(one):
            return [(start, end, self._inline(one, new, flow=False))]
        ((start, past, _),) = self._removed_lines(one, one, in_list=True)
        return [(start, past, "".join(line + self.newline for line in written))]

    def _flow(self, node: yaml.Node, old: Any, new: Any, place: _Place) -> list[TextEdit]:
        if isinstance(node, yaml.MappingNode):
            spans, plan = self._flow_mapping(node, old, new, place)
        else:
            spans, plan = self._flow_list(node, old, new, place)
        unmoved = [one.origin for one in plan] == list(range(len(spans)))
        if unmoved:
            return [edit for one in plan for edit in one.edits]
        start, end = span(node)
        flow = FlowList.split(self.text[start:end], [(a - start, b - start) for a, b in spans])
        texts = [
            one.words
            if one.origin is None
            else _applied(self.text[slice(*spans[one.origin])], one.edits, spans[one.origin][0])
            for one in plan
        ]
        return [(start, end, flow.rebuilt([one.origin for one in plan], texts, self.newline))]

    def _flow_mapping(
        self, node: yaml.MappingNode, old: dict[str, Any], new: dict[str, Any], place: _Place
    ) -> tuple[list[tuple[int, int]], list[FlowItem]]:
        spans = [(span(key)[0], max(span(key)[1], span(value)[1])) for key, value in node.value]
        names = renamed(old, new)
        plan: list[FlowItem] = []
        present = {key.value for key, _ in node.value}
        for origin, (key, value) in enumerate(node.value):
            name = key.value
            if name in names:
                edits = [(*span(key), style.scalar(names[name], flow=True))]
                plan.append(FlowItem(names[name], origin, edits))
            elif name in new and not (name in old and alike(old[name], new[name])):
                edits = self._changed_in_flow(value, old.get(name), new[name], place.below(name))
                plan.append(FlowItem(name, origin, edits))
            elif name in new or name not in old:
                plan.append(FlowItem(name, origin, []))
        before: str | None = None
        for name, below in new.items():
            missing = name not in present and name not in names.values()
            if missing and not (name in old and alike(old[name], below)):
                position = next((at + 1 for at, one in enumerate(plan) if one.name == before), 0)
                words = style.inline({name: below}, flow=True)[1:-1]
                plan.insert(position, FlowItem(name, None, [], words))
            if any(one.name == name for one in plan):
                before = name
        return spans, plan

    def _flow_list(
        self, node: yaml.Node, old: list[Any], new: list[Any], place: _Place
    ) -> tuple[list[tuple[int, int]], list[FlowItem]]:
        spans = [span(one) for one in node.value]
        plan: list[FlowItem] = []
        for before, after in aligned(old, new):
            if after is None:
                continue
            if before is None:
                plan.append(FlowItem("", None, [], style.inline(new[after], flow=True)))
            elif alike(old[before], new[after]):
                plan.append(FlowItem("", before, []))
            else:
                one = node.value[before]
                edits = self._changed_in_flow(one, old[before], new[after], place.below(0))
                plan.append(FlowItem("", before, edits))
        return spans, plan

    def _changed_in_flow(
        self, value: yaml.Node, old: Any, new: Any, place: _Place
    ) -> list[TextEdit]:
        if self._can_descend(value, old, new, place):
            return self.collection(value, old, new, place)
        start, end = span(value)
        space = " " if self.text[start - 1] == ":" else ""
        return [(start, end, space + self._inline(value, new, flow=True))]

    def _inline(self, value: yaml.Node, new: Any, *, flow: bool) -> str:
        quote = sign_of(value)
        if quote in ("'", '"') and isinstance(new, str):
            return style.scalar(new, flow=flow, quote=quote)
        return style.inline(new, flow=flow)

    def _can_descend(self, node: yaml.Node, old: Any, new: Any, place: _Place) -> bool:
        if place.level >= self.levels or (not new and is_block(node)):
            return False
        if not node.value and "#" not in self.text[slice(*span(node))]:
            return False  # with nothing to keep, the value is written in the file's own style
        if isinstance(node, yaml.MappingNode):
            return isinstance(old, dict) and isinstance(new, dict)
        return isinstance(node, yaml.SequenceNode) and type(old) is type(new) is list
