"""Facts of parts that a cut rests on and that the catalog marks unverified."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toposmith.analysis.bounds.cut_links import inside_name, kinds_of_ends
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.result import CutLink
from toposmith.catalog import Catalog, Part
from toposmith.fabric.inside import InsideEdge, collective_edges, inside_edges
from toposmith.fabric.plan import GroupPlan, LinkEnd
from toposmith.labels import Label
from toposmith.text import joined

WHY = "the catalog marks this unverified: its source may be wrong"

_Fact = tuple[Part | None, str]


def with_unverified(
    label: Label, cut: Iterable[CutLink], network: ComputeNetwork, catalog: Catalog
) -> Label:
    """The label of a figure that is the capacity of a cut: ``assumed`` where a fact is in doubt.

    Parameters
    ----------
    label : Label
        The label of the figure if all facts of its cut are verified.
    cut : iterable of CutLink
        The links whose capacity it is.
    network : ComputeNetwork
        Which groups and links there are.
    catalog : Catalog
        Their parts, and which of their facts are unverified.
    """
    words = _words(fact for link in cut for fact in _facts(link, network, catalog))
    if not words or label.kind == "unknown":
        return label
    of = f"{label.of}, with {words}" if label.of else words
    return Label("assumed", of, f"{label.why}; {WHY}" if label.why else WHY)


def _words(facts: Iterable[_Fact]) -> str:
    """``unverified pcie of gb200 and branches of gb200-nvl72-tray``; empty without any."""
    doubtful: dict[str, dict[str, None]] = {}
    for part, field in facts:
        if part is None:
            continue
        for path in part.unverified:
            # a doubt about slots is one about their pcie, and vice versa
            if f"{path}.".startswith(f"{field}.") or f"{field}.".startswith(f"{path}."):
                doubtful.setdefault(part.id, {})[path] = None
    each = [f"{joined(paths)} of {part}" for part, paths in doubtful.items()]
    return f"unverified {joined(each)}" if each else ""


def _facts(link: CutLink, network: ComputeNetwork, catalog: Catalog) -> Iterator[_Fact]:
    """The facts that the rate and the number of these links follow from."""
    plan = network.plan
    for group in plan.groups.values():
        if group.nvlink is not None and group.nvlink.index == link.index:
            yield from _nvlink(group, catalog)
            switches = plan.groups[group.nvlink.switches].part
            yield from ((switches, field) for field in ("ports", "GBps_per_link"))
        if link.index is None and link.link == inside_name(group.name, "nvlink"):
            yield from _nvlink(group, catalog)
        elif link.index is None:
            edges = inside_edges(group, catalog)
            for edge in collective_edges(edges, network.slots.get(group.name)):
                if _is_one_of(edge, link, group):
                    yield from _inside(edge, group, catalog)
    for built in plan.links:
        if built.index == link.index:
            for end in built.ends:
                yield from _ports(plan.groups[end.group], end)


def _is_one_of(edge: InsideEdge, link: CutLink, group: GroupPlan) -> bool:
    """Whether a link inside a node is one of the links of a cut, as far as these are known."""
    alike = (inside_name(group.name, edge.tier), edge.GBps) == (link.link, link.capacity_GBps)
    return alike and (not link.ends or kinds_of_ends(edge) <= link.ends)


def _ports(group: GroupPlan, end: LinkEnd) -> Iterator[_Fact]:
    """Ports and their speed: of a switch, or of the NICs of a node."""
    if group.host is None:
        yield from ((group.part, field) for field in ("cages.count", "cages.modes"))
        return
    yield from _nics(group, end.ports)


def _nics(group: GroupPlan, slots: str) -> Iterator[_Fact]:
    nic = group.port_groups[slots].nic
    yield from ((nic, field) for field in ("ports", "speed_gbit", "shared_gbit"))
    if slots not in group.spec.nics:
        yield from ((group.part, f"slots.{slots}.{field}") for field in ("nic", "fitted"))


def _nvlink(group: GroupPlan, catalog: Catalog) -> Iterator[_Fact]:
    if group.node is not None:
        yield catalog.get(group.node.gpu), "nvlink"
        for field in ("shape", "links_per_pair", "pairs"):
            yield group.node, f"nvlink.{field}"


def _inside(edge: InsideEdge, group: GroupPlan, catalog: Catalog) -> Iterator[_Fact]:
    """The facts that a link inside a node follows from."""
    node = group.node
    if node is None or edge.tier == "nvlink":
        return
    slots = [str(end[1]) for end in (edge.a, edge.b) if end[0] == "slot"]
    if edge.tier == "adapter":
        for name in slots:
            yield from _nics(group, name)
        return
    yield node, "branches"
    if edge.tier == "socket":
        yield from ((node, field) for field in ("sockets", "inter_socket_GBps"))
        return
    for name in slots:
        yield group.port_groups[name].nic, "pcie"
        yield from ((node, f"slots.{name}.{field}") for field in ("pcie", "links"))
    if not slots:  # a switch's link to its socket is as wide as those of GPUs
        yield catalog.get(node.gpu), "pcie"
        yield from ((node, field) for field in ("gpu_pcie", "gpu_links"))
