"""NVLink domains that are wider than a node: racks whose switch trays join the GPUs of many nodes.

Such a domain is not modelled yet: a node's GPUs are joined by NVLink, nodes by their NICs only, and
the switch trays are no parts of the catalog. What rests on that says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from toposmith.text import counted
from toposmith.topology.fabric.counts import device_counts
from toposmith.topology.fabric.plan import Finding, GroupPlan, Plan


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
    text = (
        "its NVSwitches join {domain} GPUs, more than one node has; traffic between nodes is taken "
        "over their NICs, so that figures inside such a domain are too low"
    )
    return [
        Finding("wider-nvlink-domain", "warning", group.name, text.format(domain=domain))
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
            racks = counted(many, "NVLink domain")
            text = (
                f"its nodes are {racks} of {domain} GPUs, joined by switch trays of the rack; the "
                "catalog has none, so that the bill lacks them with their power and rack units"
            )
            yield Finding("no-nvlink-switches", "warning", group.name, text)
