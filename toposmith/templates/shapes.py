"""The usual shapes of a cluster, each written as an ordinary design.

The tables of NVIDIA's DGX SuperPOD reference architectures (H100 Table 4, B200 network fabrics)
come out of ``leaf_spine`` and ``three_tier`` with the defaults of their settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from toposmith.catalog import Catalog, Gpu, Node, NvlinkSwitch, Switch
from toposmith.design.document import Design, FittedNics, Group, Link
from toposmith.design.placement_block import PlacementBlock
from toposmith.errors import EditError
from toposmith.fabric.nvlink_domains import domain_gpus, is_joined
from toposmith.fabric.plan import NVLINK, LinkPlan, Plan, PortGroup
from toposmith.fabric.planner import plan_design
from toposmith.fabric.port_use import port_findings
from toposmith.templates.template_settings import (
    RATIO,
    SettingValues,
    Usual,
    as_ratio,
    ports_at,
    usual_nodes,
    usual_switch,
)
from toposmith.text import counted


def sound(design: Design, catalog: Catalog) -> Plan:
    """The plan of a design that can be built; raises EditError with the first error otherwise."""
    plan = plan_design(design, catalog)
    for finding in (*plan.findings, *port_findings(plan)):
        if finding.severity == "error":
            raise EditError(f"{finding.where}: {finding.text}")
    return plan


def named(values: SettingValues, fallback: str) -> str:
    """The name from the settings, or a default."""
    return values["name"] or fallback


def node_group(values: Mapping[str, Any], per: tuple[str, ...] = ()) -> Group:
    """The nodes of the settings, with their NICs; EditError where ``nics`` lacks a part."""
    nics = {}
    if values["nics"] is not None and values["nic"] is None:
        raise EditError("nics says how many NICs to fit; say nic=PART too")
    if values["nic"] is not None:
        count = values["nics"] if values["nics"] is not None else 1
        nics = {values["slots"]: FittedNics(part=values["nic"], count=count)}
    return Group(part=values["node"], per=per, count=values["nodes"], nics=nics)


def _node_end(values: SettingValues) -> str:
    return f"node.{values['slots']}"


def ports_per_node(values: SettingValues, catalog: Catalog) -> int:
    """Ports that one node offers to the network; EditError where no NIC is fitted."""
    return node_ports(values, catalog).ports


def node_ports(values: Mapping[str, Any], catalog: Catalog) -> PortGroup:
    """The same with their NICs; EditError where there are none."""
    node = node_group({**values, "nodes": 1})
    plan = sound(Design(groups={"node": node}), catalog)
    ports = plan.groups["node"].port_groups.get(values["slots"])
    known = ", ".join(plan.groups["node"].port_groups)
    if ports is None:
        raise EditError(f"{values['node']} has no {values['slots']!r} slots (it has: {known})")
    if not ports.ports:
        raise EditError(f"{values['node']} comes without NICs; fit some with nic=PART and nics=N")
    return ports


def nodes_of_unit(most: int, *, rails: bool = True, spines: bool = True) -> Usual:
    """How many nodes an SU has unless that is given: as many as its leaves have ports for."""

    def usual(so_far: Mapping[str, Any], catalog: Catalog) -> int:
        known = _below_leaves(so_far, catalog)
        if known is None:
            return most
        ports, radix, leaves = known
        ratio = Fraction(as_ratio(so_far.get(RATIO) or 1)) if spines else Fraction(0)
        each = max(1, ports // leaves) if rails else ports
        return usual_nodes(most, each, radix, ratio)

    return usual


def units_below_spines(most: int) -> Usual:
    """How many SUs there are unless that is given: as many as spines have ports for."""

    def usual(so_far: Mapping[str, Any], catalog: Catalog) -> int:
        known = _below_leaves(so_far, catalog)
        return most if known is None else max(1, min(most, known[1] // known[2]))

    return usual


def _below_leaves(so_far: Mapping[str, Any], catalog: Catalog) -> tuple[int, int, int] | None:
    """Ports of a node, ports of a leaf at their speed, and leaves that a node is cabled to.

    By the leaf that is given, else the usual one of the node; None where that is not known, or
    refused where it is read.
    """
    named = so_far.get("leaf") or so_far.get("switch") or usual_switch(so_far, catalog)
    switch = catalog.get(str(named))
    try:
        ports = node_ports({**_WITHOUT_NICS, **so_far}, catalog)
        planes = int(so_far.get("planes") or 1)
        leaves = planes * int(so_far.get("rails") or ports.ports // planes)
        as_ratio(so_far.get(RATIO) or 1)
    except (EditError, ValueError, TypeError, ZeroDivisionError):
        return None
    if ports.nic is None or not isinstance(switch, Switch) or leaves < 1:
        return None
    radix = ports_at(switch, ports.nic.speed_gbit)
    return (ports.ports, radix, leaves) if radix else None


_WITHOUT_NICS = {"nic": None, "nics": None}


@dataclass(frozen=True)
class Up:
    """The step up from a tier of switches: uplinks of each, and the ports of a switch above.

    ``most`` is how many uplinks a switch has ports for; ``even`` whether the oversubscription comes
    out exactly with ``uplinks``.
    """

    uplinks: int
    radix: int
    speed_gbit: int
    most: int
    even: bool = True

    def spread(self, switches: int, ports: int) -> int:
        """Switches above, so that each one below has as many links to every one of them.

        Where the oversubscription comes out exactly, the smallest divisor of the uplinks that is
        large enough: 3 SU of DGX H100 get 16 spines, where 12 would have the ports (RA-11333-001,
        Table 4). Else the fewest, to which the uplinks are rounded up.

        Raises
        ------
        EditError
            If there are no ports for any number of switches above.
        """
        least = ceil(switches * self.uplinks / ports)
        fits = [
            above
            for above in range(max(1, least), self.most + 1)
            if self.to_each(above) * above <= self.most and self.to_each(above) * switches <= ports
        ]
        exact = [above for above in fits if self.uplinks % above == 0]
        if not fits:
            raise EditError(
                f"{switches} switches with {counted(self.uplinks, 'uplink')} each need more than "
                f"{counted(self.uplinks, 'switch')} of {ports} ports above them; "
                f"at most {counted(ports, 'switch', 'fit')} below"
            )
        return exact[0] if exact and self.even else fits[0]

    def to_each(self, above: int) -> int:
        """Cables to each of some switches above, which carry the uplinks at least."""
        return ceil(self.uplinks / above)


def _up(
    link: LinkPlan, above: Switch, down_gbit: int, ratio: int | Fraction, most: int | None = None
) -> Up:
    """The fewest uplinks that carry what comes from below, divided by the oversubscription."""
    wanted = Fraction(down_gbit) / (ratio * link.speed_gbit)
    uplinks, radix = ceil(wanted), above.cages.count * link.b.breakout
    return Up(uplinks, radix, link.speed_gbit, most or uplinks, wanted == uplinks)


def two_tiers(
    values: SettingValues,
    catalog: Catalog,
    axes: dict[str, int],
    per: tuple[str, ...],
    leaf_per: tuple[str, ...] | None = None,
) -> tuple[Design, Up, int]:
    """Nodes, leaves and one spine, with the uplinks of a leaf and the number of leaves.

    Leaves are those of the nodes' axes unless ``leaf_per`` names fewer.

    Raises
    ------
    EditError
        For settings with which nodes and leaves cannot be joined.
    """
    rails = tuple(axis for axis in ("rail", "plane") if axis in axes)
    groups = {
        "node": node_group(values, per),
        "leaf": Group(part=values["leaf"], per=(*(per if leaf_per is None else leaf_per), *rails)),
        "spine": Group(part=values["spine"]),
    }
    links = (Link(between=(_node_end(values), "leaf")), Link(between=("leaf", "spine")))
    begun = Design(axes=axes, groups=groups, links=links)
    plan = plan_design(begun, catalog)
    errors = [finding for finding in plan.findings if finding.severity == "error"]
    if errors:
        raise EditError(f"{errors[0].where}: {errors[0].text}")
    down, up = plan.links
    below, above = plan.groups["leaf"].switch, plan.groups["spine"].switch
    assert below is not None
    assert above is not None
    down_ports = down.cables_at("leaf")
    most = (below.cages.count - ceil(down_ports / down.b.breakout)) * up.a.breakout
    ratio = values["oversubscription"]
    way = _up(up, above, down_ports * down.speed_gbit, ratio, most)
    if way.uplinks > most:
        raise EditError(_no_room(values, down, up, below, way))
    return begun, way, plan.groups["leaf"].instances


def _no_room(values: SettingValues, down: LinkPlan, up: LinkPlan, leaf: Switch, way: Up) -> str:
    """That a leaf has too few ports, and the nearest that fit: fewer nodes, or thinner uplinks."""
    nodes, ratio = values["nodes"], values[RATIO]
    down_ports = down.cables_at("leaf")
    each = down_ports // nodes
    offers = []
    for fewer in range(nodes - 1, 0, -1):
        left = (leaf.cages.count - ceil(fewer * each / down.b.breakout)) * up.a.breakout
        if left * up.speed_gbit * ratio >= fewer * each * down.speed_gbit:
            offers.append(f"nodes={fewer}")
            break
    if way.most > 0:
        thinner = down_ports * down.speed_gbit / (way.most * up.speed_gbit)
        uplinks = counted(way.most, "uplink")
        offers.append(f"oversubscription={ceil(thinner * 100) / 100:g} ({uplinks})")
    cages = ceil(down_ports / down.b.breakout) + ceil(way.uplinks / up.a.breakout)
    return (
        f"{counted(nodes, 'node', 'take')} {counted(down_ports, 'port')} of a leaf ({leaf.name}) "
        f"and {counted(way.uplinks, 'uplink')}: {counted(cages, 'cage')} of {leaf.cages.count}; "
        f"take {' or '.join(offers) or 'another leaf'}"
    )


def spread_links(way: Up, above: int, *, speed_end: str = "leaf", to: str = "spine") -> Link:
    """The links to the tier above, as many to each switch; EditError where the ports do not do."""
    cables = way.to_each(above)
    if cables * above > way.most:
        fits = [str(d) for d in range(1, way.most + 1) if way.to_each(d) * d <= way.most]
        raise EditError(
            f"{counted(way.uplinks, 'uplink')} of a {speed_end} cannot be dealt evenly over "
            f"{above} {to}s within {counted(way.most, 'port')}; {' or '.join(fits)} work"
        )
    return Link(between=(speed_end, to), cables=cables)


def empty_slots(values: SettingValues, last: Mapping[str, int]) -> tuple[str, ...]:
    """The selector of the last slots, where some stay empty; EditError where these are too many."""
    empty = values["empty_slots"]
    if not empty:
        return ()
    nodes = values["nodes"]
    if empty >= nodes:
        raise EditError(f"empty_slots can be at most {nodes - 1}, found {empty}")
    where = ",".join(f"{axis}={size - 1}" for axis, size in last.items())
    span = f"{nodes - 1}" if empty == 1 else f"{nodes - empty}..{nodes - 1}"
    return (f"node[{where},node={span}]",)


def empty(values: SettingValues, catalog: Catalog) -> Design:
    """An empty design."""
    return Design(name=named(values, ""))


def single_switch(values: SettingValues, catalog: Catalog) -> Design:
    """All nodes on one switch."""
    ports_per_node(values, catalog)
    return Design(
        name=named(values, f"{values['nodes']} x {values['node']} on one switch"),
        groups={"node": node_group(values), "switch": Group(part=values["switch"])},
        links=(Link(between=(_node_end(values), "switch")),),
    )


def leaf_spine(values: SettingValues, catalog: Catalog) -> Design:
    """Rail-optimised, two tiers: a leaf for every rail of every SU, and spines over all."""
    rails = values["rails"] or ports_per_node(values, catalog)
    axes = {"su": values["su"], "rail": rails}
    begun, way, leaves = two_tiers(values, catalog, axes, ("su",))
    spines = values["spines"] or way.spread(leaves, way.radix)
    return begun.model_copy(
        update={
            "name": named(values, f"{values['su']} SU of {values['nodes']} x {values['node']}"),
            "groups": {**begun.groups, "spine": Group(part=values["spine"], count=spines)},
            "links": (begun.links[0], spread_links(way, spines)),
            "absent": empty_slots(values, {"su": values["su"]}),
        }
    )


_NETWORK = frozenset(("leaf", "spine", "spines", "rails", "oversubscription"))
"""Settings that ask for a network between racks where one NVLink domain would need none."""
_TRUNK_M = 1.5
_JOINED_RACKS = PlacementBlock(units=48, max_power_w=132_000)
"""Between trays of two racks side by side, and such racks, as the saved design of an NVL36x2."""


def nvlink_racks(values: SettingValues, catalog: Catalog) -> Design:
    """Racks of NVLink trays, each with a leaf for every rail, and spines over all.

    One NVLink domain alone has no leaves, unless a setting asks for them.

    Raises
    ------
    EditError
        If racks do not divide into domains, or nodes are no trays of a rack.
    """
    racks, joined, node = values["racks"], values["joined"], catalog.node(values["node"])
    if racks % joined:
        raise EditError(f"{counted(racks, 'rack')} do not go up in domains of {joined}")
    if values["nodes"] is None:
        values["nodes"] = _trays(node)
    axes = {"rack": racks} if joined in (1, racks) else {"domain": racks // joined, "rack": joined}
    per = tuple(axes)
    nodes = Design(axes=axes, groups={"node": node_group(values, per)})
    _require_racks(sound(nodes, catalog))
    switches = _nvlink_switches(values, catalog, per)
    nvlinks = [Link(between=(f"node.{NVLINK}", name)) for name in switches]
    nvlinks += _between_racks(values, switches, catalog)
    trays = f"{values['nodes']} x {values['node']}"
    drawn = nodes.model_copy(
        update={
            "name": named(values, f"{counted(racks, 'NVLink rack')} of {trays}"),
            "groups": {**nodes.groups, **switches},
            "links": tuple(nvlinks),
            "placement": _JOINED_RACKS if joined > 1 else None,
        }
    )
    return (
        drawn
        if racks == joined and not _NETWORK & values.given
        else _networked(drawn, values, catalog)
    )


def _networked(drawn: Design, values: SettingValues, catalog: Catalog) -> Design:
    """The racks with leaves for every rail, and spines over all: the fewest switches.

    A leaf serves one rack, or as many as it has ports for where that takes fewer switches.

    Raises
    ------
    EditError
        Where not even one rack fits below a leaf.
    """
    (outer, many), *_ = drawn.axes.items()
    built, refused = [], None
    for racks in (each for each in range(1, many + 1) if many % each == 0):
        try:
            built.append(_with_leaves(drawn, values, catalog, racks))
        except EditError as error:
            refused = refused or error
    if not built:
        raise refused or EditError(f"no {outer} fits below a leaf")
    return min(built, key=lambda found: found[0])[1]


def _with_leaves(
    drawn: Design, values: SettingValues, catalog: Catalog, racks: int
) -> tuple[int, Design]:
    """The network with so many racks (or domains) below a leaf, and how many switches it has."""
    (outer, many), *inner = drawn.axes.items()
    split = {outer: many} if racks == 1 else {"su": many // racks, outer: racks}
    rails = values["rails"] or ports_per_node(values, catalog)
    axes = {**split, **dict(inner), "rail": rails}
    per = tuple(axis for axis in axes if axis != "rail")
    leaf_per = per if racks == 1 else ("su",)
    begun, way, leaves = two_tiers(values, catalog, axes, per, leaf_per)
    spines = values["spines"] or way.spread(leaves, way.radix)
    groups = {name: group.model_copy(update={"per": per}) for name, group in drawn.groups.items()}
    groups |= {"leaf": begun.groups["leaf"], "spine": Group(part=values["spine"], count=spines)}
    links = (*drawn.links, begun.links[0], spread_links(way, spines))
    changed = {"axes": axes, "groups": groups, "links": links}
    return leaves + spines, drawn.model_copy(update=changed)


def _trays(node: Node) -> int:
    """Trays of a node's kind that the NVLink switches of a rack join; 1 of what they do not."""
    domain = node.nvlink.domain_gpus if node.nvlink else None
    return max(1, (domain or 0) // node.gpus)


def _between_racks(
    values: SettingValues, switches: Mapping[str, Group], catalog: Catalog
) -> Iterator[Link]:
    """Cables in all cages of NVLink switches to their counterparts in a domain's other racks."""
    joined = values["joined"]
    for name, group in switches.items() if joined > 1 else ():
        part = catalog.get(group.part)
        assert isinstance(part, NvlinkSwitch) and part.cages is not None
        cables = part.cages.count * part.cages.modes[0].ports // (joined - 1)
        between = (name, name)
        yield Link(between=between, along={"rack": "other"}, cables=cables, length=_TRUNK_M)
    if joined > 1 and not switches:
        raise EditError(f"joined={joined}: {_why_not_joined(values, catalog)}")


def _why_not_joined(values: SettingValues, catalog: Catalog) -> str:
    if values["nvswitches"] == 0:
        return "cables join racks at their NVLink switches, of which nvswitches=0 draws none"
    fitting = [
        node.id
        for node in catalog.of_kind("node")
        if isinstance(node, Node) and _nvlink_switches({**values, "node": node.id}, catalog, ())
    ]
    part = catalog.node(values["node"])
    told = f"no NVLink switch in the catalog joins racks of {values['nodes']} x {part.name}"
    return f"{told}; take node={' or '.join(fitting)}" if fitting else told


def _nvlink_switches(
    values: Mapping[str, Any], catalog: Catalog, per: tuple[str, ...]
) -> dict[str, Group]:
    """The NVLink switches of each rack; none where their number is unknown, or none fit.

    The smallest that join a full rack as it is sold, with cages where cables join racks.
    """
    node = catalog.node(values["node"])
    gpu = catalog.get(node.gpu)
    links = gpu.nvlink if isinstance(gpu, Gpu) else None
    sold = node.nvlink.switch_trays if node.nvlink else None
    many = sold if values["nvswitches"] is None else values["nvswitches"]
    if not many or links is None:
        return {}
    all_links = _trays(node) * node.gpus * links.links
    ports = all_links // min(many, sold or many)
    fitting = [
        part
        for part in catalog
        if isinstance(part, NvlinkSwitch)
        and part.protocol == links.kind
        and part.GBps_per_link == links.GBps_per_link
        and part.ports >= ports
        and (part.cages is not None or values["joined"] == 1)
    ]
    if not fitting:
        return {}
    part = min(fitting, key=lambda one: (one.ports, one.cages is not None))
    return {"nvswitch": Group(part=part.id, per=per, count=many)}


def _require_racks(plan: Plan) -> None:
    """Refuse nodes that are no trays of a rack, and more of them than it joins."""
    group = plan.groups["node"]
    room = domain_gpus(group)
    assert group.node is not None
    if room is None:
        raise EditError(
            f"NVLink joins {group.node.name} to no other node; take the tray of a rack, such as "
            "gb200-nvl72-tray"
        )
    if group.instances > 1 and not is_joined(group):
        most = room // group.node.gpus
        raise EditError(
            f"a rack of {group.node.name} has from 2 to {most} trays, found {group.sizes[-1]}"
        )


def top_of_rack(values: SettingValues, catalog: Catalog) -> Design:
    """One leaf for all ports of a rack, and spines over all racks."""
    ports_per_node(values, catalog)
    begun, way, leaves = two_tiers(values, catalog, {"rack": values["racks"]}, ("rack",))
    spines = values["spines"] or way.spread(leaves, way.radix)
    nodes = f"{values['nodes']} x {values['node']}"
    return begun.model_copy(
        update={
            "name": named(values, f"{counted(values['racks'], 'rack')} of {nodes}"),
            "groups": {**begun.groups, "spine": Group(part=values["spine"], count=spines)},
            "links": (begun.links[0], spread_links(way, spines)),
        }
    )


def three_tier(values: SettingValues, catalog: Catalog) -> Design:
    """Rail-optimised, three tiers; spines of one number in all pods share their cores.

    Raises
    ------
    EditError
        If the switches do not have the ports.
    """
    rails = values["rails"] or ports_per_node(values, catalog)
    per = ("pod", "su")
    _, way, _ = two_tiers(values, catalog, {"pod": 1, "su": 1, "rail": rails}, per)
    per_pod = values["su_per_pod"] or _units_of_pod(values["su"], max(1, way.radix // 2 // rails))
    pods, rest = divmod(values["su"], per_pod)
    if rest or not pods:
        fits = [str(n) for n in range(1, per_pod + 1) if values["su"] % n == 0]
        raise EditError(
            f"{values['su']} SU are not a multiple of pods of {per_pod} SU; "
            f"take a multiple of {per_pod}, or su_per_pod={' or '.join(fits)}"
        )
    axes = {"pod": pods, "su": per_pod, "rail": rails}
    begun, way, _ = two_tiers(values, catalog, axes, per)
    planes = way.spread(per_pod * rails, way.radix // 2)
    link = spread_links(way, planes)
    assert link.cables is not None
    to_core = _up_to_core(values, catalog, per_pod * rails * link.cables * way.speed_gbit)
    cores = to_core.spread(pods, to_core.radix)
    return Design(
        name=named(values, f"{values['su']} SU of {values['nodes']} x {values['node']}"),
        axes={**axes, "plane": planes},
        groups={
            "node": begun.groups["node"],
            "leaf": begun.groups["leaf"],
            "spine": Group(part=values["spine"], per=("pod", "plane")),
            "core": Group(part=values["core"], per=("plane",), count=cores),
        },
        links=(
            begun.links[0],
            link,
            spread_links(to_core, cores, speed_end="spine", to="core"),
        ),
        absent=empty_slots(values, {"pod": pods, "su": per_pod}),
    )


def _units_of_pod(units: int, most: int) -> int:
    """SUs of a pod, as many as divide evenly over several; else the most that it has ports for.

    More than twice as many pods as are needed are not proposed.
    """
    even = (
        each for each in range(most, 0, -1) if units % each == 0 and (each < units or each == 1)
    )
    return next((each for each in even if units // each <= 2 * ceil(units / most)), most)


def _up_to_core(values: SettingValues, catalog: Catalog, down_gbit: int) -> Up:
    """The way up from a spine: as much capacity as comes from its leaves."""
    groups = {"spine": Group(part=values["spine"]), "core": Group(part=values["core"])}
    joined = Design(groups=groups, links=(Link(between=("spine", "core")),))
    link = sound(joined, catalog).links[0]
    return _up(link, catalog.switch(values["core"]), down_gbit, 1)
