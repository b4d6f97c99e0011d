"""Adding parts, fitting NICs and wiring groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from toposmith.catalog import Cable, Fibre, Nic, NvlinkSwitch, Part, Transceiver
from toposmith.catalog.kinds import kind_of
from toposmith.design.edits import Edit, add_group, add_link, fit_nics
from toposmith.errors import EditError
from toposmith.fabric.port_use import port_use
from toposmith.synthesis.wiring_ways import wiring_ways
from toposmith.text import counted
from toposmith.tui.asking import Asking, Asks, FlowEnded, Here, MadeEdit, Say, Target, number, pick
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
from toposmith.workbench import Workbench

MAX_CABLES = 1024


def add_part(here: Here, part: Part) -> Asking:
    """Put a chosen part on the canvas; a NIC goes into the selected node."""
    if isinstance(part, Nic):
        return (yield from _fit_chosen(here, part))
    if not kind_of(part).placed:
        where = "add nodes, switches and storage here"
        if isinstance(part, Cable | Transceiver | Fibre):
            where = f"the bill of materials picks it for the links you wire; {where}"
        return Say(f"{part.name} is a {part.kind}: {where}", "hint")
    name = propose_name(here.design, part, here.catalog)
    count = yield from number(
        f"how many {part.name} as {name!r}",
        propose_count(here.plan, part),
        hint="one group of equal devices; e changes the axes that it repeats over",
    )
    made = add_group(here.design, part.id, name=name, count=count)
    return MadeEdit(made, group=name, say=lambda bench: _what_next(bench, name))


def _what_next(bench: Workbench, name: str) -> str:
    group, done = bench.plan.groups[name], bench.history[-1]
    if group.host and not link_ends(group):
        return f"{done}; it has no NIC yet: n fits one"
    return (
        f"{done}; w wires it" if len(bench.design.groups) > 1 else f"{done}; a adds the next part"
    )


def fit(here: Here) -> Asking:
    """Fit NICs into the selected group's slots, chosen from those that fit."""
    name = here.group or ""
    group = here.plan.groups[name]
    node = group.host
    if node is None:
        return None
    if not node.slots:
        return Say(f"{node.name} has no slots for NICs")
    now = ""
    choices = [Choice(f"{slots}/", f"{slots}: leave empty") for slots in node.slots]
    for option in nic_choices(here.catalog, node, here.plan, name):
        note = option.fit.warning
        text = f"{option.slots}: {option.part.name}" + (f" ({note})" if note else "")
        fitted = group.port_groups[option.slots]
        if fitted.nic is not None and fitted.nic.id == option.part.id:
            now = f"{option.slots}/{option.part.id}"
            text += f", {fitted.nics} fitted now"
        choices.append(Choice(f"{option.slots}/{option.part.id}", text, refusal=option.refusal))
    order = list(node.slots)
    choices.sort(
        key=lambda choice: (
            bool(choice.refusal),
            order.index(choice.id.partition("/")[0]),
            choice.id.endswith("/"),
        )
    )
    chosen = yield from pick(f"NIC for the slots of {name} ({node.name})", choices, now)
    slots, _, part_id = chosen.partition("/")
    return (yield from _fit_into(here, name, slots, part_id))


def _fit_chosen(here: Here, nic: Nic) -> Asking:
    """Fit a NIC picked in the parts panel into the selected node."""
    name = here.group
    node = here.plan.groups[name].host if name else None
    if name is None or node is None:
        return Say("a NIC goes into a node: select a group of nodes first")
    every = nic_choices(here.catalog, node, here.plan, name)
    options = [option for option in every if option.part.id == nic.id]
    fitting = [option for option in options if not option.refusal]
    if not fitting:
        reason = options[0].refusal if options else f"{node.name} has no slots for NICs"
        return Say(f"{nic.name} does not fit {name}: {reason}")
    slots = fitting[0].slots
    if len(fitting) > 1:
        choices = [Choice(option.slots, option.slots) for option in fitting]
        slots = yield from pick(f"which slots of {name} for {nic.name}", choices)
    return (yield from _fit_into(here, name, slots, nic.id))


def _fit_into(here: Here, name: str, slots: str, part_id: str) -> Asking:
    node = here.plan.groups[name].host
    if node is None:
        return None
    room = node.slots[slots]
    if not part_id:
        kept = here.plan.groups[name].port_groups[slots].nic
        filler = kept.id if kept else room.nic
        if filler is None:
            return Say(f"{name}.{slots} is empty already", "hint")
        return fit_nics(here.design, name, slots, filler, 0)

    def edit(count: int) -> Edit:
        return fit_nics(here.design, name, slots, part_id, count)

    count = yield from number(
        f"how many in the {counted(room.count, 'slot')} {name}.{slots}",
        _most_accepted(here.bench, edit, room.count),
        highest=room.count,
    )
    return edit(count)


def _most_accepted(bench: Workbench, edit: Callable[[int], Edit], highest: int) -> int:
    """The largest number whose edit is not refused, to be proposed; the highest if none is."""
    for many in range(highest, 0, -1):
        with suppress(EditError):
            bench.judge(edit(many))
            return many
    return highest


def wire(here: Here) -> Asking:
    """Wire the selected group, or the one above a selected link, to one picked on the canvas."""
    source = here.group or _above(here)
    if len(here.design.groups) < 2 and not _axes_of_switches(here, source):
        return Say("there is nothing to wire to yet: a adds a switch")
    target = yield Target(source, likely_targets(here.plan, here.catalog, source))
    return (yield from wire_groups(here, source, target))


