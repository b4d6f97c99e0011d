"""Random edits of designs as an owner makes them: more, fewer, other cables, another network."""

from __future__ import annotations

from random import Random

import toposmith
from toposmith.design.document import Design, Group, Link
from toposmith.saved_designs import saved_designs

SMALL = (
    "dgx-h100-superpod-1su",
    "dgx-a100-su",
    "hgx-a100-64gpu-roce-2to1",
    "torus-4x4x4-h100",
    "a100-rack-1x100gbe",
    "gb200-nvl36x2-pair",
    "gb200-nvl72-rack",
)
TEMPLATES = (
    ("leaf-spine", {"su": 2, "nodes": 8}),
    ("leaf-spine", {"su": 3, "nodes": 4}),
    ("top-of-rack", {}),
    ("single-switch", {}),
    ("rail-only", {}),
    ("dual-plane", {}),
)


def starts() -> list[Design]:
    """Saved designs that are soon planned, and some of templates."""
    saved = {one.name: one.path for one in saved_designs()}
    made = [toposmith.load(saved[name]) for name in SMALL if name in saved]
    known = [(name, values) for name, values in TEMPLATES if name in toposmith.TEMPLATES]
    return made + [toposmith.new(name, **values) for name, values in known]


def edited(design: Design, dice: Random) -> Design:
    """The design after one edit; it may be one that cannot be built."""
    return dice.choice((_count, _axis, _cables, _absent, _beside))(design, dice)


def _count(design: Design, dice: Random) -> Design:
    name = dice.choice(list(design.groups))
    group = design.groups[name]
    count = max(1, group.count + dice.choice((-2, -1, 1, 2)))
    groups = design.groups | {name: group.model_copy(update={"count": count})}
    return design.model_copy(update={"groups": groups})


def _axis(design: Design, dice: Random) -> Design:
    axes = [axis for axis in design.axes if axis != "rail"]
    if not axes:
        return _count(design, dice)
    axis = dice.choice(axes)
    size = max(1, design.axes[axis] + dice.choice((-1, 1)))
    return design.model_copy(update={"axes": design.axes | {axis: size}})


def _cables(design: Design, dice: Random) -> Design:
    at = dice.randrange(len(design.links))
    link = design.links[at]
    if "." in "".join(link.between):
        return _count(design, dice)
    changed = link.model_copy(update={"cables": max(1, (link.cables or 1) + dice.choice((-1, 1)))})
    links = (*design.links[:at], changed, *design.links[at + 1 :])
    return design.model_copy(update={"links": links})


def _absent(design: Design, dice: Random) -> Design:
    name = dice.choice(list(design.groups))
    group = design.groups[name]
    own = [f"{name}={dice.randrange(group.count)}"] if group.count > 1 else []
    at = ",".join([*(f"{axis}={dice.randrange(design.axes[axis])}" for axis in group.per), *own])
    return design.model_copy(update={"absent": (*design.absent, f"{name}[{at}]")})


def _beside(design: Design, dice: Random) -> Design:
    """A management network beside what is there."""
    nodes = next(name for name, group in design.groups.items() if "." not in name and group)
    if "oob" in design.groups:
        return _count(design, dice)
    groups = {"oob": Group(part="sn2201", count=1), **design.groups}
    links = (Link(between=(f"{nodes}.management", "oob")), *design.links)
    return design.model_copy(update={"groups": groups, "links": links})
