"""What is wrong or fragile with a design, beyond what keeps it from being built."""

from __future__ import annotations

from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.result import Tier
from toposmith.catalog.part_text import slower
from toposmith.fabric.inside import pcie_GBps
from toposmith.fabric.plan import GroupPlan, Plan
from toposmith.fabric.port_use import port_findings
from toposmith.findings.finding import Finding, at_group, at_groups, found
from toposmith.units import line_rate_GBps


def design_findings(plan: Plan, network: ComputeNetwork, tiers: tuple[Tier, ...]) -> list[Finding]:
    """All findings of a design: of its plan, its ports, its nodes and its tiers."""
    findings = [*plan.findings, *port_findings(plan)]
    for group in network.world.groups:
        findings += _node_findings(network, group)
    linked = {end.group for link in plan.every_link for end in (link.a, link.b)}
    for name, group in plan.groups.items():
        if group.switch and name not in linked:
            findings.append(found("unwired", at_group(name), group=name))
    for tier in tiers:
        if tier.oversubscription is not None and tier.oversubscription > 1.001:
            findings.append(
                found(
                    "oversubscribed",
                    at_groups(tier.groups),
                    tier=tier.tier,
                    ratio=tier.oversubscription,
                    **({} if tier.as_cabled is None else {"as_cabled": tier.as_cabled}),
                    ports_down=tier.ports_down,
                    ports_up=tier.ports_up,
                )
            )
    return findings


def _node_findings(network: ComputeNetwork, group: GroupPlan) -> list[Finding]:
    findings: list[Finding] = []
    ports = network.ports(group)
    node = group.node
    if ports is None or node is None or ports.nic is None:
        return findings
    place = at_group(group.name, ports.name)
    if ports.nics < node.gpus and network.world.nodes > 1:
        each = ports.nics * line_rate_GBps(ports.nic.together_gbit) / node.gpus
        findings.append(
            found(
                "fewer-nics-than-gpus",
                place,
                gpus=node.gpus,
                nics=ports.nics,
                nics_per_gpu=ports.nics / node.gpus,
                GBps_per_gpu=each,
            )
        )
    cables = sum(
        link.cables_at(group.name)
        for link in network.plan.links_of(group.name)
        if link.end_of(group.name).ports == ports.name
    )
    if ports.nic.shared_gbit is not None and cables > ports.nics:
        carry = ports.nic.ports * line_rate_GBps(ports.nic.speed_gbit)
        findings.append(
            found(
                "nic-ports-share",
                place,
                nic=ports.nic.name,
                ports=ports.nic.ports,
                ports_GBps=carry,
                adapter_GBps=line_rate_GBps(ports.nic.together_gbit),
            )
        )
    slot = slower(ports.nic.pcie, node.slots[ports.name].pcie)
    wanted = line_rate_GBps(ports.nic.together_gbit)
    if pcie_GBps(slot) < wanted:
        findings.append(
            found(
                "slot-slower-than-nic",
                place,
                nic=ports.nic.name,
                needs_GBps=wanted,
                pcie_generation=slot.generation,
                pcie_lanes=slot.width,
                slot_GBps=pcie_GBps(slot),
                percent_of_line_rate=100 * pcie_GBps(slot) / wanted,
            )
        )
    return findings
