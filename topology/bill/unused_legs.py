"""Whether splitters with legs that nothing uses may take more cages than a switch has."""

from __future__ import annotations

from collections import defaultdict

from toposmith.catalog import Cable, Catalog, Fibre
from toposmith.topology.bill.bill import Bill, RunCount
from toposmith.topology.fabric.plan import Plan
from toposmith.topology.fabric.port_use import port_use


def may_lack_cages(plan: Plan, bill: Bill, catalog: Catalog) -> bool:
    """Whether the cages of a switch might not hold all plugs, though they have ports enough.

    A bound from above, by counts alone: every leg that is not used is taken to be at one switch.
    The cable schedule has the answer.
    """
    more: dict[str, int] = defaultdict(int)
    for link, counted in zip(plan.every_link, bill.links, strict=True):
        unused = sum(_unused_legs(run, catalog) for run in counted.runs)
        if unused:
            for end in link.ends:
                # as many ports again are skipped where a link begins inside a cage
                more[end.group] += unused + len(counted.runs)
    uses = port_use(plan)
    return any(
        plan.groups[name].cages is not None
        and uses[name, ""].cages_used + many > uses[name, ""].cages
        for name, many in more.items()
    )


def _unused_legs(run: RunCount, catalog: Catalog) -> int:
    """Legs of the splitters of a run beyond its connections."""
    body = catalog.get(run.part) if run.part is not None else None
    legs = 1
    if isinstance(body, Cable):
        legs = body.b.plugs
    elif isinstance(body, Fibre):
        legs = body.ends_b
    return max(0, (run.cables or 0) * legs - run.connections) if legs > 1 else 0
