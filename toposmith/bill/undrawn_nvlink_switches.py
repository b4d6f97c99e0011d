"""The NVLink switches of racks where a design does not draw them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod

from toposmith.fabric.counts import device_counts
from toposmith.fabric.nvlink_domains import is_joined, outside, wider_domains
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import at_group
from toposmith.findings.values import Fact
from toposmith.racks.whole_racks import SoldWhole


def domains_of(group: GroupPlan, devices: int, domain_gpus: int) -> int:
    """The number of NVLink domains of this number of nodes."""
    if is_joined(group):
        return -(-devices // prod(group.sizes[outside(group) :]))
    return -(-devices * (group.node.gpus if group.node else 0) // domain_gpus)


def unlisted_switches(plan: Plan, sold: Mapping[str, SoldWhole]) -> Iterator[Finding]:
    """Findings that the bill lacks the switches of NVLink domains wider than a node.

    Those of racks that are sold whole come with their rack.
    """
    wide = [
        (group, domain)
        for group, domain in wider_domains(plan.groups.values())
        if group.nvlink is None and not group.nvlink_unsound
    ]
    devices = device_counts(plan) if wide else {}
    for group, domain in wide:
        trays = sold.get(group.name)
        lacking = trays.trays_left if trays else devices[group.name]
        many = domains_of(group, lacking, domain) if lacking else 0
        many = len(trays.begun) if trays and not trays.apart else many
        if many:
            place = at_group(group.name)
            nvlink = group.node.nvlink if group.node else None
            each = nvlink.switch_trays if nvlink else None
            yield found(
                "no-nvlink-switches",
                place,
                domains=many,
                domain_gpus=domain,
                gpu_links=group.gpu_links,
                switch_trays=each and each * many,
            )


def racks_not_whole(plan: Plan, sold: Mapping[str, SoldWhole]) -> Iterator[Finding]:
    """Findings on racks that differ from those sold, whose further contents are on no line."""
    for name, trays in sold.items():
        if not trays.begun:
            continue
        switches = plan.groups[name].nvlink
        part = plan.groups[switches.switches].part if switches else None
        besides = [
            f"{one.count} x {one.name}"
            for one in trays.system.contents
            if part is None or one.part != part.id
        ]
        held = (*besides, *trays.system.also)
        values: dict[str, Fact] = {"racks": len(trays.begun), "of": trays.system.name, "held": held}
        yield found("rack-not-whole", at_group(name), **values)
