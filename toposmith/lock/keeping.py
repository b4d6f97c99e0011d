"""Connections that keep a lock: what stays keeps port and label; only what is new is placed.

A cable stays where its devices are still joined at its rate, at the same port of the node, and its
part still fits: what is wanted of a node is its very port, which is on a rail and near some GPUs
(:mod:`toposmith.lock.kept_cables`). What the design no longer has becomes free; a free cable is
moved by one end to where one is wanted at the other, as many as possible
(:mod:`toposmith.lock.cable_moves`). What is left is new: it takes a free port behind the same plug,
else an empty cage, and the next label (:mod:`toposmith.lock.new_cables`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from toposmith.bill.numbered_connections import NumberedConnections, wire
from toposmith.bill.terms import Terms
from toposmith.catalog import Catalog
from toposmith.fabric.plan import Plan
from toposmith.lock.kept_cables import KeptCables
from toposmith.lock.lock_columns import with_new
from toposmith.lock.lock_file import FabricLock, LockedDevice, uncollected
from toposmith.lock.locked_wiring import LockedWiring
from toposmith.lock.new_cables import NewCables
from toposmith.lock.wanted_connections import WantedConnections
from toposmith.racks.locked_devices import coordinates_texts, locked_devices
from toposmith.racks.placement import Placement, written_place


@dataclass(frozen=True, eq=False)
class KeptFabric:
    """A design that keeps its lock.

    Parameters
    ----------
    before : FabricLock
        The lock that it keeps.
    bound : LockedWiring
        What stays of it, and what is new.
    kept, moved, laid, pulled : int
        Connections as they were, at another device or port by one end, new, and no longer wanted.
    """

    before: FabricLock
    bound: LockedWiring
    kept: int
    moved: int
    laid: int
    pulled: int

    @cached_property
    def lock(self) -> FabricLock:
        """The lock of the design as it is now; connections without a port are left out."""
        devices = locked_lines(self.bound.wanted)
        return with_new(self.before, self.bound.rows, self.bound.new_lines, devices)

    @cached_property
    def wiring(self) -> NumberedConnections:
        """The connections with their ports, parts and labels."""
        return self.bound.wiring()


@uncollected()
def keep(
    plan: Plan, catalog: Catalog, placement: Placement, terms: Terms | None = None
) -> KeptFabric:
    """The connections of a design that has a lock.

    Parameters
    ----------
    plan : Plan
        The design, with its lock; devices are found there by group and coordinates.
    catalog : Catalog
        Its parts.
    placement : Placement
        Where devices stand, those of the lock where they stood.
    terms : Terms, optional
        Prices and policy, which choose the cables that are new.
    """
    lock = plan.design.lock
    assert lock is not None
    wanted = WantedConnections(plan, catalog, placement, terms or Terms())
    kept = KeptCables(lock, wanted)
    new = NewCables(lock, wanted, kept)
    moved, bound = new.moved, sum(line is not None for line in new.lines)
    return KeptFabric(
        lock,
        LockedWiring(wanted, kept, new),
        len(kept.rows),
        moved,
        bound - moved,
        len(kept.left) - moved,
    )


def bound_wiring(plan: Plan, catalog: Catalog, placement: Placement) -> NumberedConnections:
    """Every connection with its ports and its cable, as the lock has them where there is one."""
    if plan.design.lock is None:
        return wire(plan, catalog, placement)
    return keep(plan, catalog, placement).wiring


def locked_lines(wanted: WantedConnections) -> list[LockedDevice]:
    """Lines of all devices, in the order of the design; of an absent one that which it had."""
    plan, placement = wanted.plan, wanted.placement
    known = locked_devices(plan)
    lines: list[LockedDevice] = []
    for name, group in plan.groups.items():
        for number, at in enumerate(coordinates_texts(group)):
            was = known[name].get(number)
            if number in wanted.absent[name]:
                lines += [was] if was is not None else []
                continue
            lines.append(
                LockedDevice(
                    wanted.named[name](number),
                    name,
                    at,
                    group.spec.part,
                    *written_place(placement, name, number),
                    was.facts if was is not None and was.part == group.spec.part else "",
                )
            )
    return lines
