"""Edits that leave something out, by what is left out: the boldest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain

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
from toposmith.synthesis.search_state import both, made


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
            if heights[name] == max(heights.values()):
                yield Reduction(f"all of {name}", (remove_group(plan.design, name),))
            yield from _fewer(plan, name, plan.links_of(name))
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
            counts = range(1, ports.nics)
            fitted = partial(fit_nics, plan.design, name, slots, ports.nic.id)
            yield Reduction(f"NICs of {name}.{slots}", tuple(map(fitted, counts)))


def _fewer(plan: Plan, name: str, links: list[LinkPlan]) -> Iterator[Reduction]:
    """Fewer switches of a group: each with the cables it has, or with those of all the others."""
    count = plan.design.groups[name].count
    edits = tuple(set_count(plan.design, name, fewer) for fewer in range(1, count))
    yield Reduction(name, edits)
    fuller = (made(_with_all_cables, edit, links, count, name) for edit in edits)
    yield Reduction(f"{name}, its ports fuller", tuple(chain.from_iterable(fuller)))


def _with_all_cables(edit: Edit, links: list[LinkPlan], count: int, name: str) -> Edit:
    """Fewer switches with the cables that all of them had."""
    after = edit
    for link in links:
        each, rest = divmod(link.cables_per_pair * count, edit.design.groups[name].count)
        if rest or edit.design.links[link.index].cables is None:
            raise EditError("the cables cannot be dealt evenly")
        after = both(after, set_cables(after.design, link.index, each))
    return after
