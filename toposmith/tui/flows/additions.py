"""Adding parts, fitting NICs and wiring groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial

from toposmith.catalog import Cable, Fibre, Nic, NvlinkSwitch, Part, Transceiver
from toposmith.catalog.kinds import kind_of
from toposmith.design.edits import Edit, add_group, add_link, fit_nics
from toposmith.errors import EditError
from toposmith.fabric.port_use import port_use
from toposmith.synthesis.wiring_ways import wiring_ways
from toposmith.text import counted
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.prompts import ask_number
from toposmith.tui.parts.fits import nic_choices
from toposmith.tui.parts.suggestions import (
    cabling_words,
    even_deal,
    joined_by_nvlink,
    likely_targets,
    link_ends,
    no_room,
    propose_cables,
    propose_count,
    propose_name,
)
from toposmith.tui.questions import Choice

MAX_CABLES = 1024


async def add_part(designer: Designer, part: Part) -> None:
    """Put a chosen part on the canvas; a NIC goes into the selected node."""
    if isinstance(part, Nic):
        await _fit_chosen(designer, part)
        return
    if not kind_of(part).placed:
        where = "add nodes, switches and storage here"
        if isinstance(part, Cable | Transceiver | Fibre):
            where = f"the bill of materials picks it for the links you wire; {where}"
        designer.messages.say(f"{part.name} is a {part.kind}: {where}", "hint")
        return
    bench = designer.editing.workbench
    name = propose_name(bench.design, part, bench.catalog)

    def edit(count: int) -> Edit:
        return add_group(bench.design, part.id, name=name, count=count)

    count = await ask_number(
        designer,
        f"how many {part.name} as {name!r}",
        propose_count(bench.plan, part),
        hint="one group of alike devices; e changes the axes that it repeats over",
        edit=edit,
    )
    if count is not None and designer.editing.make(edit(count)):
        designer.selection.select_group(name)
        _say_what_next(designer, name)


def _say_what_next(designer: Designer, name: str) -> None:
    bench = designer.editing.workbench
    group = bench.plan.groups[name]
    done = bench.history[-1]
    if group.host and not link_ends(group):
        designer.messages.say(f"{done}; it has no NIC yet: n fits one")
    elif len(bench.design.groups) > 1:
        designer.messages.say(f"{done}; w wires it")
    else:
        designer.messages.say(f"{done}; a adds the next part")


async def fit(designer: Designer) -> None:
    """Fit NICs into the selected group's slots, chosen from those that fit."""
    bench = designer.editing.workbench
    name = designer.selection.group or ""
    node = bench.plan.groups[name].host
    if node is None:
        return
    if not node.slots:
        designer.messages.say(f"{node.name} has no slots for NICs", "refused")
        return
    now = ""
    choices = [Choice(f"{slots}/", f"{slots}: leave empty") for slots in node.slots]
    for option in nic_choices(bench.catalog, node, bench.plan, name):
        note = option.fit.warning
        text = f"{option.slots}: {option.part.name}" + (f" ({note})" if note else "")
        fitted = bench.plan.groups[name].port_groups[option.slots]
        if fitted.nic is not None and fitted.nic.id == option.part.id:
            now = f"{option.slots}/{option.part.id}"
            text += f", {fitted.nics} fitted now"
        edit = partial(
            fit_nics,
            bench.design,
            name,
            option.slots,
            option.part.id,
            node.slots[option.slots].count,
        )
        choices.append(
            Choice(f"{option.slots}/{option.part.id}", text, refusal=option.refusal, edit=edit)
        )
    order = list(node.slots)
    choices.sort(
        key=lambda choice: (
            bool(choice.refusal),
            order.index(choice.id.partition("/")[0]),
            choice.id.endswith("/"),
        )
    )
    chosen = await designer.questions.choose(
        f"NIC for the slots of {name} ({node.name})", choices, at=now
    )
    if chosen is None:
        return
    slots, _, part_id = chosen.partition("/")
    await _fit_into(designer, name, slots, part_id)


