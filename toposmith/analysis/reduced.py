"""A network after a failure, derived from the intact one.

A class graph distinguishes all that a failure makes different: in a dragonfly, every switch. After
a failure the figures need the worst cable of each link only, so the classes of the intact network
are used, and the differences are stored separately.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from toposmith.analysis.jobs.world import World, gpus_of, world
from toposmith.analysis.network import ComputeNetwork
from toposmith.design.selectors import Selection, Selector, parse_selector
from toposmith.fabric.classes import Cells, ClassGraph
from toposmith.fabric.device import Device
from toposmith.fabric.plan import Plan
from toposmith.fabric.single_devices import SingleDevices


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
    plan = network.plan
    if not any(link.bundle for link in plan.links) or plan.slow or plan.single_cables:
        return False
    if len(network.slots) != 1 or network.world.joined or not network.all_on_switches:
        return False
    # numpy takes a tenth of a second to load, and other fabrics do not need it
    from toposmith.analysis.traffic.row_hosts import switches_of_kinds
    from toposmith.analysis.traffic.row_network import row_network
    from toposmith.analysis.traffic.row_set_exchange import nodes_in_sets
    from toposmith.analysis.traffic.unreachable import Unreachable

    try:
        switches_of_kinds(network)
    except (ValueError, Unreachable):
        return False
    return nodes_in_sets(row_network(network))


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
    left = replace(after, down=(*after.down, *lost.cut_off)) if lost.cut_off else after
    return Reduced(plan=left, intact=network, lost=lost)


def _lost(network: ComputeNetwork, after: Plan, selectors: tuple[Selector, ...]) -> Lost | None:
    """The losses by a failure; None where a selector is of an unsupported kind."""
    ((name, _),) = network.slots.items()
    switches = {group for group, of in after.groups.items() if of.switch}
    for each in selectors:
        if each.second is None and each.first.group in {name, *switches}:
            continue
        if each.second is None or not {each.first.group, each.second.group} <= switches:
            return None
    # as above
    import numpy as np

    from toposmith.analysis.traffic.row_network import row_network
    from toposmith.analysis.traffic.row_routes import RowRoutes

    left = world(after) if any(_is_node(each, name) for each in selectors) else network.world
    standing = ComputeNetwork(after, ranks=left)
    net, before = row_network(standing), row_network(network)
    cabled, had = (of.kinds.at[of.kinds.of_node] >= 0 for of in (net, before))
    place = np.zeros(net.rows.devices, np.int64)
    place[before.kinds.nodes] = np.arange(len(before.kinds.nodes))
    alone = ~cabled.any(axis=1)
    fewer = np.flatnonzero((cabled != had[place[net.kinds.nodes]]).any(axis=1) & ~alone)
    part = RowRoutes(net, weighted=True).part
    if len(np.unique(part[part >= 0])) > 1:
        return None  # partitions are handled by the caller
    cut_off = [net.rows.device(int(node)) for node in net.kinds.nodes[alone]]
    gpus = network.world.gpus - left.gpus + len(cut_off) * gpus_of(after.groups[name])
    axes = after.groups[name].axes
    return Lost(
        selectors,
        tuple(_selector(axes, device) for device in cut_off),
        {
            net.rows.device(int(net.kinds.nodes[node])): np.flatnonzero(cabled[node]).tolist()
            for node in fewer
        },
        gpus,
        1 + len(cut_off),
    )


def _is_node(selector: Selector, name: str) -> bool:
    return selector.first.group == name and selector.first.ports is None


def _selector(axes: Sequence[str], node: Device) -> Selector:
    ranges = tuple((axis, value, value) for axis, value in zip(axes, node[1], strict=True))
    return Selector("", Selection(node[0], ranges))
