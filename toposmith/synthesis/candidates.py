"""All fabrics that requirements and a list of parts leave open, by closed forms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import ceil

from toposmith.analysis.request import Collective, Request
from toposmith.catalog import Catalog, Nic, Node, Switch
from toposmith.design.document import Design, FittedNics, Group, Link
from toposmith.errors import EditError
from toposmith.fabric.planner import plan_design
from toposmith.synthesis.closed_forms import SHAPES, Candidate, Ports, Shape
from toposmith.synthesis.increases import nics_for, switches_for
from toposmith.text import counted

TAPERS = tuple(
    Fraction(down, up)
    for down, up in (
        (1, 1),
        (16, 15),
        (8, 7),
        (4, 3),
        (3, 2),
        (2, 1),
        (3, 1),
        (4, 1),
        (6, 1),
        (8, 1),
    )
)
"""Oversubscriptions that are tried at every tier."""

MOST_NODES = 131_072
MOST_UNITS_HIGH = 4
"""Switches of more rack units are left out unless they are named: directors count as one switch."""

PLANES = (1, 2)


@dataclass(frozen=True)
class Requirements:
    """What a cluster has to be.

    Parameters
    ----------
    nodes : int
        Nodes.
    node : str
        Their part.
    needs : mapping of str to float
        Least busbw of a GPU by collective, GB/s.
    request : Request
        What else is measured: message size, groups, NCCL, routing.
    survive : frozenset of str
        ``cable`` and ``switch``: any one of them may fail without cutting off a GPU.
    switches, nics : tuple of str
        Parts that may be used; the NICs that a node comes with, else all that fit, where none is
        named.
    nics_per_node : int, optional
        How many NICs a node gets; every number that deals evenly where it is not given.
    shapes : tuple of str
        Shapes that may be used; all where none is named.
    oversubscription : float, optional
        The most at any tier.
    budget : tuple of Decimal and str, optional
        The most that everything may cost, and its currency.
    kw_per_rack : float, optional
        What a rack may draw.
    longest_m : float, optional
        The longest cable.
    align : int, optional
        Nodes that stand together: an SU holds whole multiples.
    later : int, optional
        Nodes after growth.
    """

    nodes: int
    node: str
    needs: Mapping[Collective, float] = field(default_factory=dict)
    request: Request = field(default_factory=Request)
    survive: frozenset[str] = frozenset()
    switches: tuple[str, ...] = ()
    nics: tuple[str, ...] = ()
    nics_per_node: int | None = None
    shapes: tuple[Shape, ...] = ()
    oversubscription: float | None = None
    budget: tuple[Decimal, str] | None = None
    kw_per_rack: float | None = None
    longest_m: float | None = None
    align: int | None = None
    later: int | None = None


def check_requirements(asked: Requirements, catalog: Catalog) -> None:
    """Raise EditError for what cannot be asked, with what would be right."""
    if not 1 <= asked.nodes <= MOST_NODES:
        raise EditError(f"nodes are a number from 1 to {MOST_NODES:,}, found {asked.nodes:,}")
    if asked.later is not None and asked.later < asked.nodes:
        raise EditError(
            f"growth goes up: {counted(asked.later, 'node')} later, fewer than {asked.nodes:,}"
        )
    node = catalog.node(asked.node)
    if node.nvlink is not None and node.nvlink.domain_gpus is not None:
        raise EditError(
            f"{node.id} is a tray of an NVLink rack: `toposmith new nvlink-racks` (T in the app) "
            "writes its fabrics, the search has none of them"
        )
    held = catalog.get(node.slots[slots_of(asked, catalog)].nic or "")
    if isinstance(held, Nic) and held.cage == "virtual":
        raise EditError(f"the network of {node.id} is its provider's: there is nothing to design")
    for part in asked.switches:
        catalog.switch(part)
    for part in asked.nics:
        catalog.nic(part)


def slots_of(asked: Requirements, catalog: Catalog) -> str:
    """The slot group that is cabled: ``compute`` where there is one, else the first.

    Raises
    ------
    EditError
        If the node has no slots for NICs.
    """
    slots = catalog.node(asked.node).slots
    if not slots:
        raise EditError(f"{asked.node} has no slots for NICs: nothing can be cabled")
    return "compute" if "compute" in slots else next(iter(slots))


def all_ports(asked: Requirements, catalog: Catalog) -> Iterator[Ports]:
    """Every choice of NICs, leaf and spine that the parts leave open."""
    node, slots = catalog.node(asked.node), slots_of(asked, catalog)
    for nic, many, fitted in _nic_choices(asked, catalog, node, slots):
        switches = _switches(asked, catalog, nic)
        for leaf in switches:
            for spine in switches:
                if leaf.protocol != spine.protocol or leaf.protocol not in nic.protocols:
                    continue
                if spine is not leaf and not asked.switches:
                    continue  # two kinds of switches are tried where they are named
                found = _ports(catalog, node, slots, nic if fitted else None, many, leaf, spine)
                if found is not None:
                    yield found


def _nic_choices(
    asked: Requirements, catalog: Catalog, node: Node, slots: str
) -> Iterator[tuple[Nic, int, bool]]:
    """The NIC of the board, or every one that may be fitted in every number that deals evenly."""
    room = node.slots[slots]
    many = asked.nics_per_node
    if room.nic and (room.cages or not (asked.nics or many)):
        held, fitted = catalog.nic(room.nic), room.fitted or room.count
        if asked.nics and held.id not in asked.nics:
            raise EditError(f"the NICs of {node.id} are part of its board: {held.id}")
        if many not in (None, fitted):
            raise EditError(f"the NICs of {node.id} are part of its board: {fitted} of them")
        yield held, fitted, False
        return
    if many is not None and not 1 <= many <= room.count:
        raise EditError(f"{node.id} has {counted(room.count, 'slot')} for NICs, found {many}")
    counts = [each for each in (1, 2, 4, 8, 16) if each <= room.count]
    if room.count not in counts:
        counts.append(room.count)
    for nic in _nics(asked, catalog, node, slots):
        for each in counts if many is None else [many]:
            yield nic, each, True


def _nics(asked: Requirements, catalog: Catalog, node: Node, slots: str) -> list[Nic]:
    if asked.nics:
        return [catalog.nic(part) for part in asked.nics]
    found: dict[str, Nic] = {}
    for protocol in ("infiniband", "ethernet"):
        for nic in nics_for(catalog, slots, node.slots, None, protocol):
            found[nic.id] = nic
    return list(found.values())


def _switches(asked: Requirements, catalog: Catalog, nic: Nic) -> list[Switch]:
    if asked.switches:
        return [catalog.switch(part) for part in asked.switches]
    found: dict[str, Switch] = {}
    for protocol in nic.protocols:
        for ports in (1, 40, 64, 128, 256):
            for part in switches_for(
                catalog, protocol, ports=ports, vendor=nic.vendor, speed_gbit=nic.speed_gbit
            )[:1]:
                if (part.rack_units or 1) <= MOST_UNITS_HIGH:
                    found[part.id] = part
    return list(found.values())


def _ports(
    catalog: Catalog,
    node: Node,
    slots: str,
    nic: Nic | None,
    many: int,
    leaf: Switch,
    spine: Switch,
) -> Ports | None:
    """What the parts offer each other, as in a design of one of each."""
    nics = {slots: FittedNics(part=nic.id, count=many)} if nic else {}
    plan = plan_design(
        Design(
            groups={
                "node": Group(part=node.id, nics=nics),
                "leaf": Group(part=leaf.id),
                "spine": Group(part=spine.id),
            },
            links=(Link(between=(f"node.{slots}", "leaf")), Link(between=("leaf", "spine"))),
        ),
        catalog,
    )
    ports = plan.groups["node"].port_groups.get(slots)
    if len(plan.links) < 2 or ports is None or not ports.ports:
        return None
    if any(finding.severity == "error" for finding in plan.findings):
        return None
    low, high = plan.links
    return Ports(
        node.id,
        slots,
        nic.id if nic else None,
        many if nic else 0,
        ports.ports,
        low.speed_gbit,
        high.speed_gbit,
        leaf.id,
        spine.id,
        leaf.cages.count,
        spine.cages.count * high.b.breakout,
        low.b.breakout,
        high.a.breakout,
        node.gpus,
        (leaf.power_w, spine.power_w),
    )


def candidates(asked: Requirements, choices: Iterable[Ports]) -> Iterator[Candidate]:
    """Every fabric of these parts, each once: shapes, SU sizes, tapers, bundles."""
    seen: set[Candidate] = set()
    for ports in choices:
        for found in _of_ports(asked, ports):
            allowed = not asked.shapes or found.shape in asked.shapes
            if allowed and found not in seen and _thick_enough(asked, found):
                seen.add(found)
                yield found


def _thick_enough(asked: Requirements, found: Candidate) -> bool:
    most = asked.oversubscription
    return most is None or found.oversubscription <= Fraction(most).limit_denominator(1000)


def _of_ports(asked: Requirements, ports: Ports) -> Iterator[Candidate]:
    for planes in PLANES:
        if ports.node_ports % planes:
            continue
        each = ports.node_ports // planes
        for rails in dict.fromkeys((each, 1)) if planes == 1 else (each,):
            if planes == 1:
                yield from _flat(asked, ports, rails)
                kind: Shape = "rail-optimised" if rails > 1 else "top-of-rack"
                yield from _two_tiers(asked, ports, kind, rails, 1)
                if rails > 1:
                    yield from _two_tiers(asked, ports, "rail-only", rails, 1)
                yield from _three_tiers(asked, ports, rails)
            else:
                yield from _two_tiers(asked, ports, "planes", rails, planes)


def _flat(asked: Requirements, ports: Ports, rails: int) -> Iterator[Candidate]:
    """All nodes below the same leaves, without spines."""
    if asked.nodes * (ports.node_ports // rails) <= ports.leaf_cages * ports.below:
        shape: Shape = "rails alone" if rails > 1 else "one switch"
        yield Candidate(shape, ports, asked.nodes, asked.nodes, rails=rails)


def unit_sizes(asked: Requirements, ports: Ports, each: int) -> list[tuple[int, int]]:
    """Nodes of an SU and SUs, at most as many nodes as a leaf takes at every taper."""
    found: dict[tuple[int, int], None] = {}
    for most in _nodes_below_a_leaf(ports, each):
        if asked.align:
            most -= most % asked.align
        if most < 1:
            continue
        units = ceil(asked.nodes / most)
        unit = min(most, ceil(asked.nodes / units))
        if asked.align:
            unit = min(most, ceil(unit / asked.align) * asked.align)
        units = ceil(asked.nodes / unit)
        if units > 1 or (asked.later is not None and asked.later > unit):
            found[unit, units] = None  # a first SU with spines, where more are to come
    return list(found)


@lru_cache(maxsize=4096)
def _nodes_below_a_leaf(ports: Ports, each: int) -> tuple[int, ...]:
    """The most nodes below a leaf at every taper."""
    return tuple(dict.fromkeys(_most_nodes(ports, each, taper) for taper in TAPERS))


def _most_nodes(ports: Ports, each: int, taper: Fraction) -> int:
    """Nodes below a leaf that has uplinks for them."""
    high = ports.leaf_cages * ports.below // each
    low = 0
    while low < high:
        middle = (low + high + 1) // 2
        down = middle * each
        if uplinks_for(ports, down, taper) <= ports.up_ports(down):
            low = middle
        else:
            high = middle - 1
    return low


def uplinks_for(ports: Ports, down: int, taper: Fraction) -> int:
    """Uplinks that carry what so many ports bring, at an oversubscription."""
    enough = down * ports.node_gbit * taper.denominator
    return max(1, -(-enough // (ports.up_gbit * taper.numerator)))


def bundles(wanted: int, most: int, leaves: int, spine_ports: int) -> Iterator[tuple[int, int]]:
    """Spines and cables to each, for so many uplinks: none with more of both than another."""
    fewest_cables = most + 1
    for bundle in range(spine_ports // leaves if leaves else 0, 0, -1):
        spines = ceil(wanted / bundle)
        if spines * bundle <= most and spines * bundle < fewest_cables:
            fewest_cables = spines * bundle
            yield spines, bundle


def _targets(asked: Requirements, ports: Ports, unit: int, down: int, leaves: int) -> list[int]:
    """Uplinks of a leaf that are tried: of every taper, and what the needs take."""
    found = {uplinks_for(ports, down, taper) for taper in TAPERS}
    need = asked.needs.get("all_to_all")
    ranks, inside = asked.nodes * ports.gpus, unit * ports.gpus
    if need and ranks > inside:
        whole = need * inside * (ranks - inside) / (ranks - 1)
        for share in (1.0, NETWORK_SHARE):
            found.add(max(1, ceil(whole / share * 8 / ports.up_gbit / leaves - 1e-9)))
    return sorted(found)


NETWORK_SHARE = 0.96
"""About what protocol overhead leaves of a line: chooses what is tried, figures are analysed."""


def _two_tiers(
    asked: Requirements, ports: Ports, shape: Shape, rails: int, planes: int
) -> Iterator[Candidate]:
    each = ports.node_ports // (rails * planes)
    for unit, units in unit_sizes(asked, ports, each):
        down = unit * each
        joined = units if shape == "rail-only" else units * rails
        most = ports.up_ports(down)
        for wanted in _targets(asked, ports, unit, down, rails * planes):
            for spines, bundle in bundles(wanted, most, joined, ports.spine_ports):
                yield Candidate(
                    shape, ports, asked.nodes, unit, units, rails, planes,
                    spines=spines, bundle=bundle,
                )  # fmt: skip


def _three_tiers(asked: Requirements, ports: Ports, rails: int) -> Iterator[Candidate]:
    """Pods of leaves and spines; the spines of one number in all pods share their cores."""
    each = ports.node_ports // rails
    for unit, units in unit_sizes(asked, ports, each):
        down = unit * each
        if units * rails <= ports.spine_ports:
            continue  # two tiers reach as far, with fewer switches
        most = ports.up_ports(down)
        for wanted in _targets(asked, ports, unit, down, rails):
            for bundle in range(1, ports.spine_ports // rails + 1):
                spines = ceil(wanted / bundle)
                if spines * bundle > most or spines * bundle > wanted + bundle - 1:
                    continue
                if wanted % bundle:
                    continue
                yield from _pods(asked, ports, rails, unit, units, spines, bundle)


def _pods(
    asked: Requirements, ports: Ports, rails: int, unit: int, units: int, spines: int, bundle: int
) -> Iterator[Candidate]:
    for taper in (Fraction(1), Fraction(2), Fraction(4)):
        # of a spine's ports taper / (1 + taper) go down
        down, up = taper.numerator, taper.denominator
        per_pod = ports.spine_ports * down // (down + up) // (rails * bundle)
        if per_pod < 1:
            continue
        pods = ceil(units / per_pod)
        per_pod = ceil(units / pods)
        whole = pods * per_pod
        size = ceil(asked.nodes / whole)
        if pods < 2 or size * whole - asked.nodes >= size:
            continue
        below = per_pod * rails * bundle
        for cores, core_bundle in bundles(
            -(-below * up // down), ports.spine_ports - below, pods, ports.spine_ports
        ):
            yield Candidate(
                "three tiers", ports, asked.nodes, size, whole, rails, 1, pods,
                spines, bundle, cores, core_bundle,
            )  # fmt: skip


def shape_named(text: str) -> Shape:
    """The shape of a name, however it is written; raises EditError with those that there are."""
    wanted = text.strip().lower().replace("-", " ").replace("_", " ")
    for shape in SHAPES:
        if shape.replace("-", " ") == wanted:
            return shape
    raise EditError(f"there is no shape {text!r}; there are {', '.join(SHAPES)}")


def grown(found: Candidate, later: int) -> tuple[Candidate, int] | None:
    """The same fabric with more nodes, and the cables to be re-plugged; None where it is full.

    SUs are added; the spines stay, and a bundle gets thinner where spines run out of ports: then
    the cables that made it thicker move to spines that are added.
    """
    units = ceil(later / found.unit)
    if units <= found.units:
        return found, 0
    if not found.spines or found.shape == "three tiers":
        return None
    joined = units if found.shape == "rail-only" else units * found.rails
    bundle = min(found.bundle, found.ports.spine_ports // joined)
    while bundle and found.uplinks % bundle:
        bundle -= 1
    if not bundle:
        return None
    moved = found.leaves * (found.uplinks - found.spines * bundle)
    after = Candidate(
        found.shape, found.ports, later, found.unit, units, found.rails, found.planes,
        spines=found.uplinks // bundle, bundle=bundle,
    )  # fmt: skip
    return after, moved
