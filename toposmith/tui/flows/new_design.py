"""Filling an empty canvas from a template, by a few questions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod

from toposmith.catalog import Catalog, Node, Switch
from toposmith.catalog.search import find_parts
from toposmith.design.document import Design, Group
from toposmith.design.edits import Edit, fill, fit_nics
from toposmith.errors import EditError
from toposmith.fabric.planner import plan_design
from toposmith.templates import TEMPLATES, SettingValue, Template, new_design
from toposmith.templates.template_settings import PARTS, read_settings
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.files import may_leave, show
from toposmith.tui.flows.further_networks import NETWORKS, ask_network, is_asked
from toposmith.tui.flows.prompts import ask_number
from toposmith.tui.keeping.session import new_session
from toposmith.tui.parts.fits import fits_group, nic_choices
from toposmith.tui.questions import Choice

OFFERED = tuple(name for name in TEMPLATES if name != "empty")
"""The templates that are offered, by the names that `new` takes."""

_TIERS: tuple[str, ...] = ("leaf", "spine", "core")
_LABELS = {
    "node": "nodes",
    "leaf": "leaf switches",
    "spine": "spine switches",
    "core": "core switches",
    "switch": "the switch",
    "nic": "NICs for the open slots of a node",
    "su": "how many SUs",
    "racks": "how many racks",
    "planes": "how many planes",
    "x": "switches along x",
    "y": "switches along y",
    "z": "switches along z",
    "groups": "how many groups of routers",
    "oversubscription": "oversubscription of the leaves, N to 1",
    "empty_slots": "empty node slots in the last SU",
}


async def from_template(designer: Designer) -> None:
    """Fill the canvas from a template.

    A design that is there is left for an empty canvas, but only when all is answered: a user who
    goes back has it as it was.
    """
    if designer.editing.design.groups and not await may_leave(designer):
        return
    title = "begin with, as proposed before its questions:"
    while True:
        chosen = await designer.questions.choose(
            title, [_offer(designer, name) for name in OFFERED]
        )
        if chosen is None:
            return
        if await _fill(designer, TEMPLATES[chosen]):
            return


def _offer(designer: Designer, name: str) -> Choice:
    help_text = TEMPLATES[name].help
    about = help_text.removeprefix("rail-optimised, ").removeprefix("two tiers: ")
    about = about.removeprefix("three tiers: ")
    words = f"{name} ({_proposed_nodes(designer, TEMPLATES[name])}): {about}"
    return Choice(name, words, also=f"{name} {help_text}", edit=partial(_edit, designer, name, {}))


def _proposed_nodes(designer: Designer, template: Template) -> str:
    """The machine and the number of it that a template's figures are of, ``128 x DGX H100``."""
    catalog = designer.editing.workbench.catalog
    made = new_design(template.name, {}, catalog=catalog)
    node = made.groups["node"]
    nodes = (node.count or 1) * prod(made.axes[axis] for axis in node.per)
    part = catalog.get(node.part)
    return f"{nodes:,} x {part.name if part is not None else node.part}"


def _edit(designer: Designer, name: str, values: dict[str, SettingValue]) -> Edit:
    bench = designer.editing.workbench
    made = new_design(name, values, catalog=bench.catalog)
    base = Design() if bench.design.groups else bench.design
    return fill(base, made, f"{name}: {_devices(made)}")


def _devices(design: Design) -> str:
    """How many devices of each group, ``128 node, 32 leaf, 16 spine``: also those not asked for."""
    totals = (
        (name, group.count * prod(design.axes[axis] for axis in group.per))
        for name, group in design.groups.items()
    )
    return ", ".join(f"{total:,} {name}" for name, total in totals)


async def _fill(designer: Designer, template: Template) -> bool:
    """Ask what the template asks, one after the other; escape goes one question back."""
    values: dict[str, SettingValue] = {}
    at = 0
    while at < len(asks := _asks(designer, template, values)):
        name = asks[at]
        answer = await _ask(designer, template, name, values)
        if answer is None:
            if at == 0:
                return False
            at -= 1
            continue
        values |= answer
        at += 1
        if at == len(_asks(designer, template, values)):
            try:
                edit = _edit(designer, template.name, values)
            except EditError as refused:
                designer.messages.say(f"{refused}; Esc goes back to earlier answers", "minded")
                at -= 1
                continue
            if designer.editing.design.groups:
                show(designer, new_session())
                edit = _edit(designer, template.name, values)
            if not designer.editing.make(edit):
                at -= 1
                continue
            designer.selection.select_group(next(iter(edit.design.groups)))
    return True


def _asks(designer: Designer, template: Template, values: dict[str, SettingValue]) -> list[str]:
    """The questions that make sense with the answers so far."""
    catalog = designer.editing.workbench.catalog
    return [name for name in template.asks if is_asked(catalog, name, values)]


async def _ask(
    designer: Designer, template: Template, name: str, values: dict[str, SettingValue]
) -> dict[str, SettingValue] | None:
    """The settings that an answer to one question makes; None where the question was cancelled."""
    if name == "node":
        return await _ask_node(designer, template, values)
    if name in NETWORKS:
        return await ask_network(
            designer,
            name,
            values,
            lambda given: _edit(designer, template.name, given),
            lambda given: _comes_to(designer, template.name, given),
        )
    if name in PARTS:
        return await _ask_switch(designer, template, name, values)
    parameter = template.parameter(name)
    default = _proposed(designer, template, name, values)
    number = await ask_number(
        designer,
        _LABELS.get(name, parameter.help),
        int(default or 1),
        told=lambda number: _comes_to(designer, template.name, {**values, name: number}),
        lowest=parameter.low,
        highest=parameter.high,
        edit=lambda number: _edit(designer, template.name, {**values, name: number}),
    )
    return None if number is None else {name: number}


