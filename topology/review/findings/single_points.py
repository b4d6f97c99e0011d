"""Single points of failure: one switch, one cable or one supply whose loss cuts GPUs off."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog import Storage
from toposmith.topology.fabric.plan import Finding, Value
from toposmith.topology.review.failures.survivors import cut_off_without
from toposmith.topology.review.findings.subject import Explainers, Find, Subject, found, other_end
from toposmith.topology.review.other_networks import other_networks


def one_leaf(subject: Subject) -> Iterator[Finding]:
    """Nodes all of whose compute ports end at one switch, or that have one port only."""
    for group, ports in subject.node_groups():
        up = subject.links_up(group.name)
        if not up or group.node is None or subject.network.world.nodes < 2:
            continue
        where = f"{group.name}.{ports.name}"
        cables = sum(link.cables_at(group.name) for link in up)
        switches = sum(link.cables_at(group.name) // link.cables_per_pair for link in up)
        if cables == 1:
            text = f"each node hangs on one cable: it fails, {group.node.gpus} GPUs are cut off"
            slots = f"fit 2 of {ports.slots} slots" if ports.slots > ports.nics else "a second port"
            value = Value(group.node.gpus, "GPUs")
            yield found("single-nic", where, text, "1 cable a node", slots, value)
        if switches != 1:
            continue
        leaf = other_end(up[0], group.name).group
        if not _stands(subject, leaf):
            continue
        lost = cut_off_without(subject.network, subject.catalog, leaf)
        of = subject.network.world.gpus
        text = f"all ports of a node end at one {leaf}: it fails, {lost:,} of {of:,} GPUs are cut "
        text += "off"
        works = [n for n in (2, 4, 8) if cables % n == 0]
        remedy = (
            f"deal its {cables} ports over {' or '.join(map(str, works))} switches"
            if works
            else "fit a second NIC, and cable it to a second switch"
        )
        yield found("single-leaf", where, text, f"{lost:,} GPUs", remedy, Value(lost, "GPUs"))


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
        cables = link.cables_per_pair
        lost = cut_off_without(subject.network, subject.catalog, above)
        cut_off = f"{lost:,} of {subject.network.world.gpus:,} GPUs are cut off"
        text = f"one {above} joins {below} {name} switches: it fails, "
        text += cut_off if lost else "nothing above joins them, but nodes meet by other ports"
        remedy = (
            f"2 of {above} with {cables // 2} cables to each"
            if cables % 2 == 0
            else f"2 of {above} with {(cables + 1) // 2} cables to each"
        )
        value = Value(lost, "GPUs")
        yield found("single-spine", name, text, f"{lost:,} GPUs", remedy, value)


def _stands(subject: Subject, name: str) -> bool:
    """Whether a switch of a group is there and up: else nothing is left that could fail."""
    classes = subject.network.classes
    return any(vertex[1] == name for vertex in classes.vertices("switch"))


def no_spare_supply(subject: Subject) -> Iterator[Finding]:
    """Devices of which it is known that no power supply may fail."""
    for name, group in subject.plan.groups.items():
        if group.part is None or isinstance(group.part, Storage):
            continue  # of storage the catalog does not know it
        supplies = group.part.power_supplies
        if supplies is None:
            continue
        if supplies.spare == 0 or (supplies.spare is None and supplies.count == 1):
            many = f"{supplies.count} power suppl{'y' if supplies.count == 1 else 'ies'}"
            text = f"{group.part.name} needs all of its {many}: one or its feed fails, it is off"
            remedy = "take a device with a spare supply, or feed both sides from one UPS"
            yield found("no-spare-supply", name, text, f"0 of {supplies.count} spare", remedy)


def not_looked_at(subject: Subject) -> Iterator[Finding]:
    """Networks beside the compute network, whose single points nobody looks for."""
    for other in other_networks(subject.network):
        text = f"not looked at: {other.words}; a failure there may stop jobs that need it, and is "
        text += "no part of the figures, of these findings and of the failures"
        yield found("network-not-looked-at", other.where, text)


FIND: tuple[Find, ...] = (one_leaf, one_spine, no_spare_supply, not_looked_at)
EXPLAIN: Explainers = {}
