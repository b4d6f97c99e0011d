"""Limits of switch chips on logical ports in breakout, which may be below those of the cages."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog import Switch
from toposmith.fabric.plan import Plan
from toposmith.fabric.port_use import port_use
from toposmith.findings.finding import Finding, at_group, found


def most_logical_ports(switch: Switch) -> int | None:
    """Logical ports that a switch chip runs in breakout; None where no limit is known."""
    limits = [switch.max_ports] if switch.max_ports else []
    if switch.pipelines:
        runs = switch.cages.count // switch.pipelines.cages
        limits.append(runs * switch.pipelines.max_ports)
    return min(limits, default=None)


def breakout_findings(plan: Plan) -> Iterator[Finding]:
    """Errors where links need more logical ports of a switch than its chip supports."""
    uses = port_use(plan)
    for name, group in plan.groups.items():
        if group.switch is None:
            continue
        use, most = uses[name, ""], most_logical_ports(group.switch)
        if most is not None and use.used > most and use.cages_used <= use.cages:
            ports = {"ports_asked": use.used, "most_ports": most, "too_many": use.used - most}
            yield found("breakout-limit", at_group(name), part=group.switch.name, **ports)
