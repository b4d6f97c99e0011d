"""Which group of the old design is which group of the new one, names aside."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from functools import partial

from toposmith.design.document import Design, Group
from toposmith.design.statements import link_keys


def same_groups(old: Design, new: Design) -> dict[str, str]:
    """Old names of groups by their new names; groups that only one design has are left out.

    Equal names are the same group. Of the others those are the same that agree in everything but
    their note, then those of one part over the same axes, then those of one part alone; each only
    where no second candidate could be meant.
    """
    found = {name: name for name in new.groups if name in old.groups}
    for alike in (_everything, _part_and_axes, _part):
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


def _part_and_axes(group: Group) -> Hashable:
    return group.part, group.per


def _part(group: Group) -> Hashable:
    return group.part


def _alone(groups: Mapping[str, Group], alike: Callable[[Group], Hashable]) -> dict[Hashable, str]:
    """Names by what groups agree in, where only one group has it."""
    names: dict[Hashable, list[str]] = {}
    for name, group in groups.items():
        names.setdefault(alike(group), []).append(name)
    return {key: of[0] for key, of in names.items() if len(of) == 1}
