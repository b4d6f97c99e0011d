"""Single points of failure: one switch, one cable or one supply whose loss cuts GPUs off."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.bill.scope import MANAGEMENT, STORAGE
from toposmith.catalog import Node, Switch
from toposmith.fabric.management_ports import is_provided
from toposmith.findings.finding import DESIGN, Finding, at_group, at_groups, found
from toposmith.review.failures.networks_beside import losses_beside, other_networks
from toposmith.review.failures.survivors import cut_off_without, survivors
from toposmith.review.findings.subject import Explainers, Find, Subject, other_end


def one_leaf(subject: Subject) -> Iterator[Finding]:
    """Nodes all of whose compute ports end at one switch, or that have one port only."""
    for group, ports in subject.node_groups():
        up = subject.links_up(group.name)
        if not up or group.node is None or subject.network.world.nccl_nodes < 2:
            continue
        place = at_group(group.name, ports.name)
        cables = sum(link.cables_at(group.name) for link in up)
        switches = sum(link.cables_at(group.name) // link.cables_per_pair for link in up)
        if cables == 1:
            slots = ports.slots if ports.slots > ports.nics else None
            yield found("single-nic", place, gpus=group.node.gpus, slots=slots)
        if switches != 1:
            continue
        leaf = other_end(up[0], group.name).group
        if not _stands(subject, leaf):
            continue
        gpus = _lost(subject, leaf)
        yield found("single-leaf", place, leaf=leaf, cables=cables, **gpus)


def one_spine(subject: Subject) -> Iterator[Finding]:
    """Switches that have one switch above them, and what a job loses with it.

    Where nodes have ports at other leaves or planes too, they still meet there.
    """
    for name, group in subject.plan.groups.items():
        up = subject.links_up(name)
        if group.switch is None or not up or subject.devices[name] < 2:
            continue
        peers = sum(link.cables_at(name) // link.cables_per_pair for link in up)
        if peers != 1:
            continue
        link = up[0]
        above = other_end(link, name).group
        if not _stands(subject, above):
            continue
        below = link.cables_at(above) // link.cables_per_pair
        gpus = _lost(subject, above)
        yield found(
            "single-spine",
            at_group(name),
            None if gpus["lost_gpus"] or subject.devices[above] == 1 else "info",
            group=name,
            above=above,
            below=below,
            cables=link.cables_per_pair,
            **gpus,
        )


def _lost(subject: Subject, name: str) -> dict[str, int | None]:
    """What the switch of a group takes along that costs most, and of how many."""
    partitions = survivors(subject.network).parts
    return {
        "lost_gpus": cut_off_without(subject.network, subject.catalog, name),
        "gpus": subject.network.world.gpus,
        "partitions": partitions if partitions > 1 else None,
    }


def _stands(subject: Subject, name: str) -> bool:
    """Whether a switch of a group is there and up: else nothing is left that could fail."""
    return name in subject.standing_switches


def no_spare_supply(subject: Subject) -> Iterator[Finding]:
    """Devices of which it is known that no power supply may fail."""
    for name, group in subject.plan.groups.items():
        if not isinstance(group.part, Node | Switch) or group.part.power_supplies is None:
            continue  # of other devices the catalog does not know it
        supplies = group.part.power_supplies
        if supplies.spare == 0 or (supplies.spare is None and supplies.count == 1):
            part = group.part.name
            yield found("no-spare-supply", at_group(name), part=part, supplies=supplies.count)


def one_switch_beside(subject: Subject) -> Iterator[Finding]:
    """Switches of other networks whose loss takes nodes off these."""
    if subject.too_large:
        return
    for of in losses_beside(subject.network, subject.catalog):
        if of.network.is_management:
            continue  # a device has one such port, and no job needs it
        if of.network.hosts and not of.nodes and subject.network.world.gpus:
            yield found("network-unreached", at_groups(of.network.hosts), network=of.network.words)
        said: set[str] = set()
        for loss in of.losses:  # worst first
            name = loss.failure.what
            if loss.failure.kind != "switch" or not loss.nodes or name in said:
                continue
            said.add(name)
            if name in of.network.switches:  # of switches of the compute network others tell
                lost = {"lost_nodes": loss.nodes, "nodes": of.nodes}
                place = at_group(name)
                yield found(
                    "network-single-switch", place, switch=name, network=of.network.words, **lost
                )


def not_looked_at(subject: Subject) -> Iterator[Finding]:
    """Networks beside the compute network, whose bandwidth is not computed."""
    for other in other_networks(subject.network):
        yield found("network-not-looked-at", at_groups(other.groups), network=other.words)


def shared_switches(subject: Subject) -> Iterator[Finding]:
    """Switches of the compute network that another network passes through."""
    # a switch that only hangs on one of them, such as for management, carries no collective
    carrying = [
        name
        for name in subject.heights
        if subject.plan.groups[name].switch is not None and subject.links_down(name)
    ]
    for other in other_networks(subject.network):
        shared = tuple(name for name in other.shared if name in carrying)
        if shared:
            yield found(
                "compute-switches-shared",
                at_groups(shared),
                switches=shared,
                network=other.words,
                count=len(shared),
                of=len(carrying),
            )


def not_drawn(subject: Subject) -> Iterator[Finding]:
    """Whether management and storage are drawn; those of a cloud provider's nodes are its own."""
    plan, drawn = subject.plan, subject.bill.scope.fabrics
    own = [group for group in plan.groups.values() if group.node and not is_provided(group)]
    if not own or not subject.network.world.gpus or not plan.links:
        return
    lacking = tuple(name for name in (MANAGEMENT, STORAGE) if name not in drawn)
    if lacking:
        node = own[0]
        has = {MANAGEMENT, *(node.node.slots if node.node else ())}
        ends = (f"{node.name}.{name}" if name in has else f"a group of {name}" for name in lacking)
        yield found("network-not-drawn", DESIGN, networks=lacking, ends=tuple(ends))


FIND: tuple[Find, ...] = (
    *(one_leaf, one_spine, no_spare_supply, one_switch_beside, shared_switches, not_drawn),
    not_looked_at,
)
EXPLAIN: Explainers = {}
