"""Filling an empty canvas from a template, by a few questions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import prod

from toposmith.catalog import Catalog, Node, Part, Switch
from toposmith.catalog.search import find_parts, newest_first
from toposmith.design.document import Design, Group
from toposmith.design.edits import Edit, fill, fit_nics
from toposmith.errors import EditError
from toposmith.fabric.planner import plan_design
from toposmith.templates import TEMPLATES, SettingValue, Template, new_design
from toposmith.templates.template_settings import PARTS, read_settings
from toposmith.tui.asking import Asking, Asks, Here, MadeEdit, Wait, number, pick
from toposmith.tui.flows.further_networks import NETWORKS, TemplateValues, is_asked, network
from toposmith.tui.parts.fits import fits_group, nic_choices
from toposmith.tui.parts.part_lines import part_choice
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


def from_template(here: Here) -> Asking:
    """Fill the canvas from a template.

    A design that is there is left for an empty canvas, but only when all is answered: a user who
    goes back has it as it was.
    """
    if here.design.groups:
        yield Wait(lambda designer: designer.files.may_leave(), once=True)
    name = yield from pick(
        "begin with, as proposed before its questions:",
        lambda: [_offer(here, name) for name in OFFERED],
    )
    template = TEMPLATES[name]
    values: TemplateValues = {}
    for asked in template.asks:
        if is_asked(here.catalog, asked, values):
            values |= yield from _setting(here, template, asked, values)
    edit = _edit(here, name, values)
    return MadeEdit(edit, group=next(iter(edit.design.groups)), anew=bool(here.design.groups))


def _offer(here: Here, name: str) -> Choice:
    help_text = TEMPLATES[name].help
    about = help_text.removeprefix("rail-optimised, ").removeprefix("two tiers: ")
    about = about.removeprefix("three tiers: ")
    words = f"{name} ({_proposed_nodes(here, TEMPLATES[name])}): {about}"
    return Choice(name, words, also=f"{name} {help_text}")


def _proposed_nodes(here: Here, template: Template) -> str:
    """The machine and the number of it that a template's figures are of, ``128 x DGX H100``."""
    catalog = here.catalog
    made = new_design(template.name, {}, catalog=catalog)
    node = made.groups["node"]
    nodes = (node.count or 1) * prod(made.axes[axis] for axis in node.per)
    part = catalog.get(node.part)
    return f"{nodes:,} x {part.name if part is not None else node.part}"


def _edit(here: Here, name: str, values: TemplateValues) -> Edit:
    made = new_design(name, values, catalog=here.catalog)
    base = Design() if here.design.groups else here.design
    return fill(base, made, f"{name}: {_devices(made)}")


def _devices(design: Design) -> str:
    """How many devices of each group, ``128 node, 32 leaf, 16 spine``: also those not asked for."""
    totals = (
        (name, group.count * prod(design.axes[axis] for axis in group.per))
        for name, group in design.groups.items()
    )
    return ", ".join(f"{total:,} {name}" for name, total in totals)


def _setting(
    here: Here, template: Template, name: str, values: TemplateValues
) -> Asks[TemplateValues]:
    """The settings that an answer to one question makes."""

    def told(given: TemplateValues) -> str:
        return _comes_to(here, template.name, given)

    if name == "node":
        return (yield from _node(here, template))
    if name in NETWORKS:
        return (yield from network(here, name, values, told))
    if name in PARTS:
        return (yield from _switch(here, template, name, values))
    parameter = template.parameter(name)
    many = yield from number(
        _LABELS.get(name, parameter.help),
        int(_proposed(here, template, name, values) or 1),
        told=lambda many: told({**values, name: many}),
        lowest=parameter.low,
        highest=parameter.high,
    )
    return {name: many}


def _proposed(
    here: Here, template: Template, name: str, values: TemplateValues
) -> SettingValue | None:
    """The value of a setting that follows from the answers so far."""
    try:
        found = read_settings(template, values, here.catalog)[name]
        if found is None and name == "nodes":  # what the template draws
            found = new_design(template.name, values, catalog=here.catalog).groups["node"].count
    except EditError:
        found = template.parameter(name).default
    return None if found is None else str(found)


