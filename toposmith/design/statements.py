"""The statements of a design, whatever the order and the spelling of its file.

Differences and digests both go by them, so that two designs without a difference have one digest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from toposmith.design.document import Design, FittedNics, Group, Link

Statement = tuple[str, str, str]
"""The block, the place in it, and the value as text."""

Renaming = Callable[[str], str]
"""Rewrites a selector, such as with the names that groups had before."""

LINK_FIELDS = ("cables", "speed", "length", "cable", "module", "medium", "note")
IN_WORDS = ("name", "note")
NO_STATEMENT = ("toposmith", "view", "pins")
"""The file's version, positions on the canvas, and what was known of the design."""

_BY_THEMSELVES = ("axes", "groups", "links", "absent", "down", "slow", "cables", "jobs")
_NOT_DEALT = ("nvlink",)
"""Slots of which no link takes ports in its turn."""


def statements(design: Design) -> Iterator[Statement]:
    """Everything that a design says, in no order that counts."""
    for axis, size in design.axes.items():
        yield "axis", axis, str(size)
    for name, group in design.groups.items():
        for field, value in group_values(group).items():
            yield "group", f"{name} {field}", value
    names = [f"{' - '.join(sorted(ends))} ({turn})" for ends, turn in link_keys(design.links)]
    for name, link in zip(names, design.links, strict=True):
        yield "link", f"{name} along", str(sorted(link.along.items()))
        for field in LINK_FIELDS:
            yield "link", f"{name} {field}", str(getattr(link, field))
    for slots, order in _turns(design.links, names):
        yield "order", slots, ", ".join(order)
    for kind, selectors in (("absent", design.absent), ("down", design.down)):
        for selector, times in Counter(map(bare, selectors)).items():
            yield kind, selector, str(times)
    for kind, said in (
        ("slow", slow_speeds(design)),
        ("cables", single_cables(design)),
        ("job", named_jobs(design)),
    ):
        for where, value in said.items():
            yield kind, where, value
    for key in other_keys():
        value = getattr(design, key)
        rows = [("", str(value or ""))] if key in IN_WORDS else rows_of(value)
        for where, text in rows:
            yield key, where, text


def other_keys() -> Iterator[str]:
    """The keys of a design that are read row by row."""
    return (k for k in Design.model_fields if k not in (*_BY_THEMSELVES, *NO_STATEMENT))


def group_values(group: Group) -> dict[str, str]:
    """A group by its fields, and the NICs fitted into each of its slots."""
    fields = {"part": group.part, "per": ", ".join(group.per), "count": str(group.count)}
    nics = {f"{slots} NICs": fitted_words(nic) for slots, nic in group.nics.items()}
    return fields | {"note": group.note or ""} | nics


def fitted_words(nic: FittedNics) -> str:
    """``8 x connectx-7``."""
    return f"{nic.count} x {nic.part}"


def link_keys(links: Iterable[Link], told: Renaming = str) -> Iterator[tuple[frozenset[str], int]]:
    """The ends of each link, and how many links before it have the same."""
    seen: Counter[frozenset[str]] = Counter()
    for link in links:
        ends = frozenset(told(end) for end in link.between)
        yield ends, seen[ends]
        seen[ends] += 1


def _turns(links: Iterable[Link], names: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """The links that take ports of one slot group of nodes, in the order in which they do."""
    taking: dict[str, list[str]] = {}
    for link, name in zip(links, names, strict=True):
        for end in link.between:
            group, _, slots = end.rpartition(".")
            if group and slots not in _NOT_DEALT:
                taking.setdefault(f"{group.partition('[')[0]}.{slots}", []).append(name)
    return ((slots, order) for slots, order in taking.items() if len(order) > 1)


def slow_speeds(design: Design, told: Renaming = str) -> dict[str, str]:
    """Speeds of what is slow by its selector."""
    return {
        bare(told(text)): bare(speed) if isinstance(speed, str) else f"{speed:g} Gb/s"
        for text, speed in design.slow.items()
    }


def single_cables(design: Design, told: Renaming = str) -> dict[str, str]:
    """Single cables by the place that they lead from."""
    found: dict[str, str] = {}
    for cable in design.cables:
        more = [f"{cable.speed} Gb/s"] if cable.speed else []
        more += [f"{cable.length:g} m"] if cable.length else []
        more += [cable.note] if cable.note else []
        found[bare(told(cable.a))] = ", ".join((bare(told(cable.z)), *more))
    return found


def named_jobs(design: Design, told: Renaming = str) -> dict[str, str]:
    """Jobs by their names, those without one by their number."""
    return {
        job.name or f"job {number}": job.in_words(told)
        for number, job in enumerate(design.jobs, start=1)
    }


def bare(text: str) -> str:
    """A selector with single spaces."""
    return " ".join(text.split())


def rows_of(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """A row for every key of a block that has a value, under its path: ``feeds.pdu``.

    An entry of a list is named by the place that it is about, where it says one.
    """
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json", exclude_defaults=True)
    if isinstance(value, Mapping):
        for key, inside in value.items():
            yield from rows_of(inside, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple) and any(isinstance(x, Mapping | BaseModel) for x in value):
        seen: Counter[str] = Counter()
        for entry in value:
            data = entry.model_dump(mode="json") if isinstance(entry, BaseModel) else entry
            name = _entry_name(data)
            seen[name] += 1
            number = f" ({seen[name]})" if seen[name] > 1 else ""
            yield from rows_of(entry, f"{path}{name}{number}")
    elif value is not None:
        yield path, _value_words(value)


def _entry_name(entry: Any) -> str:
    if not isinstance(entry, Mapping) or "code" not in entry:
        return "entry"
    where = entry.get("where")
    return f"{entry['code']} at {where}" if where else f"{entry['code']}"


def _value_words(value: Any) -> str:
    """A value as the file writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_value_words, value))
    return str(value)