async def _fit_chosen(designer: Designer, nic: Nic) -> None:
    """Fit a NIC picked in the parts panel into the selected node."""
    name = designer.selection.group
    node = designer.editing.workbench.plan.groups[name].host if name else None
    if name is None or node is None:
        designer.messages.say("a NIC goes into a node: select a group of nodes first", "refused")
        return
    bench = designer.editing.workbench
    every = nic_choices(bench.catalog, node, bench.plan, name)
    options = [option for option in every if option.part.id == nic.id]
    fitting = [option for option in options if not option.refusal]
    if not fitting:
        reason = options[0].refusal if options else f"{node.name} has no slots for NICs"
        designer.messages.say(f"{nic.name} does not fit {name}: {reason}", "refused")
        return
    slots: str | None = fitting[0].slots
    if len(fitting) > 1:
        choices = [Choice(option.slots, option.slots) for option in fitting]
        slots = await designer.questions.choose(f"which slots of {name} for {nic.name}", choices)
    if slots is not None:
        await _fit_into(designer, name, slots, nic.id)


async def _fit_into(designer: Designer, name: str, slots: str, part_id: str) -> None:
    bench = designer.editing.workbench
    node = bench.plan.groups[name].host
    if node is None:
        return
    if not part_id:
        kept = bench.plan.groups[name].port_groups[slots].nic
        room = node.slots[slots]
        filler = kept.id if kept else room.nic
        if filler is None:
            designer.messages.say(f"{name}.{slots} is empty already", "hint")
            return
        designer.editing.make(fit_nics(bench.design, name, slots, filler, 0))
        return
    room_count = node.slots[slots].count

    def edit(count: int) -> Edit:
        return fit_nics(bench.design, name, slots, part_id, count)

    count = await ask_number(
        designer,
        f"how many in the {counted(room_count, 'slot')} {name}.{slots}",
        _most_accepted(designer, edit, room_count),
        highest=room_count,
        edit=edit,
    )
    if count is not None:
        designer.editing.make(edit(count))


def _most_accepted(designer: Designer, edit: Callable[[int], Edit], highest: int) -> int:
    """The largest number whose edit is not refused, to be proposed; the highest if none is."""
    for number in range(highest, 0, -1):
        with suppress(EditError):
            designer.editing.workbench.judge(edit(number))
            return number
    return highest


async def wire(designer: Designer) -> None:
    """Wire the selected group to another one, picked on the canvas."""
    bench = designer.editing.workbench
    source = designer.selection.group or ""
    if len(bench.design.groups) < 2 and not _axes_of_switches(designer, source):
        designer.messages.say("there is nothing to wire to yet: a adds a switch", "refused")
        return
    likely = likely_targets(bench.plan, bench.catalog, source)
    target = await designer.selection.pick_target(source, likely)
    if target is not None:
        designer.messages.say(f"wire {source} to {target}", "hint")
        await wire_groups(designer, source, target)


async def wire_groups(designer: Designer, source: str, target: str) -> None:
    """Wire two groups: which ports, then how many cables; one with itself: along which axis."""
    if source == target:
        await _wire_along(designer, source)
        return
    if _leads_to_nvlink(designer, source, target):
        if designer.editing.make(joined_by_nvlink(designer.editing.workbench, source, target)):
            designer.selection.select_link(len(designer.editing.design.links) - 1)
        return
    ends: list[str] = []
    for name in (source, target):
        end = await _end(designer, name)
        if end is None:
            return
        ends.append(end)
    bench = designer.editing.workbench
    a, b = _upwards(designer, *ends)
    proposed = propose_cables(bench.plan, bench.catalog, a, b)

    def edit(cables: int) -> Edit:
        return add_link(bench.design, a, b, cables=cables)

    try:
        edit(1)
    except EditError as refused:
        designer.messages.say(str(refused), "refused")
        return
    if reason := no_room(bench.plan, bench.catalog, a, b):
        await _spread(designer, a, b, reason)
        return
    index = len(bench.design.links)
    cables = await ask_number(
        designer,
        f"cables from each {a} to each {b}",
        proposed,
        highest=MAX_CABLES,
        edit=edit,
        told=lambda cables: cabling_words(bench.plan, bench.catalog, edit(cables), index),
    )
    if cables is not None and designer.editing.make(_dealt(designer, a, b, cables)):
        designer.selection.select_link(len(designer.editing.design.links) - 1)


def _leads_to_nvlink(designer: Designer, *ends: str) -> bool:
    """Whether one of two groups is of NVLink switches."""
    groups = designer.editing.workbench.plan.groups
    return any(isinstance(groups[end].part, NvlinkSwitch) for end in ends)


