"""What changed in the document: axes, groups, links, what is absent or down, and the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from toposmith.design.document import Design, FittedNics, Group, Link, SlowSpeed
from toposmith.review.differences.group_matches import (
    in_old_words,
    same_groups,
    same_links,
)

_IN_WORDS = ("name", "note")
_ELSEWHERE = (
    *("toposmith", "axes", "groups", "links", "absent", "down", "slow", "cables", "jobs"),
    "view",
    "pins",  # what was known of a design is no part of it
)

What = Literal["added", "removed", "changed", "renamed"]


@dataclass(frozen=True)
class Change:
    """One difference between two documents.

    Parameters
    ----------
    what : str
        ``added``, ``removed``, ``changed`` or ``renamed``.
    kind : str
        ``axis``, ``group``, ``link``, ``absent``, ``down``, ``order``, or a key of the design.
    where : str
        Its name; of what was renamed the new one.
    before, after : str
        What it says, in words; empty where it is not there.
    """

    what: What
    kind: str
    where: str
    before: str = ""
    after: str = ""


def changes(old: Design, new: Design) -> tuple[Change, ...]:
    """Everything in which two designs differ, order and places on the canvas aside.

    What an order decides is :mod:`toposmith.review.differences.order`'s.
    """
    same = same_groups(old, new)
    return (
        *_valued("axis", _texts(old.axes), _texts(new.axes)),
        *_groups(old, new, same),
        *_links(old, new, same),
        *_listed("absent", old.absent, new.absent, same),
        *_listed("down", old.down, new.down, same),
        *_slow(old, new, same),
        *_cables(old, new, same),
        *_jobs(old, new, same),
        *_rest(old, new),
    )


def nothing_in_common(old: Design, new: Design) -> bool:
    """Whether no group of one design is one of the other."""
    return not same_groups(old, new)


def _texts(values: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items()}


def _valued(kind: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Change]:
    for name in dict.fromkeys((*old, *new)):
        if name not in new:
            yield Change("removed", kind, name, old[name])
        elif name not in old:
            yield Change("added", kind, name, "", new[name])
        elif old[name] != new[name]:
            yield Change("changed", kind, name, old[name], new[name])


def _groups(old: Design, new: Design, same: Mapping[str, str]) -> Iterator[Change]:
    for name in old.groups:
        if name not in same.values():
            yield Change("removed", "group", name, _in_words(old.groups[name]))
    for name, group in new.groups.items():
        if name not in same:
            yield Change("added", "group", name, "", _in_words(group))
            continue
        if same[name] != name:
            yield Change("renamed", "group", name, same[name], name)
        yield from _inside(name, old.groups[same[name]], group)


def _inside(name: str, old: Group, new: Group) -> Iterator[Change]:
    fields = (
        ("part", old.part, new.part),
        ("per", ", ".join(old.per), ", ".join(new.per)),
        ("count", str(old.count), str(new.count)),
        ("note", old.note or "", new.note or ""),
    )
    for field, before, after in fields:
        if before != after:
            yield Change("changed", "group", f"{name} {field}", before, after)
    nics_before = {slots: _fitted(nic) for slots, nic in old.nics.items()}
    nics_after = {slots: _fitted(nic) for slots, nic in new.nics.items()}
    for slots in dict.fromkeys((*nics_before, *nics_after)):
        before = nics_before.get(slots, "as the node comes")
        after = nics_after.get(slots, "as the node comes")
        if before != after:
            yield Change("changed", "group", f"{name}.{slots} NICs", before, after)


def _in_words(group: Group) -> str:
    per = f" for each {', '.join(group.per)}" if group.per else ""
    nics = "".join(f", {slots}: {_fitted(nic)}" for slots, nic in group.nics.items())
    return f"{group.count} x {group.part}{per}{nics}"


def _fitted(nic: FittedNics) -> str:
    return f"{nic.count} x {nic.part}"


def _links(old: Design, new: Design, same: Mapping[str, str]) -> Iterator[Change]:
    """Links by their ends in old names; of several between two ends the first is the first."""
    known = same_links(old, new, same)
    before, after = {was for was, _ in known}, {now: was for was, now in known}
    for index, link in enumerate(old.links):
        if index not in before:
            yield Change("removed", "link", link.words, _link_words(link))
    for index, link in enumerate(new.links):
        label = link.words
        if index not in after:
            yield Change("added", "link", label, "", _link_words(link))
            continue
        was = old.links[after[index]]
        relations = [{same.get(a, a): w for a, w in one.along.items()} for one in (was, link)]
        if relations[0] != relations[1]:
            words = [", ".join(f"{a} {w}" for a, w in each.items()) for each in relations]
            yield Change("changed", "link", f"{' - '.join(link.between)} along", *words)
        for field, unit in (("cables", ""), ("speed", " Gb/s"), ("length", " m"), ("note", "")):
            one, other = getattr(was, field), getattr(link, field)
            if one != other:
                words = [_given(field, value, unit) for value in (one, other)]
                yield Change("changed", "link", f"{label} {field}", *words)


def _given(field: str, value: object, unit: str) -> str:
    not_given = {"cables": "as ports deal out", "speed": "the fastest of both", "length": "unknown"}
    if value is None:
        return not_given.get(field, "")
    return f"{value:g}{unit}" if isinstance(value, float) else f"{value}{unit}"


def _link_words(link: Link) -> str:
    said = [
        f"{field} {_given(field, getattr(link, field), unit)}"
        for field, unit in (("cables", ""), ("speed", " Gb/s"), ("length", " m"))
        if getattr(link, field) is not None
    ]
    return ", ".join(said) or "cables as ports deal out"


def _listed(
    kind: str, old: tuple[str, ...], new: tuple[str, ...], same: Mapping[str, str]
) -> Iterator[Change]:
    before = Counter(_bare(text) for text in old)
    after = Counter(_bare(in_old_words(text, same)) for text in new)
    for text in (before - after).elements():
        yield Change("removed", kind, text)
    for text in (after - before).elements():
        yield Change("added", kind, text)


def _slow(old: Design, new: Design, same: Mapping[str, str]) -> Iterator[Change]:
    before = {_bare(text): _speed(speed) for text, speed in old.slow.items()}
    after = {_bare(in_old_words(text, same)): _speed(speed) for text, speed in new.slow.items()}
    yield from _valued("slow", before, after)


def _jobs(old: Design, new: Design, same: Mapping[str, str]) -> Iterator[Change]:
    """Jobs by their names, those without one by their number, with their nodes in old words."""
    before = _named_jobs(old, lambda text: text)
    after = _named_jobs(new, lambda text: in_old_words(text, same))
    yield from _valued("job", before, after)


def _named_jobs(design: Design, told: Callable[[str], str]) -> dict[str, str]:
    return {
        job.name or f"job {number}": job.in_words(told)
        for number, job in enumerate(design.jobs, start=1)
    }


def _speed(speed: SlowSpeed) -> str:
    return _bare(speed) if isinstance(speed, str) else f"{speed:g} Gb/s"


def _cables(old: Design, new: Design, same: Mapping[str, str]) -> Iterator[Change]:
    """Single cables by the place that they lead from."""

    def by_end(design: Design, words: Callable[[str], str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for cable in design.cables:
            more = [f"{cable.speed} Gb/s"] if cable.speed else []
            more += [f"{cable.length:g} m"] if cable.length else []
            more += [cable.note] if cable.note else []
            found[words(cable.a)] = ", ".join((words(cable.z), *more))
        return found

    yield from _valued(
        "cables",
        by_end(old, _bare),
        by_end(new, lambda text: _bare(in_old_words(text, same))),
    )


def _bare(text: str) -> str:
    return " ".join(text.split())


def _rest(old: Design, new: Design) -> Iterator[Change]:
    for key in Design.model_fields:
        if key in _ELSEWHERE:
            continue
        one, other = getattr(old, key), getattr(new, key)
        if one == other:
            continue
        if key in _IN_WORDS:
            yield Change("changed", key, key, str(one or ""), str(other or ""))
        else:
            yield from _valued(key, dict(_rows(one)), dict(_rows(other)))


def _rows(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """A row for every key of a block that has a value, under its path: ``feeds.pdu``.

    An entry of a list is named by the place that it is about, where it says one.
    """
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json", exclude_defaults=True)
    if isinstance(value, Mapping):
        for key, inside in value.items():
            yield from _rows(inside, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple) and any(isinstance(x, Mapping | BaseModel) for x in value):
        seen: Counter[str] = Counter()
        for entry in value:
            data = entry.model_dump(mode="json") if isinstance(entry, BaseModel) else entry
            name = _entry_name(data)
            seen[name] += 1
            number = f" ({seen[name]})" if seen[name] > 1 else ""
            yield from _rows(entry, f"{path}{name}{number}")
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
