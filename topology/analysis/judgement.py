"""What is wrong or fragile with a design, beyond what keeps it from being built."""

from __future__ import annotations

from toposmith.catalog.links import slower
from toposmith.topology.analysis.network import Network
from toposmith.topology.analysis.result import Tier
from toposmith.topology.fabric.inside import pcie_GBps
from toposmith.topology.fabric.plan import Finding, GroupPlan, Plan, Value
from toposmith.topology.fabric.ports import port_findings
from toposmith.topology.units import line_rate_GBps


def design_findings(plan: Plan, network: Network, tiers: tuple[Tier, ...]) -> list[Finding]:
    """All findings of a design: of its plan, its ports, its nodes and its tiers."""
    findings = [*plan.findings, *port_findings(plan)]
    for group in network.world.groups:
        findings += _node_findings(network, group)
    linked = {end.group for link in plan.every_link for end in (link.a, link.b)}
    for name, group in plan.groups.items():
        if group.switch and name not in linked:
            text = f"{name} is not wired to anything"
            findings.append(Finding("unwired", "warning", name, text))
    for tier in tiers:
        if tier.oversubscription is not None and tier.oversubscription > 1.001:
            findings.append(
                Finding(
                    "oversubscribed",
                    "warning",
                    " + ".join(tier.groups),
                    f"{tier.tier} tier oversubscribed {tier.oversubscription:.3g}:1 "
                    f"({tier.ports_down:,} cables down, {tier.ports_up:,} up): all-to-all and "
                    "traffic between distant nodes share the uplinks",
                    value=Value(tier.oversubscription, ":1"),
                )
            )
    return findings


def _node_findings(network: Network, group: GroupPlan) -> list[Finding]:
    findings: list[Finding] = []
    ports = network.ports(group)
    node = group.node
    if ports is None or node is None or ports.nic is None:
        return findings
    where = f"{group.name}.{ports.name}"
    if ports.nics < node.gpus and network.world.nodes > 1:
        each = ports.nics * line_rate_GBps(ports.nic.together_gbit) / node.gpus
        findings.append(
            Finding(
                "fewer-nics-than-gpus",
                "warning",
                where,
                f"{node.gpus} GPUs share {ports.nics} NIC{'s' if ports.nics > 1 else ''}: "
                f"{each:.3g} GB/s of line rate per GPU",
                value=Value(ports.nics / node.gpus, "NICs per GPU", "less"),
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
            Finding(
                "nic-ports-share",
                "warning",
                where,
                f"the {ports.nic.ports} ports of {ports.nic.name} carry {carry:.3g} GB/s, the "
                f"adapter takes {line_rate_GBps(ports.nic.together_gbit):.3g} of all together",
            )
        )
    slot = slower(ports.nic.pcie, node.slots[ports.name].pcie)
    wanted = line_rate_GBps(ports.nic.together_gbit)
    if pcie_GBps(slot) < wanted:
        findings.append(
            Finding(
                "slot-slower-than-nic",
                "warning",
                where,
                f"{ports.nic.name} needs {wanted:.3g} GB/s, its PCIe {slot.generation} "
                f"x{slot.width} slot carries {pcie_GBps(slot):.3g} GB/s",
                value=Value(100 * pcie_GBps(slot) / wanted, "% of its line rate", "less"),
            )
        )
    return findings
