"""A network after a failure, derived from the intact one.

A class graph distinguishes all that a failure makes different: in a dragonfly, every switch. After
a failure the figures need the worst cable of each link only, so the classes of the intact network
are used, and the differences are stored separately.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from toposmith.analysis.jobs.world import World, gpus_of, world
from toposmith.analysis.network import ComputeNetwork
from toposmith.design.selectors import Selection, Selector, parse_selector
from toposmith.fabric.classes import Cells, ClassGraph
from toposmith.fabric.device import Device
from toposmith.fabric.faults import one_device
from toposmith.fabric.plan import Plan
from toposmith.fabric.single_devices import SingleDevices

if TYPE_CHECKING:
    from toposmith.fabric.dealt_sets import DealtSets


class NeedsClasses(Exception):
    """A figure needs a class graph of the reduced network itself."""


@dataclass(frozen=True)
class Lost:
    """The losses of a fabric of sets of switches by a failure.

    Parameters
    ----------
    selectors : tuple of Selector
        What has failed.
    cut_off : tuple of Selector
        Nodes that are up but no longer reach any other.
    fewer : mapping
        Slots of the remaining cabled NICs, for nodes that lost some.
    gpus : int
        GPUs that took part before and do not after.
    parts : int
        The number of partitions of the remaining nodes.
    """

    selectors: tuple[Selector, ...]
    cut_off: tuple[Selector, ...]
    fewer: Mapping[Device, list[int]]
    gpus: int
    parts: int


@dataclass(frozen=True, kw_only=True)
class Reduced(ComputeNetwork):
    """A network after a failure, with isolated nodes also down.

    Parameters
    ----------
    intact : ComputeNetwork
        The network before.
    lost : Lost
        What it has lost.
    """

    intact: ComputeNetwork
    lost: Lost

    @property
    def before(self) -> ComputeNetwork | None:
        """The intact network, whose classes this one uses."""
        return self.intact

    @cached_property
    def world(self) -> World:
        """The ranks that are left."""
        return world(self.plan) if self.lost.gpus else self.intact.world

    @cached_property
    def classes(self) -> ClassGraph:
        """Classes of the intact network: valid for links and rates, not for counts of cables."""
        return self.intact.classes

    @cached_property
    def dealt(self) -> DealtSets | None:
        """The dealt cables between sets that are left; None where the network has none."""
        sets = self.intact.dealt
        return None if sets is None else sets.without(self.plan, self.lost.selectors)

    @cached_property
    def live_slots(self) -> dict[tuple[str, Cells], list[int]]:
        """Slots of the cabled NICs by class; nodes that lost some are classes of their own."""
        fewer = {(name, (-1, *at)): slots for (name, at), slots in self.lost.fewer.items()}
        return self.intact.live_slots | fewer

    @cached_property
    def devices(self) -> SingleDevices:
        """Raises NeedsClasses: single devices are not available here."""
        raise NeedsClasses


def can_be_reduced(network: ComputeNetwork) -> bool:
    """Whether :func:`reduced` supports failures of this network."""
    if network.dealt is None:
        return False
    # numpy takes a tenth of a second to load, and other fabrics do not need it
    from toposmith.analysis.traffic import set_traffic

    return set_traffic.suits(network)


def reduced(network: ComputeNetwork, texts: Sequence[str]) -> Reduced | None:
    """A network after a failure, or None where its figures need a class graph of its own.

    Parameters
    ----------
    network : ComputeNetwork
        A network before anything fails, which :func:`can_be_reduced`.
    texts : sequence of str
        What fails, as selectors.
    """
    design, plan = network.plan.design, network.plan
    selectors = tuple(parse_selector(text, design) for text in texts)
    after = replace(plan, down=(*plan.down, *selectors))
    lost = _lost(network, after, selectors)
    if lost is None:
        return None
    left = replace(after, down=(*after.down, *lost.cut_off))
    return Reduced(plan=left, intact=network, lost=lost)


def _lost(network: ComputeNetwork, after: Plan, selectors: tuple[Selector, ...]) -> Lost | None:
    """The losses by a failure; None where a selector is of an unsupported kind."""
    sets = network.dealt
    ((name, slots),) = network.slots.items()
    assert sets is not None
    # as above
    from toposmith.analysis.traffic.set_traffic import switch_places
    from toposmith.fabric.dealt_sets import devices_of

    node, switch = network.plan.groups[name], sets.switches.name
    ports = node.port_groups[slots]
    fewer: dict[Device, set[int]] = {}
    dead: list[Selection] = []
    for each in selectors:
        first, second = each.first, each.second
        if second is not None:
            if {first.group, second.group} != {switch}:
                return None
        elif first.group == name and first.ports is not None:
            at = one_device(first, node)
            if first.ports != slots or first.port is None or at is None or ports.nic is None:
                return None
            of = fewer.setdefault((name, at), set())
            of.add(ports.nic_of(first.port))
        elif first.group == switch:
            dead.append(first)
        elif first.group != name:
            return None
    left = world(after) if any(_is_node(each, name) for each in selectors) else network.world
    there = {block.outer: block.runs for block in left.blocks}
    kept: dict[Device, list[int]] = {}
    cut_off: list[Device] = []
    for (_, at), gone in fewer.items():
        if not any(low <= at[-1] <= high for low, high in there.get(at[:-1], ())):
            continue
        cells = network.classes.cells_at(node, dict(zip(node.axes, at, strict=True)))
        live = [slot for slot in network.live_slots[name, cells] if slot not in gone]
        if live:
            kept[name, at] = live
        else:
            cut_off.append((name, at))
    place_of = switch_places(network)
    on = [place_of[block.outer] for block in left.blocks]
    dark = {sets.place(at) for selection in dead for at in devices_of(sets.switches, selection)}
    for block, place in zip(left.blocks, on, strict=True) if dark else ():
        if place in dark:
            own = (at for low, high in block.runs for at in range(low, high + 1))
            cut_off += [(name, (*block.outer, at)) for at in own]
    lacking = sets.without(after, selectors)
    if lacking is not sets:
        # partitions are handled by the caller
        start, *others = set(on) - dark
        reached = lacking.reached(start)
        if not all(reached[place] for place in others):
            return None
    alone = set(cut_off)
    gpus = network.world.gpus - left.gpus + len(alone) * gpus_of(node)
    return Lost(
        selectors,
        tuple(_selector(node.axes, device) for device in sorted(alone)),
        {device: live for device, live in kept.items() if device not in alone},
        gpus,
        1 + len(alone),
    )


def _is_node(selector: Selector, name: str) -> bool:
    return selector.first.group == name and selector.first.ports is None


def _selector(axes: Sequence[str], node: Device) -> Selector:
    ranges = tuple((axis, value, value) for axis, value in zip(axes, node[1], strict=True))
    return Selector("", Selection(node[0], ranges))
