"""Edits that may raise a figure: repaired and more cables, more switches, more or faster NICs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from toposmith.catalog import Catalog, Nic, Switch
from toposmith.catalog.links import pcie_gbit
from toposmith.catalog.parts import Protocol
from toposmith.catalog.slot_fits import built_in_nics, slot_refusal
from toposmith.design.edits import (
    Edit,
    fit_nics,
    make_rail_optimised,
    set_cables,
    set_count,
    set_part,
)
from toposmith.design.edits.edit import altered, changed
from toposmith.errors import EditError
from toposmith.fabric.leaf_networks import dealt_ports, network_of
from toposmith.fabric.plan import LinkEnd, LinkPlan, Plan
from toposmith.fabric.port_use import port_use
from toposmith.planned_design import PlannedDesign
from toposmith.synthesis.extensions import more_leaves, more_planes, new_tiers
from toposmith.synthesis.repairs import mending_edits

MOST_PARTS = 2
"""Parts that are tried in place of one, of each speed."""

FEW = 8
"""Up to so many free ports for each pair, every number of cables is tried."""

MOST_LEAVES = 16
"""As many times the leaves are tried where more NICs need them."""


def raising_edits(planned: PlannedDesign, links: Collection[int]) -> Iterator[Edit]:
    """Edits that repair what is slow, give some links more capacity, or their nodes more ports.

    What does not fit together is among them: the caller plans each first.

    Parameters
    ----------
    planned : PlannedDesign
        The design.
    links : collection of int
        The places of the links that limit a figure.
    """
    plan = planned.plan
    catalog = planned.catalog
    yield from mending_edits(plan, links)
    for link in plan.links:
        if link.index not in links:
            continue
        if _is_host(plan, link.a) or _is_host(plan, link.b):
            yield from _at_nodes(plan, catalog, link)
        else:
            low, high = link.a, link.b
            if planned.heights.get(low.group, 0) > planned.heights.get(high.group, 0):
                low, high = high, low
            yield from _between_switches(plan, catalog, link, low, high)
    yield from _rails(plan)
    yield from more_planes(planned, links)
    if not links:
        yield from new_tiers(planned)


def _is_host(plan: Plan, end: LinkEnd) -> bool:
    return plan.groups[end.group].host is not None


def _attempted(*makers: Callable[[], Edit]) -> Iterator[Edit]:
    """The edits that the document does not refuse."""
    for make in makers:
        try:
            yield make()
        except EditError:
            continue


# Between switches


def _between_switches(
    plan: Plan, catalog: Catalog, link: LinkPlan, low: LinkEnd, high: LinkEnd
) -> Iterator[Edit]:
    """More cables of each pair, more switches above, or faster switches at both ends."""
    design = plan.design
    each = link.cables_per_pair
    yield from _more_cables(plan, link)
    group = design.groups[high.group]
    rooms = _free(plan, low) // max(1, each * _peers_of(link, low) // max(1, group.count))
    for more in _steps(group.count, rooms):
        yield from _attempted(
            lambda more=more: set_count(design, high.group, group.count + more)  # type: ignore[misc]
        )
    if design.links[link.index].speed is not None:
        faster = altered(design.links[link.index], speed=None)
        links = (*design.links[: link.index], faster, *design.links[link.index + 1 :])
        yield Edit(changed(design, links=links), f"{link.label}: as fast as both ends run")
    yield from more_leaves(plan, link, low, high)
    yield from _faster_switches(plan, catalog, link)


def _more_cables(plan: Plan, link: LinkPlan) -> Iterator[Edit]:
    """More cables of each pair, as long as both ends have free ports."""
    each = link.cables_per_pair
    for more in _steps(each, min(_room(plan, link, link.a), _room(plan, link, link.b))):
        yield from _attempted(lambda more=more: set_cables(plan.design, link.index, each + more))  # type: ignore[misc]


def _free(plan: Plan, end: LinkEnd) -> int:
    """Free ports of one device at the speed of a link's end."""
    use = port_use(plan)[end.group, end.ports]
    if plan.groups[end.group].switch is None:
        return max(use.free, 0)
    return max(use.cages - use.cages_used, 0) * end.breakout


def _peers_of(link: LinkPlan, end: LinkEnd) -> int:
    return link.peers_of_a if end is link.a else link.peers_of_b


def _room(plan: Plan, link: LinkPlan, end: LinkEnd) -> int:
    """Cables that each pair may have more, by the free ports of this end."""
    return _free(plan, end) // max(1, _peers_of(link, end))


