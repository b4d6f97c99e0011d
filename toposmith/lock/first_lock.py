"""The lock of a design as it is planned now: what its schedule says, line by line."""

from __future__ import annotations

from dataclasses import replace

from toposmith.errors import LockError
from toposmith.evaluation import EvaluatedDesign
from toposmith.lock.binding import Binding
from toposmith.lock.keeping import locked_lines
from toposmith.lock.lock_columns import in_order
from toposmith.lock.lock_file import FabricLock, LockedCable, uncollected
from toposmith.lock.typed_ports import cables_with_typed_ports
from toposmith.lock.wanted_connections import WantedConnections, parts_of
from toposmith.review.findings.locks import not_of_design, why_left_alone


@uncollected()
def lock_of(design: EvaluatedDesign) -> FabricLock:
    """The lock of a design: what it keeps of the one that it has, and what is new.

    Without one everything is as its cable schedule has it, but for ports of switches that the
    design types in ``cables:``. Connections without a port are left out.
    """
    if design.design.lock is None:
        first = _first_lock(design)
        if not cables_with_typed_ports(design.plan):
            return first
        # ports that `cables:` types are honoured by what keeps a lock
        bound = design.design.bound_to(Binding(held=first))
        design = replace(design, design=bound, shared=None)
    kept = design.planned.kept(design.terms)
    assert kept is not None
    return kept.lock


def bind_anew(design: EvaluatedDesign) -> str | None:
    """Bind what is new in the file of a lock, as an approval does; returns its SHA-256.

    Nothing is written, and None returned, where the design has no lock, one that cannot be used, or
    that of another design.

    Raises
    ------
    LockError
        Where the file says something else by now, or cannot be written; where it asks what was
        renamed, or names a port that a part lacks.
    """
    binding = design.design.binding
    if binding is None or binding.lock is None or not_of_design(design.plan):
        return None
    if why := why_left_alone(design.plan, design.catalog):
        raise LockError(why)
    binding.bind(lock_of(design))
    return binding.digest


def _first_lock(design: EvaluatedDesign) -> FabricLock:
    wiring = design.planned.wiring(design.terms)
    wanted = WantedConnections(design.plan, design.catalog, design.placement)
    parts = parts_of(wiring, wanted.links)
    width = max(4, len(str(wiring.cables)))
    labels: dict[int, str] = {}
    cables: list[LockedCable] = []
    for at in design.schedule.order():
        place = wiring.link[at]
        link, made = wanted.links[place], parts[wiring.recipe[at]]
        ends = (wiring.port_a[at], wiring.port_b[at])
        names = [ports.labels for ports in wanted.ports[place]]
        numbers = range(wiring.cable[at], wiring.cable[at] + made.bodies)
        label = "+".join(
            labels.setdefault(number, f"C{len(labels) + 1:0{width}d}") for number in numbers
        )
        if any(end >= len(known) for end, known in zip(ends, names, strict=True)):
            continue  # more cables than ports: that is an error of the design
        cables.append(
            LockedCable(
                wanted.named[link.a.group](wiring.a[at]),
                names[0][ends[0]],
                wanted.named[link.b.group](wiring.b[at]),
                names[1][ends[1]],
                label + (f"-{wiring.leg[at]}" if wiring.leg[at] else ""),
                made.metres,
                made.part,
                str(link.speed_gbit),
                made.plug_a,
                made.plug_b,
            )
        )
    return in_order(locked_lines(wanted), cables)
