"""Replacing parts: of the chosen groups, or wherever a part is used."""

from __future__ import annotations

from toposmith.catalog.search import find_parts, newest_first
from toposmith.design.edits import replace_part, set_part, set_parts
from toposmith.tui.asking import Asking, Asks, Here, Say, pick
from toposmith.tui.parts.part_lines import part_choice
from toposmith.tui.questions import Choice


def replace(here: Here) -> Asking:
    """Replace the part of the marked groups; where none is marked, a part everywhere."""
    if len(here.chosen) > 1:
        return (yield from replace_in_groups(here, here.chosen))
    return (yield from replace_everywhere(here))


def replace_in_groups(here: Here, names: tuple[str, ...]) -> Asking:
    """Give groups another part, chosen with the figures that it gives in sight."""
    old = here.design.groups[names[0]].part
    part = yield from _part(here, f"part of {', '.join(names)}", old)
    if len(names) == 1:
        return set_part(here.design, names[0], part)
    return set_parts(here.design, names, part)


def replace_everywhere(here: Here) -> Asking:
    """Replace a part in every group that uses it, also where it is fitted as a NIC."""
    used: dict[str, list[str]] = {}
    for name, group in here.design.groups.items():
        for part in (group.part, *(fitted.part for fitted in group.nics.values())):
            users = used.setdefault(part, [])
            if name not in users:
                users.append(name)
    if not used:
        return Say("there is no part to replace yet: a adds the first one")
    at = here.design.groups[here.group].part if here.group else ""
    choices = []
    for part, users in used.items():
        known = here.catalog.get(part)
        shown = known.name if known is not None else part
        choices.append(Choice(part, f"{shown} in {', '.join(users)}"))
    old = yield from pick("replace which part everywhere", choices, at, leads=True)
    return replace_part(here.design, old, (yield from _part(here, f"{old} becomes", old)))


def _part(here: Here, title: str, old: str) -> Asks[str]:
    """Which part of the same kind, those of the same maker first: most often one of them is it."""
    now = here.catalog.get(old)
    kinds = (now.kind,) if now else ("node", "switch", "nic")
    maker = now.vendor if now is not None else ""
    every = find_parts(here.catalog, "", newest_first(here.catalog))
    parts = [part for part in every if part.kind in kinds]
    parts.sort(key=lambda part: part.vendor != maker)
    choices = [
        part_choice(part, here.catalog, "that is what it is" if part.id == old else "")
        for part in parts
    ]
    return (yield from pick(title, choices, typed=True))
