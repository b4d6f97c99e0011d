"""Edits that leave something out, by what is left out: the boldest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toposmith.design.edits import (
    Edit,
    fit_nics,
    remove_group,
    set_cables,
    set_count,
)
from toposmith.errors import EditError
from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.planned_design import PlannedDesign


@dataclass(frozen=True)
class Reduction:
    """Ways to have less of one thing, the least of it first.

    Parameters
    ----------
    what : str
        Of what there is less: a group or a link.
    edits : tuple of Edit
        Each leaves more of it than the one before.
    """

    what: str
    edits: tuple[Edit, ...]


def reductions(planned: PlannedDesign) -> Iterator[Reduction]:
    """All that a compute network can have less of: switches, cables, NICs, whole tiers."""
    plan = planned.plan
    heights, slots_of = planned.heights, planned.network.slots
    for name, group in plan.groups.items():
        if group.switch is None or name not in heights:
            continue
        if heights[name] > 1:
            top = max(heights.values()) == heights[name]
            own = plan.links_of(name)
            if top:
                yield Reduction(f"all of {name}", (remove_group(plan.design, name),))
            yield from _fewer(plan, name, own)
    for link in plan.links:
        inside = all(
            end.group in heights and slots_of.get(end.group, end.ports) == end.ports
            for end in (link.a, link.b)
        )
        stated = plan.design.links[link.index].cables is not None
        if inside and stated and link.cables_per_pair > 1:
            edits = (
                set_cables(plan.design, link.index, each) for each in range(1, link.cables_per_pair)
            )
            yield Reduction(f"cables of {link.label}", tuple(edits))
    for name, group in plan.groups.items():
        for slots, ports in group.port_groups.items():
            host = group.host
            if host is None or slots_of.get(name) != slots or ports.nic is None:
                continue
            if host.slots[slots].cages or ports.nics < 2 or ports.nic.cage == "virtual":
                continue
            part = ports.nic.id
            tried = (
                fit_nics(plan.design, name, slots, part, many) for many in range(1, ports.nics)
            )
            yield Reduction(f"NICs of {name}.{slots}", tuple(tried))


def _fewer(plan: Plan, name: str, links: list[LinkPlan]) -> Iterator[Reduction]:
    """Fewer switches of a group: each with the cables it has, or with those of all the others."""
    design = plan.design
    count = design.groups[name].count
    if count < 2:
        return
    yield Reduction(name, tuple(set_count(design, name, fewer) for fewer in range(1, count)))
    fuller = []
    for fewer in range(1, count):
        edit = set_count(design, name, fewer)
        after, words = edit.design, edit.label
        try:
            for link in links:
                each, rest = divmod(link.cables_per_pair * count, fewer)
                if rest or design.links[link.index].cables is None:
                    raise EditError("the cables cannot be dealt evenly")
                after = set_cables(after, link.index, each).design
                words += f"; {link.label}: cables {each}"
        except EditError:
            continue
        fuller.append(Edit(after, words))
    if fuller:
        yield Reduction(f"{name}, its ports fuller", tuple(fuller))