def _comes_to(here: Here, name: str, values: TemplateValues) -> str:
    """The devices that the answers so far come to; empty where they do not go together."""
    try:
        return _devices(new_design(name, values, catalog=here.catalog))
    except EditError:
        return ""


def _node(here: Here, template: Template) -> Asks[TemplateValues]:
    catalog = here.catalog
    default = str(template.parameter("node").default)
    chosen = yield from pick(_LABELS["node"], lambda: _nodes(catalog, default), default, typed=True)
    node = catalog[chosen]
    assert isinstance(node, Node)
    slots = _cabled_slots(node)
    settings: TemplateValues = {"node": chosen, "slots": slots}
    room = node.slots.get(slots)
    if room is None or room.nic is not None:
        return settings
    fitting = [one for one in nic_choices(catalog, node) if one.slots == slots and not one.refusal]
    offered = [part_choice(one.part, catalog) for one in fitting]
    nic = yield from pick(_LABELS["nic"], offered, typed=True)
    many = room.count
    if room.count > 1:
        label = f"how many NICs in each node, of {room.count} slots"
        many = yield from number(label, room.count, highest=room.count)
    return {**settings, "nic": nic, "nics": many}


def _nodes(catalog: Catalog, default: str) -> list[Choice]:
    """Nodes of a template that proposes this one; trays of NVLink racks alone where that is one."""
    nodes = find_parts(catalog, "", newest_first(catalog))
    racks_alone = _joins_a_rack(catalog.get(default))
    choices = [
        replace(
            _node_choice(node),
            refusal="its NVLink ends in the node; this template takes trays of NVLink racks"
            if racks_alone and not _joins_a_rack(node)
            else "",
        )
        for node in nodes
        if isinstance(node, Node)
    ]
    return sorted(choices, key=lambda choice: bool(choice.refusal))


def _joins_a_rack(part: Part | None) -> bool:
    """Whether a node's NVLink goes on to other nodes of its rack."""
    return isinstance(part, Node) and bool(part.nvlink and part.nvlink.domain_gpus)


def _node_choice(node: Node) -> Choice:
    room = node.slots.get(_cabled_slots(node))
    if room is not None and room.nic is None:
        return Choice(node.id, f"{node.name}: without NICs, which are asked next")
    sold = f", no longer sold as of {node.end_of_sale}" if node.end_of_sale else ""
    return Choice(node.id, f"{node.name}{sold}")


def _cabled_slots(node: Node) -> str:
    return "compute" if "compute" in node.slots else next(iter(node.slots), "compute")


def _switch(
    here: Here, template: Template, name: str, values: TemplateValues
) -> Asks[TemplateValues]:
    """Ask for the switches of one tier, those first that what is below can be wired to.

    The tiers above take the same as long as nothing else is said of them.
    """
    usual = str(_proposed(here, template, name, values) or "")
    judged = partial(_switches, here.catalog, name, dict(values), usual)
    return {name: (yield from pick(_LABELS[name], judged, usual, typed=True))}


def _switches(catalog: Catalog, name: str, values: TemplateValues, usual: str) -> list[Choice]:
    """All switches, those of the proposed one's maker first, with why they cannot be wired."""
    refusal = _judge_above(catalog, name, values)
    proposed = catalog.get(usual)
    maker = proposed.vendor if proposed is not None else ""
    every = find_parts(catalog, "", newest_first(catalog))
    parts = sorted(
        (part for part in every if isinstance(part, Switch)), key=lambda part: part.vendor != maker
    )
    choices = [part_choice(part, catalog, refusal(part)) for part in parts]
    return sorted(choices, key=lambda choice: bool(choice.refusal))


def _judge_above(catalog: Catalog, name: str, values: TemplateValues) -> Callable[[Switch], str]:
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
