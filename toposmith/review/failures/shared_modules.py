"""Transceivers and cables that serve several connections: what fails with one of them.

A twin-port module takes its two cables with it, a splitter all of its legs. Which connections share
one is what the cable schedule lists, port by port.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.switch_tiers import tier_of_groups
from toposmith.bill.link_cages import cage_of_port
from toposmith.bill.numbered_connections import NumberedConnections
from toposmith.catalog import Catalog
from toposmith.fabric.faults import Faults, Instance
from toposmith.fabric.plan import LinkEnd, LinkPlan, Plan
from toposmith.planned_design import PlannedDesign
from toposmith.racks.connections import instance_of
from toposmith.racks.placement import Placement, place
from toposmith.racks.rack_checks import instance_words
from toposmith.racks.rack_loads import RackLoad, feed_power, held_in, rack_loads
from toposmith.review.failures.breakable import Failure, instance
from toposmith.text import counted

MODULE, CABLE = "module", "shared cable"

MOST_CABLES = 60_000
"""Connections beyond which modules are not computed: each has to be tried by itself."""


@dataclass(frozen=True)
class ModuleLosses:
    """Modules and cables that several connections share, a failure for each kind.

    ``said`` are notes on them.
    """

    failures: tuple[Failure, ...] = ()
    said: tuple[str, ...] = ()


def module_failures(network: ComputeNetwork, catalog: Catalog) -> ModuleLosses:
    """What fails with one module or one cable of the compute network, where that is more than one.

    Parameters
    ----------
    network : ComputeNetwork
        The compute network of a design; what is down there already cannot fail again.
    catalog : Catalog
        Where modules and cables are chosen from, as on the bill.
    """
    plan = network.plan
    graph = network.classes.graph
    many = sum(
        graph.nodes[u]["size"] * data["per"][u]
        for u, _, data in graph.edges(data=True)
        if data["link"] is not None
    )
    if many > MOST_CABLES:
        over = f"{counted(many, 'connection')}, more than {MOST_CABLES:,}"
        return ModuleLosses(said=(f"modules that several cables share: {over}",))
    wiring = PlannedDesign(plan, catalog, place(plan, catalog)).wiring()
    return ModuleLosses(tuple(_Shared(network, wiring).failures()))


@dataclass(frozen=True)
class _Shared:
    """The connections of a network, by what they share."""

    network: ComputeNetwork
    wiring: NumberedConnections

    def failures(self) -> Iterator[Failure]:
        """One for each kind of what is shared; the first stands for all that are alike."""
        alike: dict[tuple[str, str, object], list[tuple[int, ...]]] = defaultdict(list)
        for (kind, what, _), ats in self._by_part().items():
            live = tuple(at for at in ats if self._is_live(at))
            if len(live) > 1:
                alike[kind, what, self._kind(live)].append(live)
        for (kind, what, _), members in alike.items():
            yield Failure(kind, what, self._selectors(members[0]), len(members))

    @property
    def _plan(self) -> Plan:
        return self.network.plan

    @cached_property
    def _faults(self) -> Faults:
        return Faults(self._plan, without_down=True)

    def _by_part(self) -> dict[tuple[str, str, object], list[int]]:
        """The connections at each module, or of each cable that brings its plugs."""
        heights = tier_of_groups(self._plan, self.network.slots)
        used = {
            place
            for place, link in enumerate(self._plan.every_link)
            if all(
                end.group in heights and self.network.slots.get(end.group, end.ports) == end.ports
                for end in (link.a, link.b)
            )
        }
        shared: dict[tuple[str, str, object], list[int]] = defaultdict(list)
        wiring, labels = self.wiring, dict[int, str]()
        for at, number in enumerate(wiring.link):
            if number not in used:
                continue
            link, recipe = self._plan.every_link[number], wiring.recipes[wiring.recipe[at]]
            if recipe is None:
                continue
            if recipe.carried > 1:
                cable = wiring.cable[at]
                # a splitter may serve several links: the first one names it
                label = labels.setdefault(cable, link.label)
                shared[CABLE, label, cable].append(at)
            for end, numbers, ports in (
                (link.a, wiring.a, wiring.port_a),
                (link.b, wiring.b, wiring.port_b),
            ):
                if recipe.module_at(end.group) is not None:
                    cage = self._cage(end, ports[at])
                    shared[MODULE, end.label, (numbers[at], cage)].append(at)
        return shared

    def _cage(self, end: LinkEnd, port: int) -> object:
        if not end.ports:
            return port // end.breakout
        held = self._cages.get((end.group, end.ports), {}).get(port)
        return ("port", port) if held is None else held[0]

    @cached_property
    def _cages(self) -> dict[tuple[str, str], dict[int, tuple[int, int]]]:
        return {
            (end.group, end.ports): cage_of_port(self._plan.groups[end.group], end.ports)
            for link in self._plan.every_link
            for end in (link.a, link.b)
            if end.ports
        }

    def _link(self, at: int) -> LinkPlan:
        return self._plan.every_link[self.wiring.link[at]]

    def _ends(self, at: int) -> tuple[Instance, Instance]:
        link = self._link(at)
        return (
            instance_of(self._plan, link.a.group, self.wiring.a[at]),
            instance_of(self._plan, link.b.group, self.wiring.b[at]),
        )

    def _ports(self, at: int) -> tuple[tuple[Instance, str, int], ...]:
        """The ends of a connection that are ports of nodes."""
        link, ends = self._link(at), self._ends(at)
        ports = (self.wiring.port_a[at], self.wiring.port_b[at])
        return tuple(
            (one, end.ports, port)
            for one, end, port in zip(ends, (link.a, link.b), ports, strict=True)
            if end.ports
        )

    def _is_live(self, at: int) -> bool:
        a, b = self._ends(at)
        faults = self._faults
        return not (
            faults.takes_device(*a)
            or faults.takes_device(*b)
            or faults.takes_cables(a, b)
            or any(
                faults.takes_port(one[0], slots, port, one[1])
                for one, slots, port in self._ports(at)
            )
        )

    def _kind(self, ats: tuple[int, ...]) -> object:
        """Equal for what is shared by connections of the same classes that lie alike."""
        classes = self.network.classes
        of_classes = []
        for at in ats:
            link, ends = self._link(at), self._ends(at)
            cells = tuple(classes.cells_at(self._plan.groups[name], of) for name, of in ends)
            of_classes.append((link.index, cells))
        everywhere = [end for at in ats for end in self._ends(at)]
        agree = tuple(
            (i, j, tuple(axis for axis in one[1] if one[1][axis] == other[1].get(axis)))
            for i, one in enumerate(everywhere)
            for j, other in enumerate(everywhere[:i])
            if one[0] == other[0]
        )
        return tuple(of_classes), agree

    def _selectors(self, ats: tuple[int, ...]) -> tuple[str, ...]:
        """What to write under ``down:`` for these connections."""
        found: list[str] = []
        between: Counter[tuple[str, str]] = Counter()
        there: dict[tuple[str, str], int] = {}
        for at in ats:
            ports = self._ports(at)
            if ports:
                one, slots, port = ports[0]
                found.append(f"{self._named(one)}.{slots}[{port}]")
                continue
            a, b = self._ends(at)
            pair = self._named(a), self._named(b)
            between[pair] += 1
            there[pair] = self._link(at).cables_per_pair
        for pair, many in between.items():
            cables = " - ".join(pair)
            found.append(cables if many == there[pair] else f"{many} of {cables}")
        return tuple(found)

    def _named(self, one: Instance) -> str:
        return instance(self._plan.groups[one[0]], one[1])


NOT_SAID = "power feeds: the design does not say them (placement: with feeds:)"
MOST_RACKS = 64
"""Racks whose feeds fail one by one; no two racks are known to be equivalent."""


@dataclass(frozen=True)
class FeedLosses:
    """What the loss of one feed of a rack does.

    Parameters
    ----------
    dark : tuple of Failure
        A failure for each rack that goes dark.
    racks, survived : int
        Racks in which something stands, and those that the loss of any feed leaves on.
    feeds : int
        Of each rack.
    said : tuple of str
        Notes on feeds.
    """

    dark: tuple[Failure, ...] = ()
    racks: int = 0
    survived: int = 0
    feeds: int = 0
    said: tuple[str, ...] = ()


def feed_failures(plan: Plan, catalog: Catalog) -> FeedLosses:
    """What the loss of one feed of a rack takes down.

    A rack goes dark where the feeds that are left cannot carry what it draws; where they can,
    nothing fails.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    catalog : Catalog
        Where power distribution units are looked up.

    Returns
    -------
    FeedLosses
        Racks that hold devices of unknown power, and may stay on or not, are named, not counted.
    """
    block = plan.design.placement
    if block is None or block.feeds is None:
        return FeedLosses(said=(NOT_SAID,))
    placement = place(plan, catalog)
    feeds = feed_power(placement, catalog)
    if feeds is None or feeds.one_lost_w is None:
        return FeedLosses(said=(f"power feeds: the rating of {block.feeds.pdu} is not known",))
    loads = [load for load in rack_loads(placement) if load.devices]
    left = feeds.one_lost_w
    dark = [load for load in loads if load.least_w > left]
    survived = sum(load.most_w is not None and load.most_w <= left for load in loads)
    said: list[str] = []
    unknown = len(loads) - len(dark) - survived
    if unknown:
        racks = counted(unknown, "rack")
        said.append(f"power feeds of {racks} with devices of unknown power, in full")
    if len(dark) > MOST_RACKS:
        said.append(f"power feeds of {len(dark) - MOST_RACKS:,} more racks that go dark as well")
    return FeedLosses(
        tuple(_dark(plan, placement, load, feeds.count) for load in dark[:MOST_RACKS]),
        len(loads),
        survived,
        feeds.count,
        tuple(said),
    )


def _dark(plan: Plan, placement: Placement, load: RackLoad, feeds: int) -> Failure:
    names = tuple(
        instance_words(plan, name, number) for _, name, number in held_in(placement, load.rack)
    )
    return Failure("feed", f"rack {placement.label(load.rack)}", names, feeds)
