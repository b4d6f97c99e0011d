"""Going to a group or link of the fabric by a few letters of its name or part."""

from __future__ import annotations

from toposmith.text import counted
from toposmith.tui.asking import Asking, Go, Here, Say, pick
from toposmith.tui.questions import Choice


def find(here: Here) -> Asking:
    """Find a group or link by its name or part, and select it."""
    groups = here.design.groups
    choices = []
    for name, group in here.plan.groups.items():
        part = group.part.name if group.part is not None else group.spec.part
        devices = counted(group.instances, "device")
        choices.append(Choice(name, f"{name}   {part}, {devices}"))
    for index, link in enumerate(here.design.links):
        ends = (end.partition(".")[0] for end in link.between)
        parts = ", ".join(groups[end].part for end in ends if end in groups)
        choices.append(Choice(str(index), f"{' - '.join(link.between)}   link, {parts}"))
    if not choices:
        return Say("there is nothing to find yet: a adds the first part")
    found = yield from pick("go to", choices, typed=True)
    if found.isdigit():
        return Go(links=frozenset({int(found)}))
    return Go(frozenset({found}))
