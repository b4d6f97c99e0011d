"""NVLink domains that are wider than a node: racks whose switch trays join the GPUs of many nodes.

The ``count`` nodes that a group has at each place of its ``per`` axes are the trays of one rack:
all their GPUs hang on the same NVLink switches, and NCCL takes them for one node (multi-node
NVLink, MNNVL). Trays drawn otherwise are not joined, and figures that rest on that have a finding.
A design may draw the switch trays, with a link to them; without any they are taken to be those of
the rack.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod

from toposmith.catalog.part_text import switches_noun
from toposmith.fabric.plan import GroupPlan
from toposmith.findings.finding import Finding, at_group, found


def domain_gpus(group: GroupPlan) -> int | None:
    """GPUs of the NVLink domain of a group's nodes; None where that is no wider than a node."""
    node = group.node
    domain = node.nvlink.domain_gpus if node and node.nvlink else None
    if group.nvlink is not None:
        domain = group.nvlink.room * group.nvlink.racks
    return domain if node and domain and domain > node.gpus else None


def outside(group: GroupPlan) -> int:
    """The number of leading axes of a group that distinguish its NVLink domains.

    Its own axis does not, nor does that of racks whose NVLink switches cables join.
    """
    trunked = group.nvlink is not None and group.nvlink.trunk is not None
    return len(group.axes) - 1 - trunked


def is_joined(group: GroupPlan) -> bool:
    """Whether the nodes of a group that differ in its own axis only are one NVLink domain.

    They are if they fit in one domain, which may be partly filled. Nodes of several racks are
    one domain where cables join the switches of these (:func:`outside`).
    """
    domain = domain_gpus(group)
    if group.nvlink_unsound:
        return False
    if group.nvlink is not None and set(group.nvlink.shared) != set(group.axes[:-1]):
        return False
    trunked = group.nvlink is not None and group.nvlink.trunk is not None
    one_by_one = group.sizes[-1:] == (1,) and group.instances > 1 and not trunked
    return domain is not None and not one_by_one and _in_domain(group) <= domain


def over_switches(group: GroupPlan) -> bool:
    """Whether NVLinks of a group are followed switch by switch, as cables join those of racks."""
    link = group.nvlink
    return link is not None and link.trunk is not None and is_joined(group)


def are_joined(groups: Sequence[GroupPlan]) -> bool:
    """Whether all nodes that take part lie in such domains."""
    return bool(groups) and all(is_joined(group) for group in groups)


def _in_domain(group: GroupPlan) -> int:
    return prod(group.sizes[outside(group) :]) * group.node.gpus if group.node else 0


def wider_domains(groups: Iterable[GroupPlan]) -> Iterator[tuple[GroupPlan, int]]:
    """The node groups whose NVSwitches join more GPUs than a node has, and how many they join."""
    for group in groups:
        domain = domain_gpus(group)
        if domain:
            yield group, domain


def beyond_model(groups: Sequence[GroupPlan]) -> str:
    """Why figures between the nodes of these groups are incomplete; empty where they are not."""
    if are_joined(groups):
        return ""
    for group, domain in wider_domains(groups):
        return (
            f"the {switches_noun(group.gpu_links)} of {group.name} join {domain} GPUs, more than "
            f"one node has, and {why_apart(group)}"
        )
    return ""


def why_apart(group: GroupPlan) -> str:
    """Why the nodes of such a group are treated as separate."""
    if is_joined(group):
        return "nodes of another kind take part, which are outside"
    if group.nvlink_unsound:
        return f"their link to {switches_noun(group.gpu_links)} cannot be built as drawn"
    if group.nvlink is not None and set(group.nvlink.shared) != set(group.axes[:-1]):
        return (
            f"the nodes that share {group.nvlink.switches} are not drawn as the count of "
            f"{group.name} for each of its places"
        )
    if group.sizes[-1] == 1:
        return "the nodes of a rack are not drawn as the count of a group for every rack"
    room = (domain_gpus(group) or 0) // (group.node.gpus if group.node else 1)
    return f"{group.sizes[-1]} nodes are drawn side by side, where a domain has room for {room}"


def domain_findings(groups: Sequence[GroupPlan]) -> list[Finding]:
    """Findings that figures between nodes of groups that are not joined are too low."""
    if are_joined(groups):
        return []
    return [
        found(
            "wider-nvlink-domain",
            at_group(group.name),
            domain_gpus=domain,
            reason=why_apart(group),
            gpu_links=group.gpu_links,
        )
        for group, domain in wider_domains(groups)
    ]


def part_filled(groups: Iterable[GroupPlan]) -> list[Finding]:
    """Findings on domains with fewer GPUs than their switches can join."""
    return [
        found(
            "nvlink-domain-part-filled",
            at_group(group.name),
            gpus=_in_domain(group),
            domain_gpus=domain,
            gpu_links=group.gpu_links,
        )
        for group, domain in wider_domains(groups)
        if is_joined(group) and _in_domain(group) < domain
    ]