def _axes_of_switches(designer: Designer, name: str) -> dict[str, int]:
    """The axes with several values that switches of a group can be joined along."""
    group = designer.editing.workbench.plan.groups.get(name)
    if group is None or group.cages is None:
        return {}
    sizes = dict(zip(group.axes, group.sizes, strict=True))
    if (
        group.switch is None
    ):  # NVLink switches are joined to their counterparts in other racks alone
        sizes = {axis: sizes[axis] for axis in group.axes[-2:-1]}
    return {axis: size for axis, size in sizes.items() if size > 1}


async def _wire_along(designer: Designer, name: str) -> None:
    """Join the switches of a group along an axis: which and how, then how many cables."""
    bench = designer.editing.workbench
    axes = _axes_of_switches(designer, name)
    if not axes:
        designer.messages.say(f"{name} is one switch only; give it a count or an axis", "refused")
        return

    def edit(along: Mapping[str, str], cables: int) -> Edit:
        return add_link(bench.design, name, name, along=along, cables=cables)

    ways = {
        f"{word} {axis}": ({axis: word}, text)
        for axis, size in axes.items()
        for word, text in (
            ("next", f"next along {axis}: a ring of {size}"),
            ("other", f"other along {axis}: each of {size} with all others"),
        )
        if word == "other" or not _leads_to_nvlink(designer, name)
    }
    choices = [
        Choice(key, text, edit=partial(edit, along, 1)) for key, (along, text) in ways.items()
    ]
    chosen = await designer.questions.choose(f"how the switches of {name} are joined", choices)
    if chosen is None:
        return
    along, _ = ways[chosen]
    index = len(bench.design.links)
    cables = await ask_number(
        designer,
        f"cables from each {name} to each that it meets",
        1,
        highest=MAX_CABLES,
        edit=partial(edit, along),
        told=lambda cables: cabling_words(bench.plan, bench.catalog, edit(along, cables), index),
    )
    if cables is not None and designer.editing.make(edit(along, cables)):
        designer.selection.select_link(len(designer.editing.design.links) - 1)


async def _spread(designer: Designer, a: str, b: str, reason: str) -> None:
    """Where not every device of one end reaches every one of the other, offer ways to spread."""
    bench = designer.editing.workbench
    ways = wiring_ways(bench.plan, bench.catalog, a, b)
    if not ways:
        designer.messages.say(reason, "refused")
        return
    node = a.partition(".")[0]
    nodes, leaves = (counted(bench.design.groups[name].count, name) for name in (node, b))
    chosen = await designer.questions.choose(
        f"spread {nodes} over {leaves}, since {reason.partition(';')[0]}",
        [Choice(str(at), way.label, edit=lambda way=way: way) for at, way in enumerate(ways)],  # type: ignore[misc]
    )
    if chosen is not None and designer.editing.make(ways[int(chosen)]):
        designer.selection.select_link(len(designer.editing.design.links) - 1)


def _dealt(designer: Designer, a: str, b: str, cables: int) -> Edit:
    """Leave the number out of the file where a node's ports are dealt evenly anyway."""
    bench = designer.editing.workbench
    if (
        bench.plan.groups[a.partition(".")[0]].host
        and even_deal(bench.plan, bench.catalog, a, b) == cables
    ):
        return add_link(bench.design, a, b)
    return add_link(bench.design, a, b, cables=cables)


async def _end(designer: Designer, name: str) -> str | None:
    """The end of a link at a group; asks which slots where several have NICs."""
    group = designer.editing.workbench.plan.groups[name]
    ends = link_ends(group)
    if not ends:
        what = "its part is not in the catalog" if group.part is None else "n fits a NIC first"
        designer.messages.say(f"{name} has no ports to wire: {what}", "refused")
        return None
    if len(ends) == 1:
        return ends[0]
    choices = []
    for end in ends:
        slots = end.partition(".")[2]
        ports = group.port_groups[slots]
        nic = f"{ports.nics} x {ports.nic.name}" if ports.nic else ""
        taken = port_use(designer.editing.workbench.plan)[name, slots].free <= 0
        refusal = "all of them have cables" if taken else ""
        choices.append(
            Choice(end, f"{end}, {counted(ports.ports, 'port')}: {nic}", refusal=refusal)
        )
    return await designer.questions.choose(f"which ports of {name}", choices)


def _upwards(designer: Designer, a: str, b: str) -> tuple[str, str]:
    """Nodes first, then switches in the order they were added: links read from below."""
    groups = designer.editing.workbench.plan.groups
    order = list(groups)

    def height(end: str) -> tuple[bool, int]:
        name = end.partition(".")[0]
        return (groups[name].switch is not None, order.index(name))

    return (a, b) if height(a) <= height(b) else (b, a)
