"""Going to a group or link of the fabric by a few letters of its name or part."""

from __future__ import annotations

from toposmith.text import counted
from toposmith.tui.designer.designer import Designer
from toposmith.tui.questions import Choice


async def find(designer: Designer) -> None:
    """Find a group or link by its name or part, and select it."""
    bench = designer.editing.workbench
    choices = []
    for name, group in bench.plan.groups.items():
        part = group.part.name if group.part is not None else group.spec.part
        devices = counted(group.instances, "device")
        choices.append(Choice(name, f"{name}   {part}, {devices}"))
    for index, link in enumerate(bench.design.links):
        parts = ", ".join(
            bench.design.groups[end.partition(".")[0]].part
            for end in link.between
            if end.partition(".")[0] in bench.design.groups
        )
        choices.append(Choice(str(index), f"{' - '.join(link.between)}   link, {parts}"))
    if not choices:
        designer.messages.say("there is nothing to find yet: a adds the first part", "refused")
        return
    found = await designer.questions.find("go to", choices)
    if found is None:
        return
    if found.isdigit():
        designer.selection.select_link(int(found))
    else:
        designer.selection.select_group(found)
