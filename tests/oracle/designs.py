"""Random designs, small enough to expand, of shapes that people draw and some that they do not.

Storage, groups of one, nodes without NVLink, NICs of two ports, planes, links that split cages,
unlike nodes, nodes cabled in pairs, and faults in every spelling that `docs/file-format.md` has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from random import Random

from tests.oracle.document import Document, read
from tests.oracle.expansion import (
    Cable,
    CannotExpand,
    Device,
    Fabric,
    expand,
    fitted,
    instances,
    port_count,
)
from tests.oracle.parts import part
from tests.oracle.traffic import NoWay, Routes, exchange_loads, ring_loads

FIBRE_M = 30
"""Every link is this long, so that cables of one speed are built alike and no rack matters."""


@dataclass(frozen=True)
class Technology:
    """Switches and NICs that speak to each other."""

    switches: tuple[str, ...]
    nics: tuple[str, ...]


TECHNOLOGIES = (
    Technology(
        ("qm8700", "qm8790"),
        ("connectx-6-hdr", "connectx-6-hdr", "connectx-6-hdr100", "connectx-6-hdr-2p"),
    ),
    Technology(
        ("qm9700", "qm9790"),
        ("connectx-7-ndr", "connectx-7-ndr200", "connectx-7-ndr200-2p", "connectx-6-hdr"),
    ),
    Technology(
        ("sn3700", "sn4600"), ("connectx-6-200gbe", "connectx-6-dx-100gbe", "connectx-6-hdr-2p")
    ),
    Technology(
        ("sn5600", "7060dx5-64s"),
        ("connectx-7-ndr", "connectx-8-2x400gbe", "connectx-8-400-2p", "connectx-6-200gbe"),
    ),
    Technology(("q3400-ra",), ("connectx-8-xdr", "connectx-7-ndr-ib")),
    Technology(("sb7800",), ("connectx-4-edr", "connectx-5-edr")),
)

NODES = (
    "hgx-a100-8",
    "hgx-h100-8",
    "hgx-b200-8",
    "hgx-a100-4",
    "hgx-h100-4",
    "mi300x-8",
    "a100-pcie-4",
    "a100-pcie-4-bridged",
    "a100-pcie-8-bridged",
    "h100-nvl-4",
    "h200-nvl-8",
    "l40s-8",
    "rtx-pro-6000-8",
    "dgx-a100",
    "dgx-h100",
    "dgx-1-v100",
    "gh200-quad",
    "gb300-nvl72-tray",
    "dgx-b300-ethernet",
)

STORAGE = ("ddn-ai400x2", "storage-server-2u")


@dataclass
class Draft:
    """A design while it is drawn."""

    axes: dict[str, int] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    links: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    down: list[str] = field(default_factory=list)
    slow: dict[str, str] = field(default_factory=dict)
    cables: list[str] = field(default_factory=list)

    def text(self) -> str:
        along = any("along:" in link for link in self.links)
        version = 2 if self.slow or self.cables or along else 1
        lines = [f"toposmith: {version}", "name: drawn"]
        if self.axes:
            sizes = ", ".join(f"{axis}: {size}" for axis, size in self.axes.items())
            lines.append(f"axes: {{{sizes}}}")
        lines.append("groups:")
        lines += [f"  {name}: {body}" for name, body in self.groups.items()]
        lines.append("links:")
        lines += [f"  - {body}" for body in self.links]
        for key, selectors in (("absent", self.absent), ("down", self.down)):
            if selectors:
                lines.append(f"{key}:")
                lines += [f'  - "{selector}"' for selector in selectors]
        if self.slow:
            lines.append("slow:")
            lines += [f'  "{selector}": {speed}' for selector, speed in self.slow.items()]
        if self.cables:
            lines.append("cables:")
            lines += [f"  - {{{cable}}}" for cable in self.cables]
        return "\n".join(lines) + "\n"


def random_design(seed: int, most_gpus: int = 128) -> str:
    """A design that expands and whose switches have the ports that it asks for.

    Before faults hit it, most reach all their nodes.
    """
    rng = Random(seed)
    while True:
        draft = rng.choice((_regular, _regular, _regular, _irregular, _islands, _paired))(rng)
        try:
            document = read(draft.text())
            fabric = expand(document)
        except CannotExpand:
            continue
        if not _fits(fabric, most_gpus) or (not _is_routed(fabric) and rng.random() < 0.9):
            continue
        _break(rng, draft, document, fabric)
        if seed % 3 == 0:
            _slow_down(rng, draft, document, fabric)
        if seed % 4 == 1:
            _rewire(rng, draft, fabric)
        return draft.text()


def along_design(seed: int, most_gpus: int = 128) -> str:
    """A torus, a mesh, a dragonfly or joined blocks that expands, with faults of all kinds."""
    rng = Random(seed)
    while True:
        draft = rng.choice((_mesh, _mesh, _dragonfly, _joined_blocks))(rng)
        try:
            document = read(draft.text())
            fabric = expand(document)
        except CannotExpand:
            continue
        if not fabric.cables or not _fits(fabric, most_gpus):
            continue
        if rng.random() < 0.6:
            _break(rng, draft, document, fabric)
        if rng.random() < 0.2:
            _slow_down(rng, draft, document, fabric)
        return draft.text()


def _self_link(one: str, other: str, along: str, cables: int) -> str:
    return f"{{between: [{one}, {other}], along: {{{along}}}, cables: {cables}, length: {FIBRE_M}}}"


def _begin_along(rng: Random, axes: dict[str, int]) -> tuple[Draft, Technology]:
    technology = rng.choice(TECHNOLOGIES)
    draft = Draft(axes=axes)
    which = rng.choice(("hgx-h100-8", "hgx-a100-4", "l40s-8"))
    nic = rng.choice([nic for nic in technology.nics if part(nic)["ports"] == 1])
    fitted_nics = f"compute: {{part: {nic}, count: {rng.choice((1, 2, 4))}}}"
    per = list(axes) if rng.random() < 0.8 or len(axes) < 2 else list(axes)[::-1]
    draft.groups["node"] = _group(which, per, rng.choice((None, 1, 2)), fitted_nics)
    return draft, technology


def _mesh(rng: Random) -> Draft:
    """One to three dimensions, each a ring or a full mesh; now and then diagonals."""
    axes = {axis: rng.randint(1, 5) for axis in "xyz"[: rng.randint(1, 3)]}
    draft, technology = _begin_along(rng, axes)
    draft.groups["sw"] = _group(rng.choice(technology.switches), list(axes))
    draft.links.append(_link(rng, "node.compute", "sw"))
    for axis in axes:
        word = rng.choice(("next", "next", "other"))
        draft.links.append(_self_link("sw", "sw", f"{axis}: {word}", rng.randint(1, 2)))
    if len(axes) > 1 and rng.random() < 0.25:
        one, other = rng.sample(list(axes), 2)
        words = rng.choice(("next", "other")), rng.choice(("any", "next", "other"))
        along = f"{one}: {words[0]}, {other}: {words[1]}"
        draft.links.append(_self_link("sw", "sw", along, 1))
    rng.shuffle(draft.links)
    return draft


def _dragonfly(rng: Random) -> Draft:
    """Groups of routers that are full meshes, all joined, most by cables that are dealt."""
    axes = {"group": rng.randint(2, 7), "router": rng.randint(1, 4)}
    draft, technology = _begin_along(rng, axes)
    per = list(axes)
    draft.groups["sw"] = _group(rng.choice(technology.switches), per)
    draft.links.append(_link(rng, "node.compute", "sw"))
    draft.links.append(_self_link("sw", "sw", "router: other", rng.randint(1, 2)))
    if rng.random() < 0.8:
        cables = rng.randint(1, axes["router"])
        draft.links.append(_self_link("sw", "sw", "group: other, router: dealt", cables))
    else:
        draft.links.append(_self_link("sw", "sw", "group: other", 1))
    return draft


def _joined_blocks(rng: Random) -> Draft:
    """Blocks of leaves and spines; the spines, now and then leaves too, of all blocks joined."""
    axes = {"block": rng.randint(2, 5), "rail": rng.randint(1, 2)}
    technology = rng.choice(TECHNOLOGIES)
    draft = Draft(axes=axes)
    nic = rng.choice([nic for nic in technology.nics if part(nic)["ports"] == 1])
    nics = f"compute: {{part: {nic}, count: {axes['rail'] * rng.choice((1, 2))}}}"
    draft.groups["node"] = _group("hgx-h100-8", ["block"], rng.choice((1, 2)), nics)
    switch = rng.choice(technology.switches)
    draft.groups["leaf"] = _group(switch, ["block", "rail"])
    draft.groups["spine"] = _group(switch, ["block"], rng.choice((1, 2)))
    draft.links.append(_link(rng, "node.compute", "leaf"))
    draft.links.append(_link(rng, "leaf", "spine", rng.randint(1, 2)))
    if rng.random() < 0.3:
        word = rng.choice(("any", "next", "other"))
        draft.links.append(_self_link("leaf", "spine", f"block: {word}", 1))
    word = rng.choice(("other", "other", "next"))
    draft.links.append(_self_link("spine", "spine", f"block: {word}", rng.randint(1, 2)))
    return draft


def rack_design(seed: int) -> str:
    """Racks of NVLink trays, some beside other nodes, with up to two faults."""
    rng = Random(seed)
    racks, trays, rails = rng.randint(1, 3), rng.randint(1, 4), rng.choice((1, 2, 4))
    of_rack = rng.random() < 0.5
    draft = Draft(axes={"rack": racks, "rail": rails})
    part = rng.choice(("gb200-nvl72-tray", "a4x-highgpu-4g"))
    draft.groups["tray"] = f"{{part: {part}, per: [rack], count: {trays}}}"
    draft.groups["leaf"] = f"{{part: qm9700, per: [{'rack, ' if of_rack else ''}rail]}}"
    draft.links.append("{between: [tray.compute, leaf]}")
    top = "leaf"
    if of_rack:
        top = "spine"
        draft.groups["spine"] = f"{{part: qm9700, count: {rng.randint(1, 2)}}}"
        draft.links.append(f"{{between: [leaf, spine], cables: {rng.randint(1, 2)}}}")
    if rng.random() < 0.3:
        nodes = (
            f"{{part: gb200-nvl72-tray, count: {rng.randint(1, 3)}}}",
            "{part: hgx-h100-8, nics: {compute: {part: connectx-7-ndr, count: 4}}}",
        )
        draft.groups["extra"] = rng.choice(nodes)
        draft.links.append(f"{{between: [extra.compute, {top}]}}")
    gone = rng.choice((draft.absent, draft.down))
    for _ in range(rng.choice((0, 0, 1, 2))):
        rack = rng.randrange(racks)
        tray = f"tray[rack={rack},tray={rng.randrange(trays)}]"
        leaf = f"leaf[{f'rack={rack},' if of_rack else ''}rail={rng.randrange(rails)}]"
        gone.append(rng.choice((tray, f"{tray}.compute[{rng.randrange(4)}]", leaf)))
    return draft.text()


def refused_design(seed: int) -> str:
    """A design with one link that cannot be cabled as written."""
    rng = Random(seed)
    while True:
        draft = rng.choice((_regular, _irregular, _paired))(rng)
        try:
            if not _fits(expand(draft.text())):
                continue
        except CannotExpand:
            continue
        _spoil(rng, draft)
        try:
            expand(draft.text())
        except CannotExpand:
            return draft.text()


def _spoil(rng: Random, draft: Draft) -> None:
    """Another number of cables, another speed, other slots, or another switch, for one link."""
    index = rng.randrange(len(draft.links))
    link = draft.links[index]
    how = rng.choice(("cables", "no cables", "speed", "slots", "switch"))
    if how == "switch":
        switches = [name for name in draft.groups if name.startswith(("leaf", "spine", "hub"))]
        name = rng.choice(switches)
        other = rng.choice([one for kind in TECHNOLOGIES for one in kind.switches])
        body = draft.groups[name]
        draft.groups[name] = re.sub(r"part: [^,}]+", f"part: {other}", body)
        return
    if how == "slots":
        draft.links[index] = re.sub(r"\.(compute|storage)", rng.choice(("", ".storage")), link)
        return
    link = re.sub(rf", {how.removeprefix('no ')}: \d+", "", link)
    if how == "cables":
        link = link[:-1] + f", cables: {rng.choice((3, 5, 7, 12))}}}"
    elif how == "speed":
        link = link[:-1] + f", speed: {rng.choice((25, 50, 100, 200, 400, 800))}}}"
    draft.links[index] = link


def _is_routed(fabric: Fabric) -> bool:
    try:
        routes = Routes(fabric)
        ring_loads(routes)
        exchange_loads(routes)
    except NoWay:
        return False
    return True


def _fits(fabric: Fabric, most_gpus: int = 128) -> bool:
    """Whether cages suffice and the fabric is small."""
    gpus = sum(int(fabric.part_of(node)["gpus"]) for node in fabric.ranked_nodes())
    if len(fabric.cables) > 260 or len(fabric.ranked_nodes()) > 16 or gpus > most_gpus:
        return False
    ports: Counter[tuple[Device, int, int]] = Counter()
    for cable in fabric.cables:
        for device in (cable.a, cable.b):
            if fabric.kind(device) == "switch":
                ports[device, cable.gbit, fabric.ports_a_cage(device, cable)] += 1
    cages: Counter[Device] = Counter()
    for (device, _, in_cage), count in ports.items():
        cages[device] += -(-count // in_cage)
    # Links that split plugs begin with plugs of their own: half of the cages stay in reserve.
    return all(
        2 * used <= fabric.part_of(device)["cages"]["count"] for device, used in cages.items()
    )


# Groups and links


def _group(
    name: str, per: Iterable[str] = (), count: int | None = None, nics: str | None = None
) -> str:
    body = [f"part: {name}"]
    if per:
        body.append(f"per: [{', '.join(per)}]")
    if count is not None:
        body.append(f"count: {count}")
    if nics:
        body.append(f"nics: {{{nics}}}")
    return f"{{{', '.join(body)}}}"


def _nics(rng: Random, name: str, technology: Technology) -> str:
    """NICs for a node or storage, so that they fit the switches."""
    found = []
    for slots, body in part(name)["slots"].items():
        room = body["count"]
        if slots == "compute" or part(name)["kind"] == "storage":
            count = rng.choice([one for one in (1, 2, 3, 4, 6, 8) if one <= room] + [room])
        elif rng.random() < 0.5:
            count = rng.randint(1, room)
        else:
            continue
        found.append(f"{slots}: {{part: {rng.choice(technology.nics)}, count: {count}}}")
    return ", ".join(found)


def _link(
    rng: Random, one: str, other: str, cables: int | None = None, speed_gbit: int | None = None
) -> str:
    ends = [one, other]
    if rng.random() < 0.3:
        ends.reverse()
    body = [f"between: [{ends[0]}, {ends[1]}]"]
    if cables is not None:
        body.append(f"cables: {cables}")
    if speed_gbit is not None:
        body.append(f"speed: {speed_gbit}")
    body.append(f"length: {FIBRE_M}")
    return f"{{{', '.join(body)}}}"


def _ends(rng: Random, draft: Draft, group: str) -> list[str]:
    """Ends that a link may have at a node: its slots, without their name where that is enough."""
    kinds = fitted(_document(draft), group)
    if len(kinds) == 1 and rng.random() < 0.5:
        return [group]
    return [f"{group}.{slots}" for slots in kinds]


def _document(draft: Draft) -> Document:
    return read(draft.text())


def _ports(draft: Draft, end: str) -> int:
    group, _, slots = end.partition(".")
    document = _document(draft)
    return port_count(document, group, slots or next(iter(fitted(document, group))))


def _some(rng: Random, names: Iterable[str], chance: float = 0.5) -> list[str]:
    kept = [name for name in names if rng.random() < chance]
    rng.shuffle(kept)
    return kept


def _regular(rng: Random) -> Draft:
    """Nodes, leaves, often spines and cores, over axes that some of them share."""
    technology = rng.choice(TECHNOLOGIES)
    draft = Draft()
    outer = _some(rng, ("pod", "su"), 0.6)
    inner = _some(rng, ("rail", "plane"), 0.6)
    names = outer + inner
    rng.shuffle(names)
    draft.axes = {
        name: rng.choice((1, 2, 2, 2, 3, 4) if name in inner else (1, 2, 2, 3)) for name in names
    }
    switch = rng.choice(technology.switches)
    kinds = []
    for name in ("node", "worker")[: rng.choice((1, 1, 1, 2))]:
        per = [axis for axis in outer if rng.random() < 0.8]
        which = rng.choice(NODES)
        draft.groups[name] = _group(
            which, per, rng.choice((None, 1, 2, 2, 3, 4)), _nics(rng, which, technology)
        )
        kinds.append(name)
    leaf_per = outer + inner
    rng.shuffle(leaf_per)
    draft.groups["leaf"] = _group(switch, leaf_per, rng.choice((None, None, 1, 2)))
    tiers = rng.choice((1, 2, 2, 2, 3))
    if tiers > 1:
        draft.groups["spine"] = _group(
            rng.choice(technology.switches),
            _some(rng, leaf_per, 0.4),
            rng.choice((None, 1, 2, 2, 3, 4)),
        )
    if tiers > 2:
        draft.groups["core"] = _group(switch, _some(rng, leaf_per, 0.2), rng.choice((1, 2, 3)))
    for name in kinds:
        for end in _ends(rng, draft, name):
            if "storage" not in end or rng.random() < 0.4:
                draft.links += _dealt(rng, draft, end, "leaf")
    if tiers > 1:
        draft.links += _uplinks(rng, switch, "leaf", "spine")
    if tiers > 2:
        draft.links += _uplinks(rng, switch, "spine", "core")
    if rng.random() < 0.4:
        _add_storage(rng, draft, technology, outer)
    if rng.random() < 0.25:
        rng.shuffle(draft.links)
    if rng.random() < 0.25:
        draft.groups = dict(rng.sample(list(draft.groups.items()), len(draft.groups)))
    return draft


def _dealt(rng: Random, draft: Draft, end: str, switches: str) -> list[str]:
    """One or two links of the same slots to the same switches."""
    document = _document(draft)
    here, there = (document.groups[name.partition(".")[0]] for name in (end, switches))
    free = [axis for axis in document.axes_of(switches) if axis[0] not in here.per]
    peers = 1
    for _, size in free:
        peers *= size
    ports = _ports(draft, end)
    assert there.name == switches
    if ports % peers == 0 and rng.random() < 0.7:
        return [_link(rng, end, switches)]
    if ports < peers:
        return [_link(rng, end, switches, 1)]
    most = ports // peers
    first = rng.randint(1, most)
    links = [_link(rng, end, switches, first)]
    if first < most and rng.random() < 0.5:
        links.append(_link(rng, end, switches, rng.randint(1, most - first)))
    return links


def _uplinks(rng: Random, switch: str, below: str, above: str) -> list[str]:
    cables = rng.choice((None, 1, 2, 2, 3, 4))
    speeds = [mode["speed_gbit"] for mode in part(switch)["cages"]["modes"]]
    links = [_link(rng, below, above, cables, rng.choice((None, None, None, rng.choice(speeds))))]
    if rng.random() < 0.1:
        links.append(_link(rng, below, above, rng.choice((1, 2)), speeds[-1]))
    return links


def _add_storage(
    rng: Random, draft: Draft, technology: Technology, outer: list[str], leaf: str = "leaf"
) -> None:
    which = rng.choice(STORAGE)
    draft.groups["store"] = _group(
        which, _some(rng, outer, 0.3), rng.choice((None, 1, 2)), _nics(rng, which, technology)
    )
    end = rng.choice(_ends(rng, draft, "store"))
    if rng.random() < 0.6:
        draft.links += _dealt(rng, draft, end, leaf)
        return
    draft.groups["store-leaf"] = _group(
        rng.choice(technology.switches), (), rng.choice((None, 1, 2))
    )
    draft.links += _dealt(rng, draft, end, "store-leaf")
    if "spine" in draft.groups:
        draft.links.append(_link(rng, "store-leaf", "spine", rng.choice((None, 2))))
    for name in ("node", "worker"):
        if name in draft.groups and "storage" in fitted(_document(draft), name):
            draft.links += _dealt(rng, draft, f"{name}.storage", "store-leaf")


def _irregular(rng: Random) -> Draft:
    """Groups of one: nodes and leaves with their own links, in a ring, a star, or both."""
    technology = rng.choice(TECHNOLOGIES)
    draft = Draft()
    leaves = [f"leaf{number}" for number in range(rng.randint(1, 5))]
    nodes = [f"n{number}" for number in range(rng.randint(2, 6))]
    kinds = [rng.choice(NODES) for _ in range(rng.choice((1, 1, 2)))]
    fitting = {kind: _nics(rng, kind, technology) for kind in kinds}
    for name in nodes:
        kind = rng.choice(kinds)
        nics = fitting[kind] if rng.random() < 0.8 else _nics(rng, kind, technology)
        draft.groups[name] = _group(kind, (), rng.choice((None, None, 1, 2)), nics)
    for name in leaves:
        draft.groups[name] = _group(rng.choice(technology.switches), (), rng.choice((None, 1)))
    if rng.random() < 0.5:
        draft.groups["hub"] = _group(rng.choice(technology.switches), (), rng.choice((None, 1, 2)))
    for name in nodes:
        for end in _ends(rng, draft, name):
            if ".storage" in end:
                continue
            ports = _ports(draft, end)
            homes = rng.sample(leaves, rng.randint(1, min(2, ports, len(leaves))))
            if len(homes) == 1:
                draft.links.append(_link(rng, end, homes[0], rng.choice((None, 1, ports))))
            else:
                first = rng.randint(1, ports - 1)
                draft.links.append(_link(rng, end, homes[0], first))
                draft.links.append(_link(rng, end, homes[1], rng.randint(1, ports - first)))
    for one, other in zip(leaves, leaves[1:] + leaves[:1], strict=True):
        if one < other or (len(leaves) > 2 and one != other):
            draft.links.append(_link(rng, one, other, rng.choice((None, 1, 2, 3))))
    if "hub" in draft.groups:
        draft.links += [_link(rng, one, "hub", rng.choice((None, 1, 2, 4))) for one in leaves]
    if rng.random() < 0.3:
        _add_storage(rng, draft, technology, [], leaves[0])
    return draft


def _islands(rng: Random) -> Draft:
    """Groups of one: rings of leaves of unlike length, each with a node, on a thin hub."""
    technology = rng.choice(TECHNOLOGIES)
    switch = technology.switches[0]
    draft = Draft()
    kind = rng.choice(("gh200-quad", "hgx-h100-4", "hgx-a100-4", "a100-pcie-4"))
    fitting = _nics(rng, kind, technology)
    rings = rng.choice(((3, 1), (2, 1, 1), (3, 2), (4, 1), (4, 2), (3, 2, 1), (3, 3, 1), (5, 3)))
    around = rng.choice((1, 2, 3))
    out = rng.choice((None, 1, 2))
    for ring, length in enumerate(rings):
        leaves = [f"leaf{ring}-{place}" for place in range(length)]
        for leaf in leaves:
            node = leaf.replace("leaf", "n")
            draft.groups[node] = _group(kind, (), None, fitting)
            draft.groups[leaf] = _group(switch)
            draft.links.append(_link(rng, f"{node}.compute", leaf))
            draft.links.append(_link(rng, leaf, "hub", out))
        pairs = list(zip(leaves, leaves[1:] + leaves[:1], strict=True))
        for one, other in pairs if length > 2 else pairs[: length - 1]:
            draft.links.append(_link(rng, one, other, around))
    draft.groups["hub"] = _group(switch)
    draft.groups = dict(rng.sample(list(draft.groups.items()), len(draft.groups)))
    return draft


def _paired(rng: Random) -> Draft:
    """Two groups of nodes cabled port to port, nothing else or beside a leaf."""
    technology = rng.choice(TECHNOLOGIES)
    draft = Draft(axes={"pair": rng.choice((1, 1, 2))})
    kind = rng.choice(NODES)
    nics = _nics(rng, kind, technology)
    for name in ("left", "right"):
        draft.groups[name] = _group(kind, ["pair"], None, nics)
    draft.groups["leaf"] = _group(rng.choice(technology.switches), (), rng.choice((None, 1)))
    slots = "compute"
    room = _ports(draft, f"left.{slots}")
    beside = rng.randint(0, room - 1)
    if beside:
        draft.links += [_link(rng, f"{name}.{slots}", "leaf", beside) for name in ("left", "right")]
    between = rng.choice((None, room - beside)) if not beside else room - beside
    draft.links.append(_link(rng, f"left.{slots}", f"right.{slots}", between))
    return draft


# Faults


def _break(rng: Random, draft: Draft, document: Document, fabric: Fabric) -> None:
    for _ in range(rng.choice((0, 1, 1, 2, 3, 5))):
        marks = rng.choice((draft.absent, draft.down))
        marks.append(_selector(rng, document, fabric))


def _slow_down(rng: Random, draft: Draft, document: Document, fabric: Fabric) -> None:
    lowest = min(fabric.speeds.values(), default=1)
    for _ in range(rng.choice((1, 1, 2, 3))):
        speed = rng.choice((str(lowest), "8", "20", "80 %", "40%", "16 %"))
        draft.slow[_selector(rng, document, fabric)] = speed


def _rewire(rng: Random, draft: Draft, fabric: Fabric) -> None:
    """Single cables: two ports exchanged, an uplink elsewhere, a host at any switch."""
    named: set[str] = set()
    for _ in range(rng.choice((1, 2, 2, 3))):
        one, other = (rng.choice(fabric.cables) for _ in range(2))
        pairs = [(one, other), (other, one)] if rng.random() < 0.5 else [(one, other)]
        for first, second in pairs:
            ends = [_port_of(rng, first, first.a), _port_of(rng, second, second.b)]
            if first.a.group == second.b.group or named & set(ends):
                continue
            if rng.random() < 0.5:
                ends.reverse()
            more = f", length: {FIBRE_M}" if rng.random() < 0.3 else ""
            wanted = [*draft.cables, f'a: "{ends[0]}", z: "{ends[1]}"{more}']
            try:
                found = expand(replace(draft, cables=wanted, absent=[], down=[]).text())
            except CannotExpand:
                continue
            if any(link.length_m is None for link in found.own_links.values()):
                continue  # its length would be that along the racks
            named |= {end for end in ends if "." in end}
            draft.cables = wanted


def _port_of(rng: Random, cable: Cable, device: Device) -> str:
    at = ",".join(f"{axis}={value}" for axis, value in device.at)
    port = cable.end(device)
    if port is not None:
        return f"{device.group}[{at}].{port.slots}[{port.number}]"
    return f"{device.group}[{at}]" + rng.choice(("", f".port[{rng.randint(0, 7)}]"))


def _selector(rng: Random, document: Document, fabric: Fabric) -> str:
    make = rng.choice((_devices, _port, _port, _cables, _cables, _some_cables))
    return make(rng, document, fabric)


def _devices(rng: Random, document: Document, fabric: Fabric) -> str:
    names = [name for name in document.groups if len(instances(document, name)) > 1]
    if not names:
        return _port(rng, document, fabric)
    return _spelled(rng, document, rng.choice(instances(document, rng.choice(names))), 0.05)


def _spelled(rng: Random, document: Document, device: Device, wider: float = 0.2) -> str:
    """One device, now and then with some axes left open or as ranges; in all spellings."""
    items = []
    for axis, value in device.at:
        size = dict(document.axes_of(device.group))[axis]
        if (size == 1 and rng.random() < 0.6) or rng.random() < wider:
            continue
        if rng.random() < wider:
            first, last = rng.randint(0, value), rng.randint(value, size - 1)
            items.append(f"{axis}={first}..{last}")
        elif rng.random() < 0.15:
            items.append(f"{axis}={value}..{value}")
        else:
            items.append(f"{axis}={value}")
    rng.shuffle(items)
    if not items:
        return device.group if rng.random() < 0.7 else f"{device.group}[]"
    comma = rng.choice((",", ", ", " , "))
    return f"{device.group}[{comma.join(items)}]".replace("=", rng.choice(("=", "=", " = ")))


def _port(rng: Random, document: Document, fabric: Fabric) -> str:
    ends = [
        (device, port)
        for cable in fabric.cables
        for device, port in ((cable.a, cable.a_port), (cable.b, cable.b_port))
        if port is not None
    ]
    if not ends:
        return _cables(rng, document, fabric)
    device, port = rng.choice(ends)
    number = f"[{port.number}]" if rng.random() < 0.95 else ""
    return f"{_spelled(rng, document, device, 0.1)}.{port.slots}{number}"


def _cables(rng: Random, document: Document, fabric: Fabric) -> str:
    cable = rng.choice(fabric.cables)
    ends = [_spelled(rng, document, device, 0.1) for device in (cable.a, cable.b)]
    if rng.random() < 0.5:
        ends.reverse()
    return " - ".join(ends)


def _some_cables(rng: Random, document: Document, fabric: Fabric) -> str:
    between = [cable for cable in fabric.cables if cable.a_port is None and cable.b_port is None]
    if not between:
        return _port(rng, document, fabric)
    cable = rng.choice(between)
    ends = [_spelled(rng, document, device, 0.1) for device in (cable.a, cable.b)]
    if rng.random() < 0.5:
        ends.reverse()
    return f"{rng.choice((1, 1, 1, 2, 3))} of {' - '.join(ends)}"
