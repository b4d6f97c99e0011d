"""Replacing parts: of the chosen groups, or wherever a part is used."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from toposmith.catalog import Part
from toposmith.catalog.search import find_parts
from toposmith.design.edits import Edit, replace_part, set_part, set_parts
from toposmith.tui.designer.designer import Designer
from toposmith.tui.questions import Choice


async def replace(designer: Designer) -> None:
    """Replace the part of the marked groups; where none is marked, a part everywhere."""
    marked = designer.selection.chosen_groups
    if len(marked) > 1:
        await replace_in_groups(designer, marked)
    else:
        await replace_everywhere(designer)


async def replace_in_groups(designer: Designer, names: tuple[str, ...]) -> None:
    """Give groups another part, chosen with the figures that it gives in sight."""
    design = designer.editing.design
    old = design.groups[names[0]].part

    def edit(part: str) -> Edit:
        if len(names) == 1:
            return set_part(design, names[0], part)
        return set_parts(design, names, part)

    await _replace(designer, f"part of {', '.join(names)}", old, edit)


async def replace_everywhere(designer: Designer) -> None:
    """Replace a part in every group that uses it, also where it is fitted as a NIC."""
    design = designer.editing.design
    catalog = designer.editing.workbench.catalog
    used: dict[str, list[str]] = {}
    for name, group in design.groups.items():
        for part in (group.part, *(fitted.part for fitted in group.nics.values())):
            users = used.setdefault(part, [])
            if name not in users:
                users.append(name)
    if not used:
        designer.messages.say("there is no part to replace yet: a adds the first one", "refused")
        return
    here = design.groups[designer.selection.group].part if designer.selection.group else ""
    choices = []
    for part, users in used.items():
        known = catalog.get(part)
        shown = known.name if known is not None else part
        choices.append(Choice(part, f"{shown} in {', '.join(users)}"))
    old = await designer.questions.choose("replace which part everywhere", choices, at=here)
    if old is not None:
        await _replace(designer, f"{old} becomes", old, partial(replace_part, design, old))


async def _replace(designer: Designer, title: str, old: str, edit: Callable[[str], Edit]) -> None:
    catalog = designer.editing.workbench.catalog
    now = catalog.get(old)
    kinds = (now.kind,) if now else ("node", "switch", "nic")
    parts = [part for part in find_parts(catalog, "") if part.kind in kinds]
    choices = [_choice(part, old, edit) for part in _nearest_first(parts, now)]
    chosen = await designer.questions.find(title, choices)
    if chosen is not None:
        designer.editing.make(edit(chosen))


def _choice(part: Part, old: str, edit: Callable[[str], Edit]) -> Choice:
    refusal = "that is what it is" if part.id == old else ""
    return Choice(part.id, part.name, refusal=refusal, edit=partial(edit, part.id))


def _nearest_first(parts: list[Part], now: Part | None) -> list[Part]:
    """Parts of the same maker first: those are most often what replaces one."""
    maker = now.vendor if now is not None else ""
    return sorted(parts, key=lambda part: part.vendor != maker)
