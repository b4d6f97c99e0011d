"""Storage, in-band and out-of-band networks, added to the design of a template.

The compute fabric is not changed. Each network has leaves
of its own: one set for all nodes where its ports hold them, else one for those of each value of
the nodes' first axis, then of the first two. Several sets of leaves meet at spines.
As NVIDIA draws it (DGX SuperPOD reference architecture, RA-11333-001), a node has two ports in the
storage network and two in the in-band network, on two leaves; every device has its management port
in the out-of-band network, whose switches have an uplink to each of two cores where a core is asked
for; without one it stands alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from math import ceil, prod

from toposmith.catalog import Catalog, Switch
from toposmith.design.document import (
    MAX_SINGLE_CABLES,
    Design,
    FittedNics,
    Group,
    Link,
    SingleCable,
)
from toposmith.errors import EditError
from toposmith.fabric.plan import MANAGEMENT, UPLINK, Plan
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import port_use
from toposmith.racks.whole_racks import sold_whole
from toposmith.templates.shapes import sound
from toposmith.templates.template_settings import SettingValues, nic_of, ports_at, usual_switch
from toposmith.text import counted

STORAGE = "storage"
_PORTS = 2
"""Ports of a node in the storage and in the in-band network."""
_CORE, _CORES = "out-of-band-core", 2
"""Switches that management switches are joined to, so that the loss of one cuts none off."""


def with_networks(design: Design, values: SettingValues, catalog: Catalog) -> Design:
    """The design with the requested networks; unchanged where none is.

    Raises
    ------
    EditError
        For nodes without the ports, a switch that they cannot be cabled to, or more devices than
        leaves and spines hold; it names the setting.
    """
    if "node" not in design.groups:
        return design
    asked = [name for name in ("storage", "in_band") if values.get(name)]
    if values.get("storage_nic") and not asked:
        raise EditError("storage_nic goes with storage or in_band; say one of them too")
    if asked:
        design = _with_nics(design, values, catalog)
        ports = _storage_ports(design, catalog, asked[0])
        each = min(_PORTS, ports // len(asked))
        if not each:
            raise EditError(
                f"in_band: the storage slots of {values['node']} have {ports} port, which storage "
                "takes"
            )
        if values.get("storage"):
            design = _with_storage(design, values, catalog, each)
        if values.get("in_band"):
            design = _with_leaves(
                design, catalog, "in_band", "in-band", values["in_band"], each, {"node": STORAGE}
            )
    if values.get("out_of_band"):
        core = values.get("out_of_band_core")
        if core:  # managed like every other device
            groups = {**design.groups, _CORE: Group(part=core, count=_CORES)}
            design = design.model_copy(update={"groups": groups})
        design = _out_of_band(design, catalog, values["out_of_band"])
        if core:
            design = _with_uplinks(design, catalog)
    elif values.get("out_of_band_core"):
        raise EditError("out_of_band_core goes with out_of_band; say it too")
    return design


def _with_nics(design: Design, values: SettingValues, catalog: Catalog) -> Design:
    """The nodes with NICs in their storage slots, where such were asked for."""
    nic = values.get("storage_nic")
    if nic is None:
        return design
    node = design.groups["node"]
    room = plan_design(design, catalog).groups["node"].port_groups.get(STORAGE)
    if room is None:
        raise EditError(f"storage_nic: {values['node']} has no storage slots")
    nics = {**node.nics, STORAGE: FittedNics(part=nic, count=room.slots)}
    groups = {**design.groups, "node": node.model_copy(update={"nics": nics})}
    return design.model_copy(update={"groups": groups})


def _storage_ports(design: Design, catalog: Catalog, setting: str) -> int:
    """Ports in the storage slots of a node."""
    group = plan_design(design, catalog).groups["node"]
    held = group.port_groups.get(STORAGE)
    if held is None:
        known = ", ".join(group.port_groups)
        raise EditError(
            f"{setting}: {design.groups['node'].part} has no storage slots (it has: {known}); take "
            "a node that has, such as dgx-h100"
        )
    if not held.ports:
        raise EditError(
            f"{setting}: {design.groups['node'].part} comes without NICs in its storage slots; fit "
            "some with storage_nic=PART"
        )
    return held.ports


def _with_storage(design: Design, values: SettingValues, catalog: Catalog, each: int) -> Design:
    """Appliances and leaves; the appliances on leaves of their own where nodes need several."""
    store = Group(part=values["storage_part"], count=values["storage"])
    design = design.model_copy(update={"groups": {**design.groups, "store": store}})
    ends = {"node": STORAGE, "store": STORAGE}
    switch = values["storage_switch"] or _usual_storage_switch(values, catalog)
    return _with_leaves(design, catalog, "storage", "store-leaf", switch, each, ends)


def _usual_storage_switch(values: SettingValues, catalog: Catalog) -> str:
    """The leaves' part where it runs what storage NICs do, else the usual one of these."""
    leaf = str(values.get("leaf") or values["switch"])
    slots = {**values, "slots": STORAGE, "nic": values["storage_nic"]}
    nic = nic_of(slots, catalog)
    joins = nic is None or ports_at(catalog.switch(leaf), nic.speed_gbit)
    return leaf if joins else usual_switch(slots, catalog)


