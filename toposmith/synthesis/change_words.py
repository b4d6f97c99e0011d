"""A change found by search in words: what replaces what."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog import Catalog
from toposmith.design.document import Design
from toposmith.design.edits import Edit
from toposmith.design.edits.moved_selectors import carried
from toposmith.synthesis.repairs import mended_words
from toposmith.text import counted, joined


def in_words(before: Design, edit: Edit, catalog: Catalog) -> Edit:
    """The edit, said as a person would: ``replace leaf with SN3700``, ``4 spines instead of 2``.

    Where groups repeat over other axes, the edit's own words say it better.
    """
    after = edit.design
    kept = [name for name in before.groups if name in after.groups]
    alike = before.axes == after.axes and all(
        before.groups[name].per == after.groups[name].per for name in kept
    )
    new = [name for name in after.groups if name not in before.groups]
    if not alike or any(after.groups[name].per for name in new):
        return edit
    changed = after.model_copy(update={"groups": {name: after.groups[name] for name in kept}})
    words = [*_mended(before, after), *_without(before, after), *_parts(before, changed, catalog)]
    words += [*_nics(before, changed, catalog), *_counts(before, changed)]
    words += [*_cables(before, after), *(_added(after, name) for name in new)]
    return Edit(after, "; ".join(words)) if words else edit


def _mended(before: Design, after: Design) -> Iterator[str]:
    marks = dict.fromkeys((*before.down, *before.slow))
    left = {*after.down, *after.slow}
    mended = [
        text for text in marks if not left.issuperset(carried([text], before, after, devices=True))
    ]
    if mended:
        yield mended_words(mended, before)


def _without(before: Design, after: Design) -> Iterator[str]:
    gone = [name for name in before.groups if name not in after.groups]
    if gone:
        yield f"leave out {joined(gone)}"


def _parts(before: Design, after: Design, catalog: Catalog) -> Iterator[str]:
    swapped: dict[str, list[str]] = {}
    for name, group in after.groups.items():
        if group.part != before.groups[name].part:
            swapped.setdefault(group.part, []).append(name)
    for part, names in swapped.items():
        yield f"replace {joined(names)} with {_name(part, catalog)}"


def _nics(before: Design, after: Design, catalog: Catalog) -> Iterator[str]:
    for name, group in after.groups.items():
        had = before.groups[name].nics
        for slots, fitted in group.nics.items():
            if had.get(slots) == fitted:
                continue
            was = had.get(slots)
            instead = ""
            if was is not None and was.part == fitted.part:
                instead = f" instead of {was.count}"
            elif was is not None and was.count:
                instead = f" instead of {was.count} x {_name(was.part, catalog)}"
            part = _name(fitted.part, catalog)
            yield f"{fitted.count} x {part} in {name}.{slots}{instead}"


def _counts(before: Design, after: Design) -> Iterator[str]:
    for name, group in after.groups.items():
        was = before.groups[name].count
        if group.count != was:
            per = f" per {' and '.join(group.per)}" if group.per else ""
            yield f"{counted(group.count, f'{name}{per}')} instead of {was:,}"


def _cables(before: Design, after: Design) -> Iterator[str]:
    had = {link.words: link for link in before.links}
    for link in after.links:
        label = link.words
        was = had.get(label)
        if was is None:
            continue
        if was.cables != link.cables and link.cables is not None:
            yield f"{counted(link.cables, 'cable')} instead of {was.cables or 1} for each {label}"
        if was.speed != link.speed:
            yield f"{label} as fast as both ends run"


def _added(after: Design, name: str) -> str:
    """``1 spine above leaf, 4 cables from each``: a group that is new, and how it is joined."""
    ends = [(link, [end.partition(".")[0] for end in link.between]) for link in after.links]
    cables = [
        f"{counted(link.cables or 1, 'cable')} from each {end}"
        for link, groups in ends
        for end in groups
        if name in groups and end != name
    ]
    return f"add {counted(after.groups[name].count, name)}, {joined(cables)}"


def _name(part: str, catalog: Catalog) -> str:
    found = catalog.get(part)
    if found is None:
        return part
    # of a switch only what it is called; NICs of one name differ after the comma
    return found.name.partition(",")[0] if found.kind == "switch" else found.name
