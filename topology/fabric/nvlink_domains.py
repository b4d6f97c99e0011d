"""NVLink domains that are wider than a node: racks whose switch trays join the GPUs of many nodes.

Such a domain is not modelled yet: a node's GPUs are joined by NVLink, nodes by their NICs only, and
the switch trays are no parts of the catalog. What rests on that says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toposmith.topology.fabric.counts import device_counts
from toposmith.topology.fabric.plan import GroupPlan, Plan
from toposmith.topology.findings.finding import Finding, found
from toposmith.topology.findings.place import at_group


def wider_domains(groups: Iterable[GroupPlan]) -> Iterator[tuple[GroupPlan, int]]:
    """The node groups whose NVSwitches join more GPUs than a node has, and how many they join."""
    for group in groups:
        node = group.node
        domain = node.nvlink.domain_gpus if node and node.nvlink else None
        if node and domain and domain > node.gpus:
            yield group, domain


def beyond_model(groups: Iterable[GroupPlan]) -> str:
    """Why figures between the nodes of these groups lack something; empty where they do not."""
    for group, domain in wider_domains(groups):
        return (
            f"the NVSwitches of {group.name} join {domain} GPUs, more than one node has, and are "
            "not in the model"
        )
    return ""


def domain_findings(groups: Iterable[GroupPlan]) -> list[Finding]:
    """That figures between the nodes of such groups are too low."""
    return [
        found("wider-nvlink-domain", at_group(group.name), domain_gpus=domain)
        for group, domain in wider_domains(groups)
    ]


def unlisted_switches(plan: Plan) -> Iterator[Finding]:
    """That the bill lacks the switches of such domains."""
    wide = list(wider_domains(plan.groups.values()))
    devices = device_counts(plan) if wide else {}
    for group, domain in wide:
        assert group.node is not None
        many = -(-devices[group.name] * group.node.gpus // domain)
        if many:
            place = at_group(group.name)
            yield found("no-nvlink-switches", place, domains=many, domain_gpus=domain)