def _with_leaves(
    design: Design,
    catalog: Catalog,
    setting: str,
    name: str,
    part: str,
    each: int,
    ends: dict[str, str],
) -> Design:
    """Leaves for the nodes and what else is in a network; spines where one set is too small."""
    per = design.groups["node"].per
    refusal: EditError | None = None
    for axes in (per[:many] for many in range(len(per) + 1)):
        try:
            return _drawn(design, catalog, name, part, axes, each, ends)
        except EditError as refused:
            refusal = refused
    raise EditError(f"{setting}: {refusal}")


def _drawn(
    design: Design,
    catalog: Catalog,
    name: str,
    part: str,
    axes: tuple[str, ...],
    each: int,
    ends: dict[str, str],
) -> Design:
    """A network with ``each`` leaves for every value of these axes, ``each`` cables of a node."""
    groups, links = dict(design.groups), list(design.links)
    groups[name] = Group(part=part, per=axes, count=each)
    links.append(Link(between=(f"node.{ends['node']}", name), cables=1))
    leaves = [name]
    for other in (group for group in ends if group != "node"):
        own = name
        if axes:  # those that stand for all nodes hang on leaves of their own
            own = f"{name}-2"
            many = _leaves_for(design, catalog, f"{other}.{ends[other]}", part, each)
            groups[own] = Group(part=part, count=many)
            leaves.append(own)
        links.append(Link(between=(f"{other}.{ends[other]}", own)))
    drawn = design.model_copy(update={"groups": groups, "links": tuple(links)})
    if not axes:
        plan = sound(drawn, catalog)
        if (
            design.groups["node"].per
            and max(_cages_taken(plan, leaf) for leaf in leaves) > catalog.switch(part).cages.count
        ):
            raise EditError(f"the splitters of all nodes leave no cage of a leaf ({part}) free")
        return drawn
    return _with_spines(drawn, catalog, f"{name.removesuffix('-leaf')}-spine", part, leaves)


