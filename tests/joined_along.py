"""Random small fabrics whose switches are joined along axes: tori, meshes, dragonflies, blocks."""

from __future__ import annotations

from random import Random

from tests.small_designs import CATALOG
from toposmith.design.consistency import consistency_problems
from toposmith.design.document import Design, FittedNics, Group, Link
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design


def plan_along(seed: int, *, faults: bool = True) -> Plan:
    """A fabric of up to some 30 switches, with what is missing, down or slow."""
    rng = Random(seed)
    design = rng.choice((_mesh, _mesh, _dragonfly, _blocks))(rng)
    if faults:
        chosen = [_fault(rng, design) for _ in range(rng.choice((0, 0, 1, 1, 2)))]
        marks: dict[str, list[str]] = {"absent": [], "down": []}
        for each in chosen:
            marks[rng.choice(list(marks))].append(each)
        slow = {_fault(rng, design): rng.choice((50, "50 %"))} if rng.random() < 0.2 else {}
        design = design.model_copy(
            update={key: tuple(of) for key, of in marks.items()} | {"slow": slow}
        )
    assert consistency_problems(design) == []
    plan = plan_design(design, CATALOG)
    errors = [each for each in plan.findings if each.severity == "error"]
    # a random pair of switches may have no cable between them: then it is said, and left out
    assert all("no cable joins any of these" in each.text for each in errors), errors
    return plan


def _mesh(rng: Random) -> Design:
    """One to three dimensions, each a ring or a full mesh."""
    axes = {axis: rng.randint(1, 5) for axis in "xyz"[: rng.randint(1, 3)]}
    while len(axes) > 1 and _product(axes) > 30:
        axes[max(axes, key=lambda axis: axes[axis])] -= 1
    own = rng.random() < 0.3
    switch = Group(part="switch", per=tuple(axes), count=rng.randint(2, 3) if own else 1)
    node = Group(part="node2", per=tuple(axes), count=rng.randint(1, 2), nics=_nics(rng))
    links = [Link(between=("node.compute", "sw"))]
    for axis in [*axes, *(["sw"] if own else [])]:
        word = rng.choice(("next", "next", "other"))
        links.append(Link(between=("sw", "sw"), along={axis: word}, cables=rng.randint(1, 2)))
    if len(axes) > 1 and rng.random() < 0.2:
        one, other = rng.sample(list(axes), 2)
        along = {one: rng.choice(("next", "other")), other: rng.choice(("any", "next"))}
        links.append(Link(between=("sw", "sw"), along=along))
    rng.shuffle(links)
    groups = {"node": node, "sw": switch}
    if own:
        node = node.model_copy(update={"nics": {"compute": FittedNics(part="nic-2x100", count=3)}})
        groups["node"] = node
        links = [
            link if link.along else link.model_copy(update={"cables": 6 // switch.count})
            for link in links
        ]
    return Design(axes=axes, groups=groups, links=tuple(links))


def _dragonfly(rng: Random) -> Design:
    """Groups of routers, every one joined to every other, the cables dealt or not."""
    axes = {"group": rng.randint(2, 6), "router": rng.randint(1, 4)}
    per = tuple(axes)
    dealt = rng.random() < 0.8
    across = {"group": "other", "router": "dealt"} if dealt else {"group": "other"}
    most = axes["router"] if dealt else 2
    links = [
        Link(between=("node.compute", "sw")),
        Link(between=("sw", "sw"), along={"router": "other"}),
        Link(between=("sw", "sw"), along=across, cables=rng.randint(1, most)),
    ]
    return Design(
        axes=axes,
        groups={
            "node": Group(part="node2", per=per, count=rng.randint(1, 2), nics=_nics(rng)),
            "sw": Group(part="switch", per=per),
        },
        links=tuple(links),
    )


def _blocks(rng: Random) -> Design:
    """Blocks of leaves and spines, the spines of all blocks joined, as over optical switches."""
    axes = {"block": rng.randint(2, 5)}
    word = rng.choice(("other", "other", "next"))
    links = [
        Link(between=("node.compute", "leaf"), cables=1),
        Link(between=("leaf", "spine"), cables=rng.randint(1, 2)),
    ]
    if rng.random() < 0.3:
        links.append(Link(between=("leaf", "spine"), along={"block": rng.choice(("any", "next"))}))
    links.append(Link(between=("spine", "spine"), along={"block": word}))
    return Design(
        axes=axes,
        groups={
            "node": Group(
                part="node2",
                per=("block",),
                count=rng.randint(1, 2),
                nics={"compute": FittedNics(part="nic-1x100", count=4)},
            ),
            "leaf": Group(part="switch", per=("block",), count=rng.randint(1, 3)),
            "spine": Group(part="switch", per=("block",), count=rng.randint(1, 2)),
        },
        links=tuple(links),
    )


def _nics(rng: Random) -> dict[str, FittedNics]:
    return {"compute": FittedNics(part="nic-1x100", count=rng.randint(1, 3))}


def _product(axes: dict[str, int]) -> int:
    many = 1
    for size in axes.values():
        many *= size
    return many


def _fault(rng: Random, design: Design) -> str:
    kind = rng.choice(("device", "cable", "cable", "port"))
    if kind == "device":
        return _instance(rng, design, rng.choice([n for n in design.groups if n != "node"]))
    if kind == "port":
        return f"{_instance(rng, design, 'node')}.compute[0]"
    link = rng.choice([link for link in design.links if "node.compute" not in link.between])
    ends = " - ".join(_instance(rng, design, end) for end in link.between)
    return f"1 of {ends}" if rng.random() < 0.5 else ends


def _instance(rng: Random, design: Design, name: str) -> str:
    group = design.groups[name]
    axes = {axis: design.axes[axis] for axis in group.per} | {name: group.count}
    fixed = []
    for axis, size in axes.items():
        low = rng.randrange(size)
        if rng.random() < 0.7:
            fixed.append(f"{axis}={low}")
        elif rng.random() < 0.4:
            fixed.append(f"{axis}={low}..{rng.randrange(low, size)}")
    return f"{name}[{','.join(fixed)}]"
