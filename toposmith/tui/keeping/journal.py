"""The journal of a design under work: every step is a line, so that any end of the program is safe.

A journal is text, one JSON object a line, only ever appended to:

- the head: ``{"toposmith-journal": 1, "origin", "fingerprint", "proposed", "text", "saved",
  "lock"}``
- a step: ``{"step": "node: count 7", "head": 40, "tail": 12, "put": "7"}``; the design is the
  first ``head`` signs of the one before it, then ``put``, then that one's last ``tail`` signs;
  ``"lock": {"head", "tail", "put"}`` is its lock where that is not the one beside the file
- ``{"keep": n}``: steps from the n-th on are given up; ``{"at": n}``: the n-th is on the screen

What a crash cut off in the middle of a line is left out; every line before it counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from toposmith.foreign_values import JsonError, read_json

VERSION = 1
_MARK = "toposmith-journal"


@dataclass(frozen=True)
class Head:
    """Where a design came from.

    Parameters
    ----------
    origin : str or None
        Absolute path of its file; None while it has none.
    fingerprint : str or None
        Of the file as it was read or written last.
    proposed : str
        The file name to propose while it has none.
    text : str or None
        The file as it was read, so that saving keeps its comments.
    saved : str or None
        The design that the file holds, as JSON; None where no file holds it.
    lock : str or None
        The SHA-256 of the lock beside the file as it was read or written last.
    """

    origin: str | None = None
    fingerprint: str | None = None
    proposed: str = ""
    text: str | None = None
    saved: str | None = None
    lock: str | None = None


@dataclass(frozen=True)
class JournalStep:
    """A step in words, and the design that it led to as JSON.

    ``lock`` are the lines of its lock, empty for none; None where it is the one beside the file.
    """

    label: str
    design: str
    lock: str | None = None


@dataclass(frozen=True)
class Told:
    """The content of a journal: where a design came from, its steps, and which one was shown."""

    head: Head
    steps: tuple[JournalStep, ...]
    position: int

    @property
    def unsaved(self) -> bool:
        """Whether the design on the screen, or its lock, is in no file."""
        shown = self.steps[self.position]
        return shown.design != self.head.saved or shown.lock is not None


def head_line(head: Head) -> str:
    """The first line of a journal."""
    return _line({_MARK: VERSION, **vars(head)})


def lines_between(
    before: Sequence[JournalStep], at_before: int, after: Sequence[JournalStep], at_after: int
) -> str:
    """The lines to append after the steps of a journal for those of now; may be empty."""
    same = 0
    for old, new in zip(before, after, strict=False):
        if old != new:
            break
        same += 1
    lines = [] if same == len(before) else [_line({"keep": same})]
    last = after[same - 1] if same else JournalStep("", "")
    for step in after[same:]:
        record: dict[str, Any] = {"step": step.label, **_delta(last.design, step.design)}
        if step.lock is not None:
            record["lock"] = _delta(last.lock or "", step.lock)
        lines.append(_line(record))
        last = step
    if lines or at_before != at_after:
        lines.append(_line({"at": at_after}))
    return "".join(lines)


def told(text: str) -> Told | None:
    """The content of a journal, as far as it was written; None where it has not even one design."""
    records = _records(text)
    first = next(records, None)
    if first is None or first.get(_MARK) != VERSION:
        return None
    steps: list[JournalStep] = []
    position = 0
    try:
        head = Head(**{key: value for key, value in first.items() if key != _MARK})
        for record in records:
            if "step" in record:
                last = steps[-1] if steps else JournalStep("", "")
                lock = _undelta(last.lock or "", record["lock"]) if "lock" in record else None
                design = _undelta(last.design, record)
                steps.append(JournalStep(str(record["step"]), design, lock))
            elif "keep" in record:
                del steps[int(record["keep"]) :]
            elif "at" in record:
                position = int(record["at"])
    except (TypeError, KeyError, ValueError):
        return None  # not written by this program
    if not steps:
        return None
    return Told(head, tuple(steps), max(0, min(position, len(steps) - 1)))


def _records(text: str) -> Iterator[dict[str, Any]]:
    """The records in order, up to the first line that is not whole."""
    for line in text.splitlines(keepends=True):
        if not line.endswith("\n"):
            return
        try:
            record = read_json(line)
        except JsonError:
            return
        if not isinstance(record, dict):
            return
        yield record


def _line(record: dict[str, Any]) -> str:
    # ASCII, so that no sign of a text can end a line
    return json.dumps(record, separators=(",", ":")) + "\n"


def _delta(old: str, new: str) -> dict[str, Any]:
    head = _same_beginning(old, new)
    tail = _same_beginning(old[head:][::-1], new[head:][::-1])
    return {"head": head, "tail": tail, "put": new[head : len(new) - tail]}


def _undelta(old: str, record: dict[str, Any]) -> str:
    head, tail = int(record["head"]), int(record["tail"])
    return old[:head] + str(record["put"]) + (old[len(old) - tail :] if tail else "")


def _same_beginning(old: str, new: str) -> int:
    """How many signs two texts begin with in common, found by halving."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
