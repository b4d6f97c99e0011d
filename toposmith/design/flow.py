"""Patching the text of a flow list or mapping: inserting and removing items, keeping comments."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

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
