"""What changed in the document: axes, groups, links, what is absent or down, and the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from toposmith.design.document import Design, Group, Link
from toposmith.design.statements import (
    IN_WORDS,
    LINK_FIELDS,
    Renaming,
    bare,
    fitted_words,
    group_values,
    named_jobs,
    other_keys,
    rows_of,
    single_cables,
    slow_speeds,
)
from toposmith.review.differences.group_matches import (
    in_old_words,
    same_groups,
    same_links,
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
        *_by_place("slow", slow_speeds, old, new, same),
        *_by_place("cables", single_cables, old, new, same),
        *_by_place("job", named_jobs, old, new, same),
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
    before, after = group_values(old), group_values(new)
    for field in dict.fromkeys((*before, *after)):
        was, now = (values.get(field, "as the node comes") for values in (before, after))
        if was != now:
            dot = "." if field not in Group.model_fields else " "
            yield Change("changed", "group", f"{name}{dot}{field}", was, now)


def _in_words(group: Group) -> str:
    per = f" for each {', '.join(group.per)}" if group.per else ""
    nics = "".join(f", {slots}: {fitted_words(nic)}" for slots, nic in group.nics.items())
    return f"{group.count} x {group.part}{per}{nics}"


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
        for field in LINK_FIELDS:
            one, other = getattr(was, field), getattr(link, field)
            if one != other:
                words = [_given(field, value) for value in (one, other)]
                yield Change("changed", "link", f"{label} {field}", *words)


def _given(field: str, value: object) -> str:
    not_given = {"cables": "as ports deal out", "speed": "the fastest of both", "length": "unknown"}
    if value is None:
        return not_given.get(field, "")
    unit = {"speed": " Gb/s", "length": " m"}.get(field, "")
    return f"{value:g}{unit}" if isinstance(value, float) else f"{value}{unit}"


def _link_words(link: Link) -> str:
    said = [
        f"{field} {_given(field, getattr(link, field))}"
        for field in ("cables", "speed", "length")
        if getattr(link, field) is not None
    ]
    return ", ".join(said) or "cables as ports deal out"


def _listed(
    kind: str, old: tuple[str, ...], new: tuple[str, ...], same: Mapping[str, str]
) -> Iterator[Change]:
    before = Counter(bare(text) for text in old)
    after = Counter(bare(in_old_words(text, same)) for text in new)
    for text in (before - after).elements():
        yield Change("removed", kind, text)
    for text in (after - before).elements():
        yield Change("added", kind, text)


def _by_place(
    kind: str,
    said: Callable[[Design, Renaming], dict[str, str]],
    old: Design,
    new: Design,
    same: Mapping[str, str],
) -> Iterator[Change]:
    """What is said by place, with the new design in the names that groups had in the old one."""
    yield from _valued(kind, said(old, str), said(new, partial(in_old_words, same=same)))


def _rest(old: Design, new: Design) -> Iterator[Change]:
    for key in other_keys():
        one, other = getattr(old, key), getattr(new, key)
        if one == other:
            continue
        if key in IN_WORDS:
            yield Change("changed", key, key, str(one or ""), str(other or ""))
        else:
            yield from _valued(key, dict(rows_of(one)), dict(rows_of(other)))
