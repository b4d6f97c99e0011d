"""What changed in the document: axes, groups, links, what is absent or down, and the rest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
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
    link_keys,
    named_jobs,
    other_keys,
    rows_of,
    single_cables,
    slow_speeds,
)
from toposmith.fabric.plan import LinkEnd, LinkPlan, Plan


def same_groups(old: Design, new: Design) -> dict[str, str]:
    """Old names of groups by their new names; groups that only one design has are left out.

    Equal names are the same group. Of the others those are the same that agree in everything but
    their note, then those of one part over the same axes, then those of one part alone; each only
    where no second candidate could be meant.
    """
    found = {name: name for name in new.groups if name in old.groups}
    for alike in (_everything, lambda group: (group.part, group.per), lambda group: group.part):
        gone = {n: g for n, g in old.groups.items() if n not in found.values()}
        come = {n: g for n, g in new.groups.items() if n not in found}
        for key, name in _alone(come, alike).items():
            if (before := _alone(gone, alike).get(key)) is not None:
                found[name] = before
    return {name: found[name] for name in new.groups if name in found}


def in_old_words(text: str, same: Mapping[str, str]) -> str:
    """A selector or the end of a link with the old names of its groups."""
    renamed = {new: old for new, old in same.items() if new != old}
    if not renamed:
        return text
    words = "|".join(map(re.escape, renamed))
    return re.sub(rf"(?<![\w.-])({words})(?![\w-])", lambda m: renamed[m[1]], text)


def same_links(old: Design, new: Design, same: Mapping[str, str]) -> list[tuple[int, int]]:
    """Links of both designs by their numbers: of several between two ends the first is the first.

    Parameters
    ----------
    old, new : Design
        The two designs.
    same : mapping
        What :func:`same_groups` found.
    """
    before = {key: index for index, key in enumerate(link_keys(old.links))}
    after = enumerate(link_keys(new.links, partial(in_old_words, same=same)))
    return [(before[key], index) for index, key in after if key in before]


def _everything(group: Group) -> Hashable:
    nics = tuple(sorted((slots, nic.part, nic.count) for slots, nic in group.nics.items()))
    return group.part, group.per, group.count, nics


def _alone(groups: Mapping[str, Group], alike: Callable[[Group], Hashable]) -> dict[Hashable, str]:
    """Names by what groups agree in, where only one group has it."""
    names: dict[Hashable, list[str]] = {}
    for name, group in groups.items():
        names.setdefault(alike(group), []).append(name)
    return {key: of[0] for key, of in names.items() if len(of) == 1}


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

    What an order decides is :mod:`toposmith.review.differences.changes`'s.
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
    not_given |= dict.fromkeys(("cable", "module", "medium"), "as the bill chooses")
    if value is None:
        return not_given.get(field, "")
    if isinstance(value, tuple):
        return ", ".join(value)
    unit = {"speed": " Gb/s", "length": " m"}.get(field, "")
    return f"{value:g}{unit}" if isinstance(value, float) else f"{value}{unit}"


def _link_words(link: Link) -> str:
    said = [
        f"{field} {_given(field, getattr(link, field))}"
        for field in LINK_FIELDS[:-1]
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


def dealt_otherwise(old: Plan, new: Plan) -> Iterator[Change]:
    """Links of both designs that take other ports of a node than before."""
    same = same_groups(old.design, new.design)
    before, after = ({link.index: link for link in plan.links} for plan in (old, new))
    for was, now in same_links(old.design, new.design, same):
        if was in before and now in after:
            yield from _other_ports(old, before[was], new, after[now], same)


def _other_ports(
    old: Plan, was: LinkPlan, new: Plan, now: LinkPlan, same: Mapping[str, str]
) -> Iterator[Change]:
    for end in (now.a, now.b):
        name = same.get(end.group)
        if not end.ports or name not in (was.a.group, was.b.group):
            continue
        before = was.end_of(name)
        if before.ports == end.ports and before.first_port != end.first_port:
            words = _ports(old, was, before), _ports(new, now, end)
            yield Change("changed", "link", f"{now.label} ports of {end.label}", *words)


def _ports(plan: Plan, link: LinkPlan, end: LinkEnd) -> str:
    """The numbers of the ports that a link takes of each node: ``4 to 7``."""
    there = plan.groups[end.group].port_groups[end.ports].ports
    last = min(end.first_port + link.cables_at(end.group), there) - 1
    return f"{end.first_port}" if last <= end.first_port else f"{end.first_port} to {last}"


def order_of_the_file(old: Plan, new: Plan) -> Iterator[Change]:
    """Groups, links and axes that both designs have, in another order.

    Groups keep the order of ranks and racks; of links :func:`dealt_otherwise` says more where
    ports of nodes are others.
    """
    one, other = old.design, new.design
    same = same_groups(one, other)
    groups = [same.get(name, name) for name in other.groups]
    links = [_ends(link.between, same) for link in other.links]
    for key, before, after in (
        ("groups", list(one.groups), groups),
        ("links", [_ends(link.between, {}) for link in one.links], links),
        ("axes", list(one.axes), list(other.axes)),
    ):
        common = [[name for name in before if name in after], [n for n in after if n in before]]
        if common[0] != common[1]:
            yield Change("changed", "order", key, *map(", ".join, common))


def _ends(between: Sequence[str], same: Mapping[str, str]) -> str:
    return " - ".join(sorted(in_old_words(end, same) for end in between))