def _steps(now: int, room: int) -> list[int]:
    """How many more are tried: all where there is little room, else some between one and all."""
    if room <= FEW:
        return list(range(1, room + 1))
    tried = {1, now // 4, now // 2, 3 * now // 4, now, room}
    return sorted(more for more in tried if 0 < more <= room)


def _faster_switches(plan: Plan, catalog: Catalog, link: LinkPlan) -> Iterator[Edit]:
    ends = tuple(dict.fromkeys((link.a.group, link.b.group)))
    ports = max(_ports_used(plan, name) for name in ends)
    for part in switches_for(
        catalog,
        link.protocol,
        faster_than=link.speed_gbit,
        ports=ports,
        vendor=_vendor(plan, ends[0]),
    ):
        yield from _attempted(lambda part=part: _parts_set(plan, ends, part.id))  # type: ignore[misc]


def _parts_set(plan: Plan, names: Sequence[str], part: str) -> Edit:
    design = plan.design
    for name in names:
        design = set_part(design, name, part).design
    return Edit(design, f"{', '.join(names)}: part {part}")


def _ports_used(plan: Plan, name: str) -> int:
    return sum(use.used for (group, _), use in port_use(plan).items() if group == name)


def _vendor(plan: Plan, name: str) -> str:
    part = plan.groups[name].part
    return part.vendor if part is not None else ""


def switches_for(
    catalog: Catalog,
    protocol: Protocol,
    *,
    ports: int,
    vendor: str = "",
    faster_than: int = 0,
    speed_gbit: int | None = None,
) -> list[Switch]:
    """Switches with so many ports at a speed: the smallest of each speed, the maker's own first.

    Parameters
    ----------
    catalog : Catalog
        Where they are.
    protocol : str
        What they speak.
    ports : int
        Ports that one needs at least, in the mode that is asked for.
    vendor : str
        Whose are taken before others.
    faster_than : int
        Modes of which a port runs faster, Gb/s.
    speed_gbit : int, optional
        The mode that has to be there; else the fastest.
    """
    found: dict[int, list[tuple[tuple[bool, int], Switch]]] = {}
    for part in catalog.of_kind("switch"):
        if not isinstance(part, Switch) or part.protocol != protocol:
            continue
        for mode in part.cages.modes:
            if mode.speed_gbit <= faster_than or speed_gbit not in (None, mode.speed_gbit):
                continue
            offered = part.cages.count * mode.ports
            if offered >= ports:
                order = (part.vendor != vendor, offered)
                found.setdefault(mode.speed_gbit, []).append((order, part))
    chosen = (sorted(parts, key=lambda one: one[0])[:MOST_PARTS] for parts in found.values())
    return list({part.id: part for parts in chosen for _, part in parts}.values())


# At the nodes


def _at_nodes(plan: Plan, catalog: Catalog, link: LinkPlan) -> Iterator[Edit]:
    """More cables to free NICs, more NICs, faster NICs, and with them the leaves or the fabric."""
    if plan.design.links[link.index].cables is not None:
        yield from _more_cables(plan, link)
    host, leaf = (link.a, link.b) if _is_host(plan, link.a) else (link.b, link.a)
    group, switch = plan.groups[host.group], plan.groups[leaf.group].switch
    ports = group.port_groups.get(host.ports)
    if group.host is None or switch is None or ports is None or ports.nic is None:
        return
    slots = group.host.slots[host.ports]
    held = ports.nic
    if slots.cages or held.cage == "virtual":
        return  # the NICs are part of the board, or of what a provider lets
    fitting = [
        (nic, many)
        for nic in nics_for(catalog, host.ports, group.host.slots, held, link.protocol)
        for many in sorted({ports.nics, *_doubled(ports.nics, ports.slots)})
        if (nic.id, many) != (held.id, ports.nics)
    ]
    for nic, many in fitting:
        for edit in _attempted(lambda nic=nic, many=many: _fitted(plan, link, host, nic, many)):  # type: ignore[misc]
            yield edit
            yield from _with_leaves(plan, catalog, link, leaf, edit, nic, many)


def _doubled(now: int, most: int) -> list[int]:
    found = []
    while now * 2 <= most:
        now *= 2
        found.append(now)
    return [*found, most] if most > now else found


def nics_for(
    catalog: Catalog, slots: str, rooms: object, held: Nic | None, protocol: Protocol
) -> list[Nic]:
    """NICs that go into some slots, one of each speed from that of the present one on.

    Of equal ones the present one comes first, then those of its maker. Beside the present one NICs
    whose own PCIe link carries more or less of their ports are not equal.
    """
    assert isinstance(rooms, dict)
    built_in = built_in_nics(catalog)
    vendor = held.vendor if held else ""
    best: dict[tuple[int, float, float], tuple[tuple[bool, bool, bool, int], Nic]] = {}
    for place, part in enumerate(catalog.of_kind("nic")):
        if not isinstance(part, Nic) or protocol not in part.protocols:
            continue
        if slot_refusal(part, rooms[slots], built_in):
            continue
        if held is not None and part.together_gbit < held.together_gbit:
            continue
        other = held is not None and part.id != held.id
        order = (other, part.vendor != vendor, held is not None and part.cage != held.cage, place)
        carries = min(part.together_gbit, pcie_gbit(part.pcie)) if held is not None else 0.0
        kind = (part.ports, part.together_gbit, carries)
        if kind not in best or order < best[kind][0]:
            best[kind] = (order, part)
    return [part for _, part in best.values()]


def _fitted(plan: Plan, link: LinkPlan, host: LinkEnd, nic: Nic, many: int) -> Edit:
    """The NICs fitted, and as many cables as they have ports where the file says how many."""
    edit = fit_nics(plan.design, host.group, host.ports, nic.id, many)
    if plan.design.links[link.index].cables is None:
        return edit
    each, rest = divmod(nic.ports * many, _peers_of(link, host))
    if rest or not each:
        raise EditError("the ports cannot be dealt evenly")
    return Edit(set_cables(edit.design, link.index, each).design, edit.label)


def _with_leaves(
    plan: Plan, catalog: Catalog, link: LinkPlan, leaf: LinkEnd, edit: Edit, nic: Nic, many: int
) -> Iterator[Edit]:
    """The same NICs with more leaves, or with leaves (and what is above them) of another part."""
    group = plan.design.groups[leaf.group]
    factor = 2
    while factor <= MOST_LEAVES:
        count = group.count * factor
        yield from _attempted(
            lambda count=count: _both(edit, set_count(edit.design, leaf.group, count))  # type: ignore[misc]
        )
        factor *= 2
    per_leaf = max(1, link.peers_of_a if leaf is link.a else link.peers_of_b)
    dealt = max(1, link.peers_of_b if leaf is link.a else link.peers_of_a)
    needed = per_leaf * nic.ports * many // dealt
    above = _switches_above(plan, leaf.group)
    for part in switches_for(
        catalog,
        link.protocol,
        ports=needed,
        vendor=_vendor(plan, leaf.group),
        speed_gbit=nic.speed_gbit,
    ):
        if part.id == group.part:
            continue
        for names in ((leaf.group,), (leaf.group, *above)) if above else ((leaf.group,),):
            yield from _attempted(
                lambda names=names, part=part: _both(  # type: ignore[misc]
                    edit, *_set_all(edit, names, part.id)
                )
            )


def _set_all(edit: Edit, names: Sequence[str], part: str) -> list[Edit]:
    design, steps = edit.design, []
    for name in names:
        step = set_part(design, name, part)
        design = step.design
        steps.append(step)
    return steps


def _both(first: Edit, *more: Edit) -> Edit:
    return Edit(more[-1].design, "; ".join(edit.label for edit in (first, *more)))


def _switches_above(plan: Plan, leaf: str) -> tuple[str, ...]:
    seen, waiting = [leaf], [leaf]
    while waiting:
        for link in plan.links_of(waiting.pop()):
            for end in (link.a, link.b):
                if end.group not in seen and plan.groups[end.group].switch is not None:
                    seen.append(end.group)
                    waiting.append(end.group)
    return tuple(seen[1:])


def _rails(plan: Plan) -> Iterator[Edit]:
    """The leaves made rail-optimised, where they are not."""
    network = network_of(plan, ())
    if network is None or network.ports < 2:
        return
    leaf = plan.groups[network.leaf]
    link = next(
        one for one in plan.links_of(network.leaf) if one.end_of(network.node).group == network.node
    )
    if link.cables_per_pair == 1 and link.cables_at(network.node) == network.ports:
        return  # every port of a node has a leaf of its own already
    if any(axis not in plan.groups[network.node].axes for axis in leaf.axes[:-1]):
        return
    everyone = plan.groups[network.node].instances
    for nodes in (None, everyone):
        yield from _attempted(
            lambda nodes=nodes: make_rail_optimised(  # type: ignore[misc]
                plan.design,
                network.leaf,
                network.node,
                rails=network.ports,
                nodes=nodes,
                dealt=dealt_ports(plan),
            )
        )