def _leaves_for(design: Design, catalog: Catalog, end: str, part: str, least: int) -> int:
    """Leaves that deal the ports of some devices evenly and leave half of their own for uplinks."""
    group = plan_design(design, catalog).groups[end.partition(".")[0]]
    ports = group.port_groups[end.partition(".")[2]].ports
    half = catalog.switch(part).ports // 2
    even = [many for many in range(least, ports + 1) if ports % many == 0]
    fits = [many for many in even if group.instances * ports // many <= half]
    if not fits:
        most = half if even else 0
        raise EditError(
            f"{group.instances:,} x {group.spec.part} have more ports than their leaves "
            f"({part}) take; at most {most} of them"
        )
    return fits[0]


def _with_spines(
    design: Design, catalog: Catalog, name: str, part: str, leaves: list[str]
) -> Design:
    """The fewest spines, two at least, that carry upwards what each leaf carries below.

    Less where the cages that are left, or the ports of one tier of spines, do not hold as much: a
    review says so (``network-tapered``).
    """
    plan = sound(design, catalog)
    switch = catalog.switch(part)
    many = {leaf: plan.groups[leaf].instances for leaf in leaves}
    free = {
        leaf: (switch.cages.count - _cages_taken(plan, leaf)) * switch.native.ports
        for leaf in leaves
    }
    if min(free.values()) < 1:
        raise EditError(
            f"what is below takes all {switch.cages.count} cages of a leaf ({switch.name}) and "
            "leaves none for uplinks; take a larger switch"
        )
    needed = {leaf: ceil(_below_gbit(plan, leaf) / switch.native.speed_gbit) for leaf in leaves}
    for most in range(max(needed.values()), 0, -1):
        wanted = {leaf: min(needed[leaf], most, free[leaf]) for leaf in leaves}
        for spines in range(min(2, *free.values()), min(free.values()) + 1):
            cables = {leaf: ceil(wanted[leaf] / spines) for leaf in leaves}
            fits = all(cables[leaf] * spines <= free[leaf] for leaf in leaves)
            if fits and sum(many[leaf] * cables[leaf] for leaf in leaves) <= switch.ports:
                links = [Link(between=(leaf, name), cables=cables[leaf]) for leaf in leaves]
                groups = {**design.groups, name: Group(part=part, count=spines)}
                drawn = design.model_copy(
                    update={"groups": groups, "links": (*design.links, *links)}
                )
                sound(drawn, catalog)
                return drawn
    raise EditError(
        f"{sum(many.values()):,} leaves ({switch.name}) are more than one tier of spines joins; "
        f"at most {switch.ports}"
    )


def _below_gbit(plan: Plan, leaf: str) -> int:
    """What the ports below one leaf run together, Gb/s."""
    return sum(link.cables_at(leaf) * link.speed_gbit for link in plan.links_of(leaf))


def _cages_taken(plan: Plan, leaf: str) -> int:
    """Cages of a leaf, and an eighth more where cages are split.

    A splitter does not reach from rack to rack, so that some carry fewer cables than they can.
    """
    use = port_use(plan)[leaf, ""]
    return use.cages_used + (use.cages // 8 if use.used > use.cages_used else 0)


@dataclass
class _Sockets:
    """Switches for every value of some axes: their free ports, and the groups at the others.

    ``count`` of them are alike where one does not hold a group; its devices are then cabled one by
    one, since a device has one port, which no axis deals over several.
    """

    axes: tuple[str, ...]
    free: int
    count: int = 1
    groups: list[str] = field(default_factory=list)


def _out_of_band(design: Design, catalog: Catalog, part: str) -> Design:
    """Every device by its management port, on as few switches as hold those of one place.

    Groups that stand along the same axes share switches; one of which more are alike than a switch
    has ports has several of its own. Trays of racks that are sold with management switches have
    none of these.
    """
    switch = catalog.switch(part)
    if switch.cages.cage != "rj45":
        raise EditError(
            f"out_of_band: {switch.name} has no RJ45 ports, which management ports need; take such "
            "as sn2201"
        )
    plan = plan_design(design, catalog)
    node_axes = _smallest(plan, "node", switch)
    managed = {name for name, one in sold_whole(plan, catalog).items() if one.is_managed}
    held: list[_Sockets] = []
    for name, group in plan.groups.items():
        if (group.host is None and group.switch is None) or name in managed:
            continue
        own = node_axes if set(node_axes) <= set(group.spec.per) else _smallest(plan, name, switch)
        need = group.instances // prod(plan.size(axis) for axis in own)
        fits = [each for each in held if each.axes == own and each.free >= need]
        if not fits:
            many = ceil(need / switch.cages.count)
            held.append(_Sockets(own, switch.cages.count if many == 1 else need, many))
            fits = held[-1:]
        fits[0].free -= need
        fits[0].groups.append(name)
    groups, links, cables = dict(design.groups), list(design.links), list(design.cables)
    for number, each in enumerate(held):
        own_name = "out-of-band" if not number else f"out-of-band-{number + 1}"
        groups[own_name] = Group(part=part, per=each.axes, count=each.count)
        if each.count == 1:
            ends = ((f"{name}.{MANAGEMENT}", own_name) for name in each.groups)
            links += [Link(between=between, cables=1) for between in ends]
        else:
            (name,) = each.groups
            cables += _one_by_one(plan, name, each.axes, own_name, each.count)
    if len(cables) > MAX_SINGLE_CABLES:
        raise EditError(
            f"out_of_band: {switch.name} has too few ports for {counted(len(cables), 'device')} "
            f"({switch.cages.count} each), and a design has at most "
            f"{MAX_SINGLE_CABLES:,} single cables; take fewer nodes to an SU or a rack"
        )
    drawn = design.model_copy(
        update={"groups": groups, "links": tuple(links), "cables": tuple(cables)}
    )
    sound(drawn, catalog)
    return drawn


def _one_by_one(
    plan: Plan, name: str, axes: tuple[str, ...], switches: str, count: int
) -> Iterator[SingleCable]:
    """A cable from each device of a group to one of the switches of its place, in their order."""
    group = plan.groups[name]
    inner = [axis for axis in group.axes if axis not in axes]
    each = ceil(prod(plan.size(axis) for axis in inner) / count)
    for place in product(*(range(plan.size(axis)) for axis in axes)):
        at = [f"{axis}={value}" for axis, value in zip(axes, place, strict=True)]
        for turn, device in enumerate(product(*(range(plan.size(axis)) for axis in inner))):
            own = [f"{axis}={value}" for axis, value in zip(inner, device, strict=True)]
            yield SingleCable(
                a=f"{name}[{','.join((*at, *own))}].{MANAGEMENT}[0]",
                z=f"{switches}[{','.join((*at, f'{switches}={turn // each}'))}]",
            )


def _with_uplinks(design: Design, catalog: Catalog) -> Design:
    """An uplink of every management switch to each of the two cores."""
    plan = plan_design(design, catalog)
    names = [name for name in design.groups if name.startswith("out-of-band") and name != _CORE]
    core = catalog.switch(design.groups[_CORE].part)
    many = sum(plan.groups[name].instances for name in names)
    for name in names:
        switch = plan.groups[name].switch
        if switch is None or sum(cages.count for cages in switch.more_cages[:1]) < _CORES:
            raise EditError(
                f"out_of_band_core: {design.groups[name].part} has no cages for {_CORES} uplinks"
            )
    links = [Link(between=(f"{name}.{UPLINK}", _CORE), cables=1) for name in names]
    groups = {name: group for name, group in design.groups.items() if name != _CORE}
    groups[_CORE] = design.groups[_CORE]
    drawn = design.model_copy(update={"groups": groups, "links": (*design.links, *links)})
    try:
        sound(drawn, catalog)
    except EditError as refused:
        raise EditError(
            f"out_of_band_core: {core.name} does not take an uplink of each of {many:,} switches: "
            f"{refused}"
        ) from None
    return drawn


def _smallest(plan: Plan, name: str, switch: Switch) -> tuple[str, ...]:
    """The fewest axes of a group along which one switch has a port for each of its devices.

    All that it is drawn along where no switch has as many.
    """
    group = plan.groups[name]
    per = plan.design.groups[name].per
    for many in range(len(per) + 1):
        places = prod(plan.size(axis) for axis in per[:many])
        if ceil(group.instances / places) <= switch.cages.count:
            return per[:many]
    return per