def _proposed(
    designer: Designer, template: Template, name: str, values: dict[str, SettingValue]
) -> SettingValue | None:
    """The value of a setting that follows from the answers so far."""
    catalog = designer.editing.workbench.catalog
    try:
        found = read_settings(template, values, catalog)[name]
        if found is None and name == "nodes":  # what the template draws
            found = new_design(template.name, values, catalog=catalog).groups["node"].count
    except EditError:
        found = template.parameter(name).default
    return None if found is None else str(found)


def _comes_to(designer: Designer, name: str, values: dict[str, SettingValue]) -> str:
    """The devices that the answers so far come to; empty where they do not go together."""
    try:
        return _devices(new_design(name, values, catalog=designer.editing.workbench.catalog))
    except EditError:
        return ""


async def _ask_node(
    designer: Designer, template: Template, values: dict[str, SettingValue]
) -> dict[str, SettingValue] | None:
    catalog = designer.editing.workbench.catalog
    nodes = [part for part in find_parts(catalog, "") if isinstance(part, Node)]
    default = str(values.get("node", template.parameter("node").default))
    choices = [_node_choice(designer, template, node) for node in nodes]
    chosen = await designer.questions.find(_LABELS["node"], choices, at=default)
    if chosen is None:
        return None
    node = catalog[chosen]
    assert isinstance(node, Node)
    slots = _cabled_slots(node)
    settings: dict[str, SettingValue] = {"node": chosen, "slots": slots}
    room = node.slots.get(slots)
    if room is None or room.nic is not None:
        return settings
    fitting = [one for one in nic_choices(catalog, node) if one.slots == slots and not one.refusal]
    nic = await designer.questions.find(
        _LABELS["nic"], [Choice(one.part.id, one.part.name) for one in fitting]
    )
    if nic is None:
        return await _ask_node(designer, template, values)
    many: int | None = room.count
    if room.count > 1:
        many = await ask_number(
            designer,
            f"how many NICs in each node, of {room.count} slots",
            room.count,
            highest=room.count,
            edit=lambda many: _edit(
                designer, template.name, {**values, **settings, "nic": nic, "nics": many}
            ),
        )
    if many is None:
        return await _ask_node(designer, template, values)
    return {**settings, "nic": nic, "nics": many}


def _node_choice(designer: Designer, template: Template, node: Node) -> Choice:
    """A node with its figures; one with open slots has none before its NICs are chosen."""
    room = node.slots.get(_cabled_slots(node))
    if room is not None and room.nic is None:
        return Choice(node.id, f"{node.name}: without NICs, which are asked next")
    edit = partial(_edit, designer, template.name, {"node": node.id})
    sold = f", no longer sold as of {node.end_of_sale}" if node.end_of_sale else ""
    return Choice(node.id, f"{node.name}{sold}", edit=edit)


def _cabled_slots(node: Node) -> str:
    return "compute" if "compute" in node.slots else next(iter(node.slots), "compute")


async def _ask_switch(
    designer: Designer, template: Template, name: str, values: dict[str, SettingValue]
) -> dict[str, SettingValue] | None:
    """Ask for the switches of one tier, those first that what is below can be wired to.

    The tiers above take the same as long as nothing else is said of them.
    """
    catalog = designer.editing.workbench.catalog
    switches = [part for part in find_parts(catalog, "") if isinstance(part, Switch)]
    refusal = _judge_above(catalog, name, values)
    judged = {part.id: refusal(part) for part in switches}
    switches.sort(key=lambda part: bool(judged[part.id]))
    said = {key: value for key, value in values.items() if key not in _above(name)}
    choices = [
        Choice(
            part.id,
            part.name,
            refusal=judged[part.id],
            edit=partial(_edit, designer, template.name, {**said, name: part.id}),
        )
        for part in switches
    ]
    chosen = await designer.questions.find(
        _LABELS[name], choices, at=str(_proposed(designer, template, name, values) or "")
    )
    if chosen is None:
        return None
    if values.get(name, chosen) != chosen:  # what was said of the tiers above went with another
        for tier in _above(name):
            values.pop(tier, None)
    return {name: chosen}


def _above(name: str) -> tuple[str, ...]:
    """The tiers above one."""
    return _TIERS[_TIERS.index(name) + 1 :] if name in _TIERS else ()


def _judge_above(
    catalog: Catalog, name: str, values: dict[str, SettingValue]
) -> Callable[[Switch], str]:
    """Say why a switch cannot be wired to the tier below it; empty where it can."""
    below = "node" if name not in _TIERS[1:] else _TIERS[_TIERS.index(name) - 1]
    design = Design(groups={below: Group(part=str(values[below]))})
    if below == "node" and "nic" in values:
        slots, nic = str(values["slots"]), str(values["nic"])
        design = fit_nics(design, below, slots, nic, int(values["nics"])).design
    judge = fits_group(plan_design(design, catalog), catalog, below)

    def refusal(part: Switch) -> str:
        fit = judge(part) if judge is not None else None
        return fit.refusal if fit is not None else ""

    return refusal
