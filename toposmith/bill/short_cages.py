"""Switches with enough ports whose cages do not hold all plugs."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.bill.quantities import Quantities
from toposmith.fabric.plan import Plan
from toposmith.fabric.port_use import port_findings
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import at_group


def cage_findings(plan: Plan, counted: Quantities) -> Iterator[Finding]:
    """Errors where legs of splitters or different plugs need more cages than a switch has.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    counted : Quantities
        Counts of its links.
    """
    over = {one.place.group for one in port_findings(plan)}
    for name, group in plan.groups.items():
        taken = counted.most_cages[name]
        if group.part is None or group.cages is None or name in over:
            continue
        if taken > group.cages.count:
            cages_of = {"cages_asked": taken, "cages": group.cages.count}
            yield found("cages-short", at_group(name), part=group.part.name, **cages_of)
