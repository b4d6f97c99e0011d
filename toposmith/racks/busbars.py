"""Devices that cannot take their power from the busbar of the rack in which they stand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from toposmith.catalog import Catalog
from toposmith.findings.codes.code import Severity
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import at_racks
from toposmith.racks.placement import Placement


def busbar_findings(placement: Placement, catalog: Catalog) -> Iterator[Finding]:
    """Findings on racks that are sold whole with a DC busbar and hold devices of another feed.

    A warning of those that take AC; an info where the catalog does not know what a device takes.
    Equal racks are merged.
    """
    racks = {
        rack: standing
        for rack, standing in placement.whole.items()
        if standing.whole and standing.system.fed_by == "busbar"
    }
    held: dict[int, set[str]] = defaultdict(set)
    for name, where in placement.rack_of.items() if racks else ():
        for rack in {*where} & racks.keys():
            standing = racks[rack]
            if name not in (standing.group, *(standing.switches or ())[:1]):
                held[rack].add(placement.devices[name].part)
    levels: tuple[tuple[str | None, Severity | None], ...] = (("AC", None), (None, "info"))
    for fed_by, severity in levels:
        alike: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for rack, parts in sorted(held.items()):
            of = tuple(sorted(part for part in parts if _fed_by(part, catalog) == fed_by))
            if of:
                alike[of].append(rack)
        for parts_held, where in alike.items():
            yield found(
                "rack-busbar-unfit",
                at_racks(placement.label(where[0]), len(where) - 1),
                severity,
                parts=parts_held,
                system=racks[where[0]].system.name,
                known=fed_by is not None,
            )


def _fed_by(part_id: str, catalog: Catalog) -> str | None:
    part = catalog.get(part_id)
    return None if part is None else part.fed_by