def _above(here: Here) -> str:
    """The group at the upper end of the selected link: its switches, where one end is nodes."""
    if here.link is None:
        return ""
    ends = [end.partition(".")[0] for end in here.design.links[here.link].between]
    switches = [name for name in ends if here.plan.groups[name].host is None]
    return (switches or ends)[-1]


def wire_groups(here: Here, source: str, target: str) -> Asking:
    """Wire two groups: which ports, then how many cables; one with itself: along which axis."""
    index = len(here.design.links)
    if source == target:
        return (yield from _wire_along(here, source))
    if _leads_to_nvlink(here, source, target):
        return MadeEdit(joined_by_nvlink(here.bench, source, target), link=index)
    ends = ((yield from _end(here, source)), (yield from _end(here, target)))
    a, b = _upwards(here, *ends)

    def edit(cables: int) -> Edit:
        return add_link(here.design, a, b, cables=cables)

    edit(1)
    if reason := no_room(here.plan, here.catalog, a, b):
        return (yield from _spread(here, a, b, reason))
    cables = yield from number(
        f"cables from each {a} to each {b}",
        propose_cables(here.plan, here.catalog, a, b),
        highest=MAX_CABLES,
        told=lambda cables: cabling_words(here.plan, here.catalog, edit(cables), index),
    )
    return MadeEdit(_dealt(here, a, b, cables), link=index)


def _leads_to_nvlink(here: Here, *ends: str) -> bool:
    """Whether one of two groups is of NVLink switches."""
    return any(isinstance(here.plan.groups[end].part, NvlinkSwitch) for end in ends)


def _axes_of_switches(here: Here, name: str) -> dict[str, int]:
    """The axes with several values that switches of a group can be joined along."""
    group = here.plan.groups.get(name)
    if group is None or group.cages is None:
        return {}
    sizes = dict(zip(group.axes, group.sizes, strict=True))
    if (
        group.switch is None
    ):  # NVLink switches are joined to their counterparts in other racks alone
        sizes = {axis: sizes[axis] for axis in group.axes[-2:-1]}
    return {axis: size for axis, size in sizes.items() if size > 1}


def _wire_along(here: Here, name: str) -> Asking:
    """Join the switches of a group along an axis: which and how, then how many cables."""
    axes = _axes_of_switches(here, name)
    if not axes:
        return Say(f"{name} is one switch only; give it a count or an axis")
    ways = {
        f"{word} {axis}": ({axis: word}, text)
        for axis, size in axes.items()
        for word, text in (
            ("next", f"next along {axis}: a ring of {size}"),
            ("other", f"other along {axis}: each of {size} with all others"),
        )
        if word == "other" or not _leads_to_nvlink(here, name)
    }
    choices = [Choice(key, text) for key, (_, text) in ways.items()]
    chosen = yield from pick(f"how the switches of {name} are joined", choices)
    along: Mapping[str, str] = ways[chosen][0]
    index = len(here.design.links)

    def edit(cables: int) -> Edit:
        return add_link(here.design, name, name, along=along, cables=cables)

    cables = yield from number(
        f"cables from each {name} to each that it meets",
        1,
        highest=MAX_CABLES,
        told=lambda cables: cabling_words(here.plan, here.catalog, edit(cables), index),
    )
    return MadeEdit(edit(cables), link=index)


def _spread(here: Here, a: str, b: str, reason: str) -> Asking:
    """Where not every device of one end reaches every one of the other, offer ways to spread."""
    ways = wiring_ways(here.plan, here.catalog, a, b)
    if not ways:
        return Say(reason)
    node = a.partition(".")[0]
    nodes, leaves = (counted(here.design.groups[name].count, name) for name in (node, b))
    chosen = yield from pick(
        f"spread {nodes} over {leaves}, since {reason.partition(';')[0]}",
        [Choice(str(at), way.label) for at, way in enumerate(ways)],
    )
    return MadeEdit(ways[int(chosen)], link=len(here.design.links))


def _dealt(here: Here, a: str, b: str, cables: int) -> Edit:
    """Leave the number out of the file where a node's ports are dealt evenly anyway."""
    host = here.plan.groups[a.partition(".")[0]].host
    if host and even_deal(here.plan, here.catalog, a, b) == cables:
        return add_link(here.design, a, b)
    return add_link(here.design, a, b, cables=cables)


def _end(here: Here, name: str) -> Asks[str]:
    """The end of a link at a group; asks which slots where several have NICs."""
    group = here.plan.groups[name]
    ends = link_ends(group)
    if not ends:
        what = "its part is not in the catalog" if group.part is None else "n fits a NIC first"
        raise FlowEnded(Say(f"{name} has no ports to wire: {what}"))
    if len(ends) == 1:
        return ends[0]
    choices = []
    for end in ends:
        slots = end.partition(".")[2]
        ports = group.port_groups[slots]
        nic = f"{ports.nics} x {ports.nic.name}" if ports.nic else ""
        taken = port_use(here.plan)[name, slots].free <= 0
        refusal = "all of them have cables" if taken else ""
        choices.append(
            Choice(end, f"{end}, {counted(ports.ports, 'port')}: {nic}", refusal=refusal)
        )
    return (yield from pick(f"which ports of {name}", choices))


def _upwards(here: Here, a: str, b: str) -> tuple[str, str]:
    """Nodes first, then switches in the order they were added: links read from below."""
    groups = here.plan.groups
    order = list(groups)

    def height(end: str) -> tuple[bool, int]:
        name = end.partition(".")[0]
        return (groups[name].switch is not None, order.index(name))

    return (a, b) if height(a) <= height(b) else (b, a)
